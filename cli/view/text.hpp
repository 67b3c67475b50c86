#pragma once

#include <convene/protocol/shown/shown_text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::cli {

using protocol::cut_row;
using protocol::fit;
using protocol::neutral;
using protocol::neutral_json;
using protocol::plural;
using protocol::width;

/// The same, filled up with spaces to exactly `columns`.
[[nodiscard]] std::string column(std::string_view text, std::size_t columns);

/// "15 tokens, $0.0015", with two decimals at least; what is 0 is left out.
[[nodiscard]] std::string spent(std::int64_t tokens, std::int64_t microusd);

/// What is said of sessions whose beginning is in removed segments of a log; of
/// none, nothing.
[[nodiscard]] inline std::string told_cut(std::uint64_t sessions) {
  if (sessions == 0)
    return {};
  return ", " + plural(sessions, "session")
         + " left out that began in removed segments";
}

/// A word of a command line, in quotes where a shell would read it as something
/// else.
[[nodiscard]] std::string shell_word(const std::string& text);

} // namespace convene::cli
