#pragma once

#include <string>
#include <string_view>

namespace convene::cli {

/// What a terminal sends around a paste once it was asked to (bracketed paste).
inline constexpr std::string_view paste_begins = "\x1b[200~";
inline constexpr std::string_view paste_ends = "\x1b[201~";

/// A byte order mark in front of a line is ignored.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The text between the marks, with "\n" for each line end ("\r" or "\r\n") and
/// without the last one: the line's own end is still to be typed.
[[nodiscard]] std::string pasted_text(std::string_view sent);

} // namespace convene::cli
