#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/workflow/children.hpp>
#include <convene/session/workflow/event_parts.hpp>
#include <convene/session/workflow/recorder.hpp>
#include <convene/session/workflow/workers.hpp>

namespace convene::session {
namespace {

using namespace protocol;
using event = workflow_event_type;
using status = run_node_status;

/// The variables of a node's children: to them, and back.
struct mappings {
  const variable_mapping& inputs;
  const variable_mapping& outputs;
};

const variable_mapping&
mapping_of(const std::map<std::string, variable_mapping>& own,
           const variable_mapping& others, const std::string& workflow_id) {
  const auto found = own.find(workflow_id);
  return found == own.end() ? others : found->second;
}

/// Only of nodes that have children.
mappings mappings_of(const node_config& config,
                     const std::string& workflow_id) {
  if (const auto* calls = std::get_if<sub_workflow_config>(&config))
    return {calls->input_mapping, calls->output_mapping};
  const auto& dispatch = std::get<dispatch_config>(config);
  return {mapping_of(dispatch.per_worker_input_mappings, dispatch.input_mapping,
                     workflow_id),
          mapping_of(dispatch.per_worker_output_mappings,
                     dispatch.output_mapping, workflow_id)};
}

/// Whether a variable may become that.
result<void> check_variable(const workflow& of, const std::string& name,
                            const json::value& value) {
  for (const auto& each : of.definition.variables)
    if (each.name == name && !fits_variable(each.type, value))
      return fail(errc::invalid_document,
                  "the child run's value for the variable " + shorten(name)
                    + " is no " + shorten(each.type),
                  "variable_type");
  return {};
}

run_status status_of(session_outcome how) {
  return how == session_outcome::completed ? run_status::completed
         : how == session_outcome::failed  ? run_status::failed
                                           : run_status::cancelled;
}

/// How a child run ended, by what is recorded of its node after it.
run_status end_of_child(const run_event& of, event type) {
  const auto* const payload = of.payload.held.if_object();
  if (type == event::node_cancelled || type == event::node_retried)
    return run_status::cancelled;
  if (type == event::node_failed)
    return payload != nullptr
               && text_of(object_of(*payload, "error"), "code")
                    == child_cancelled_code
             ? run_status::cancelled
             : run_status::failed;
  const auto word = payload == nullptr
                      ? std::string_view{}
                      : text_of(object_of(*payload, "outputs"), "childStatus");
  return from_word<run_status>(word).value_or(run_status::completed);
}

} // namespace

std::string run_machine::child_id_of(std::size_t node,
                                     std::size_t index) const {
  return to_string(hashed_uuid("child:" + ids_of() + ":"
                               + workflow_->id_of(node) + ":"
                               + std::to_string(state_.nodes[node].attempts - 1)
                               + ":" + std::to_string(index)));
}

/// The workflow of the child run that comes next; null: there is none.
const std::string* run_machine::next_child(std::size_t node) const {
  const auto done = state_.nodes[node].children;
  if (const auto* calls
      = std::get_if<sub_workflow_config>(&workflow_->nodes[node].config))
    return done == 0 ? &calls->workflow_id : nullptr;
  const auto& chosen = decision_of(node)->what.next_worker_ids;
  return done < chosen.size() ? &chosen[done] : nullptr;
}

bool run_machine::work(recorder& to, std::size_t node,
                       const sub_workflow_config&) {
  if (state_.nodes[node].child)
    return wait_for_child(to, node);
  start_child_run(to, node);
  return true;
}

bool run_machine::wait_for_child(recorder& to, std::size_t node) {
  const auto& of = state_.nodes[node];
  // That of the run it was forked from is that run's child.
  if (state_.children[*of.child].run_id == child_id_of(node, of.children - 1))
    return false;
  to.record(event::node_retried,
            node_noted{.node_id = workflow_->id_of(node), .reason = "forked"},
            node);
  return true;
}

void run_machine::start_child_run(recorder& to, std::size_t node) {
  const auto* const decided = decision_of(node);
  to.record(event::node_dispatched,
            node_dispatched{.node_id = workflow_->id_of(node),
                            .workflow_id = *next_child(node),
                            .child_run_id
                            = child_id_of(node, state_.nodes[node].children)},
            node,
            decided == nullptr ? std::optional<std::string>{}
                               : decided->event_id);
  if (!is_replay() && !to.has_failed())
    to.act(child_start(node));
}

/// How the child run that a node waits for is started.
start_child run_machine::child_start(std::size_t node) const {
  const auto& child = state_.children[*state_.nodes[node].child];
  start_child made{.node_id = workflow_->id_of(node),
                   .child_run_id = child.run_id,
                   .workflow_id = child.workflow_id,
                   .is_detached = !stops_children(node)};
  // What is not set here is not set there.
  for (const auto& [theirs, ours] :
       mappings_of(workflow_->nodes[node].config, child.workflow_id).inputs)
    if (const auto* value = state_.variables.if_contains(ours))
      made.inputs[theirs] = *value;
  return made;
}

void run_machine::take(recorder& to, const child_ended& input) {
  const auto place = workflow_->find(input.node_id);
  const auto* const node = place ? &state_.nodes[*place] : nullptr;
  if (node == nullptr || node->status != status::running || !node->child
      || state_.children[*node->child].run_id != input.child_run_id)
    return to.refuse(run_refusal_code::conflict, "child_unknown",
                     "no node waits for this child run", {}, errc::not_allowed);
  if (is_replay() && !is_replaying_)
    return to.refuse(run_refusal_code::conflict, "replay_asks_nobody",
                     "a replay takes only what its source recorded", {},
                     errc::not_allowed);
  const auto& config = workflow_->nodes[*place].config;
  const auto* const calls = std::get_if<sub_workflow_config>(&config);
  const auto how = status_of(input.outcome);
  if (how != run_status::completed) {
    if (calls != nullptr && !input.is_unfit
        && calls->on_child_failure == child_failure_policy::absorb)
      return end_children(to, *place, how);
    const auto code
      = how == run_status::cancelled
          ? std::string{child_cancelled_code}
          : reason_of(input.code).value_or(std::string{child_failed_code});
    return fail_node(to, *place, code,
                     reason_of(input.message).value_or("the child run ended"));
  }
  const auto& child = state_.children[*node->child];
  const auto& outputs = mappings_of(config, child.workflow_id).outputs;
  json::object changed;
  for (const auto& [ours, theirs] : outputs)
    if (const auto* value = input.variables.if_contains(theirs))
      changed[ours] = *value;
  auto fits = check_outputs(changed);
  for (const auto& [name, value] : changed)
    if (fits)
      fits = check_variable(*workflow_, std::string{name}, value);
  if (!fits)
    return fail_node(to, *place, fits.error().rule, fits.error().message);
  const auto child_id = child.run_id;
  for (const auto& [ours, theirs] : outputs)
    if (const auto* value = input.variables.if_contains(theirs))
      to.record(event::variable_changed,
                variable_changed{.name = ours,
                                 .value = {*value},
                                 .node_id = workflow_->id_of(*place),
                                 .child_run_id = child_id,
                                 .child_variable = theirs},
                *place);
  if (next_child(*place) != nullptr)
    return start_child_run(to, *place);
  end_children(to, *place, how);
}

/// The node is done with its last child run.
void run_machine::end_children(recorder& to, std::size_t node, run_status how) {
  outputs made{{"childRunId",
                state_.children[*state_.nodes[node].child].run_id},
               {"childStatus", to_word(how)}};
  const auto* const decided = decision_of(node);
  if (decided == nullptr)
    return complete(to, node, std::move(made));
  const auto& chosen = decided->what.next_worker_ids;
  made["kind"] = to_word(decided->what.kind);
  made["nextWorkerIds"] = json::array(chosen.begin(), chosen.end());
  complete(to, node, std::move(made), decided->event_id);
}

bool run_machine::stops_children(std::size_t node) const {
  const auto* const calls
    = std::get_if<sub_workflow_config>(&workflow_->nodes[node].config);
  return calls == nullptr || calls->propagate_cancellation;
}

void run_machine::cancel_child_of(recorder& to, std::size_t node,
                                  const std::string& reason) const {
  const auto& of = state_.nodes[node];
  if (of.status == status::running && of.child && !is_replay()
      && stops_children(node))
    to.act(cancel_child{state_.children[*of.child].run_id, reason});
}

std::vector<start_child> run_machine::open_children() const {
  std::vector<start_child> all;
  for (std::size_t i = 0; i < state_.nodes.size() && is_live(); ++i)
    if (const auto& each = state_.nodes[i];
        each.status == status::running && each.child && !is_replay())
      all.push_back(child_start(i));
  return all;
}

result<void> run_machine::apply_child(const run_event& what, event_type type,
                                      std::size_t place) {
  auto& node = state_.nodes[place];
  if (type == event::node_started)
    return {};
  if (node.child)
    if (auto& child = state_.children[*node.child]; !child.end)
      child.end = end_of_child(what, type);
  if (type != event::node_dispatched)
    return {};
  auto read = payload_of<node_dispatched>(what);
  if (!read)
    return fail(std::move(read).error());
  const bool has_children
    = workflow_->nodes[place].kind == node_type::sub_workflow
      || (runs_children(*workflow_, place) && decision_of(place) != nullptr);
  if (node.status != status::running || !has_children
      || next_child(place) == nullptr)
    return misplaced_in_run(what, "the node starts no child run now");
  node.child = state_.children.size();
  ++node.children;
  state_.children.push_back({.run_id = std::move(read->child_run_id),
                             .workflow_id = std::move(read->workflow_id),
                             .node = place});
  return {};
}

result<void> run_machine::apply_changed(const run_event& what) {
  const auto place = place_of_event(*workflow_, what);
  if (!place)
    return fail(place.error());
  auto read = payload_of<variable_changed>(what);
  if (!read)
    return fail(std::move(read).error());
  const auto& node = state_.nodes[*place];
  if (node.status != status::running || !node.child
      || state_.children[*node.child].run_id != read->child_run_id)
    return misplaced_in_run(what, "the node does not wait for this child run");
  state_.children[*node.child].has_given = true;
  state_.bytes += json::serialize(read->value.held).size();
  state_.variables[read->name] = std::move(read->value.held);
  return {};
}

} // namespace convene::session
