#include <convene/protocol/lifecycle/record.hpp>
#include <convene/protocol/lifecycle/tables.hpp>

namespace convene::protocol {
namespace {

std::string_view owner_of(const status_change& change) {
  return change.owner_id.empty() ? change.id : change.owner_id;
}

/// A Confirm is a stage of its own, as it is on a session's log; other objects
/// have a stage called what they are.
std::string_view stage_id(const lifecycle& of, const status_change& change) {
  const bool by_id = !change.owner_id.empty() || of.owner == module::confirm;
  return by_id ? change.id : of.name;
}

json::object moved(const lifecycle& of, const lifecycle_move& move,
                   const status_change& change) {
  return {{"resource_type", of.name},
          {"resource_id", change.id},
          {"from_status", change.from},
          {"to_status", change.to},
          {"reason", change.reason.empty() ? move.trigger : change.reason}};
}

} // namespace

void record_graph(const lifecycle& of, const graph_change& what,
                  const status_change& change, lifecycle_events& out) {
  json::object payload{{"operation", what.kind.substr(what.kind.find('_') + 1)},
                       {"node_type", of.name},
                       {"node_id", change.id}};
  if (!change.from.empty())
    payload["previous_state"] = change.from;
  if (!change.to.empty())
    payload["new_state"] = change.to;
  if (!change.reason.empty())
    payload["reason"] = change.reason;
  out.push_back(
    {.type = std::string{what.type},
     .family = "graph_update",
     .members = {{"graph_id",
                  change.graph_id.empty() ? owner_of(change) : change.graph_id},
                 {"update_kind", what.kind},
                 {"node_delta", what.node_delta},
                 {"edge_delta", 0},
                 {"source_module", to_word(of.owner)}},
     .payload = std::move(payload)});
}

void record_move(const lifecycle& of, const lifecycle_move& move,
                 const status_change& change, lifecycle_events& out) {
  const bool creates = move.from.empty();
  const std::string name{of.name};
  const auto type = !move.event.empty() ? std::string{move.event}
                    : creates           ? std::string{}
                                        : name + "_status_changed";
  if (of.family == lifecycle_family::pipeline_stage && !type.empty())
    out.push_back(
      {.type = type,
       .family = "pipeline_stage",
       .members = {{"pipeline_id", owner_of(change)},
                   {"stage_id", stage_id(of, change)},
                   {"stage_status",
                    find_state(of, change.to, {.native_words = true})->stage}},
       .payload = moved(of, move, change)});
  if (of.family == lifecycle_family::runtime_execution && !type.empty()) {
    auto payload = moved(of, move, change);
    payload["operation"] = move.trigger;
    out.push_back({.type = type,
                   .family = "runtime_execution",
                   .members = {{"execution_id", owner_of(change)},
                               {"executor_kind", "worker"},
                               {"status", "completed"}},
                   .payload = std::move(payload)});
  }
  if (creates)
    record_graph(of, {of.created, "node_add", change.node_delta}, change, out);
  else
    record_graph(of, {name + "_updated", "node_update"}, change, out);
}

void record_decision(const status_change& confirm, std::string_view decision_id,
                     lifecycle_events& out) {
  auto added = confirm;
  added.from = added.to = {};
  record_graph(tables::confirm, {"decision_added", "node_add", 1}, added, out);
  auto& payload = out.back().payload;
  payload["node_type"] = "decision";
  payload["node_id"] = decision_id;
  payload["confirm_id"] = confirm.id;
}

} // namespace convene::protocol
