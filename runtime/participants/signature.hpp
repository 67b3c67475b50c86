#pragma once

#include <string>
#include <string_view>

namespace convene::host {

/// HMAC-SHA256 (RFC 2104), in hexadecimal.
[[nodiscard]] std::string hmac_sha256(std::string_view key,
                                      std::string_view text);

} // namespace convene::host
