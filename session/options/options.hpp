#pragma once

#include <convene/session/options/conflict_options.hpp>
#include <convene/session/options/end_condition.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace convene::session {

/// Bounds that hold whatever a scenario says. Reaching one is an error that
/// names it.
inline constexpr std::size_t participants_max = 10'000;
inline constexpr std::size_t extensions_max = 1'000;
inline constexpr std::int64_t claim_timeout_ms_default = 60'000;
inline constexpr std::int64_t max_handoff_depth_default = 8;
inline constexpr double quorum_default = 0.5;
inline constexpr std::size_t steps_max = 10'000;
inline constexpr std::size_t tasks_per_reply_max = 256;
inline constexpr std::size_t message_bytes_max = 1 << 20;
inline constexpr std::int64_t duration_ms_max = 366LL * 24 * 3600 * 1000;

/// What a session may use in total, by all participants. Each at least 1.
struct budget {
  std::optional<std::int64_t> tokens; ///< of prompts and completions
  std::optional<std::int64_t> cost_microusd;

  bool operator==(const budget&) const = default;
};

/// What happens to participants whose actor dies: up to `limit` times each, its
/// request fails and a new actor takes over, after `backoff_ms`, doubled each
/// further time. After that, or with `limit` 0, the participant is lost.
struct restart {
  std::int64_t limit = 0;          ///< 0 to 100
  std::int64_t backoff_ms = 1'000; ///< 1 to 3,600,000

  bool operator==(const restart&) const = default;
};

/// `session` of a scenario: how a mode runs and what ends it. Times are whole
/// milliseconds and above 0, up to `duration_ms_max`.
struct options {
  /// How long each request waits for its answer. Unset: by the participant's
  /// behaviour, see protocol/documents/response_time.hpp.
  std::optional<std::int64_t> turn_timeout_ms;
  /// Limits turns and, separately, an orchestrator's broadcasts. 1 to
  /// 1,000,000,000.
  std::int64_t max_turns = 1'000;
  /// Time in which a session waits for people alone does not count.
  std::int64_t max_duration_ms = 3'600'000;
  /// Unset: 1, in pair mode 10. 1 to 1,000,000.
  std::optional<std::int64_t> rounds;
  std::int64_t swap_every = 1; ///< pair: rounds between swaps; 0: never
  /// Broadcast: the share of receivers, above 0 to 1, whose completed or
  /// declined answers close a round; with fewer it misses its quorum. Unset: a
  /// round waits for all, and `quorum_default` of them is enough.
  std::optional<double> quorum;
  /// How long a claim is valid. Unset: `claim_timeout_ms_default`.
  std::optional<std::int64_t> claim_timeout_ms;
  /// How many handoffs in a row may lead to a turn. 0 to 1,000. Unset:
  /// `max_handoff_depth_default`.
  std::optional<std::int64_t> max_handoff_depth;
  std::int64_t retries = 1;                ///< of a step that failed; 0 to 100
  std::optional<std::string> orchestrator; ///< participant id
  std::optional<std::string> deputy;    ///< stands in for a lost orchestrator
  std::optional<std::string> initiator; ///< participant id
  std::map<std::string, std::string>
    assign; ///< step's agent_role: participant id
  /// The name of a routing policy other than the five modes. Unset: the mode's
  /// own.
  std::optional<std::string> policy;
  /// When the session is over, besides the mode's own end; it then counts as
  /// completed. See session/options/end_condition.hpp.
  std::optional<end_condition> end;
  session::budget budget;
  session::restart restart;
  /// Turns in a row without progress that end the session as cancelled; 0: no
  /// limit.
  std::int64_t no_progress = 0;

  conflict_options conflicts; ///< how conflicting writes are resolved

  bool operator==(const options&) const = default;
};

} // namespace convene::session
