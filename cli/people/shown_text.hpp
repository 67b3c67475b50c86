#pragma once

#include <string>
#include <string_view>

namespace convene::cli {

/// Each line of a text behind `indent`, safe for a terminal; the end of a long
/// text is left out.
[[nodiscard]] std::string indented(std::string_view text,
                                   std::string_view indent);

} // namespace convene::cli
