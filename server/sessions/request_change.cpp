#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/server/sessions/request_change.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::server {
namespace {

using protocol::object_of;
using protocol::text_of;
namespace json = protocol::json;

constexpr std::array<std::string_view, 8> types{
  "MAPTurnDispatched",    "MAPTurnCompleted", "MAPBroadcastSent",
  "MAPBroadcastReceived", "session_input",    "MAPSessionCompleted",
  "action_started",       "action_ended"};

bool is_of_action(std::string_view event_type) {
  return event_type.starts_with("action_");
}

/// Whether the requests to it may be answered over the session API.
bool is_asked(const json::object& behaviours, std::string_view id,
              with_services services) {
  const auto type = text_of(object_of(behaviours, id), "type");
  return type == "human" || type == "external"
         || (type == "http" && services == with_services::yes);
}

/// What is closed, by the reply in the payload if there is one.
request_change closed(std::string_view token, std::string_view participant,
                      std::string_view how, const json::object& payload) {
  request_change made{.token = std::string{token},
                      .participants = {std::string{participant}},
                      .how = std::string{how}};
  if (const auto* reply = payload.if_contains("reply"))
    if (auto decoded = protocol::decode_reply(*reply)) {
      made.reply = *std::move(decoded);
      made.how = "answered";
    }
  return made;
}

request_change opened(std::string_view token,
                      const std::vector<std::string_view>& participants) {
  return {.opens = true,
          .token = std::string{token},
          .participants = {participants.begin(), participants.end()}};
}

std::optional<request_change> input_change(const json::object& payload) {
  const auto input = text_of(payload, "input");
  if (input == "suspend")
    return request_change{.how = "suspended"};
  if (input == "vote_timed_out" || input == "escalation_timed_out")
    return request_change{.subject
                          = subject_of_conflict(text_of(payload, "reason")),
                          .how = "timed_out"};
  if (input == "decision_timed_out")
    return request_change{.subject = subject_of_decision(
                            text_of(payload, "participant_id")),
                          .how = "timed_out"};
  const auto token = text_of(payload, "request_id");
  if (token.empty())
    return std::nullopt;
  return closed(token, text_of(payload, "participant_id"), input, payload);
}

/// A question whether a call may be carried out: its beginning and its end.
std::optional<request_change> approval_change(std::string_view type,
                                              const json::object& payload) {
  const auto position = text_of(payload, "position");
  if (protocol::approved_position(position).empty())
    return std::nullopt;
  const auto token = protocol::approval_token(text_of(payload, "token_id"),
                                              position);
  if (type == "action_started")
    return text_of(payload, "kind") == "person"
             ? std::optional{opened(token, {text_of(payload, "name")})}
             : std::nullopt;
  const auto& result = object_of(payload, "result");
  const auto code = text_of(object_of(result, "error"), "code");
  if (code == "begun_again")
    return std::nullopt; // the same question is open
  request_change made{.token = token, .how = std::string{code}};
  const auto* const output = result.if_contains("output");
  if (const auto said = output == nullptr ? std::nullopt
                                          : protocol::verdict_in(*output)) {
    made.reply = protocol::approval_reply(*said);
    made.how = "answered";
  }
  return made;
}

std::optional<request_change> any_change(std::string_view type,
                                         const json::object& payload) {
  if (type == "MAPTurnDispatched")
    return opened(text_of(payload, "token_id"),
                  {text_of(payload, "participant_id")});
  if (type == "MAPTurnCompleted")
    return closed(text_of(payload, "token_id"),
                  text_of(payload, "participant_id"),
                  text_of(payload, "status"), payload);
  if (type == "MAPBroadcastSent")
    return opened(text_of(payload, "broadcast_id"),
                  protocol::texts_of(payload, "target_participants"));
  if (type == "MAPBroadcastReceived")
    return closed(text_of(payload, "broadcast_ref"),
                  text_of(payload, "receiver_participant"),
                  text_of(payload, "status"), payload);
  if (type == "MAPSessionCompleted")
    return request_change{.how = "session_ended"};
  if (is_of_action(type))
    return approval_change(type, payload);
  return type == "session_input" ? input_change(payload) : std::nullopt;
}

} // namespace

session_people::session_people(const json::object& scenario,
                               with_services services) {
  const auto& behaviours = object_of(scenario, "behaviours");
  all_ = is_asked(behaviours, "*", services);
  for (const auto& each : behaviours)
    if (each.key() != "*" && is_asked(behaviours, each.key(), services) != all_)
      ids_.emplace(each.key());
  approves_ = std::ranges::any_of(behaviours, [](const auto& each) {
    const auto* entry = each.value().if_object();
    return entry != nullptr && protocol::asks_approval(*entry);
  });
}

bool session_people::concerns(std::string_view event_type) const {
  return !empty() && may_change_requests(event_type)
         && (approves_ || !is_of_action(event_type));
}

std::string subject_of_conflict(std::string_view conflict_id) {
  return "conflict " + std::string{conflict_id};
}

std::string subject_of_decision(std::string_view participant) {
  return "decision of " + std::string{participant};
}

bool may_change_requests(std::string_view event_type) {
  return std::ranges::find(types, event_type) != types.end();
}

std::optional<request_change> change_of(const session_people& people,
                                        const json::object& event) {
  auto made = any_change(text_of(event, "event_type"),
                         object_of(event, "payload"));
  if (!made)
    return std::nullopt;
  made->session_id = text_of(event, "session_id");
  if (!made->subject.empty())
    made->at
      = protocol::parse_timestamp(text_of(event, "timestamp")).value_or(0);
  // Whoever approves a call need not take part.
  if (is_of_action(text_of(event, "event_type")))
    return made;
  std::erase_if(made->participants, [&people](const std::string& id) {
    return !people.contains(id);
  });
  if (!made->token.empty() && made->participants.empty())
    return std::nullopt;
  return made;
}

} // namespace convene::server
