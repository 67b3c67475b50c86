#pragma once

#include <convene/protocol/lifecycle/part_tables.hpp>

// MPLP lifecycles 2 to 11. Where its sources disagree, the rows are those that
// it recommends; what a policy switches on says so.

namespace convene::protocol::tables {

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

} // namespace convene::protocol::tables
