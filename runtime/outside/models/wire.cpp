#include <convene/runtime/outside/models/wire.hpp>

#include <algorithm>
#include <array>

namespace convene::host {

namespace json = protocol::json;

const json::array& array_member(const json::object& from,
                                std::string_view name) {
  static const json::array none;
  const auto* found = from.if_contains(name);
  const auto* items = found ? found->if_array() : nullptr;
  return items ? *items : none;
}

std::int64_t count_member(const json::object& from, std::string_view name) {
  return std::max<std::int64_t>(protocol::integer_of(from, name).value_or(0),
                                0);
}

tl::expected<json::object, protocol::action_error>
read_object(std::string_view text) {
  auto read = protocol::parse_json(text);
  if (!read)
    return tl::unexpected{
      invalid_answer("the model's answer is no JSON: " + read.error().message
                     + " (" + read.error().rule + ")")};
  if (!read->is_object())
    return tl::unexpected{
      invalid_answer("the model's answer is no JSON object: "
                     + protocol::shorten_value(*read))};
  return std::move(read->get_object());
}

std::optional<protocol::action_error> reported_error(const json::object& from) {
  const auto* found = from.if_contains("error");
  if (!found || found->is_null())
    return std::nullopt;
  static const json::object none;
  const auto& inside = found->is_object() ? found->get_object() : none;
  const auto type = protocol::text_of(inside, "type");
  auto words = found->is_string() ? std::string_view{found->get_string()}
                                  : protocol::text_of(inside, "message");
  constexpr std::array transient{std::string_view{"overloaded_error"},
                                 std::string_view{"rate_limit_error"},
                                 std::string_view{"api_error"},
                                 std::string_view{"timeout_error"},
                                 std::string_view{"server_error"}};
  return protocol::action_error{
    .code = "provider_error",
    .message
    = "the provider reports: " + protocol::sanitize_beginning(words, 500)
      + (type.empty() ? "" : " (" + std::string{type.substr(0, 60)} + ")"),
    .transient = std::ranges::find(transient, type) != transient.end()};
}

} // namespace convene::host
