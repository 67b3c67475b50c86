#pragma once

#include <convene/protocol/documents/common.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// A rule that a log breaks, and where. The rules:
/// - of an event: json, event_shape, event_id_is_uuid_v4, event_id_unique,
///   turn_status_known, broadcast_status_known, stop_reason_present
/// - of a session's order: session_starts_first, roles_assigned_second,
///   timestamps_ordered, nothing_after_end, ends_once, session_unfinished
/// - of its turns: turn_numbers_contiguous, token_ids_unique, one_live_token,
///   map_turn_completion_matches_dispatch
/// - of the rest: map_broadcast_has_receivers, conflict_resolved,
///   conflict_detected_before_resolved, participants_known, counts_match,
///   step_transition_allowed (of plans too)
/// - of shared resources: resource_versions_contiguous, write_needs_live_token,
///   override_names_losers, claims_exclusive, write_keeps_claims
/// - of what is used: usage_matches, budget_kept
/// - of handoffs: handoff_matches_turn, one_handoff_per_turn, handoff_linked,
///   handoff_depth
struct finding {
  std::string rule;
  std::string session_id; ///< empty where the event names none
  std::size_t line = 0;   ///< as fed; 0 where no single line is to blame
  std::string message;    ///< one sentence; quotes from the log are shortened

  bool operator==(const finding&) const = default;
};

struct check_options {
  /// A log may stop in the middle of a session, as that of a running one does.
  bool allow_unfinished = false;
  /// Findings that are kept; all are counted.
  std::size_t findings_max = 100;
};

/// Judges the events of a log, in which many sessions may interleave, one by
/// one. Keeps the ids of events, turn tokens and sessions, and of a session
/// that has not ended its participants and what is open.
class event_checker {
public:
  explicit event_checker(check_options options = {});
  event_checker(event_checker&&) noexcept;
  event_checker& operator=(event_checker&&) noexcept;
  ~event_checker();

  /// The next event of the log, in order.
  void feed(std::size_t line, const json::value& event);

  /// Instead of `feed`, for a line that is not JSON: a finding of rule `json`.
  void feed_invalid(std::size_t line, std::string_view why);

  /// To be called once, after the last event. Findings in the order they were
  /// made, which is that of the lines; those about the log's end come last.
  [[nodiscard]] std::vector<finding> finish();

  /// All findings so far, including those not kept.
  [[nodiscard]] std::size_t findings_total() const noexcept;

  /// Number of sessions so far.
  [[nodiscard]] std::size_t sessions_total() const noexcept;

private:
  struct log_state;
  std::unique_ptr<log_state> state_;
};

} // namespace convene::protocol
