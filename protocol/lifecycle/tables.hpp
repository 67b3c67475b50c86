#pragma once

#include <convene/protocol/lifecycle/lifecycle.hpp>

// MPLP lifecycles 2 to 11. Where its sources disagree, the rows are those that
// it recommends; what a policy switches on says so.

namespace convene::protocol::tables {

using enum precondition;

inline constexpr lifecycle_state context_states[]{
  {"draft", "pending"},      {"active", "running"},   {"suspended", "skipped"},
  {"archived", "completed"}, {"closed", "completed"},
};
inline constexpr lifecycle_move context_moves[]{
  {"", "draft", "create"},
  {"", "active", "create and activate", {}, "", row_reading::always, true},
  {"draft", "active", "activate", {}, "context_activated"},
  {"draft", "closed", "abandon"},
  {"active", "suspended", "suspend"},
  {"active", "archived", "archive"},
  {"suspended", "active", "resume"},
  {"suspended", "closed", "force to close"},
  {"archived", "closed", "close"},
};
inline constexpr lifecycle context{
  "context",      module::context,   "context_id",
  "draft",        "context_created", lifecycle_family::pipeline_stage,
  context_states, context_moves};

inline constexpr lifecycle_state plan_states[]{
  {"draft", "pending"},       {"proposed", "pending"},
  {"approved", "pending"},    {"in_progress", "running"},
  {"completed", "completed"}, {"cancelled", "skipped"},
  {"failed", "failed"},
};
inline constexpr lifecycle_move plan_moves[]{
  {"", "draft", "create", {has_steps}},
  {"draft", "proposed", "submit for review", {plan_valid}},
  {"draft", "cancelled", "abandon"},
  {"proposed", "approved", "approve", {confirm_approved}},
  {"proposed", "draft", "reject or withdraw"},
  {"approved", "in_progress", "start", {context_active, has_steps}},
  {"in_progress", "completed", "complete", {steps_done}},
  {"in_progress", "failed", "fail", {step_failed}},
  {"in_progress", "cancelled", "abort"},
};
inline constexpr lifecycle plan{
  "plan",      module::plan,   "plan_id",
  "draft",     "plan_created", lifecycle_family::pipeline_stage,
  plan_states, plan_moves};

inline constexpr lifecycle_state step_states[]{
  {"pending", "pending"},     {"in_progress", "running"},
  {"completed", "completed"}, {"blocked", "pending"},
  {"skipped", "skipped"},     {"failed", "failed"},
};
inline constexpr lifecycle_move step_moves[]{
  {"", "pending", "create"},
  {"pending",
   "in_progress",
   "start",
   {plan_in_progress, context_active, dependencies_done},
   "step_started"},
  {"pending", "blocked", "block", {dependency_failed}},
  {"pending", "skipped", "skip"},
  {"blocked", "pending", "unblock", {dependencies_recovered}},
  {"in_progress", "completed", "complete", {}, "step_completed"},
  {"in_progress", "failed", "fail", {}, "step_failed"},
};
inline constexpr lifecycle step{"step",       module::plan,
                                "step_id",    "pending",
                                "step_added", lifecycle_family::pipeline_stage,
                                step_states,  step_moves};

inline constexpr lifecycle_state confirm_states[]{
  {"pending", "pending"},
  {"approved", "completed"},
  {"rejected", "failed"},
  {"cancelled", "skipped"},
  {"override", "completed", "", row_reading::native_words},
};
inline constexpr lifecycle_move confirm_moves[]{
  {"", "pending", "request", {}, "confirm_created"},
  {"pending", "approved", "approve", {decided}, "confirm_resolved"},
  {"pending",
   "rejected",
   "reject",
   {decided},
   "confirm_resolved",
   row_reading::one_round},
  {"pending", "cancelled", "withdraw", {}, "confirm_resolved"},
  {"pending",
   "override",
   "override",
   {decided},
   "confirm_resolved",
   row_reading::native_words},
};
inline constexpr lifecycle confirm{
  "confirm",      module::confirm,   "confirm_id",
  "pending",      "confirm_created", lifecycle_family::pipeline_stage,
  confirm_states, confirm_moves};

inline constexpr lifecycle_state trace_states[]{
  {"pending"},   {"running", "", "active"}, {"completed"}, {"failed"},
  {"cancelled"},
};
inline constexpr lifecycle_move trace_moves[]{
  {"", "pending", "create"},
  {"pending", "running", "start"},
  {"pending", "cancelled", "abort before the start"},
  {"running", "completed", "complete", {segments_done}},
  {"running", "failed", "fail"},
  {"running", "cancelled", "abort"},
};
inline constexpr lifecycle trace{"trace",         module::trace,
                                 "trace_id",      "pending",
                                 "trace_created", lifecycle_family::none,
                                 trace_states,    trace_moves};

inline constexpr lifecycle_state segment_states[]{
  {"pending"}, {"running"},   {"completed"},
  {"failed"},  {"cancelled"}, {"skipped"},
};
inline constexpr lifecycle_move segment_moves[]{
  {"", "pending", "create"},      {"pending", "running", "start"},
  {"pending", "skipped", "skip"}, {"running", "completed", "complete"},
  {"running", "failed", "fail"},  {"running", "cancelled", "abort"},
};
inline constexpr lifecycle segment{"segment",       module::trace,
                                   "segment_id",    "pending",
                                   "segment_added", lifecycle_family::none,
                                   segment_states,  segment_moves};

inline constexpr lifecycle role{
  "role",         module::role,           "role_id", "",
  "role_created", lifecycle_family::none, {},        {}};

inline constexpr lifecycle_state dialog_states[]{
  {"active"},
  {"paused"},
  {"completed"},
  {"cancelled"},
};
inline constexpr lifecycle_move dialog_moves[]{
  {"", "active", "start"},
  {"active", "paused", "pause"},
  {"active", "completed", "complete"},
  {"active", "cancelled", "abort"},
  {"paused", "active", "resume"},
  {"paused", "cancelled", "abort"},
};
inline constexpr lifecycle dialog{"dialog",         module::dialog,
                                  "dialog_id",      "active",
                                  "dialog_created", lifecycle_family::none,
                                  dialog_states,    dialog_moves};

inline constexpr lifecycle_state collab_states[]{
  {"draft", "pending"},     {"active", "running"},
  {"suspended", "skipped"}, {"completed", "completed"},
  {"cancelled", "skipped"},
};
inline constexpr lifecycle_move collab_moves[]{
  {"", "draft", "create"},
  {"draft",
   "active",
   "start",
   {context_active, session_complete},
   "session_started"},
  {"draft", "cancelled", "abandon", {}, "session_cancelled"},
  {"active", "suspended", "pause"},
  {"active", "completed", "complete", {}, "session_completed"},
  {"active", "cancelled", "abort", {}, "session_cancelled"},
  {"suspended", "active", "resume", {context_active}},
  {"suspended", "cancelled", "abort while paused", {}, "session_cancelled"},
};
inline constexpr lifecycle collab{
  "collab",      module::collab,   "collab_id",
  "draft",       "collab_created", lifecycle_family::pipeline_stage,
  collab_states, collab_moves};

inline constexpr lifecycle_state extension_states[]{
  {"registered"},
  {"active"},
  {"inactive"},
  {"deprecated"},
};
inline constexpr lifecycle_move extension_moves[]{
  {"", "registered", "register"},
  {"registered",
   "active",
   "activate",
   {confirm_approved},
   "extension_activated"},
  {"active", "inactive", "deactivate"},
  {"active", "deprecated", "deprecate"},
  {"inactive",
   "active",
   "activate again",
   {},
   "extension_activated",
   row_reading::extensions_return},
  {"deprecated", "inactive", "disable", {}, "", row_reading::extensions_return},
};
inline constexpr lifecycle extension{
  "extension",      module::extension,      "extension_id",
  "registered",     "extension_registered", lifecycle_family::runtime_execution,
  extension_states, extension_moves};

inline constexpr lifecycle_state core_states[]{
  {"draft", "pending"},
  {"active", "running"},
  {"deprecated", "skipped"},
  {"archived", "completed"},
};
inline constexpr lifecycle_move core_moves[]{
  {"", "draft", "create"},
  {"draft", "active", "activate", {}, "protocol_initialized"},
  {"active", "deprecated", "deprecate"},
  {"deprecated", "archived", "archive"},
};
inline constexpr lifecycle core{
  "core",      module::core,   "core_id",
  "draft",     "core_created", lifecycle_family::pipeline_stage,
  core_states, core_moves};

inline constexpr lifecycle_state network_states[]{
  {"draft"},    {"provisioning"}, {"active"},
  {"degraded"}, {"maintenance"},  {"retired"},
};
inline constexpr lifecycle_move network_moves[]{
  {"", "draft", "create"},
  {"draft", "provisioning", "deploy"},
  {"provisioning", "active", "become ready"},
  {"active", "degraded", "lose a part"},
  {"active", "maintenance", "go down as planned"},
  {"active", "retired", "decommission"},
  {"degraded", "active", "recover", {nodes_active}},
  {"maintenance", "active", "resume"},
};
inline constexpr lifecycle network{"network",         module::network,
                                   "network_id",      "draft",
                                   "network_created", lifecycle_family::none,
                                   network_states,    network_moves};

inline constexpr lifecycle_state node_states[]{
  {"active"}, {"inactive"}, {"degraded"}, {"unreachable"}, {"retired"},
};
inline constexpr lifecycle_move node_moves[]{
  {"", "active", "add"},
  {"", "inactive", "add what is not in use"},
  {"", "degraded", "add what is weakened"},
  {"", "unreachable", "add what cannot be reached"},
  {"active", "inactive", "take out"},
  {"active", "degraded", "weaken"},
  {"active", "unreachable", "lose"},
  {"active", "retired", "retire"},
  {"inactive", "active", "take in"},
  {"inactive", "degraded", "weaken"},
  {"inactive", "unreachable", "lose"},
  {"inactive", "retired", "retire"},
  {"degraded", "active", "recover"},
  {"degraded", "inactive", "take out"},
  {"degraded", "unreachable", "lose"},
  {"degraded", "retired", "retire"},
  {"unreachable", "active", "recover"},
  {"unreachable", "inactive", "take out"},
  {"unreachable", "degraded", "find again, weakened"},
  {"unreachable", "retired", "retire"},
};
inline constexpr lifecycle node{
  "node",      module::network, "node_id",
  "active",    "node_added",    lifecycle_family::runtime_execution,
  node_states, node_moves};

// The protocol has no rules for these but that a required module stays on.
inline constexpr lifecycle_state core_module_states[]{
  {"enabled", "running"},
  {"disabled", "skipped"},
  {"experimental", "running"},
  {"deprecated", "skipped"},
};
inline constexpr lifecycle_move core_module_moves[]{
  {"", "enabled", "add", {}, "module_enabled"},
  {"", "disabled", "add, switched off", {module_optional}, "module_disabled"},
  {"", "experimental", "add on trial"},
  {"", "deprecated", "add what will go"},
  {"enabled", "disabled", "disable", {module_optional}, "module_disabled"},
  {"enabled", "experimental", "put on trial"},
  {"enabled", "deprecated", "deprecate"},
  {"disabled", "enabled", "enable", {}, "module_enabled"},
  {"disabled", "experimental", "try"},
  {"disabled", "deprecated", "deprecate"},
  {"experimental", "enabled", "enable", {}, "module_enabled"},
  {"experimental", "disabled", "disable", {module_optional}, "module_disabled"},
  {"experimental", "deprecated", "deprecate"},
  {"deprecated", "enabled", "enable", {}, "module_enabled"},
  {"deprecated", "disabled", "disable", {module_optional}, "module_disabled"},
  {"deprecated", "experimental", "try"},
};
inline constexpr lifecycle core_module{
  "core_module",      module::core,        "module_id",
  "enabled",          "core_module_added", lifecycle_family::pipeline_stage,
  core_module_states, core_module_moves};

} // namespace convene::protocol::tables
