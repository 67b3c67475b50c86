#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// SHA-256 of bytes that come in pieces (FIPS 180-4).
class sha256_hasher {
public:
  void add(std::string_view bytes) noexcept;

  /// Of all that was added; nothing may be added after it.
  [[nodiscard]] std::array<std::uint8_t, 32> finish() noexcept;

private:
  std::array<std::uint32_t, 8> hash_{0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                     0xa54ff53a, 0x510e527f, 0x9b05688c,
                                     0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t bytes_ = 0;
};

} // namespace convene::protocol
