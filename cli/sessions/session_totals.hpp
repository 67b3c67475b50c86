#pragma once

#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>
#include <convene/runtime/setup.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace convene::cli {

/// What many sessions come to, in a few numbers.
class session_totals {
public:
  /// How many sessions ended by each condition.
  using reasons = std::map<std::string, std::uint64_t, std::less<>>;

  /// Counts a session that has ended. `failures`: of its events; null: they
  /// were not counted.
  void add(const session_result& ended, const host::turn_failures* failures);

  /// {totals: {turns_total, [turns_failed, turns_timed_out, writes_refused],
  /// broadcasts_count, conflicts_count, handoffs_count, usage: {tokens,
  /// cost_microusd, by_participant}}, session_duration_ms: {min, median, p95,
  /// max}, outcomes: {completed: {<condition>: <sessions>}, cancelled: {...}}}.
  /// The durations are null without any session.
  [[nodiscard]] protocol::json::object to_json() const;

  /// Some lines for people; empty without any session.
  [[nodiscard]] std::string text() const;

private:
  /// The duration that this share of the sessions does not exceed.
  [[nodiscard]] std::int64_t duration_at(double share) const;

  std::uint64_t turns_ = 0;
  std::uint64_t turns_failed_ = 0;
  std::uint64_t turns_timed_out_ = 0;
  std::uint64_t writes_refused_ = 0;
  bool knows_failures_ = true; ///< of all sessions
  std::uint64_t broadcasts_ = 0;
  std::uint64_t conflicts_ = 0;
  std::uint64_t handoffs_ = 0;
  protocol::usage usage_;
  std::map<std::string, protocol::usage> used_by_;
  std::map<collab_status, reasons> outcomes_;
  mutable std::vector<std::int64_t> durations_; // reordered to find quantiles
};

} // namespace convene::cli
