#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/otlp/session_spans.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

std::string request_key(std::string_view token, std::string_view who) {
  return std::string{token} + ' ' + std::string{who};
}

/// "type/id" of each resource that a turn may write.
json::array resources_in(const json::object& payload) {
  json::array names;
  if (const auto* list = payload.if_contains("resources"))
    if (const auto* all = list->if_array())
      for (const auto& each : *all)
        if (const auto* one = each.if_object())
          names.emplace_back(std::string{text_of(*one, "resource_type")} + '/'
                             + std::string{text_of(*one, "resource_id")});
  return names;
}

} // namespace

session_spans::outcome session_spans::outcome_of(std::string_view status,
                                                 const json::object& error) {
  outcome how{.status = status,
              .code = text_of(error, "code"),
              .message = text_of(error, "message")};
  if (status == "completed" || status == "handed_off")
    how.shown = span_status::ok;
  else if (!is_unneeded_answer(how.code)
           && (status == "failed" || status == "timed_out"
               || status == "declined"))
    how.shown = span_status::error;
  return how;
}

std::size_t session_spans::open(trace_span what) {
  // Then nobody takes the trace.
  if (spans_.size() == otlp_spans_max) {
    is_full_ = true;
    return 0;
  }
  set_text(what.attributes, "gen_ai.conversation.id", session_id_);
  set_text(what.attributes, "mplp.module", "collab");
  spans_.push_back(std::move(what));
  return spans_.size() - 1;
}

std::size_t
session_spans::open_request(std::string_view operation, std::string_view token,
                            std::string_view who, timestamp_ms since) {
  trace_span made{.parent = 0,
                  .name = span_name("invoke_agent", who),
                  .start = since};
  set_text(made.attributes, "gen_ai.operation.name", "invoke_agent");
  set_text(made.attributes, "gen_ai.agent.name", who);
  set_text(made.attributes, "mplp.operation", operation);
  set_text(made.attributes, "mplp.behaviour",
           text_of(object_of(behaviours_, who), "type"));
  const auto at = open(std::move(made));
  requests_.insert_or_assign(request_key(token, who), at);
  return at;
}

std::size_t session_spans::open_question(std::string_view token,
                                         std::string_view who) {
  const auto at = open_request("question", token, who, cause_);
  questions_.insert_or_assign(std::string{who}, at);
  return at;
}

void session_spans::close(std::size_t at, const outcome& how) {
  auto& what = spans_[at];
  what.is_open = false;
  what.end = now_;
  what.status = how.shown;
  set_text(what.attributes, "mplp.status", how.status);
  if (how.shown == span_status::ok)
    return;
  auto code = how.code.empty() ? how.status : how.code;
  if (how.shown == span_status::error) {
    if (code.empty())
      code = "_OTHER"; // as OpenTelemetry names what has no name
    what.message = cut_utf8(how.message.empty() ? code : how.message,
                            span_text_bytes_max);
    set_text(what.attributes, "error.type", code);
    set_text(what.attributes, "mplp.error", what.message);
  } else {
    set_text(what.attributes, "mplp.reason", code);
  }
}

/// Counts it for the span, its request and the session.
void session_spans::use(std::size_t at, const json::object& from) {
  const auto used = usage_in(from);
  for (std::optional<std::size_t> each = at; each; each = spans_[*each].parent)
    spans_[*each].used = spans_[*each].used + used;
}

std::optional<std::size_t> session_spans::find(std::string_view token,
                                               std::string_view who) const {
  const auto found = requests_.find(request_key(token, who));
  return found == requests_.end() ? std::nullopt : std::optional{found->second};
}

