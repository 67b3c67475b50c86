#include <convene/runtime/log/event_log/line_search.hpp>

#include <algorithm>
#include <cstring>

namespace convene::host {
namespace {

/// Unlike `string_view::find`, fast also where the first byte is a common one.
std::size_t find(std::string_view in, std::string_view text,
                 std::size_t from) noexcept {
  if (from > in.size())
    return in.npos;
  const auto* found = static_cast<const char*>(
    ::memmem(in.data() + from, in.size() - from, text.data(), text.size()));
  return found == nullptr ? in.npos
                          : static_cast<std::size_t>(found - in.data());
}

/// Whether JSON can write the character otherwise than as itself or by `\u00`.
bool has_other_spellings(char c) noexcept {
  return c < ' ' || c > '~' || c == '"' || c == '\\' || c == '/';
}

} // namespace

std::size_t find_quoted(std::string_view line, std::string_view text,
                        std::size_t from) noexcept {
  // An escaped quote behind the text would end in a backslash first.
  for (auto at = find(line, text, std::max<std::size_t>(from, 1));
       at != line.npos; at = find(line, text, at + 1))
    if (line[at - 1] == '"' && at + text.size() < line.size()
        && line[at + text.size()] == '"')
      return at;
  return line.npos;
}

std::optional<std::string_view> plain_text(std::string_view value) noexcept {
  const auto end = value.find_first_of("\"\\", 1);
  if (!value.starts_with('"') || end == value.npos || value[end] != '"')
    return std::nullopt;
  return value.substr(1, end - 1);
}

bool may_hide_names(std::string_view line) noexcept {
  // Most lines have no backslash at all, which is quicker to see.
  const auto first = line.find('\\');
  return first != line.npos && find(line, "\\u00", first) != line.npos;
}

bool may_have_string(std::string_view line, std::string_view text) noexcept {
  return text.empty() || find_quoted(line, text) != line.npos
         || (std::ranges::any_of(text, has_other_spellings)
               ? line.find('\\') != line.npos
               : may_hide_names(line));
}

} // namespace convene::host
