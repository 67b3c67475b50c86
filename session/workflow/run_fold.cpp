#include <boost/json/serialize.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/session/workflow/event_parts.hpp>
#include <convene/session/workflow/run_machine.hpp>

#include <algorithm>

namespace convene::session {
namespace {

using namespace protocol;
using type = workflow_event_type;
using status = run_node_status;

} // namespace

result<void> run_machine::fold(const run_event& event) {
  if (event.run_id != run_id_)
    return wrong_in_run("the event is of another run", "/runId");
  if (event.sequence != state_.next_sequence)
    return wrong_in_run("the next event has the number "
                          + std::to_string(state_.next_sequence),
                        "/sequence");
  if (event.event_id != run_event_id(run_id_, event.sequence))
    return wrong_in_run("the event's id is not that of its run and number",
                        "/eventId");
  const auto written = parse_timestamp(event.timestamp);
  if (!written || *written < 0 || *written > timestamp_max)
    return wrong_in_run("the event's time is not a date-time with a zone, of "
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
    return misplaced_in_run(event, "the run has ended");
  if (state_.started.has_value() == (known == type::run_started))
    return misplaced_in_run(event,
                            "a run begins with run.started, which comes once");
  result<void> done;
  if (!known)
    done = {}; // unknown, or of conversations alone
  else if (*known == type::replay_diverged)
    done = payload_of<replay_diverged>(event).map([](const auto&) {});
  else if (*known == type::run_started)
    done = apply_started(event, at);
  else if (*known <= type::run_resumed)
    done = apply_ended(event, *known, at);
  else if (*known <= type::node_dispatched)
    done = apply_node(event, *known, at);
  else if (*known <= type::node_resumed)
    done = apply_interrupt(event, *known, at);
  else if (*known == type::channel_written)
    done = apply_written(event, at);
  else if (*known == type::variable_changed)
    done = apply_changed(event);
  else if (*known == type::orchestrator_decided)
    done = apply_decided(event);
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
    return wrong_in_run("recursionLimit is a whole number",
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
      return misplaced_in_run(event,
                              "the run is paused once, and then resumed");
    state_.is_paused = what == type::run_paused;
    return {};
  }
  if (std::ranges::any_of(state_.nodes, [what](const run_node& each) {
        return each.status == status::running
               || each.status == status::suspended
               || (what == type::run_completed
                   && each.status == status::pending);
      }))
    return misplaced_in_run(event, "a node has not ended");
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
  const auto place = place_of_event(*workflow_, event);
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
    return misplaced_in_run(event, "the node is " + std::string{to_word(from)});
  };
  if (auto done = apply_child(event, what, *place); !done)
    return done;
  switch (what) {
    case type::node_dispatched:
      break;
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
      if (workflow_->nodes[*place].kind == node_type::dispatch) {
        ++state_.dispatches;
        // It carries out the latest there is by now.
        if (!state_.decisions.empty())
          node.decision = state_.decisions.size() - 1;
      }
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

} // namespace convene::session
