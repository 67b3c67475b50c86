#include <boost/json/serialize.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/workflow/run_machine.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using type = workflow_event_type;
using status = run_node_status;

tl::unexpected<error> misplaced(const run_event& event, std::string why) {
  return fail({.code = errc::invalid_document,
               .message = event.type + " of event "
                          + std::to_string(event.sequence)
                          + " cannot stand here: " + std::move(why),
               .rule = "run_order"});
}

tl::unexpected<error> wrong_run_event(std::string message,
                                      std::string pointer) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = "run_event"});
}

template <class T>
result<T> payload_of(const run_event& event) {
  return decode<T>(event.payload.held, "/payload");
}

/// The node of an event, which its payload and its envelope name.
result<std::size_t> place_of(const workflow& of, const run_event& event,
                             const std::string& node_id) {
  if (event.node_id.value_or(node_id) != node_id)
    return wrong_run_event("the event is of another node", "/nodeId");
  if (const auto place = of.find(node_id))
    return *place;
  return wrong_run_event("the workflow has no node " + quote(node_id),
                         "/payload/nodeId");
}

} // namespace

result<void> run_machine::fold(const run_event& event) {
  if (event.run_id != run_id_)
    return wrong_run_event("the event is of another run", "/runId");
  if (event.sequence != state_.next_sequence)
    return wrong_run_event("the next event has the number "
                             + std::to_string(state_.next_sequence),
                           "/sequence");
  if (event.event_id != run_event_id(run_id_, event.sequence))
    return wrong_run_event("the event's id is not that of its run and number",
                           "/eventId");
  const auto written = parse_timestamp(event.timestamp);
  if (!written || *written < 0 || *written > timestamp_max)
    return wrong_run_event("the event's time is no date-time with a zone, of "
                           "the years 1970 to 9999",
                           "/timestamp");
  const auto at = std::max(state_.latest_time, *written);
  if (auto done = conversations_.fold(event); !done)
    return done;
  return apply(event, at);
}

result<void> run_machine::apply(const run_event& event, timestamp_ms at) {
  const auto known = from_word<type>(event.type);
  if (state_.end)
    return misplaced(event, "the run has ended");
  if (state_.started.has_value() == (known == type::run_started))
    return misplaced(event, "a run begins with run.started, which comes once");
  result<void> done;
  if (!known)
    done = {}; // unknown, or of conversations alone
  else if (*known == type::replay_diverged)
    done = payload_of<replay_diverged>(event).map([](const auto&) {});
  else if (*known == type::run_started)
    done = apply_started(event, at);
  else if (*known <= type::run_resumed)
    done = apply_ended(event, *known, at);
  else if (*known <= type::node_cancelled)
    done = apply_node(event, *known, at);
  else if (*known <= type::node_resumed)
    done = apply_interrupt(event, *known, at);
  else if (*known == type::channel_written)
    done = apply_written(event, at);
  else
    done = payload_of<cap_breached>(event).map(
      [this](const auto&) { state_.is_breached = true; });
  if (!done)
    return done;
  state_.next_sequence = event.sequence + 1;
  state_.latest_event = event.event_id;
  state_.latest_time = at;
  return {};
}

result<void> run_machine::apply_started(const run_event& event,
                                        timestamp_ms at) {
  auto read = payload_of<run_started>(event);
  if (!read)
    return fail(std::move(read).error());
  const auto& definition = workflow_->definition;
  if (read->workflow_id != definition.id
      || read->workflow_digest.value_or(workflow_->digest) != workflow_->digest)
    return fail({.code = errc::invalid_document,
                 .message = "the run is of another workflow, or of another "
                            "definition of it",
                 .pointer = "/payload/workflowDigest",
                 .rule = "workflow_changed"});
  if (const auto* limit = read->configurable.if_contains("recursionLimit");
      limit != nullptr && !limit->is_int64())
    return wrong_run_event("recursionLimit is a whole number",
                           "/payload/configurable/recursionLimit");
  for (const auto& each : definition.variables)
    if (each.default_value)
      state_.variables[each.name] = each.default_value->held;
  for (const auto& [name, value] : read->inputs)
    state_.variables[name] = value;
  state_.started = *std::move(read);
  state_.started_by = event.event_id;
  state_.started_at = at;
  return {};
}

result<void> run_machine::apply_ended(const run_event& event, event_type what,
                                      timestamp_ms at) {
  if (what == type::run_paused || what == type::run_resumed) {
    if (state_.is_paused == (what == type::run_paused))
      return misplaced(event, "the run is paused once, and then resumed");
    state_.is_paused = what == type::run_paused;
    return {};
  }
  if (std::ranges::any_of(state_.nodes, [what](const run_node& each) {
        return each.status == status::running
               || each.status == status::suspended
               || (what == type::run_completed
                   && each.status == status::pending);
      }))
    return misplaced(event, "a node has not ended");
  if (what == type::run_failed) {
    auto read = payload_of<run_failed>(event);
    if (!read)
      return fail(std::move(read).error());
    state_.error = std::move(read->error);
  }
  state_.end = what == type::run_completed ? run_status::completed
               : what == type::run_failed  ? run_status::failed
                                           : run_status::cancelled;
  state_.ended_at = at;
  return {};
}

