#pragma once

#include <convene/session/requests/request.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// What an orchestrator is told when it is asked for a decision, and how often
/// in a row it failed to make one. Guarantees: each turn that closes is told
/// to whoever makes the next decision, also if that is asked repeatedly or
/// somebody else is; of many, the latest `decision_view::also_closed_max` and
/// one.
class briefing {
public:
  /// Decisions in a row that may fail before the session gives up on its
  /// orchestrator.
  static constexpr std::uint32_t failures_max = 3;

  /// A turn has closed, on a step or on none (an empty id).
  void note_closed(participant_index who, std::string_view status,
                   std::string_view content, std::string_view step_id);
  void note_responses(const std::vector<response>& of_broadcast,
                      const missed_quorum& missed) {
    view_.responses = of_broadcast;
    view_.missed = missed;
  }

  /// Whether a turn has closed since the orchestrator was asked.
  [[nodiscard]] bool has_news() const noexcept {
    return !is_told_;
  }
  /// What to tell now. What it says of the plan is for the caller to fill in.
  [[nodiscard]] decision_view tell();

  /// A decision was made.
  void note_decided() noexcept;
  /// None was made: the next to decide is told everything again.
  void tell_again();
  /// None was made, for this reason. False: `failures_max` in a row.
  [[nodiscard]] bool note_failed(const std::string& why);

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [view, is_told, told, failed] = x;
    f("decisions_failed", failed);
    f("last", view);
    f("last_is_told", is_told);
    f("told", told);
  }

private:
  decision_view view_;
  bool is_told_ = true; ///< nothing new in it
  /// What else was shown, until it was decided on.
  std::vector<closed_view> told_;
  std::uint32_t failed_ = 0; ///< in a row
};

} // namespace convene::session
