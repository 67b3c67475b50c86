#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/workflow/recorder.hpp>

#include <algorithm>
#include <iterator>

namespace convene::session {

using namespace protocol;

void run_machine::recorder::append(event_type type, json::value payload,
                                   std::optional<std::size_t> node,
                                   const std::optional<std::string>& cause) {
  if (has_failed())
    return;
  const auto& state = of_.state_;
  run_event event;
  event.event_id = run_event_id(of_.run_id_, state.next_sequence);
  event.run_id = of_.run_id_;
  event.type = to_word(type);
  event.payload.held = std::move(payload);
  event.timestamp = format_timestamp(at_);
  event.sequence = state.next_sequence;
  if (node)
    event.node_id = of_.workflow_->id_of(*node);
  if (cause)
    event.causation_id = cause;
  else if (node)
    event.causation_id = state.nodes[*node].latest_event;
  else if (!state.latest_event.empty())
    event.causation_id = state.latest_event;
  if (auto done = of_.apply(event, at_); !done)
    return break_off(std::move(done).error());
  to_.events.push_back(std::move(event));
}

void run_machine::recorder::keep(conversation_effects made) {
  if (has_failed())
    return;
  for (const auto& event : made.events)
    if (auto done = of_.apply(event, at_); !done)
      return break_off(std::move(done).error());
  if (to_.events.empty())
    to_.events = std::move(made.events);
  else
    std::ranges::move(made.events, std::back_inserter(to_.events));
  if (made.refusal && made.refusal->code == interrupt_error::internal_error)
    return break_off(std::move(made.refusal->what));
}

void run_machine::recorder::break_off(error why) {
  of_.is_broken_ = true;
  why.code = errc::internal;
  why.message.insert(0, "an event of the run cannot be recorded: ");
  to_ = {};
  refuse({run_refusal_code::internal_error, std::move(why)});
}

std::optional<std::string> reason_of(std::string_view given) {
  if (given.empty())
    return std::nullopt;
  return sanitize_beginning(given, run_reason_max);
}

} // namespace convene::session
