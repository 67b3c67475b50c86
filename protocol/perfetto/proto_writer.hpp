#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Writes the fields of a protobuf message, one after the other. A message
/// within is written first, then added as bytes.
class proto_writer {
public:
  proto_writer& number(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }

  /// int64, where a negative number has ten bytes.
  proto_writer& integer(std::uint32_t field, std::int64_t value) {
    return number(field, static_cast<std::uint64_t>(value));
  }

  proto_writer& fixed(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int i = 0; i < 8; ++i)
      bytes_ += static_cast<char>(value >> (8 * i) & 0xffU);
    return *this;
  }

  proto_writer& real(std::uint32_t field, double value) {
    return fixed(field, std::bit_cast<std::uint64_t>(value));
  }

  /// A string, bytes or a message.
  proto_writer& text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }

  proto_writer& message(std::uint32_t field, const proto_writer& inner) {
    return text(field, inner.bytes());
  }

  [[nodiscard]] const std::string& bytes() const noexcept {
    return bytes_;
  }

private:
  void key(std::uint32_t field, std::uint32_t wire_type) {
    varint(field << 3U | wire_type);
  }

  void varint(std::uint64_t value) {
    for (; value > 0x7fU; value >>= 7U)
      bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

} // namespace convene::protocol
