#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/a2a/task_json.hpp>

#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::text_of;

json::object data_part(json::object data) {
  return {{"data", std::move(data)}, {"mediaType", "application/json"}};
}

json::object text_part(std::string_view text, output_modes modes) {
  if (!modes.text)
    return data_part({{"text", text}});
  return {{"text", text}, {"mediaType", "text/plain"}};
}

/// What an agent of the session said last; people say what a user does.
std::string_view last_said(const session::session_dialog& talk) {
  std::string_view last;
  for (const auto& each : talk.messages)
    if (each.role != protocol::message_role::user && !each.content.empty())
      last = each.content;
  return last;
}

} // namespace

json::object to_json(const task_view& of, const task_status& status,
                     std::size_t place) {
  json::object made{{"state", word_of(status.state)},
                    {"timestamp", status.timestamp}};
  if (!status.text.empty())
    made["message"]
      = {{"messageId", update_id(of.id, place)},
         {"contextId", of.origin.context_id},
         {"taskId", of.id},
         {"role", "ROLE_AGENT"},
         {"parts", json::array{text_part(status.text, of.origin.output)}}};
  return made;
}

std::string update_id(const std::string& task, std::size_t place) {
  return to_string(protocol::hashed_uuid(task + ' ' + std::to_string(place)));
}

json::object status_update(const task_view& of, const task_status& status) {
  return {{"taskId", of.id},
          {"contextId", of.origin.context_id},
          {"status", to_json(of, status, status.place)}};
}

json::object to_json(const task_view& of, json::array artifacts) {
  json::object made{{"id", of.id},
                    {"contextId", of.origin.context_id},
                    {"status", to_json(of, of.status, of.place)},
                    {"metadata", {{"skill", of.origin.skill}}}};
  if (!artifacts.empty())
    made["artifacts"] = std::move(artifacts);
  return made;
}

json::array artifacts_of(const session_view& of, output_modes modes) {
  const auto* left = of.documents();
  if (left == nullptr)
    return {};
  json::array parts;
  if (const auto said = last_said(left->dialog); !said.empty())
    parts.push_back(text_part(said, modes));
  if (modes.data)
    parts.push_back(data_part(left->result));
  json::array made;
  if (!parts.empty())
    made.push_back(json::object{{"artifactId", "answer"},
                                {"name", "answer"},
                                {"parts", std::move(parts)}});
  if (left->workspace && modes.data)
    made.push_back(
      json::object{{"artifactId", "workspace"},
                   {"name", "workspace"},
                   {"parts", json::array{data_part(*left->workspace)}}});
  return made;
}

response a2a_response(const json::object& body) {
  return {.content_type = std::string{a2a_media_type},
          .body = json::serialize(body)};
}

response a2a_error(unsigned status, std::string_view code,
                   std::string_view message, json::object details) {
  return error_response(error_form::a2a, status, code, message,
                        std::move(details));
}

} // namespace convene::server
