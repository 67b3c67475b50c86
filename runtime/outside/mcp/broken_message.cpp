#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/mcp/broken_message.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace convene::host {
namespace {

/// Up to the end of the string that begins before `text`.
std::string_view up_to_quote(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return text.substr(0, at);
}

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t made = 0;
  const auto [at, fault] = std::from_chars(text.data(),
                                           text.data() + text.size(), made);
  return fault == std::errc{} ? std::optional{made} : std::nullopt;
}

} // namespace

broken_message look_at_broken(std::string_view line) {
  broken_message made;
  const auto begin = std::ranges::find_if_not(line, protocol::is_json_space);
  line.remove_prefix(static_cast<std::size_t>(begin - line.begin()));
  if (!line.starts_with('{'))
    return made;
  std::string_view key;
  int depth = 0;
  bool is_key = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const auto rest = line.substr(at + 1);
    if (c == '"') {
      const auto text = up_to_quote(rest);
      at += text.size() + 1;
      if (depth == 1 && is_key) {
        key = text;
        is_key = false;
        made.is_answer |= key == "result" || key == "error";
        if (key == "method")
          return {};
      } else if (depth == 1 && key == "id") {
        made.id = number_at(text);
      }
    } else if (c == '{' || c == '[') {
      is_key = ++depth == 1;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 1) {
      is_key = true;
    } else if (depth == 1 && key == "id" && !is_key && protocol::is_digit(c)) {
      made.id = number_at(line.substr(at));
      key = {};
    }
  }
  return made;
}

} // namespace convene::host
