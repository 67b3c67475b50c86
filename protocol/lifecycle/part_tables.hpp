#pragma once

#include <convene/protocol/lifecycle/lifecycle.hpp>

// What modules consist of, where that has a status: MPLP lifecycles 3.2, 5.2,
// 10 and 11.

namespace convene::protocol::tables {

using enum precondition;

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
