#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/session/plan/plan_book.hpp>
#include <convene/session/spec/spec.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// The participants of a session. Determined once, at activation.
struct roster {
  /// By position; empty: no Role document. None at all if there are no Roles.
  std::vector<std::string> role_names;
  participant_index orchestrator = no_participant;
  participant_index deputy = no_participant;
  participant_index initiator = no_participant;
  std::size_t acting = 0; ///< participants of any kind but `system`

  /// Empty: no Role document.
  [[nodiscard]] std::string_view role_name(participant_index i) const noexcept {
    return i < role_names.size() ? std::string_view{role_names[i]}
                                 : std::string_view{};
  }
};

/// The participant called `id`, or `no_participant`.
[[nodiscard]] CONVENE_API participant_index
find_participant(const spec& what, std::string_view id);

/// Finds the orchestrator (by `session.orchestrator`; else by a Role's
/// capability `collab.orchestrate`, `collab.*` or `*`; else by the Role name
/// orchestrator; else by an id that contains the word), the deputy and the
/// initiator (`session.initiator`, else the orchestrator, else the first
/// participant that acts). The ids in the options must be known.
[[nodiscard]] roster make_roster(const spec& what);

/// The participants that `role` refers to, by the first of these that finds
/// any: `session.assign`, role_id, Role name, participant_id, the suffix of a
/// participant_id, a word in one, and the same of a role_id. Empty: nobody.
[[nodiscard]] std::vector<participant_index>
participants_for(const spec& what, const roster& who, std::string_view role);

/// Why work for `role` cannot be given to anybody, with the nearest name; empty
/// if it can, or if no role is named.
[[nodiscard]] std::string why_nobody_fits(const spec& what, const roster& who,
                                          std::string_view role);

/// Assigns each step with an agent_role. Several participants for one role take
/// its steps in turn.
void assign_steps(plan_book& plan, const spec& what, const roster& who);

} // namespace convene::session
