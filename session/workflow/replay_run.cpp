#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/workflow/recorded_inputs.hpp>
#include <convene/session/workflow/replay_run.hpp>

#include <algorithm>
#include <deque>
#include <map>

namespace convene::session {
namespace {

using namespace protocol;
using type = workflow_event_type;

/// Feeds a fork what was recorded. An answer that nobody waits for yet is kept
/// until its node does: the workflow may have been changed.
class run_replayer {
public:
  run_replayer(forked_run& to, const start_run& first)
    : to_{to}, first_{first} {}

  result<void> take(const recorded_run_input& recorded) {
    feed(check_timers{}, recorded.at);
    if (!recorded.input)
      return {};
    if (std::holds_alternative<start_run>(*recorded.input)) {
      auto refusal = feed(first_, recorded.at);
      if (refusal)
        return fail(std::move(refusal->what));
    } else if (!give(*recorded.input, recorded.at)) {
      waiting_.push_back(*recorded.input);
      return {};
    }
    give_waiting(recorded.at);
    return {};
  }

private:
  std::optional<run_refusal> feed(const run_input& input, timestamp_ms at) {
    auto effects = to_.machine.replay(input, at);
    std::ranges::move(effects.events, std::back_inserter(to_.events));
    return std::move(effects.refusal);
  }

  /// Whether it was taken, or is of no use.
  bool give(run_input input, timestamp_ms at) {
    const auto& workflow = to_.machine.workflow();
    if (const auto* answer = std::get_if<resolve_interrupt>(&input)) {
      const auto node = workflow.find(answer->node_id);
      const auto* const talks
        = node ? std::get_if<conversation_config>(&workflow.nodes[*node].config)
               : nullptr;
      // It has answered itself.
      if (talks != nullptr && talks->mock_auto_resume)
        return true;
      return node && waits(*node, run_node_status::suspended)
             && !feed(input, at);
    }
    if (auto* ended = std::get_if<session_ended>(&input)) {
      const auto node = workflow.find(ended->node_id);
      if (!node || !waits(*node, run_node_status::running))
        return false;
      ended->session_id
        = to_.machine.state().nodes[*node].session_id.value_or("");
      return !feed(input, at);
    }
    feed(input, at);
    return true;
  }

  [[nodiscard]] bool waits(std::size_t node, run_node_status as) const {
    return to_.machine.state().nodes[node].status == as;
  }

  void give_waiting(timestamp_ms at) {
    for (auto each = waiting_.begin(); each != waiting_.end();)
      if (give(*each, at)) {
        waiting_.erase(each);
        each = waiting_.begin();
      } else {
        ++each;
      }
  }

  forked_run& to_;
  const start_run& first_;
  std::deque<run_input> waiting_;
};

/// An event's payload, but for what differs between any run and its fork.
json::value shared_payload(const run_event& event) {
  auto payload = event.payload.held;
  auto* const members = payload.if_object();
  if (members == nullptr)
    return payload;
  if (event.type == to_word(type::run_started))
    for (auto name :
         {"workflowVersion", "workflowDigest", "callbackDigest", "forkedFrom"})
      members->erase(name);
  if (event.type.starts_with("interrupt."))
    members->erase("runId");
  return payload;
}

/// The first place where the fork's events are others than those recorded.
std::optional<replay_diverged>
find_divergence(const std::vector<run_event>& recorded,
                const std::vector<run_event>& again, std::size_t inherited,
                std::size_t& place) {
  auto source = recorded.begin() + static_cast<std::ptrdiff_t>(inherited);
  for (place = inherited;; ++place, ++source) {
    source = std::find_if(source, recorded.end(), [](const run_event& each) {
      return each.type != to_word(type::replay_diverged);
    });
    const bool has_source = source != recorded.end();
    const bool has_again = place < again.size();
    if (!has_source && !has_again)
      return std::nullopt;
    std::optional<divergence_kind> kind;
    if (!has_source)
      kind = divergence_kind::extra;
    else if (!has_again)
      kind = divergence_kind::missing;
    else if (source->type != again[place].type)
      kind = divergence_kind::type_mismatch;
    else if (source->node_id != again[place].node_id
             || !same_value(shared_payload(*source),
                            shared_payload(again[place])))
      kind = divergence_kind::output;
    if (!kind)
      continue;
    replay_diverged made{
      .source_run_id = recorded.front().run_id,
      .at_sequence = has_source ? source->sequence
                                : static_cast<std::int64_t>(recorded.size()),
      .kind = kind,
      .point = has_source ? source->type : again[place].type};
    if (has_source)
      made.original_event_id = source->event_id;
    return made;
  }
}

/// Inserts the event, and numbers those after it anew.
void insert_divergence(std::vector<run_event>& to, std::size_t place,
                       replay_diverged what) {
  const auto& run_id = to.front().run_id;
  std::map<std::string, std::string> renamed;
  for (auto i = place; i < to.size(); ++i) {
    auto& event = to[i];
    ++event.sequence;
    auto id = run_event_id(run_id, event.sequence);
    renamed.emplace(std::exchange(event.event_id, id), id);
    if (event.causation_id)
      if (const auto cause = renamed.find(*event.causation_id);
          cause != renamed.end())
        event.causation_id = cause->second;
  }
  if (place < to.size())
    what.replay_event_id = to[place].event_id;
  const auto sequence = static_cast<std::int64_t>(place);
  const auto& before = to[place - 1];
  run_event made{.event_id = run_event_id(run_id, sequence),
                 .run_id = run_id,
                 .type = std::string{to_word(type::replay_diverged)},
                 .payload = {encode(what)},
                 .timestamp = before.timestamp,
                 .sequence = sequence,
                 .causation_id = before.event_id};
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(place), std::move(made));
}

} // namespace

result<forked_run> replay_run(const fork_source& from, const start_run& first,
                              forked_run made) {
  const auto inherited = made.events.size();
  run_replayer replayer{made, first};
  for (const auto& each : recorded_inputs(from.log, inherited))
    if (auto done = replayer.take(each); !done)
      return fail(std::move(done).error());
  std::size_t place = 0;
  auto diverged = find_divergence(from.log, made.events, inherited, place);
  if (!diverged)
    return made;
  insert_divergence(made.events, std::max<std::size_t>(place, 1),
                    *std::move(diverged));
  made.machine = run_machine{from.run_id, from.workflow, from.options};
  for (const auto& event : made.events)
    if (auto done = made.machine.fold(event); !done)
      return fail(std::move(done).error());
  return made;
}

} // namespace convene::session
