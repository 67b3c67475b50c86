#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/commands/export/made_files.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// Prints the one JSON document of `--json` for what a format made: each file
/// with its text, or in base64 if it has none, and the notes.
[[nodiscard]] protocol::result<void>
print_made_json(const made_files& made, bool is_text,
                const std::vector<std::string>& notes);

/// Prints a JSON object with one more member, a long text, at its end.
[[nodiscard]] protocol::result<void>
print_json_with_text(const boost::json::object& document, std::string_view name,
                     const host::spool& text);

} // namespace convene::cli
