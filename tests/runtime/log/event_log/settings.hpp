#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace convene::tests {

/// A number from the environment.
inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// CONVENE_SEED, or another one each time.
inline std::uint64_t first_seed() {
  return setting("CONVENE_SEED", std::random_device{}());
}

} // namespace convene::tests
