#pragma once

#include <convene/protocol/documents/common.hpp>

#include <cstdint>

namespace convene::protocol {

enum class plan_status : std::uint8_t {
  draft,
  proposed,
  approved,
  in_progress,
  completed,
  cancelled,
  failed
};
CONVENE_WORDS(plan_status, "draft", "proposed", "approved", "in_progress",
              "completed", "cancelled", "failed");

enum class step_status : std::uint8_t {
  pending,
  in_progress,
  completed,
  blocked,
  skipped,
  failed
};
CONVENE_WORDS(step_status, "pending", "in_progress", "completed", "blocked",
              "skipped", "failed");

/// One step of a plan; it waits for the steps that `dependencies` names.
struct plan_step {
  std::string step_id;     ///< v4 UUID, unique in the plan
  std::string description; ///< not empty
  step_status status = step_status::pending;
  std::optional<std::vector<std::string>> dependencies; ///< step ids
  std::optional<std::string> agent_role;
  std::optional<std::int64_t> order_index; ///< from 0

  bool operator==(const plan_step&) const = default;
};

/// A goal broken into steps (mplp-plan.schema.json). Has no governance member.
struct plan {
  metadata meta;
  std::string plan_id;    ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::string title;      ///< not empty
  std::string objective;  ///< not empty
  plan_status status = plan_status::draft;
  std::vector<plan_step> steps; ///< at least one
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const plan&) const = default;
};

} // namespace convene::protocol
