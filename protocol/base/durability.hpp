#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// When an event counts as durable.
enum class durability : std::uint8_t {
  none,   ///< once passed to the operating system: survives only the process
  group,  ///< once it is on disk; its cause does not wait for that
  strict, ///< same, and nobody acts outside before the events that led to it
};
CONVENE_WORDS(durability, "none", "group", "strict");

} // namespace convene::protocol
