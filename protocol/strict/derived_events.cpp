#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/derived_events.hpp>
#include <convene/protocol/strict/twin.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

namespace json = boost::json;

/// What a MAP event is as an execution.
struct execution {
  std::string_view event;
  std::string_view type;   ///< of the twin, by the module-event matrix
  std::string_view status; ///< empty: told by the payload's
  std::string_view id;     ///< the payload's member that names the execution
  std::string_view who;    ///< the payload's member that names the participant
  std::string_view role;
};

constexpr std::array executions{
  execution{"MAPTurnDispatched", "turn_dispatched", "running", "turn_number",
            "participant_id", "role_id"},
  execution{"MAPTurnCompleted", "turn_completed", "", "turn_number",
            "participant_id", "role_id"},
  execution{"MAPBroadcastSent", "broadcast_sent", "completed", "broadcast_id",
            "broadcaster_participant", "broadcaster_role_id"},
  execution{"MAPBroadcastReceived", "broadcast_received", "", "broadcast_ref",
            "receiver_participant", "receiver_role_id"},
  execution{"MAPConflictDetected", "conflict_detected", "pending",
            "conflict_id", "", ""},
  execution{"MAPConflictResolved", "conflict_resolved", "completed",
            "conflict_id", "winning_participant", "winning_role"},
};

/// Both halves of a turn, and both of a conflict, are one execution; a
/// broadcast is one for each who has a part in it.
std::string execution_id(const json::object& event, const execution& how,
                         const json::object& payload) {
  std::string key{"execution\n"};
  key += text_of(event, "session_id");
  key += '\n';
  key += how.id;
  key += '\n';
  if (const auto number = integer_of(payload, how.id))
    key += std::to_string(*number);
  else
    key += text_of(payload, how.id);
  if (how.event.starts_with("MAPBroadcast")) {
    key += '\n';
    key += text_of(payload, how.who);
    key += '\n';
    key += text_of(payload, how.role);
  }
  return to_string(hashed_uuid(key));
}

std::string_view execution_status(std::string_view status) {
  if (status == "failed" || status == "timed_out" || status == "declined")
    return "failed";
  return status == "cancelled" ? "cancelled" : "completed";
}

std::string_view executor_kind(std::string_view participant_kind) {
  if (participant_kind == "human" || participant_kind == "external")
    return "external";
  return participant_kind == "system" ? "worker" : "agent";
}

strict_form graph_update(const json::object& event,
                         const std::string& context_id) {
  const auto graph = context_id.empty() ? text_of(event, "session_id")
                                        : std::string_view{context_id};
  return {"mplp-graph-update-event",
          make_twin(event, "collab_updated", "graph_update",
                    {{"graph_id", graph},
                     {"update_kind", "node_update"},
                     {"node_delta", 0},
                     {"edge_delta", 0},
                     {"source_module", "collab"}})};
}

strict_form pipeline_stage(const json::object& event, std::string_view type,
                           std::string_view stage_status, std::string_view from,
                           std::string_view to) {
  const auto session = text_of(event, "session_id");
  return {"mplp-pipeline-stage-event",
          make_twin(event, type, "pipeline_stage",
                    {{"pipeline_id", session},
                     {"stage_id", "session"},
                     {"stage_status", stage_status}},
                    {{"resource_type", "collab"},
                     {"resource_id", session},
                     {"from_status", from},
                     {"to_status", to}})};
}

strict_form runtime_execution(const json::object& event, const execution& how,
                              std::string_view kind) {
  const auto& payload = object_of(event, "payload");
  json::object members{{"execution_id", execution_id(event, how, payload)},
                       {"executor_kind", kind}};
  if (const auto role = text_of(payload, how.role); !role.empty())
    members.emplace("executor_role", role);
  members.emplace("status", how.status.empty()
                              ? execution_status(text_of(payload, "status"))
                              : how.status);
  return {"mplp-runtime-execution-event",
          make_twin(event, how.type, "runtime_execution", members)};
}

} // namespace

void derived_events::learn(const json::object& event, session& of) {
  const auto& payload = object_of(event, "payload");
  if (const auto context = text_of(payload, "context_id"); is_uuid_v4(context))
    of.context_id = context;
  for (const auto& one : items_of(payload, "assignments"))
    if (const auto* members = one.if_object())
      of.executor_kinds.emplace(text_of(*members, "participant_id"),
                                executor_kind(text_of(*members, "kind")));
}

std::vector<strict_form> derived_events::of(const json::object& event) {
  auto all = of_session(event);
  for (auto& each : modules_.of(event))
    all.push_back(std::move(each));
  return all;
}

/// Inputs that suspend or resume a session.
std::vector<strict_form> derived_events::of_input(const json::object& event) {
  const auto input = text_of(object_of(event, "payload"), "input");
  const auto found = sessions_.find(text_of(event, "session_id"));
  const bool suspends = input == "suspend";
  if ((!suspends && input != "resume") || found == sessions_.end())
    return {};
  auto& known = found->second;
  const auto from = known.status();
  known.is_suspended = suspends;
  return {graph_update(event, known.context_id),
          pipeline_stage(event, "collab_status_changed",
                         suspends ? "skipped" : "running", from,
                         known.status())};
}

std::vector<strict_form> derived_events::of_session(const json::object& event) {
  const auto type = text_of(event, "event_type");
  if (type == "session_input")
    return of_input(event);
  if (!type.starts_with("MAP") || event.contains("event_family"))
    return {};
  const std::string id{text_of(event, "session_id")};
  auto& known = sessions_[id];
  const auto& payload = object_of(event, "payload");
  std::vector<strict_form> derived;
  if (type == "MAPSessionStarted" || type == "MAPRolesAssigned") {
    learn(event, known);
    derived.push_back(graph_update(event, known.context_id));
    if (type == "MAPSessionStarted")
      derived.push_back(
        pipeline_stage(event, "session_started", "running", "draft", "active"));
  } else if (type == "MAPSessionCompleted") {
    const bool cancelled = text_of(payload, "status") == "cancelled";
    derived.push_back(graph_update(event, known.context_id));
    derived.push_back(cancelled
                        ? pipeline_stage(event, "session_cancelled", "skipped",
                                         known.status(), "cancelled")
                        : pipeline_stage(event, "session_completed",
                                         "completed", "active", "completed"));
    sessions_.erase(id);
  }
  for (const auto& how : executions) {
    if (how.event != type)
      continue;
    const auto kind = known.executor_kinds.find(text_of(payload, how.who));
    derived.push_back(runtime_execution(
      event, how, kind == known.executor_kinds.end() ? "agent" : kind->second));
  }
  return derived;
}

bool is_family_twin(const json::value& strict) {
  const auto* event = strict.if_object();
  return event != nullptr
         && object_of(object_of(*event, "payload"), "native")
              .contains("twin_of");
}

} // namespace convene::protocol
