#pragma once

#include <convene/protocol/documents/response_time.hpp>
#include <convene/protocol/events/map_event.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>
#include <convene/session/spec/spec.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace convene::session {

/// Who takes part in a session, and who of them can act now. Guarantees:
/// - `can_act()` is the number of participants that act and are not lost;
/// - positions, names and how long each has for a request never change;
/// - a deputy leads once the orchestrator is lost, and stays the orchestrator.
class membership {
public:
  /// `of` must outlive it; its behaviours are not needed afterwards.
  membership(const spec& of, roster who);

  [[nodiscard]] const spec& scenario() const noexcept {
    return *spec_;
  }
  [[nodiscard]] const roster& who() const noexcept {
    return roster_;
  }
  [[nodiscard]] std::span<const participant_state> all() const noexcept {
    return states_;
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return states_.size();
  }
  [[nodiscard]] const participant_state&
  operator[](participant_index i) const noexcept {
    return states_[i];
  }

  /// How many can act.
  [[nodiscard]] std::size_t can_act() const noexcept {
    return can_act_;
  }
  /// Whether there is such a participant, and it can act.
  [[nodiscard]] bool can_act(participant_index i) const noexcept {
    return i < states_.size() && states_[i].can_act();
  }
  /// How many take turns: with `led`, all that can act but the orchestrator.
  [[nodiscard]] std::size_t turn_takers(bool led) const noexcept {
    return can_act_ - (led && can_act(roster_.orchestrator) ? 1 : 0);
  }

  /// How long it has for a request.
  [[nodiscard]] std::int64_t timeout_of(participant_index i) const noexcept {
    return times_[i].timeout_ms;
  }
  /// The longest time of these.
  [[nodiscard]] std::int64_t
  timeout_of(std::span<const participant_index> all) const noexcept;
  /// Whether a person answers, by the behaviour of type human.
  [[nodiscard]] bool is_person(participant_index i) const noexcept {
    return times_[i].is_person;
  }
  /// Whether people answer, or approve calls.
  [[nodiscard]] bool has_people() const noexcept {
    return has_people_;
  }

  /// As events name them; nobody has no name.
  [[nodiscard]] protocol::actor_name
  name_of(participant_index i) const noexcept {
    if (i == no_participant)
      return {};
    return {.participant_id = states_[i].id, .role_id = states_[i].role};
  }
  [[nodiscard]] std::string_view initiator_role() const noexcept {
    return name_of(roster_.initiator).role_id;
  }

  void lose(participant_index i) noexcept;
  void bring_back(participant_index i) noexcept;
  /// The deputy takes over from the orchestrator, and from the initiator if
  /// that is the same. False: there is none who can act.
  [[nodiscard]] bool promote_deputy() noexcept;

  void note_busy(participant_index i, bool busy) noexcept {
    states_[i].busy = busy;
  }
  void note_vote(participant_index i, bool end) noexcept {
    states_[i].votes_end = end;
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [spec, roster, states, can_act, times, has_people] = x;
    f("roster", roster);
    f.fixed("participants", states);
    f("can_act", can_act);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can.
  [[nodiscard]] std::string_view why_unsound(bool needs_orchestrator) const;

private:
  const spec* spec_;
  roster roster_;
  std::vector<participant_state> states_;
  std::size_t can_act_;
  std::vector<protocol::response_time> times_;
  bool has_people_ = false;
};

} // namespace convene::session
