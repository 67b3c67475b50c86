#include <convene/protocol/event_members.hpp>
#include <convene/protocol/reply_codec.hpp>
#include <convene/session/recorded_input.hpp>

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

/// What went in, apart from the time.
using cause = decltype(input::what);

result<cause> read_answer(const object& from, std::string_view participant,
                          std::string_view token,
                          const participant_finder& find) {
  const auto presented = protocol::parse_uuid(token);
  if (!presented)
    return fail(errc::invalid_document, "the answer's token is no UUID");
  const auto* reply = from.if_contains("reply");
  if (reply == nullptr)
    return fail(errc::invalid_document, "the answer has no reply");
  auto decoded = protocol::decode_reply(*reply, "/payload/reply");
  if (!decoded)
    return fail(std::move(decoded).error());
  return answer{find(participant), *presented, *std::move(decoded)};
}

result<cause> read_session_input(const object& payload,
                                 const participant_finder& find) {
  const auto what = text_of(payload, "input");
  const auto id = text_of(payload, "participant_id");
  std::string reason{text_of(payload, "reason")};
  if (what == "decision")
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
  if (what == "fault")
    return fault{std::move(reason)};
  if (what == "decision_timed_out")
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
  }
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

} // namespace convene::session
