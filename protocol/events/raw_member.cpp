#include <convene/protocol/events/raw_member.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace convene::protocol {

std::string_view find_raw(const std::vector<raw_member>& in,
                          std::string_view name) noexcept {
  const auto found = std::ranges::find(in, name, &raw_member::name);
  return found == in.end() ? std::string_view{} : found->value;
}

std::string_view inside_quotes(std::string_view value) noexcept {
  return value.starts_with('"') ? value.substr(1, value.size() - 2)
                                : std::string_view{};
}

std::string text_of_raw(std::string_view value) {
  const auto inside = inside_quotes(value);
  if (inside.find('\\') == inside.npos)
    return std::string{inside};
  const auto parsed = value_of_raw(value);
  const auto* text = parsed.if_string();
  return text == nullptr ? std::string{} : std::string{*text};
}

std::optional<std::int64_t> integer_of_raw(std::string_view value) noexcept {
  std::int64_t number = 0;
  const auto read = std::from_chars(value.begin(), value.end(), number);
  return read.ec == std::errc{} && read.ptr == value.end()
           ? std::optional{number}
           : std::nullopt;
}

json::value value_of_raw(std::string_view value) {
  const auto inside = inside_quotes(value);
  if (value.starts_with('"') && inside.find('\\') == inside.npos)
    return json::string{inside};
  if (const auto number = integer_of_raw(value))
    return *number;
  return parse_json(value).value_or(nullptr);
}

} // namespace convene::protocol
