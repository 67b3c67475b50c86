#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

// Other people's words among convene's own, in text for a model: none of them
// can begin a line that convene could have written. For sources in this folder
// only. Pure.

namespace convene::host {

/// What begins each line of a text of several lines.
inline constexpr std::string_view quote_mark = "| ";

/// `text` as it follows a line that convene has begun: behind a space if it is
/// one line, else on lines of its own that begin with the mark. All that any
/// reader takes for a line's end counts, such as U+2028; those at the end of
/// the text are left out.
[[nodiscard]] std::string quoted_text(std::string_view text);

/// The same for a text that nothing stands before. One line that begins with a
/// bracket, as convene's own do, has the mark, too.
[[nodiscard]] std::string quoted_whole(std::string_view text);

/// A name: as it is if it is plain, else as a JSON string.
[[nodiscard]] std::string shown_name(std::string_view name);

/// JSON text of one line, whatever a reader takes for a line's end.
[[nodiscard]] std::string shown_json(const boost::json::value& what);

} // namespace convene::host
