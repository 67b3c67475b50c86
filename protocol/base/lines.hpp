#pragma once

#include <algorithm>
#include <string_view>

namespace convene::protocol {

/// Cuts the first line off a text, and returns it without its end. Of a text
/// without a line end, all of it.
[[nodiscard]] inline std::string_view cut_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

} // namespace convene::protocol
