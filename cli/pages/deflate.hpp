#pragma once

#include <string>
#include <string_view>

namespace convene::cli {

/// The bytes as raw deflate data (RFC 1951), which a browser's
/// DecompressionStream reads as "deflate-raw".
[[nodiscard]] std::string deflated(std::string_view bytes);

} // namespace convene::cli
