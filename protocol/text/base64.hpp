#pragma once

#include <string>
#include <string_view>

namespace convene::protocol {

/// The bytes in base64 (RFC 4648), with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);

} // namespace convene::protocol
