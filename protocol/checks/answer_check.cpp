#include <convene/protocol/checks/answer_check.hpp>
#include <convene/protocol/events/event_encoding.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view deadline_rule = "deadline_matches";
constexpr std::string_view answer_rule = "answer_matches";
constexpr std::int64_t claim_timeout_default = 60'000;

void check_expiry(const checked_event& e, std::optional<std::int64_t> after) {
  const auto shown = parse_timestamp(text_of(e.payload, "expires_at"));
  if (shown && after && e.at && *shown - *e.at != *after)
    e.report(deadline_rule, "expires_at is " + std::to_string(*shown - *e.at)
                              + " ms after the event, the scenario says "
                              + std::to_string(*after));
}

void check_claim(const checked_event& e) {
  check_expiry(e, integer_of(e.session.options, "claim_timeout_ms")
                    .value_or(claim_timeout_default));
  const auto reason = text_of(e.payload, "reason");
  if (e.is("claim_released") && reason != "released" && reason != "expired"
      && reason != "holder_lost")
    e.report("claims_exclusive",
             "no claim is released for the reason " + quote(reason));
}

/// How a request ends that gets no reply: by the error that says why.
struct end_without_reply {
  std::string_view error;
  std::string_view turn;
  std::string_view broadcast;
};

constexpr end_without_reply without_reply[]{
  {"timed_out", "timed_out", "timed_out"},
  {"quorum_reached", "", "timed_out"},
  {"participant_lost", "failed", "failed"},
  {"too_many_violations", "failed", ""},
  {"suspended", "cancelled", "failed"},
  {"session_ended", "cancelled", "failed"}};

/// Why `status` is not how the request ended, if it is not.
std::string why_not(const checked_event& e, std::string_view status) {
  const auto error = text_of(object_of(e.payload, "error"), "code");
  const bool is_turn = e.is("MAPTurnCompleted");
  if (!e.payload.contains("reply")) {
    const auto* known = std::ranges::find(without_reply, error,
                                          &end_without_reply::error);
    if (known == std::end(without_reply))
      return e.is_done() || status == "declined" ? "there is no reply"
                                                 : std::string{};
    const auto expected = is_turn ? known->turn : known->broadcast;
    return status == expected ? "" : "its error is " + quote(error);
  }
  const auto& reply = object_of(e.payload, "reply");
  const auto own = reply_status_of(reply);
  const bool hands_off = is_turn && reply.contains("handoff");
  // An error that is not the reply's own is why the reply was refused.
  const bool refused = !error.empty()
                       && error != text_of(object_of(reply, "error"), "code");
  const auto expected = refused              ? "failed"
                        : own != "completed" ? own
                        : hands_off          ? "handed_off"
                                             : "completed";
  return status == expected ? "" : "its reply makes it " + quote(expected);
}

void check_result(const checked_event& e, std::string_view status) {
  const auto& shown
    = object_of(e.payload, e.is("MAPTurnCompleted") ? "result" : "response");
  const auto own = text_of(shown, "status");
  const auto& made = object_of(object_of(e.payload, "reply"), "result");
  if (own != status && !made.contains("status"))
    e.report(answer_rule, "the result's status is " + quote(own)
                            + ", the answer's " + quote(status));
  for (const auto& [name, value] : made)
    if (const auto* is = shown.if_contains(name);
        name != "status" && (is == nullptr || *is != value))
      e.report(answer_rule,
               "the result lacks " + quote(name) + " as the reply has it");
  for (const auto& [name, value] : shown)
    if (name != "status" && !made.contains(name))
      e.report(answer_rule,
               "the result has " + quote(name) + ", which the reply has not");
  if (e.is("MAPTurnCompleted")
      && text_of(e.payload, "output_summary")
           != summary_of(text_of(object_of(e.payload, "reply"), "content")))
    e.report(answer_rule,
             "output_summary is not the beginning of the reply's content");
}

} // namespace

void answer_check::feed(const checked_event& e) {
  if (e.is("MAPTurnDispatched"))
    ask(e, text_of(e.payload, "token_id"));
  else if (e.is("MAPBroadcastSent"))
    ask(e, text_of(e.payload, "broadcast_id"));
  else if (e.type.starts_with("claim_"))
    check_claim(e);
  if (!e.answers())
    return;
  const auto found = open_.find(text_of(
    e.payload, e.is("MAPTurnCompleted") ? "token_id" : "broadcast_ref"));
  answer(e, found == open_.end() ? std::nullopt : found->second);
  if (e.is("MAPTurnCompleted") && found != open_.end())
    open_.erase(found);
}

/// A broadcast is open as long as the one of its receivers who has the longest
/// time.
void answer_check::ask(const checked_event& e, std::string_view id) {
  std::optional<std::int64_t> longest;
  if (e.is("MAPTurnDispatched"))
    longest = e.session.timeout_of(text_of(e.payload, "participant_id"));
  for (const auto who : texts_of(e.payload, "target_participants"))
    longest = std::max(longest, e.session.timeout_of(who));
  check_expiry(e, longest);
  open_.insert_or_assign(std::string{id}, e.at);
}

void answer_check::answer(const checked_event& e,
                          std::optional<timestamp_ms> made_at) {
  const auto status = text_of(e.payload, "status");
  if (const auto why = why_not(e, status); !why.empty())
    e.report(answer_rule,
             "the answer is said to be " + quote(status) + ", but " + why);
  check_result(e, status);
  if (!made_at || !e.at)
    return;
  const auto took = integer_of(e.payload, "duration_ms");
  if (took && *took != *e.at - *made_at)
    e.report(answer_rule, "duration_ms is " + std::to_string(*took) + ", "
                            + std::to_string(*e.at - *made_at)
                            + " ms have passed");
  const auto error = text_of(object_of(e.payload, "error"), "code");
  const auto had = e.session.timeout_of(
    text_of(e.payload, e.is("MAPTurnCompleted") ? "participant_id"
                                                : "receiver_participant"));
  // A participant may say `timed_out` of what it called, as a failed answer.
  if (status == "timed_out" && error == "timed_out" && had
      && *e.at < *made_at + *had)
    e.report(deadline_rule, "the request is said to have timed out before it "
                            "expires");
}

} // namespace convene::protocol
