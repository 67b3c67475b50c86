#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace convene::host {

/// Bytes in lower-case hexadecimal.
[[nodiscard]] std::string hex_of(std::span<const std::uint8_t> bytes);

/// HMAC-SHA256 (RFC 2104), in hexadecimal.
[[nodiscard]] std::string hmac_sha256(std::string_view key,
                                      std::string_view text);

} // namespace convene::host
