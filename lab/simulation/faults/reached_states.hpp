#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/words.hpp>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace convene::host {

/// What a simulation with faults should have come by sometimes; docs/faults.md
/// says what each is.
enum class reached_state : std::uint8_t {
  turn_timed_out,
  timeout_after_handoff,
  late_answer_refused,
  conflict_while_vote_open,
  vote_timed_out,
  deputy_took_over,
  quorum_missed,
  handoff_failed,
  participant_lost,
  participant_back,
  suspended_with_open_turn,
  resumed_with_open_turn,
  resumed_after_deadline,
  resumed_suspended,
  log_tail_cut,
  began_again,
  end_survived,
};
inline constexpr std::size_t reached_states = 17;

using states_reached = std::bitset<reached_states>;

/// Finds those that a session's log shows.
class state_watch {
public:
  explicit state_watch(states_reached& into) : reached_(into) {}

  /// The session's next event.
  void feed(const boost::json::object& event);

private:
  void note(reached_state what) {
    reached_.set(static_cast<std::size_t>(what));
  }
  void feed_input(std::string_view input, const boost::json::object& payload);

  states_reached& reached_;
  std::set<std::int64_t> open_turns_;
  std::set<std::int64_t> handed_; ///< open turns that were handed over
  std::set<std::string, std::less<>> disputes_; ///< conflicts that are open
  std::string decider_;                         ///< the latest one
};

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::array<std::string_view, host::reached_states>
  reached_words{"turn_timed_out",
                "timeout_after_handoff",
                "late_answer_refused",
                "conflict_while_vote_open",
                "vote_timed_out",
                "deputy_took_over",
                "quorum_missed",
                "handoff_failed",
                "participant_lost",
                "participant_back",
                "suspended_with_open_turn",
                "resumed_with_open_turn",
                "resumed_after_deadline",
                "resumed_suspended",
                "log_tail_cut",
                "began_again",
                "end_survived"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::reached_state>{reached_words};

} // namespace convene::protocol
