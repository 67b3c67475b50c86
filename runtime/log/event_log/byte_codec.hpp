#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// Appends an unsigned number, lowest byte first.
template <class Number>
void put_fixed(std::string& to, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    to += static_cast<char>(value >> 8 * i & 0xff);
}

/// Appends a number in as few bytes as possible, seven bits in each.
inline void put_number(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    to += static_cast<char>((value & 0x7f) | 0x80);
  to += static_cast<char>(value);
}

/// Reads what these write. Each function returns whether it succeeded.
class byte_source {
public:
  explicit byte_source(std::string_view from) : left_{from} {
    // nop
  }

  template <class Number>
  [[nodiscard]] bool fixed(Number& value) {
    if (left_.size() < sizeof value)
      return false;
    value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
      value |= static_cast<Number>(static_cast<unsigned char>(left_[i]))
               << 8 * i;
    left_.remove_prefix(sizeof value);
    return true;
  }

  [[nodiscard]] bool number(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }

  [[nodiscard]] bool empty() const noexcept {
    return left_.empty();
  }

private:
  std::string_view left_;
};

} // namespace convene::host
