#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace convene::protocol {

/// Whether a text is a constant one, which the compiler then compares as
/// numbers instead of calling a function. Most texts differ in their sizes.
[[nodiscard, gnu::always_inline]] constexpr bool
is_same(std::string_view text, std::string_view constant) noexcept {
  return text.size() == constant.size()
         && __builtin_memcmp(text.data(), constant.data(), constant.size())
              == 0;
}

/// Whether short runs of bytes are the same: eight at a time, the last ones
/// with those before them.
[[nodiscard, gnu::always_inline]] inline bool
same_bytes(const char* one, const char* other, std::size_t size) noexcept {
  constexpr std::size_t block = sizeof(std::uint64_t);
  if (size < block)
    return std::memcmp(one, other, size) == 0;
  const auto differ = [&](std::size_t at) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::memcpy(&a, one + at, block);
    std::memcpy(&b, other + at, block);
    return a != b;
  };
  for (std::size_t at = 0; at + block < size; at += block)
    if (differ(at))
      return false;
  return !differ(size - block);
}

} // namespace convene::protocol
