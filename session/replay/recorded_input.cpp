#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/replay/recorded_input.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::object_of;
using protocol::result;
using protocol::text_of;
using protocol::json::object;
namespace json = protocol::json;

/// What went in, apart from the time.
using cause = decltype(input::what);

result<cause> read_answer(const object& from, std::string_view participant,
                          std::string_view token,
                          const participant_finder& find) {
  const auto presented = protocol::parse_uuid(token);
  if (!presented)
    return fail(errc::invalid_document, "the answer's token is not a UUID");
  const auto* reply = from.if_contains("reply");
  if (reply == nullptr)
    return fail(errc::invalid_document, "the answer has no reply");
  auto decoded = protocol::decode_reply(*reply, "/payload/reply");
  if (!decoded)
    return fail(std::move(decoded).error());
  return answer{find(participant), *presented, *std::move(decoded)};
}

result<cause> read_write(const object& payload, std::string_view token,
                         const json::value* from,
                         const participant_finder& find) {
  const auto presented = protocol::parse_uuid(token);
  if (!presented || from == nullptr)
    return fail(errc::invalid_document, "the write or its token is missing");
  auto decoded = protocol::decode_reply(
    json::object{{"writes", json::array{*from}}}, "/payload");
  if (!decoded)
    return fail(std::move(decoded).error());
  if (decoded->writes.size() != 1)
    return fail(errc::invalid_document, "the event has no write");
  return write_attempt{find(text_of(payload, "participant_id")), *presented,
                       std::move(decoded->writes.front())};
}

/// The write that stands in the payload of an event of its own.
json::value write_in(const object& payload) {
  object made;
  for (const auto* name :
       {"resource_type", "resource_id", "base_version", "op", "value"})
    if (const auto* member = payload.if_contains(name))
      made.emplace(name, *member);
  return made;
}

bool is_claim_event(std::string_view type) {
  return type == "claim_taken" || type == "claim_released"
         || type == "claim_handed_over" || type == "claim_refused";
}

result<cause> read_claim(const object& payload, std::string_view token,
                         const object& from, const participant_finder& find) {
  const auto presented = protocol::parse_uuid(token);
  if (!presented)
    return fail(errc::invalid_document, "the claim's token is not a UUID");
  auto decoded = protocol::decode_reply(
    json::object{{"claim", json::array{from}}}, "/payload");
  if (!decoded)
    return fail(std::move(decoded).error());
  if (decoded->claim.size() != 1)
    return fail(errc::invalid_document, "the event has no claim");
  return claim_attempt{find(text_of(payload, "participant_id")), *presented,
                       std::move(decoded->claim.front())};
}

/// The claim that an event of its own stands for.
object claim_in(std::string_view type, const object& payload) {
  object made;
  for (const auto* name : {"resource_type", "resource_id", "release", "to"})
    if (const auto* member = payload.if_contains(name))
      made.emplace(name, *member);
  if (type == "claim_released")
    made["release"] = true;
  if (const auto* to = payload.if_contains("to_participant"))
    made["to"] = *to;
  return made;
}

/// What actions and their attempts are named by.
struct attempt_name {
  protocol::uuid token;
  std::uint32_t number = 1;
};

result<attempt_name> read_attempt(const object& payload) {
  const auto presented = protocol::parse_uuid(text_of(payload, "token_id"));
  const auto number = protocol::integer_of(payload, "attempt");
  if (!presented || !number || !std::in_range<std::uint32_t>(*number))
    return fail(errc::invalid_document, "the action has no token or attempt");
  return attempt_name{*presented, static_cast<std::uint32_t>(*number)};
}

result<cause> read_action_start(const object& payload,
                                const participant_finder& find) {
  const auto attempt = read_attempt(payload);
  if (!attempt)
    return fail(attempt.error());
  object made;
  for (const auto* name :
       {"position", "kind", "name", "arguments", "repeatable"})
    if (const auto* member = payload.if_contains(name))
      made.emplace(name, *member);
  auto decoded = protocol::decode_action(made, "/payload");
  if (!decoded)
    return fail(std::move(decoded).error());
  return action_begins{find(text_of(payload, "participant_id")), attempt->token,
                       *std::move(decoded), attempt->number};
}

result<cause> read_action_end(const object& payload,
                              const participant_finder& find) {
  const auto attempt = read_attempt(payload);
  if (!attempt)
    return fail(attempt.error());
  auto decoded = protocol::decode_action_result(object_of(payload, "result"),
                                                "/payload/result");
  if (!decoded)
    return fail(std::move(decoded).error());
  return action_ends{find(text_of(payload, "participant_id")), attempt->token,
                     std::string{text_of(payload, "position")}, attempt->number,
                     *std::move(decoded)};
}

/// Whether an action ended with a request that its participant closed.
bool ends_with_answer(const object& payload) {
  const auto why = text_of(object_of(object_of(payload, "result"), "error"),
                           "code");
  return text_of(payload, "input").empty()
         && (why == "answered" || why == "too_many_violations");
}

