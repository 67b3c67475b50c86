#pragma once

#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

#include <optional>
#include <span>

namespace convene::protocol {

/// What the decisions of a Confirm come to so far (MPLP conflicts C-22). In one
/// round the first settles it. In several rounds a rejection settles nothing:
/// the first approval or withdrawal does.
[[nodiscard]] confirm_status
settled_status(std::span<const decision_status> decisions,
               const lifecycle_policy& policy = {});

/// A Confirm with one more decision, and what follows from that.
struct decided_confirm {
  confirm after;
  /// Where the Confirm is about a Plan: the status that this one now takes.
  std::optional<plan_status> plan_becomes;
  lifecycle_events events;
};

/// Adds a decision to a pending Confirm. Refuses as `transition` does, and with
/// rule `decision_written_once` an id that an earlier decision has.
[[nodiscard]] result<decided_confirm>
decide(const confirm& before, const confirm_decision& decision,
       const lifecycle_policy& policy = {});

} // namespace convene::protocol
