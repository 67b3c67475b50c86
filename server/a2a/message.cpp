#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/a2a_part.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/a2a/message.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::result;

/// A participant `a2a` sends its request as text and as data: once is enough.
constexpr std::string_view request_type
  = "application/vnd.convene.request+json";

tl::unexpected<protocol::error> refuse(std::string pointer, std::string message,
                                       std::string code = "invalid_params") {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = std::move(code)});
}

/// A member that is a text of at most `bytes_max`; empty if it is missing.
result<std::string> text_in(const json::object& from, std::string_view name,
                            std::string_view pointer, std::size_t bytes_max) {
  const auto* member = from.if_contains(name);
  if (member == nullptr || member->is_null())
    return std::string{};
  const auto at = std::string{pointer} + '/' + std::string{name};
  const auto* text = member->if_string();
  if (text == nullptr)
    return refuse(at, "must be a text");
  if (text->size() > bytes_max
      || std::ranges::any_of(*text, [](unsigned char c) { return c < 0x20; }))
    return refuse(at, "must have at most " + std::to_string(bytes_max)
                        + " bytes, and no control characters");
  return std::string{*text};
}

/// What a part says; nothing: it says nothing of its own.
result<std::optional<std::string>> text_of_part(const json::value& from,
                                                const std::string& pointer) {
  using protocol::a2a_content;
  const auto part = protocol::read_a2a_part(from, pointer);
  if (!part)
    return refuse(part.error().pointer, part.error().message);
  if (part->content == a2a_content::file)
    return refuse(pointer, "is a file: send texts and data",
                  "content_type_not_supported");
  if (part->content == a2a_content::text)
    return std::string{part->text};
  if (part->media_type == request_type)
    return std::nullopt;
  return json::serialize(*part->data);
}

result<std::string> text_of_parts(const json::object& message) {
  const auto* parts = message.if_contains("parts");
  if (parts == nullptr || !parts->is_array() || parts->get_array().empty())
    return refuse("/message/parts", "must be a list with at least one part");
  std::string all;
  const auto& list = parts->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto text = text_of_part(list[i], "/message/parts/" + std::to_string(i));
    if (!text)
      return protocol::fail(std::move(text).error());
    if (!*text)
      continue;
    if (!all.empty())
      all += '\n';
    all += **text;
  }
  if (all.find_first_not_of(" \t\r\n") == all.npos)
    return refuse("/message/parts", "must say something");
  return all;
}

/// Reads what the answer shall be like.
result<void> read_configuration(const json::object& how, sent_message& to) {
  if (const auto* push = how.if_contains("taskPushNotificationConfig");
      push != nullptr && !push->is_null()) {
    const auto* object = push->if_object();
    if (object == nullptr)
      return refuse("/configuration/taskPushNotificationConfig",
                    "must be an object");
    to.push = *object;
  }
  if (const auto* modes = how.if_contains("acceptedOutputModes")) {
    const auto output = read_output_modes(*modes,
                                          "/configuration/acceptedOutputModes");
    if (!output)
      return protocol::fail(output.error());
    to.output = *output;
  }
  const auto* at_once = how.if_contains("returnImmediately");
  if (at_once == nullptr || at_once->is_null())
    return {};
  if (!at_once->is_bool())
    return refuse("/configuration/returnImmediately", "must be true or false");
  to.waits = !at_once->get_bool();
  return {};
}

} // namespace

result<sent_message> read_message(const json::object& request) {
  const auto* member = request.if_contains("message");
  if (member == nullptr || !member->is_object())
    return refuse("/message", "must be there, and an object");
  const auto& message = member->get_object();
  sent_message made;
  for (const auto& [name, to] : {std::pair{"messageId", &made.id},
                                 std::pair{"contextId", &made.context_id},
                                 std::pair{"taskId", &made.task_id}}) {
    auto text = text_in(message, name, "/message", message_id_bytes_max);
    if (!text)
      return protocol::fail(std::move(text).error());
    *to = *std::move(text);
  }
  if (made.id.empty())
    return refuse("/message/messageId", "must be there, and not empty");
  if (const auto role = protocol::text_of(message, "role"); role != "ROLE_USER")
    return refuse("/message/role", "must be ROLE_USER");
  for (const auto& [from, pointer] : {std::pair{&message, "/message/metadata"},
                                      std::pair{&request, "/metadata"}}) {
    if (!made.skill.empty())
      break;
    auto skill = text_in(protocol::object_of(*from, "metadata"), "skill",
                         pointer, message_id_bytes_max);
    if (!skill)
      return protocol::fail(std::move(skill).error());
    made.skill = *std::move(skill);
  }
  auto text = text_of_parts(message);
  if (!text)
    return protocol::fail(std::move(text).error());
  made.text = *std::move(text);
  const auto* how = request.if_contains("configuration");
  if (how == nullptr || how->is_null())
    return made;
  if (!how->is_object())
    return refuse("/configuration", "must be an object");
  if (auto done = read_configuration(how->get_object(), made); !done)
    return protocol::fail(std::move(done).error());
  return made;
}

} // namespace convene::server