result<cause> read_session_input(const object& payload,
                                 const participant_finder& find) {
  const auto what = text_of(payload, "input");
  const auto id = text_of(payload, "participant_id");
  std::string reason{text_of(payload, "reason")};
  if (what == "decision" || what == "vote" || what == "escalation")
    return read_answer(payload, id, text_of(payload, "request_id"), find);
  if (what == "participant_down")
    return participant_down{find(id), std::move(reason)};
  if (what == "participant_up")
    return participant_up{find(id)};
  if (what == "suspend")
    return suspend{std::move(reason)};
  if (what == "resume")
    return resume{};
  if (what == "cancel")
    return cancel{std::move(reason)};
  if (what == "stop")
    return stop{std::move(reason)};
  if (what == "message")
    return message{id.empty() ? no_participant : find(id),
                   std::string{text_of(payload, "content")}};
  if (what == "verdict") {
    const auto* holds = payload.if_contains("holds");
    return verdict{.condition = std::string{text_of(payload, "condition")},
                   .holds = holds != nullptr && holds->is_bool()
                            && holds->get_bool(),
                   .observed = std::string{text_of(payload, "observed")},
                   .error = std::string{text_of(payload, "error")}};
  }
  if (what == "fault")
    return fault{std::move(reason)};
  if (what == "forked")
    return forked{};
  if (what == "decision_timed_out" || what == "vote_timed_out"
      || what == "escalation_timed_out" || what == "handoff_failed")
    return tick{};
  return fail(errc::invalid_document,
              "no input has the name " + protocol::quote(what));
}

result<cause> read_cause(const object& event, const participant_finder& find) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted")
    return start{};
  if (type == "session_input")
    return read_session_input(payload, find);
  if (type == "MAPConflictDetected") {
    const auto& details = object_of(payload, "details");
    if (text_of(details, "input") == "answer")
      return read_answer(details, text_of(details, "participant_id"),
                         text_of(details, "presented_token"), find);
    if (text_of(details, "input") == "write")
      return read_write(details, text_of(details, "presented_token"),
                        details.if_contains("write"), find);
    if (text_of(details, "input") == "claim")
      return read_claim(details, text_of(details, "presented_token"),
                        object_of(details, "claim"), find);
  }
  if (is_claim_event(type) && text_of(payload, "input") == "claim")
    return read_claim(payload, text_of(payload, "token_id"),
                      claim_in(type, payload), find);
  if (type == "resource_written" || type == "write_refused") {
    const auto write = write_in(payload);
    return read_write(payload, text_of(payload, "token_id"), &write, find);
  }
  if (type == "action_started")
    return read_action_start(payload, find);
  if (type == "action_ended" && !text_of(payload, "input").empty())
    return read_action_end(payload, find);
  if (type == "MAPTurnCompleted") {
    const auto who = text_of(payload, "participant_id");
    if (payload.contains("reply"))
      return read_answer(payload, who, text_of(payload, "token_id"), find);
    // The answer that was one too many; what it said changed nothing.
    if (text_of(object_of(payload, "error"), "code") == "too_many_violations")
      return answer{.from = find(who)};
  }
  if (type == "MAPBroadcastReceived" && payload.contains("reply"))
    return read_answer(payload, text_of(payload, "receiver_participant"),
                       text_of(payload, "broadcast_ref"), find);
  return tick{};
}

} // namespace

bool waits_for_reply(const object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "resource_written" || type == "write_refused")
    return text_of(payload, "input").empty();
  if (type == "action_ended")
    return ends_with_answer(payload);
  // Claims also end by themselves: then the log says why.
  if (is_claim_event(type))
    return text_of(payload, "input").empty() && payload.contains("token_id");
  return type == "MAPConflictDetected"
         && text_of(object_of(payload, "details"), "input").empty();
}

bool carries_reply(const object& event) {
  const auto type = text_of(event, "event_type");
  return (type == "MAPTurnCompleted" || type == "MAPBroadcastReceived")
         && object_of(event, "payload").contains("reply");
}

bool carries_answer(const object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  return carries_reply(event)
         || (type == "session_input" && payload.contains("reply"))
         || (type == "MAPTurnCompleted"
             && text_of(object_of(payload, "error"), "code")
                  == "too_many_violations");
}

result<input> recorded_input(const object& event,
                             const participant_finder& find) {
  const auto at = protocol::parse_timestamp(text_of(event, "timestamp"));
  if (!at)
    return fail(errc::invalid_document, "the event has no valid timestamp");
  auto what = read_cause(event, find);
  if (!what)
    return fail(std::move(what).error());
  return input{*at, *std::move(what)};
}

std::optional<protocol::uuid> parse_session_key(std::string_view digits) {
  if (digits.size() != 32)
    return std::nullopt;
  std::string text{digits};
  for (auto at : {8U, 13U, 18U, 23U})
    text.insert(at, "-");
  return protocol::parse_uuid(text);
}

} // namespace convene::session
