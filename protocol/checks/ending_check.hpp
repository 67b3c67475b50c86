#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// The rules about how a session ends:
/// - stop_reason_present, stop_reason_known: it names a condition, one of those
///   that there are, with a status that goes with it
/// - stop_reason_matches: the condition was reached, as far as the log tells
class ending_check {
public:
  void feed(const checked_event& e);

private:
  void note(const checked_event& e);
  void note_turn(std::string_view status);
  void note_conflict(const checked_event& e);
  void hold_votes();
  /// Whether so many voted for the end, now or when an end could be found that
  /// waits for conflicts.
  [[nodiscard]] bool were_votes(const session_facts& session,
                                std::optional<std::int64_t> wanted,
                                bool of_all) const;
  void end(const checked_event& e) const;
  void check_guard(const checked_event& e, const json::object& why) const;
  void check_quorum(const checked_event& e,
                    std::optional<std::int64_t> observed,
                    std::optional<std::int64_t> needed) const;
  void check_rounds(const checked_event& e, std::int64_t rounds) const;
  [[nodiscard]] std::int64_t acting(const session_facts& session) const;

  std::set<std::string, std::less<>> voters_; ///< whose last reply says `end`
  std::set<std::string, std::less<>> lost_;
  std::int64_t votes_ = 0;                  ///< of those who are not lost
  std::set<std::string, std::less<>> open_; ///< conflicts
  /// Since conflicts are open or the session is suspended: how many voted
  /// while how many were lost.
  std::set<std::pair<std::int64_t, std::size_t>> held_votes_;
  bool last_says_end_ = false; ///< the last turn's reply
  bool was_cut_ = false;       ///< somebody left, or it was suspended
  bool is_suspended_ = false;
  bool stopped_ = false;
  std::optional<std::string> cancelled_; ///< the reason
  std::int64_t handoffs_ = 0;
  std::int64_t good_turns_ = 0;
  std::int64_t failed_turns_ = 0; ///< failed, timed out or declined
  std::int64_t answered_ = 0;     ///< in the last broadcast, towards its quorum
};

} // namespace convene::protocol
