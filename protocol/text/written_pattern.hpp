#pragma once

#include <convene/protocol/text/pattern.hpp>

#include <string_view>

namespace convene::protocol::validation {

/// As people write it in scenarios: `(?i)` at the beginning, which patterns of
/// JavaScript have no other way to say, ignores case.
[[nodiscard]] inline result<pattern>
make_written_pattern(std::string_view text) {
  constexpr std::string_view no_case = "(?i)";
  if (!text.starts_with(no_case))
    return make_pattern(text);
  return make_pattern(text.substr(no_case.size()), letter_case::ignored);
}

} // namespace convene::protocol::validation
