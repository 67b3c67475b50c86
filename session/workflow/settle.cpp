#include <boost/json/serialize.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/workflow/recorder.hpp>
#include <convene/session/workflow/workers.hpp>

#include <algorithm>
#include <iterator>

namespace convene::session {
namespace {

using namespace protocol;
using event = workflow_event_type;
using status = run_node_status;

bool has_ended(status of) {
  return of >= status::completed;
}

/// Whether a node that failed is to be started again.
bool is_retried(const run_node& node, const workflow& of) {
  return node.status == status::failed
         && node.attempts <= of.definition.settings.max_retries.value_or(0)
         && node.error->retryable.value_or(true);
}

bool is_over(const run_node& node, const workflow& of) {
  return has_ended(node.status) && !is_retried(node, of);
}

enum class start_verdict : std::uint8_t { wait, start, skip, leave_out };

/// What dispatches say of one of their workers; of any other node nothing.
std::optional<start_verdict> judge_dispatches(const workflow& of,
                                              std::size_t place,
                                              const run_state& state) {
  using enum start_verdict;
  if (!is_worker(of, place))
    return std::nullopt;
  bool is_open = false;
  for (auto source : of.nodes[place].sources) {
    if (!chooses_nodes(of, source))
      continue;
    const auto& each = state.nodes[source];
    is_open = is_open || !is_over(each, of);
    if (each.status != status::completed || !each.decision)
      continue;
    // Of another kind, it names none.
    const auto& chosen = state.decisions[*each.decision].what.next_worker_ids;
    const auto found = std::ranges::find(chosen, of.id_of(place));
    if (found == chosen.end())
      continue;
    // One after the other.
    if (found != chosen.begin()
        && !is_over(state.nodes[*of.find(*std::prev(found))], of))
      return wait;
    return start;
  }
  return is_open ? wait : leave_out;
}

/// What becomes of a node by how those before it ended.
start_verdict judge_sources(const workflow& of, std::size_t place,
                            const run_state& state) {
  using enum start_verdict;
  const auto& node = of.nodes[place];
  const auto& all = state.nodes;
  if (const auto said = judge_dispatches(of, place, state);
      said && *said != start)
    return *said;
  std::size_t ended = 0;
  std::size_t completed = 0;
  std::size_t failed = 0;
  for (auto source : node.sources) {
    const auto how = all[source].status;
    const bool has_gone = is_over(all[source], of);
    ended += has_gone ? 1 : 0;
    completed += how == status::completed ? 1 : 0;
    failed += has_gone && how == status::failed ? 1 : 0;
  }
  const auto sources = node.sources.size();
  if (node.rule == trigger_rule::one_success && completed > 0)
    return start;
  if (node.rule == trigger_rule::one_failed && failed > 0)
    return start;
  if (ended < sources)
    return wait;
  switch (node.rule) {
    case trigger_rule::all_done:
      return start;
    case trigger_rule::all_success:
      return completed == sources ? start : skip;
    case trigger_rule::all_failed:
      return failed == sources ? start : skip;
    default:
      return skip;
  }
}

/// Whether a node comes after this one for the case that it fails.
bool is_failure_handled(const workflow& of, std::size_t place) {
  const bool dispatches = of.nodes[place].kind == node_type::dispatch;
  return std::ranges::any_of(of.nodes[place].targets, [&](auto target) {
    const auto rule = of.nodes[target].rule;
    return rule == trigger_rule::all_failed || rule == trigger_rule::one_failed
           || (rule == trigger_rule::all_done
               && !(dispatches && is_worker(of, target)));
  });
}

} // namespace

void run_machine::settle(recorder& to) {
  while (is_live() && !to.has_failed()) {
    if (refuse_unknown_type(to))
      return;
    if (const auto* by = find_termination())
      return terminate(to, *by);
    // Conversations that are due, the one that is due first first.
    if (auto due = conversations_.close_due(to.time(), state_.next_sequence);
        !due.events.empty() || due.refusal)
      to.keep(std::move(due));
    bool has_moved = false;
    for (std::size_t i = 0; i < state_.nodes.size() && !has_moved; ++i)
      has_moved = step(to, i);
    if (has_moved)
      continue;
    end_run(to);
    return;
  }
}

bool run_machine::refuse_unknown_type(recorder& to) {
  const auto lacks = find_unknown_type(*workflow_);
  if (!lacks)
    return false;
  fail_run(to,
           {.code = "capability_not_provided",
            .message = "nodes of type " + lacks->type_id + " need "
                       + lacks->capability
                       + ", which this host does not provide"},
           workflow_->find(lacks->node_id));
  return true;
}

void run_machine::end_run(recorder& to) {
  const auto took = to.time() - state_.started_at;
  const auto limit = workflow_->definition.settings.timeout.value_or(0);
  if (std::ranges::all_of(state_.nodes, has_ended, &run_node::status))
    to.record(event::run_completed, run_completed{.duration_ms = took});
  else if (limit > 0 && took >= limit)
    fail_run(to,
             {.code = "run_timeout",
              .message = "the run took longer than " + std::to_string(limit)
                         + " ms"},
             {});
}

bool run_machine::step(recorder& to, std::size_t node) {
  switch (state_.nodes[node].status) {
    case status::pending:
      return step_pending(to, node);
    case status::failed:
      return step_failed(to, node);
    case status::running:
    case status::suspended:
      return std::visit(
        [&](const auto& config) { return work(to, node, config); },
        workflow_->nodes[node].config);
    default:
      return false;
  }
}

bool run_machine::step_failed(recorder& to, std::size_t node) {
  const auto& of = state_.nodes[node];
  if (is_retried(of, *workflow_)) {
    to.record(event::node_retried,
              node_noted{.node_id = workflow_->id_of(node),
                         .reason = of.error->code},
              node);
    return true;
  }
  if (is_failure_handled(*workflow_, node))
    return false;
  fail_run(to, *of.error, node);
  return true;
}

bool run_machine::step_pending(recorder& to, std::size_t node) {
  if (state_.is_paused)
    return false;
  const auto verdict = judge_sources(*workflow_, node, state_);
  if (verdict == start_verdict::wait)
    return false;
  if (verdict == start_verdict::start) {
    start_node(to, node);
    return true;
  }
  to.record(event::node_skipped,
            node_noted{.node_id = workflow_->id_of(node),
                       .reason
                       = verdict == start_verdict::leave_out
                           ? "not_chosen"
                           : std::string{to_word(workflow_->nodes[node].rule)}},
            node, cause_of(node));
  return true;
}

std::string run_machine::cause_of(std::size_t node) const {
  const auto& of = state_.nodes[node];
  if (!of.latest_event.empty())
    return of.latest_event;
  const run_node* latest = nullptr;
  for (auto source : workflow_->nodes[node].sources)
    if (const auto* decided = decision_of(source);
        decided != nullptr && is_worker(*workflow_, node)
        && std::ranges::count(decided->what.next_worker_ids,
                              workflow_->id_of(node))
             > 0)
      return decided->event_id;
  for (auto source : workflow_->nodes[node].sources)
    if (const auto& each = state_.nodes[source];
        has_ended(each.status)
        && (latest == nullptr || each.ended_by > latest->ended_by))
      latest = &each;
  return latest == nullptr ? state_.started_by : latest->latest_event;
}

void run_machine::start_node(recorder& to, std::size_t node) {
  const auto& asked = state_.started->configurable;
  auto limit = options_.node_executions_max;
  if (const auto* given = asked.if_contains("recursionLimit"))
    limit = std::min(limit, given->to_number<std::int64_t>());
  const auto& id = workflow_->id_of(node);
  if (state_.executions >= limit)
    return breach(to, node, "node-executions", limit,
                  {.code = "recursion_limit_exceeded",
                   .message = "the run would start more than "
                              + std::to_string(limit) + " nodes"});
  if (const auto* dispatches
      = std::get_if<dispatch_config>(&workflow_->nodes[node].config);
      dispatches != nullptr && dispatches->iteration_cap
      && state_.dispatches >= *dispatches->iteration_cap)
    return breach(to, node, "dispatch-iterations", *dispatches->iteration_cap,
                  {.code = "iteration_cap_exceeded",
                   .message = "the run would dispatch more often than its "
                              "iterationCap says"});
  node_started made{.node_id = id,
                    .type_id = workflow_->definition.nodes[node].type_id,
                    .attempt = state_.nodes[node].attempts};
  const auto& config = workflow_->nodes[node].config;
  const auto* const runs = std::get_if<session_config>(&config);
  const auto wait = runs ? runs->timeout_ms.value_or(0) : delay_of(node);
  if (wait > 0)
    made.due_at = format_timestamp(std::min(to.time() + wait, timestamp_max));
  if (runs)
    made.session_id = session_id_of(node, made.attempt);
  to.record(event::node_started, made, node, cause_of(node));
  if (runs && !is_replay())
    to.act(start_session{id, *made.session_id, runs->scenario});
}

void run_machine::breach(recorder& to, std::size_t node, std::string kind,
                         std::int64_t limit, run_failure why) {
  if (!state_.is_breached)
    to.record(event::cap_breached,
              cap_breached{.kind = std::move(kind),
                           .limit = limit,
                           .observed = limit + 1,
                           .node_id = workflow_->id_of(node)},
              node, cause_of(node));
  fail_run(to, std::move(why), node);
}

result<void> run_machine::check_outputs(const outputs& made) const {
  if (auto wrong = check_readable(made, ""))
    return fail(std::move(wrong->what));
  const auto bytes = json::serialize(made).size();
  if (bytes > node_outputs_bytes_max)
    return fail(errc::limit_reached,
                "outputs of a node have at most "
                  + std::to_string(node_outputs_bytes_max) + " bytes",
                "node_outputs_bytes_max");
  if (bytes > run_bytes_max - std::min(run_bytes_max, state_.bytes))
    return fail(errc::limit_reached,
                "the outputs and writes of a run have at most "
                  + std::to_string(run_bytes_max) + " bytes",
                "run_bytes_max");
  return {};
}

void run_machine::complete(recorder& to, std::size_t node, outputs made,
                           const std::optional<std::string>& cause) {
  if (const auto fits = check_outputs(made); !fits)
    return fail_node(to, node, fits.error().rule, fits.error().message, true);
  to.record(event::node_completed,
            node_completed{.node_id = workflow_->id_of(node),
                           .outputs = std::move(made),
                           .duration_ms = to.time()
                                          - state_.nodes[node].started_at},
            node, cause);
}

void run_machine::fail_node(recorder& to, std::size_t node, std::string code,
                            std::string message, bool is_final) {
  run_failure why{.code = std::move(code), .message = std::move(message)};
  if (is_final)
    why.retryable = false;
  to.record(event::node_failed,
            node_failed{.node_id = workflow_->id_of(node),
                        .error = std::move(why),
                        .attempts = state_.nodes[node].attempts},
            node);
}

void run_machine::stop_all(recorder& to, const std::string& reason) {
  to.keep(conversations_.cancel_all(reason, to.time(), state_.next_sequence));
  for (std::size_t i = 0; i < state_.nodes.size() && !to.has_failed(); ++i) {
    while (write_turns(to, i))
      ;
    const auto& each = state_.nodes[i];
    if (each.status != status::running && each.status != status::suspended)
      continue;
    if (each.status == status::running && each.session_id && !is_replay())
      to.act(cancel_session{workflow_->id_of(i), *each.session_id});
    cancel_child_of(to, i, reason);
    to.record(event::node_cancelled,
              node_noted{.node_id = workflow_->id_of(i),
                         .reason = reason_of(reason)},
              i);
  }
}

void run_machine::fail_run(recorder& to, run_failure why,
                           std::optional<std::size_t> node) {
  // Before the others end.
  auto cause = node ? state_.nodes[*node].latest_event : std::string{};
  if (cause.empty())
    cause = state_.latest_event;
  stop_all(to, why.code);
  run_failed made{.error = std::move(why),
                  .duration_ms = to.time() - state_.started_at};
  if (node)
    made.failed_node_id = workflow_->id_of(*node);
  to.record(event::run_failed, made, {}, std::move(cause));
}

} // namespace convene::session
