#include <convene/protocol/conversation/turn_schema.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/workflow/divergence_events.hpp>
#include <convene/session/workflow/recorded_inputs.hpp>
#include <convene/session/workflow/replay_run.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

namespace convene::session {
namespace {

using namespace protocol;
constexpr const char* replay_diverged_code = "replay_diverged";

/// Feeds a fork what was recorded. An answer that nobody waits for yet is kept
/// until its node does: the workflow may have been changed.
class run_replayer {
public:
  run_replayer(forked_run& to, const fork_source& from, const start_run& first)
    : to_{to}, from_{from}, first_{first}, is_changed_{
                                             first_digest()
                                             != from.workflow->digest} {}

  result<void> take(const recorded_run_input& recorded) {
    feed(check_timers{}, recorded.at);
    if (!recorded.input)
      return {};
    if (std::holds_alternative<start_run>(*recorded.input)) {
      auto refusal = feed(first_, recorded.at);
      if (refusal)
        return fail(std::move(refusal->what));
    } else if (!give(recorded, recorded.at)) {
      waiting_.push_back(recorded);
      return {};
    }
    give_waiting(recorded.at);
    return {};
  }

  /// Recorded turns that the schema refuses now, and recorded answers that were
  /// not taken: these come before the event that ends the fork.
  [[nodiscard]] std::vector<placed_divergence> divergences() const {
    auto all = refused_;
    const bool has_ended = to_.machine.state().end.has_value();
    const auto last = to_.events.size() - (has_ended ? 1 : 0);
    for (const auto& each : waiting_)
      all.push_back({last, of_event(each.place, divergence_kind::missing,
                                    "no node took this answer")});
    return all;
  }

private:
  std::optional<run_refusal> feed(const run_input& input, timestamp_ms at) {
    auto effects = to_.machine.replay(input, at);
    std::ranges::move(effects.events, std::back_inserter(to_.events));
    return std::move(effects.refusal);
  }

