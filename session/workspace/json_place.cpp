#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/session/workspace/json_place.hpp>
#include <convene/session/workspace/size.hpp>

#include <charconv>

namespace convene::session {
protocol::result<json_place> parse_pointer(std::string_view text) {
  auto refuse = [&](std::string message) {
    return protocol::fail({.code = protocol::errc::invalid_document,
                           .message = std::move(message),
                           .rule = "pointer_syntax",
                           .value = protocol::shorten(text)});
  };
  json_place place;
  if (text.empty())
    return place;
  if (text.front() != '/')
    return refuse("a JSON pointer is empty or begins with a slash");
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto end = text.find('/');
    if (place.size() == value_depth_max)
      return refuse("the pointer is deeper than any value");
    if (!protocol::read_token(text.substr(0, end), place.emplace_back()))
      return refuse("in a JSON pointer ~ comes before 0 or 1 only");
    text = end == text.npos ? std::string_view{} : text.substr(end);
  }
  return place;
}

std::optional<std::size_t> array_index(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0'))
    return std::nullopt;
  std::size_t index = 0;
  const auto* end = token.data() + token.size();
  const auto [at, failed] = std::from_chars(token.data(), end, index);
  if (failed != std::errc{} || at != end)
    return std::nullopt;
  return index;
}

json::value* find(json::value& in, const json_place& at, std::size_t tokens) {
  auto* here = &in;
  for (std::size_t n = 0; n < tokens && here != nullptr; ++n) {
    if (auto* object = here->if_object()) {
      here = object->if_contains(at[n]);
    } else if (auto* array = here->if_array()) {
      const auto index = array_index(at[n]);
      here = index ? array->if_contains(*index) : nullptr;
    } else {
      here = nullptr;
    }
  }
  return here;
}

} // namespace convene::session
