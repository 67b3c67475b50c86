#include <boost/json/serialize.hpp>
#include <convene/session/workflow/event_parts.hpp>
#include <convene/session/workflow/run_machine.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using type = workflow_event_type;
using status = run_node_status;

} // namespace

result<void> run_machine::apply_interrupt(const run_event& event,
                                          event_type what, timestamp_ms at) {
  const auto place = place_of_event(*workflow_, event);
  if (!place)
    return fail(place.error());
  auto& node = state_.nodes[*place];
  auto& interrupt = node.interrupt;
  if (what == type::node_suspended) {
    auto read = payload_of<node_suspended>(event);
    if (!read)
      return fail(std::move(read).error());
    const bool talks = read->reason == conversation_reason;
    const auto kind = from_word<interrupt_kind>(text_of(read->others, "kind"));
    const bool asks_again
      = interrupt && node.is_resumed && kind == interrupt_kind::low_confidence
        && workflow_->nodes[*place].kind == node_type::supervisor
        && interrupt->kind != *kind;
    if (node.status != status::running || (interrupt && !asks_again))
      return misplaced_in_run(event, "the node does not run, or asked before");
    if (asks_again)
      node.earlier_answer = std::move(interrupt->answer);
    node.is_resumed = false;
    node.status = status::suspended;
    interrupt
      = node_interrupt{.id = read->interrupt_id,
                       .key = read->key.value_or(read->interrupt_id),
                       .kind = talks ? interrupt_kind::conversation_start
                                     : kind.value_or(interrupt_kind::custom),
                       .sequence = event.sequence};
    node.latest_event = event.event_id;
    return {};
  }
  if (node.status != status::suspended
      || interrupt->id
           != text_of(event.payload.held.get_object(), "interruptId"))
    return misplaced_in_run(event, "the node does not wait for this");
  if (what == type::interrupt_requested) {
    const auto read = payload_of<interrupt_requested>(event);
    if (!read)
      return fail(read.error());
    if (!interrupt->requested_by.empty())
      return misplaced_in_run(event, "it was asked before");
    interrupt->requested_by = event.event_id;
    const auto wait = read->timeout_ms.value_or(0);
    if (wait > 0)
      node.deadline = std::min(at + std::min(wait, timestamp_max),
                               timestamp_max);
  } else if (what == type::interrupt_resolved) {
    auto read = payload_of<interrupt_resolved>(event);
    if (!read)
      return fail(std::move(read).error());
    if (interrupt->answer || interrupt->requested_by.empty())
      return misplaced_in_run(event, "it was answered before, or never asked");
    auto answer = read->resume_value.value_or(any_value{});
    const auto& gate = workflow_->nodes[*place].config;
    if ((std::holds_alternative<approval_config>(gate)
         || std::holds_alternative<clarification_config>(gate)
         || std::holds_alternative<supervisor_config>(gate)
         || (std::holds_alternative<dispatch_config>(gate)
             && !is_conversation(interrupt->kind))
         || interrupt->kind == interrupt_kind::clarification)
        && !answer.held.is_object())
      return wrong_in_run("an answer to this is an object",
                          "/payload/resumeValue");
    interrupt->answer = std::move(answer);
  } else {
    if (!interrupt->answer)
      return misplaced_in_run(event, "no one has answered");
    node.status = status::running;
    node.deadline.reset();
    node.is_resumed = true;
  }
  node.latest_event = event.event_id;
  return {};
}

result<void> run_machine::apply_decided(const run_event& event) {
  // The event names its node in its envelope alone.
  const auto place = workflow_->find(event.node_id.value_or(""));
  if (!place || workflow_->nodes[*place].kind != node_type::supervisor)
    return wrong_in_run("a supervisor decides", "/nodeId");
  auto read = payload_of<orchestrator_decided>(event);
  if (!read)
    return fail(std::move(read).error());
  if (const auto whole = read_decision(encode(read->decision),
                                       "/payload/decision");
      !whole)
    return fail(whole.error());
  auto& node = state_.nodes[*place];
  if (node.status != status::running || node.decision)
    return misplaced_in_run(event, "the node does not run, or has decided");
  if (!state_.decisions.empty()
      && state_.decisions.front().agent_id != read->agent_id)
    return wrong_in_run("the run has another orchestrator", "/payload/agentId");
  node.decision = state_.decisions.size();
  node.latest_event = event.event_id;
  state_.decisions.push_back({.event_id = event.event_id,
                              .agent_id = std::move(read->agent_id),
                              .what = std::move(read->decision)});
  return {};
}

result<void> run_machine::apply_written(const run_event& event,
                                        timestamp_ms at) {
  auto read = payload_of<channel_written>(event);
  if (!read)
    return fail(std::move(read).error());
  const auto channel = workflow_->channels.find(read->channel);
  if (channel == workflow_->channels.end()
      || channel->second.reducer != read->reducer)
    return wrong_in_run("the workflow has no such channel of this reducer",
                        "/payload/channel");
  if (auto fits = run_channels::check_value(read->reducer, read->value.held);
      !fits)
    return wrong_in_run(std::move(fits.error().message), "/payload/value");
  if (read->node_id) {
    const auto place = place_of_event(*workflow_, event);
    if (!place)
      return fail(place.error());
    auto& node = state_.nodes[*place];
    ++node.writes;
    // What a conversation's turn leads to is the turn's, not the write's.
    const auto kind = workflow_->nodes[*place].kind;
    if (kind != node_type::conversation_gate && kind != node_type::dispatch)
      node.latest_event = event.event_id;
  }
  state_.bytes += json::serialize(read->value.held).size();
  state_.channels.write(channel->second, read->channel, read->value.held, at);
  return {};
}

} // namespace convene::session
