#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convene::protocol {

// Hexadecimal text. It is written in lower case.

inline constexpr std::string_view hex_digits = "0123456789abcdef";

/// Two digits for each byte.
[[nodiscard]] std::string hex_of(std::span<const std::uint8_t> bytes);

/// The number's lowest digits, 1 to 16 of them, with leading zeros.
[[nodiscard]] std::string hex_of(std::uint64_t number, std::size_t digits);

/// Whether the text is exactly so many digits in lower case.
[[nodiscard]] bool is_lower_hex(std::string_view text,
                                std::size_t digits) noexcept;

/// The number that 1 to 16 digits of either case denote. Nothing if the text is
/// empty, longer, or has any other character: no sign, prefix or space.
[[nodiscard]] std::optional<std::uint64_t>
parse_hex(std::string_view text) noexcept;

} // namespace convene::protocol