void session_spans::start_turn(const json::object& payload) {
  const auto at = open_request("turn", text_of(payload, "token_id"),
                               text_of(payload, "participant_id"), now_);
  auto& turn = spans_[at];
  turn.id = ids_.segment(segments_++).high;
  set_text(turn.attributes, "mplp.agent_role", text_of(payload, "role_id"));
  copy_members(turn.attributes, payload,
               {"turn_number", "step_id", "duty", "attempt", "handoff_id"});
  if (payload.contains("resources"))
    set_value(turn.attributes, "mplp.resources", resources_in(payload));
  if (const auto step = text_of(payload, "step_id"); !step.empty())
    steps_.insert_or_assign(std::string{step}, at);
  if (const auto gave = handoffs_.find(text_of(payload, "handoff_id"));
      gave != handoffs_.end())
    turn.linked = gave->second;
}

void session_spans::start_broadcast(const json::object& payload) {
  const auto token = text_of(payload, "broadcast_id");
  for (const auto who : texts_of(payload, "target_participants")) {
    if (is_full_)
      return;
    const auto at = open_request("broadcast", token, who, now_);
    copy_members(spans_[at].attributes, payload, {"broadcast_id"});
  }
}

void session_spans::end_request(const json::object& payload,
                                std::string_view token, std::string_view who,
                                std::optional<std::size_t> segment) {
  const auto known = find(token, who);
  if (known && !spans_[*known].is_open)
    return;
  // Without its beginning, as where the log's first part was removed.
  const auto at = known ? *known
                        : open_request(segment ? "broadcast" : "turn", token,
                                       who, now_);
  if (segment)
    spans_[at].id = ids_.segment(*segment).high;
  auto& attributes = spans_[at].attributes;
  set_text(attributes, "mplp.agent_role",
           text_of(payload, segment ? "receiver_role_id" : "role_id"));
  copy_members(attributes, payload, {"turn_number", "duration_ms"});
  use(at, object_of(payload, "reply"));
  close(at,
        outcome_of(text_of(payload, "status"), object_of(payload, "error")));
}

void session_spans::take_input(const json::object& payload) {
  const auto input = text_of(payload, "input");
  if (input == "decision" || input == "vote" || input == "escalation")
    answer_question(payload, input);
  else if (input == "decision_timed_out")
    miss_decision(payload);
  else
    note("session_input", payload);
}

void session_spans::answer_question(const json::object& payload,
                                    std::string_view input) {
  const auto token = text_of(payload, "request_id");
  const auto who = text_of(payload, "participant_id");
  const auto known = find(token, who);
  if (known && !spans_[*known].is_open)
    return;
  const auto at = known ? *known : open_question(token, who);
  set_text(spans_[at].attributes, "mplp.operation", input);
  const auto& reply = object_of(payload, "reply");
  const auto about = text_of(object_of(reply, "vote"), "conflict_id");
  if (const auto asked = conflicts_.find(about); asked != conflicts_.end()) {
    spans_[at].start = std::min(spans_[at].start, asked->second.at);
    set_text(spans_[at].attributes, "mplp.conflict_id", about);
  }
  use(at, reply);
  if (const auto refused = text_of(payload, "refused"); !refused.empty())
    return close(at, {.status = "failed",
                      .shown = span_status::error,
                      .code = "refused",
                      .message = refused});
  const auto status = text_of(reply, "status");
  close(at, outcome_of(status.empty() ? "completed" : status,
                       object_of(reply, "error")));
}

void session_spans::miss_decision(const json::object& payload) {
  const auto who = text_of(payload, "participant_id");
  const auto latest = questions_.find(who);
  const auto is_known = latest != questions_.end();
  // The end of its last action may have closed it.
  if (is_known && !spans_[latest->second].is_open
      && text_of(spans_[latest->second].attributes, "mplp.status")
           == "timed_out"
      && spans_[latest->second].end == now_) {
    set_text(spans_[latest->second].attributes, "mplp.operation", "decision");
    return;
  }
  const auto at = is_known && spans_[latest->second].is_open
                    ? latest->second
                    : open_question({}, who);
  set_text(spans_[at].attributes, "mplp.operation", "decision");
  close(at, {.status = "timed_out", .shown = span_status::error});
}

} // namespace convene::protocol