  /// Whether it was taken, or is of no use.
  bool give(const recorded_run_input& recorded, timestamp_ms at) {
    const auto& workflow = to_.machine.workflow();
    if (const auto* answer = std::get_if<resolve_interrupt>(&*recorded.input)) {
      const auto node = workflow.find(answer->node_id);
      const auto* const talks
        = node ? std::get_if<conversation_config>(&workflow.nodes[*node].config)
               : nullptr;
      // It has answered itself.
      if (talks != nullptr && talks->mock_auto_resume)
        return true;
      if (!node || !waits(*node, run_node_status::suspended))
        return false;
      auto refused = is_changed_ ? find_refused(*answer, recorded.place)
                                 : std::nullopt;
      if (feed(*answer, at))
        return false;
      if (refused)
        refused_.push_back(*std::move(refused));
      return true;
    }
    if (const auto* known = std::get_if<session_ended>(&*recorded.input)) {
      auto ended = *known;
      const auto node = workflow.find(ended.node_id);
      if (!node || !waits(*node, run_node_status::running))
        return false;
      ended.session_id
        = to_.machine.state().nodes[*node].session_id.value_or("");
      return !feed(ended, at);
    }
    if (const auto* known = std::get_if<child_ended>(&*recorded.input)) {
      auto ended = *known;
      const auto node = workflow.find(ended.node_id);
      const auto& state = to_.machine.state();
      if (!node || !waits(*node, run_node_status::running)
          || !state.nodes[*node].child)
        return false;
      ended.child_run_id = state.children[*state.nodes[*node].child].run_id;
      return !feed(ended, at);
    }
    feed(*recorded.input, at);
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

  /// A turn that the schema of its conversation would refuse by now.
  std::optional<placed_divergence> find_refused(const resolve_interrupt& answer,
                                                std::size_t place) {
    const auto* const talk = to_.machine.conversations().find(answer.node_id);
    const auto* const members = answer.resume_value.if_object();
    if (talk == nullptr || members == nullptr || !talk->state().schema)
      return std::nullopt;
    const auto& turn = object_of(*members, "turn");
    const auto* const content = turn.if_contains("content");
    auto& schema = schemas_[talk->state().conversation_id];
    if (!schema)
      if (auto made = turn_schema::make(*talk->state().schema))
        schema = *std::move(made);
    if (content == nullptr || !schema || schema->check(*content))
      return std::nullopt;
    return placed_divergence{to_.events.size(),
                             of_event(place, divergence_kind::output,
                                      "the schema of the conversation refuses "
                                      "this turn now")};
  }

  [[nodiscard]] replay_diverged
  of_event(std::size_t place, divergence_kind kind, std::string reason) const {
    const auto& event = from_.log[place];
    return {.source_run_id = event.run_id,
            .at_sequence = event.sequence,
            .original_event_id = event.event_id,
            .kind = kind,
            .point = event.type,
            .reason = std::move(reason)};
  }

  [[nodiscard]] std::string_view first_digest() const {
    const auto* const payload = from_.log.front().payload.held.if_object();
    return payload ? text_of(*payload, "workflowDigest") : std::string_view{};
  }

  forked_run& to_;
  const fork_source& from_;
  const start_run& first_;
  const bool is_changed_;
  std::deque<recorded_run_input> waiting_;
  std::vector<placed_divergence> refused_;
  std::map<std::string, std::optional<turn_schema>> schemas_;
};

/// Why the source failed, if a replay that it was had diverged.
std::optional<run_failure> recorded_failure(const std::vector<run_event>& log) {
  if (log.back().type != to_word(workflow_event_type::run_failed))
    return std::nullopt;
  auto read = decode<run_failed>(log.back().payload.held);
  if (!read || read->error.code != replay_diverged_code)
    return std::nullopt;
  return std::move(read->error);
}

void append_to(forked_run& to, run_effects made) {
  std::ranges::move(made.events, std::back_inserter(to.events));
}

/// A machine that has these events.
result<void> refold(const fork_source& from, forked_run& to) {
  to.machine = run_machine{from.run_id, from.workflow, from.options};
  for (const auto& event : to.events)
    if (auto done = to.machine.fold(event); !done)
      return done;
  return {};
}

/// The divergence ends the fork, after the last whole step before it.
result<forked_run> abort_replay(const fork_source& from, forked_run made,
                                placed_divergence by, timestamp_ms at) {
  auto machine = run_machine{from.run_id, from.workflow, from.options};
  std::size_t whole = 1;
  for (std::size_t i = 0; i < by.place; ++i) {
    if (auto done = machine.fold(made.events[i]); !done)
      return fail(std::move(done).error());
    if (machine.check_whole())
      whole = i + 1;
  }
  made.events.resize(whole);
  by.place = whole;
  made.events = insert_divergences(std::move(made.events), {std::move(by)});
  if (auto done = refold(from, made); !done)
    return fail(std::move(done).error());
  append_to(made, made.machine.end_failed(
                    {.code = replay_diverged_code,
                     .message = "the replay differs from its source, and its "
                                "divergence policy is to abort"},
                    at));
  return made;
}

/// Nothing more is recorded: what still waits would wait for ever.
void end_replay(forked_run& made, bool has_diverged, timestamp_ms at) {
  if (made.machine.state().end)
    return;
  if (has_diverged)
    append_to(made, made.machine.end_failed(
                      {.code = replay_diverged_code,
                       .message = "the replay waits for something that its "
                                  "source did not record"},
                      at));
  else
    append_to(made, made.machine.replay(
                      cancel_run{.reason = "replay_source_open: the source has "
                                           "recorded no more"},
                      at));
}

} // namespace

result<forked_run> replay_run(const fork_source& from, const start_run& first,
                              forked_run made, divergence_policy policy) {
  const auto inherited = made.events.size();
  const auto end = parse_timestamp(from.log.back().timestamp).value_or(0);
  run_replayer replayer{made, from, first};
  for (const auto& each : recorded_inputs(from.log, inherited))
    if (auto done = replayer.take(each); !done)
      return fail(std::move(done).error());
  if (auto why = recorded_failure(from.log); why && !made.machine.state().end)
    append_to(made, made.machine.end_failed(*std::move(why), end));
  auto diverged = find_divergence(from.log, made.events, inherited);
  if (diverged && policy == divergence_policy::abort)
    return abort_replay(from, std::move(made), *std::move(diverged), end);
  end_replay(made, diverged.has_value(), end);
  if (!diverged)
    return made;
  auto all = replayer.divergences();
  std::erase_if(all, [&](const placed_divergence& each) {
    return each.what.original_event_id == diverged->what.original_event_id;
  });
  all.insert(all.begin(), *std::move(diverged));
  made.events = insert_divergences(std::move(made.events), std::move(all));
  if (auto done = refold(from, made); !done)
    return fail(std::move(done).error());
  return made;
}

} // namespace convene::session
