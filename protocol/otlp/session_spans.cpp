#include <convene/protocol/json/members.hpp>
#include <convene/protocol/otlp/session_spans.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

void set_usage(trace_span& what) {
  if (what.used == usage{})
    return;
  const auto& [prompt, completion, cost] = what.used;
  auto& attributes = what.attributes;
  attributes["gen_ai.usage.input_tokens"] = prompt;
  attributes["gen_ai.usage.output_tokens"] = completion;
  attributes["mplp.tokens_used"] = total_tokens(what.used);
  attributes["mplp.cost_microusd"] = cost;
  if (attributes.contains("mplp.llm.model")) {
    attributes["mplp.llm.tokens_in"] = prompt;
    attributes["mplp.llm.tokens_out"] = completion;
  }
}

} // namespace

session_spans::session_spans(std::string_view session_id)
  : ids_{session_id}, session_id_{session_id} {
  // nop
}

result<void> session_spans::add(const json::object& event) {
  const auto at = parse_timestamp(text_of(event, "timestamp"));
  if (!at)
    return {};
  now_ = spans_.empty() ? *at : std::max(now_, *at);
  if (spans_.empty()) {
    cause_ = now_;
    const auto root = open(
      {.id = ids_.root_span().high, .name = "invoke_workflow", .start = now_});
    set_text(spans_[root].attributes, "gen_ai.operation.name",
             "invoke_workflow");
    set_text(spans_[root].attributes, "mplp.operation", "session");
  }
  const auto type = text_of(event, "event_type");
  take_event(event, type, object_of(event, "payload"));
  if (type.starts_with("MAP") || type == "session_input")
    cause_ = now_;
  if (is_full_)
    return fail(errc::limit_reached,
                "a session has over " + std::to_string(otlp_spans_max)
                  + " spans",
                "otlp_spans_max");
  return {};
}

void session_spans::take_event(const json::object& event, std::string_view type,
                               const json::object& payload) {
  if (type == "MAPTurnDispatched")
    start_turn(payload);
  else if (type == "MAPTurnCompleted")
    end_request(payload, text_of(payload, "token_id"),
                text_of(payload, "participant_id"), std::nullopt);
  else if (type == "MAPBroadcastReceived")
    end_request(payload, text_of(payload, "broadcast_ref"),
                text_of(payload, "receiver_participant"), segments_++);
  else if (type == "action_started")
    start_action(event, payload);
  else if (type == "action_ended")
    end_action(event, payload);
  else if (type == "session_input")
    take_input(payload);
  else if (type == "MAPSessionStarted")
    start_session(payload);
  else if (type == "MAPSessionCompleted")
    end_session(payload);
  else
    note(type, payload);
  if (type == "MAPBroadcastSent")
    start_broadcast(payload);
}

span_trace session_spans::take() && {
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    auto& each = spans_[i];
    if (each.id == 0)
      each.id = ids_.other(i).high;
    if (each.is_open || i == 0)
      each.end = now_;
    if (each.is_open)
      each.attributes["mplp.unfinished"] = true;
    set_usage(each);
  }
  auto id = ids_.trace();
  if (caller_) {
    set_text(spans_.front().attributes, "mplp.trace_id", to_string(id));
    id = caller_->trace;
  }
  return {.id = id,
          .caller = caller_,
          .state = std::move(state_),
          .spans = std::move(spans_)};
}

void session_spans::start_session(const json::object& payload) {
  auto& root = spans_.front();
  root.name = span_name("invoke_workflow", text_of(payload, "title"));
  set_text(root.attributes, "gen_ai.agent.name", text_of(payload, "title"));
  copy_members(root.attributes, payload,
               {"mode", "policy", "participant_count", "context_id"});
  const auto& spec = object_of(payload, "spec");
  behaviours_ = object_of(spec, "behaviours");
  const auto& trace = object_of(spec, "trace_context");
  caller_ = parse_traceparent(text_of(trace, "traceparent"));
  if (const auto state = text_of(trace, "tracestate");
      caller_ && is_tracestate(state))
    state_ = state;
}

void session_spans::end_session(const json::object& payload) {
  const auto& stop = object_of(payload, "stop_reason");
  const auto condition = text_of(stop, "condition");
  auto& attributes = spans_.front().attributes;
  copy_members(attributes, payload,
               {"turns_total", "broadcasts_count", "conflicts_count",
                "handoffs_count", "duration_ms"});
  set_text(attributes, "mplp.stop_condition", condition);
  const auto status = text_of(payload, "status");
  const auto observed = text_of(stop, "observed");
  const auto message = std::string{condition} + (observed.empty() ? "" : ": ")
                       + std::string{observed};
  close(0,
        {.status = status,
         // Unlike a turn that is cancelled, it has not done what it was for.
         .shown = status == "completed" ? span_status::ok : span_status::error,
         .code = condition,
         .message = message});
}

} // namespace convene::protocol
