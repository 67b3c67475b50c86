#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_scan.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

/// The end of the comment that starts at `at`, or `at` where none does.
std::size_t skip_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//")
    return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) != "/*")
    return at;
  const auto end = text.find("*/", at + 2);
  return end == std::string_view::npos ? at : end + 2;
}

} // namespace

std::string blank_relaxations(std::string_view text) {
  std::string blanked{text};
  auto blank = [&blanked](std::size_t from, std::size_t to) {
    for (; from < to; ++from)
      if (blanked[from] != '\n')
        blanked[from] = ' ';
  };
  constexpr auto npos = std::string_view::npos;
  char previous = '['; // the last character that counts; a comma may follow
                       // any value, but not an opening, a comma or a colon
  std::size_t comma = npos;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (const auto end = skip_comment(text, at); end != at) {
      blank(at, end);
      at = end;
      continue;
    }
    if (!is_json_space(c)) {
      if ((c == ']' || c == '}') && comma != npos)
        blank(comma, comma + 1);
      const bool after_value = std::string_view{"[{,:"}.find(previous) == npos;
      comma = c == ',' && after_value ? at : npos;
      previous = c;
    }
    ++at;
    if (c == '"') {
      while (at < text.size() && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
      at = std::min(at + 1, text.size());
    }
  }
  return blanked;
}

} // namespace convene::protocol
