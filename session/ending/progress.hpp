#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/routing/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace convene::session {

/// How a request closed, as far as relevant to endings.
struct closing {
  participant_index who = no_participant;
  turn_status status = turn_status::completed;
  std::string_view content; ///< of the reply
  bool is_turn = true;      ///< false: an answer to a broadcast
  bool lost = false;        ///< `who` is lost
  /// A resource was written, a step completed or a task added.
  bool changed = false;
};

/// Summary of a session's past for its end conditions, so that none of them
/// traverses the history. All calls are O(1), apart from hashing the content.
class progress {
public:
  explicit progress(std::size_t participants) : round_of_(participants) {}

  /// A request has closed. `can_act` is how many participants take turns.
  void note(const closing& what, std::size_t can_act,
            protocol::timestamp_ms at);

  /// An orchestrator has decided; `words` are the same for the same decision.
  void note_decided(std::string_view words) {
    if (is_new(words))
      stale_turns_ = 0;
  }
  void note_broadcast_closed() noexcept {
    ++rounds_;
  }
  /// A participant was lost, who may have had a turn in this round.
  void note_down(participant_index who, std::size_t can_act);
  void note_resumed(protocol::timestamp_ms at) noexcept {
    active_at_ = at;
  }

  [[nodiscard]] std::int64_t turns_closed() const noexcept {
    return turns_closed_;
  }
  [[nodiscard]] std::int64_t rounds() const noexcept {
    return rounds_;
  }
  [[nodiscard]] std::int64_t failures() const noexcept {
    return failures_;
  }
  /// Whether turns were taken, and none of them completed.
  [[nodiscard]] bool has_only_failures() const noexcept {
    return turns_closed_ > 0 && failures_ >= turns_closed_;
  }
  /// Turns in a row without progress.
  [[nodiscard]] std::int64_t stale_turns() const noexcept {
    return stale_turns_;
  }
  /// When the last reply arrived, or the session started or was resumed.
  [[nodiscard]] protocol::timestamp_ms active_at() const noexcept {
    return active_at_;
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [round_of, round, had_turn, turns_closed, rounds, failures, stale,
           active_at, said]
      = x;
    f.fixed("round_of", round_of);
    f("round", round);
    f("had_turn", had_turn);
    f("turns_closed", turns_closed);
    f("rounds", rounds);
    f("failures", failures);
    f("stale_turns", stale);
    f.time("active_at", active_at);
    std::vector<std::uint64_t> hashes(said.begin(), said.end());
    std::sort(hashes.begin(), hashes.end());
    f("said", hashes);
    if constexpr (F::loads)
      said = {hashes.begin(), hashes.end()};
  }

private:
  [[nodiscard]] bool is_new(std::string_view content);
  void close_round(std::size_t can_act);

  std::vector<std::uint32_t> round_of_; ///< the last one with a turn, from 1
  std::uint32_t round_ = 1;
  std::size_t had_turn_ = 0; ///< participants, in this round
  std::int64_t turns_closed_ = 0;
  std::int64_t rounds_ = 0;
  std::int64_t failures_ = 0;
  std::int64_t stale_turns_ = 0;
  protocol::timestamp_ms active_at_ = 0;
  std::unordered_set<std::uint64_t> said_; ///< hashes of content and decisions
};

} // namespace convene::session
