#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>

#include <span>
#include <vector>

namespace convene::session {

/// A turn that is open or about to be.
struct held_turn {
  participant_index holder = no_participant;
  const turn_terms* terms = nullptr;
};

/// The context of an orchestrator's decisions. Refers to its owner's values.
struct decision_context {
  const session::spec* spec = nullptr;
  const roster* who = nullptr;
  const plan_book* plan = nullptr;
  std::span<const participant_state> participants;
  std::span<const held_turn> open;
  participant_index last_turn = no_participant; ///< whose turn was the latest
  std::uint32_t broadcasts = 0;                 ///< sent so far
  bool has_news = false; ///< a turn has closed since the orchestrator was asked
};

/// Translates the orchestrator's decisions, which name participants and steps
/// by id, to the policy's. None if all of them are to wait. errc::not_allowed
/// with a sentence for the orchestrator if one cannot be carried out; then none
/// is.
[[nodiscard]] protocol::result<std::vector<decision>>
resolve(const std::vector<protocol::decision>& wanted,
        const decision_context& now);

} // namespace convene::session
