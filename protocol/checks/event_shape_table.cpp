#include <convene/protocol/checks/event_shape_table.hpp>

#include <algorithm>
#include <iterator>

namespace convene::protocol {
namespace {

using enum member_kind;
constexpr bool optional = true;

constexpr member_shape common[]{{"event_id", text},     {"event_type", name},
                                {"event_family", name}, {"session_id", id},
                                {"timestamp", time},    {"payload", object}};

constexpr member_shape native[]{{"initiator_role", text, optional},
                                {"target_roles", names, optional}};
constexpr member_shape execution[]{{"execution_id", id},
                                   {"executor_kind", name},
                                   {"executor_role", text, optional},
                                   {"status", name}};
constexpr member_shape stage_of_plan[]{{"pipeline_id", id},
                                       {"stage_id", text},
                                       {"stage_status", stage}};
constexpr member_shape stage_of_step[]{{"pipeline_id", id},
                                       {"stage_id", id},
                                       {"stage_name", text},
                                       {"stage_status", stage},
                                       {"stage_order", count}};
constexpr member_shape stage_of_confirm[]{{"pipeline_id", id},
                                          {"stage_id", id},
                                          {"stage_status", stage}};
constexpr member_shape graph[]{{"graph_id", id},
                               {"update_kind", name},
                               {"node_delta", any},
                               {"edge_delta", any},
                               {"source_module", name}};

constexpr member_shape session_started[]{
  {"mode", mode},     {"policy", text},    {"participant_count", count},
  {"context_id", id}, {"title", text},     {"purpose", text},
  {"spec", object},   {"session_key", key}};
constexpr member_shape roles_assigned[]{{"assignments", list}};
constexpr member_shape assignment[]{{"participant_id", name},
                                    {"role_id", text},
                                    {"kind", name},
                                    {"role_name", text, optional}};
constexpr member_shape turn_dispatched[]{{"participant_id", name},
                                         {"role_id", text},
                                         {"turn_number", count},
                                         {"token_id", id},
                                         {"task", text},
                                         {"expires_at", time},
                                         {"duty", text, optional},
                                         {"step_id", id, optional},
                                         {"attempt", count, optional},
                                         {"handoff_id", id, optional},
                                         {"resources", list, optional}};
constexpr member_shape turn_completed[]{{"participant_id", name},
                                        {"role_id", text},
                                        {"turn_number", count},
                                        {"token_id", id},
                                        {"status", text},
                                        {"duration_ms", count},
                                        {"output_summary", text, optional},
                                        {"result", object},
                                        {"reply", object, optional},
                                        {"error", object, optional}};
constexpr member_shape broadcast_sent[]{{"broadcast_id", id},
                                        {"broadcaster_participant", name},
                                        {"broadcaster_role_id", text},
                                        {"target_count", count},
                                        {"target_participants", names},
                                        {"message_type", text},
                                        {"message", object},
                                        {"expires_at", time}};
constexpr member_shape broadcast_received[]{
  {"broadcast_ref", id},      {"receiver_participant", name},
  {"receiver_role", text},    {"receiver_role_id", text},
  {"status", text},           {"duration_ms", count},
  {"response", object},       {"reply", object, optional},
  {"error", object, optional}};
constexpr member_shape conflict_detected[]{{"conflict_id", id},
                                           {"resource_type", text},
                                           {"resource_id", text},
                                           {"conflicting_roles", names},
                                           {"conflicting_participants", names},
                                           {"conflict_type", name},
                                           {"details", any}};
constexpr member_shape conflict_resolved[]{
  {"conflict_id", id},
  {"resolution_strategy", name},
  {"winning_role", text, optional},
  {"winning_participant", name, optional},
  {"losing_roles", names, optional},
  {"losing_participants", names, optional},
  {"overridden_versions", any, optional},
  {"votes", list, optional},
  {"reason", text}};
constexpr member_shape handoff_initiated[]{{"handoff_id", id},
                                           {"from_role", text},
                                           {"from_participant", name},
                                           {"to_role", text},
                                           {"to_participant", name},
                                           {"token_id", id},
                                           {"turn_number", count, optional},
                                           {"plan_id", id, optional},
                                           {"step_id", id, optional},
                                           {"instructions", text, optional},
                                           {"reason", text, optional}};
constexpr member_shape session_completed[]{
  {"status", ending},         {"participants_count", count},
  {"turns_total", count},     {"broadcasts_count", count},
  {"conflicts_count", count}, {"handoffs_count", count},
  {"duration_ms", count},     {"usage", object}};
constexpr member_shape usage_shapes[]{{"prompt_tokens", count},
                                      {"completion_tokens", count},
                                      {"cost_microusd", count}};
constexpr member_shape input[]{{"input", name}};
constexpr member_shape status_changed[]{{"resource_type", name},
                                        {"resource_id", id},
                                        {"from_status", text},
                                        {"to_status", text},
                                        {"reason", text}};
constexpr member_shape confirm_changed[]{
  {"resource_type", name},        {"resource_id", id},
  {"from_status", any, optional}, {"to_status", text},
  {"reason", any, optional},      {"target_id", id}};
constexpr member_shape new_plan[]{{"plan", object}};
constexpr member_shape new_step[]{{"step", object}};

constexpr member_shape written[]{{"resource_type", name},
                                 {"resource_id", name},
                                 {"version", count},
                                 {"base_version", count},
                                 {"op", name},
                                 {"value", any, optional},
                                 {"participant_id", name},
                                 {"role_id", text},
                                 {"turn_number", count, optional},
                                 {"token_id", id},
                                 {"conflict_id", id, optional},
                                 {"input", name, optional}};
constexpr member_shape refused[]{
  {"resource_type", name},  {"resource_id", name},
  {"base_version", count},  {"op", name},
  {"value", any, optional}, {"participant_id", name},
  {"role_id", text},        {"turn_number", count, optional},
  {"token_id", id},         {"input", name, optional},
  {"error", object}};
constexpr member_shape claimed[]{{"resource_type", name},
                                 {"resource_id", name},
                                 {"participant_id", name},
                                 {"role_id", text},
                                 {"turn_number", count, optional},
                                 {"token_id", id, optional},
                                 {"to_participant", name, optional},
                                 {"to_role", text, optional},
                                 {"expires_at", time, optional},
                                 {"reason", name, optional},
                                 {"input", name, optional}};
constexpr member_shape claim_refused[]{
  {"resource_type", name},          {"resource_id", name},
  {"release", any, optional},       {"to", name, optional},
  {"participant_id", name},         {"role_id", text},
  {"turn_number", count, optional}, {"token_id", id},
  {"input", name, optional},        {"error", object}};
constexpr member_shape opened[]{{"resources", count}};

constexpr event_type_shape shapes[]{
  {"MAPTurnDispatched", "RuntimeExecutionEvent", native, turn_dispatched},
  {"MAPTurnCompleted", "RuntimeExecutionEvent", native, turn_completed},
  {"MAPBroadcastReceived", "CommunicationEvent", native, broadcast_received},
  {"MAPBroadcastSent", "CommunicationEvent", native, broadcast_sent},
  {"MAPSessionStarted", "GraphUpdateEvent", native, session_started},
  {"MAPRolesAssigned", "GraphUpdateEvent", native, roles_assigned},
  {"MAPSessionCompleted", "GraphUpdateEvent", native, session_completed},
  {"MAPConflictDetected", "ConflictEvent", native, conflict_detected},
  {"MAPConflictResolved", "ConflictEvent", native, conflict_resolved},
  {"MAPHandoffInitiated", "CommunicationEvent", native, handoff_initiated},
  {"session_input", "runtime_execution", execution, input},
  {"plan_status_changed", "pipeline_stage", stage_of_plan, status_changed},
  {"step_status_changed", "pipeline_stage", stage_of_step, status_changed},
  {"confirm_created", "pipeline_stage", stage_of_confirm, confirm_changed},
  {"confirm_resolved", "pipeline_stage", stage_of_confirm, confirm_changed},
  {"plan_created", "graph_update", graph, new_plan},
  {"step_added", "graph_update", graph, new_step},
  {"resource_written", "graph_update", graph, written},
  {"write_refused", "runtime_execution", execution, refused},
  {"workspace_opened", "graph_update", graph, opened},
  {"claim_taken", "graph_update", graph, claimed},
  {"claim_released", "graph_update", graph, claimed},
  {"claim_handed_over", "graph_update", graph, claimed},
  {"claim_refused", "runtime_execution", execution, claim_refused},
};

} // namespace

const event_type_shape* find_shape(std::string_view event_type) noexcept {
  const auto* found = std::ranges::find(shapes, event_type,
                                        &event_type_shape::type);
  return found == std::end(shapes) ? nullptr : found;
}

const std::span<const member_shape> common_members{common};
const std::span<const member_shape> usage_members{usage_shapes};
const std::span<const member_shape> assignment_members{assignment};

} // namespace convene::protocol