result<void> run_machine::apply_node(const run_event& event, event_type what,
                                     timestamp_ms at) {
  const auto* const payload = event.payload.held.if_object();
  const auto place = place_of(
    *workflow_, event, payload ? std::string{text_of(*payload, "nodeId")} : "");
  if (!place)
    return fail(place.error());
  auto& node = state_.nodes[*place];
  const auto from = node.status;
  const bool is_open = from == status::running || from == status::suspended;
  const auto end = [&](run_node_status as) {
    node.status = as;
    node.ended_at = at;
    node.ended_by = event.sequence;
    node.deadline.reset();
  };
  const auto misplaced_node = [&] {
    return misplaced(event, "the node is " + std::string{to_word(from)});
  };
  switch (what) {
    case type::node_started: {
      auto read = payload_of<node_started>(event);
      if (!read)
        return fail(std::move(read).error());
      if (from != status::pending || read->attempt != node.attempts)
        return misplaced_node();
      node = {.status = status::running,
              .attempts = node.attempts + 1,
              .started_at = at,
              .session_id = std::move(read->session_id)};
      if (read->due_at)
        node.deadline = parse_timestamp(*read->due_at);
      ++state_.executions;
      break;
    }
    case type::node_completed: {
      auto read = payload_of<node_completed>(event);
      if (!read)
        return fail(std::move(read).error());
      if (from != status::running)
        return misplaced_node();
      node.outputs = std::move(read->outputs);
      if (node.outputs)
        state_.bytes += json::serialize(*node.outputs).size();
      end(status::completed);
      break;
    }
    case type::node_failed: {
      auto read = payload_of<node_failed>(event);
      if (!read)
        return fail(std::move(read).error());
      if (!is_open)
        return misplaced_node();
      node.error = std::move(read->error);
      end(status::failed);
      break;
    }
    case type::node_retried:
      if (from != status::failed && from != status::running)
        return misplaced_node();
      node.status = status::pending;
      break;
    case type::node_skipped:
      if (from != status::pending)
        return misplaced_node();
      end(status::skipped);
      break;
    default:
      if (!is_open)
        return misplaced_node();
      end(status::cancelled);
  }
  node.latest_event = event.event_id;
  return {};
}

result<void> run_machine::apply_interrupt(const run_event& event,
                                          event_type what, timestamp_ms at) {
  const auto* const payload = event.payload.held.if_object();
  const auto place = place_of(
    *workflow_, event, payload ? std::string{text_of(*payload, "nodeId")} : "");
  if (!place)
    return fail(place.error());
  auto& node = state_.nodes[*place];
  auto& interrupt = node.interrupt;
  if (what == type::node_suspended) {
    auto read = payload_of<node_suspended>(event);
    if (!read)
      return fail(std::move(read).error());
    if (node.status != status::running || interrupt)
      return misplaced(event, "the node does not run, or asked before");
    const bool talks = read->reason == conversation_reason;
    const auto kind = from_word<interrupt_kind>(text_of(read->others, "kind"));
    node.status = status::suspended;
    interrupt
      = node_interrupt{.id = read->interrupt_id,
                       .key = read->key.value_or(read->interrupt_id),
                       .suspended_by = event.event_id,
                       .kind = talks ? interrupt_kind::conversation
                                     : kind.value_or(interrupt_kind::custom),
                       .sequence = event.sequence};
    node.latest_event = event.event_id;
    return {};
  }
  if (node.status != status::suspended
      || interrupt->id != text_of(*payload, "interruptId"))
    return misplaced(event, "the node does not wait for this");
  if (what == type::interrupt_requested) {
    const auto read = payload_of<interrupt_requested>(event);
    if (!read)
      return fail(read.error());
    if (!interrupt->requested_by.empty())
      return misplaced(event, "it was asked before");
    interrupt->requested_by = event.event_id;
    const auto wait = read->timeout_ms.value_or(0);
    if (wait > 0 && interrupt->kind != interrupt_kind::conversation)
      node.deadline = std::min(at + std::min(wait, timestamp_max),
                               timestamp_max);
  } else if (what == type::interrupt_resolved) {
    auto read = payload_of<interrupt_resolved>(event);
    if (!read)
      return fail(std::move(read).error());
    if (interrupt->answer || interrupt->requested_by.empty())
      return misplaced(event, "it was answered before, or never asked");
    auto answer = read->resume_value.value_or(any_value{});
    if (interrupt->kind != interrupt_kind::conversation
        && !answer.held.is_object())
      return wrong_run_event("an answer to this is an object",
                             "/payload/resumeValue");
    interrupt->answer = std::move(answer);
  } else {
    if (!interrupt->answer)
      return misplaced(event, "nobody has answered");
    node.status = status::running;
    node.deadline.reset();
    node.is_resumed = true;
  }
  node.latest_event = event.event_id;
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
    return wrong_run_event("the workflow has no such channel of this reducer",
                           "/payload/channel");
  if (read->reducer == channel_reducer::message) {
    const auto* const message = read->value.held.if_object();
    if (message == nullptr || text_of(*message, "messageId").empty())
      return wrong_run_event("a message has a messageId", "/payload/value");
  }
  if (read->node_id) {
    const auto place = place_of(*workflow_, event, *read->node_id);
    if (!place)
      return fail(place.error());
    auto& node = state_.nodes[*place];
    ++node.writes;
    // What a conversation's turn leads to is the turn's, not the write's.
    if (!std::holds_alternative<conversation_config>(
          workflow_->nodes[*place].config))
      node.latest_event = event.event_id;
  }
  state_.bytes += json::serialize(read->value.held).size();
  state_.channels.write(channel->second, read->channel, read->value.held, at);
  return {};
}

} // namespace convene::session
