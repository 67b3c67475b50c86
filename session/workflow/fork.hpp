#pragma once

#include <convene/session/workflow/run_machine.hpp>

namespace convene::session {

struct fork_request {
  protocol::fork_mode mode = protocol::fork_mode::replay;
  std::int64_t from_seq = 0; ///< events before it are inherited
  // Of a branch: in place of the source's.
  boost::json::object configurable; ///< each of its members
  std::optional<std::vector<std::string>> tags;
  std::optional<boost::json::object> metadata;
  /// Of a replay; absent: the host's.
  std::optional<divergence_policy> on_divergence;
};

/// Reads `{mode, fromSeq, runOptionsOverlay?, divergencePolicy?}`: a replay
/// begins at 0 by default and has no overlay; a branch has no policy, and its
/// overlay `configurable`, `tags` and `metadata` at most.
[[nodiscard]] protocol::result<fork_request>
read_fork_request(const boost::json::value& from);

/// A new run, and what it begins with: to be appended whole.
struct forked_run {
  run_machine machine;
  std::vector<protocol::run_event> events;
  std::vector<run_action> actions;
};

/// What a fork is made of.
struct fork_source {
  const std::vector<protocol::run_event>& log; ///< whole, of the source
  std::string run_id;                          ///< of the new run
  std::shared_ptr<const protocol::workflow> workflow;
  run_options options;
};

/// Forks a run. The new one inherits the events before `from_seq`, less those
/// at their end that are a part of opening or closing a conversation. From
/// there on a replay does what is recorded again, at the recorded times, and
/// asks nobody. If it does something else than is recorded, because the
/// workflow was changed, replay.diverged says so where that begins, for each
/// recorded turn that the schema of its conversation refuses now, and for each
/// recorded answer that nothing waited for. It always ends: one that would wait
/// beyond its source's log is cancelled, or failed with `replay_diverged` if it
/// has diverged, which divergence_policy::abort does at once. A branch goes on
/// by itself from `now`.
///
/// Refuses with rule `from_seq` what is beyond the log; `run_order` for a log
/// without a start; `configurable` and what a start is refused with; and what
/// `fold` refuses, if the workflow was changed so that the inherited events are
/// none of its.
[[nodiscard]] protocol::result<forked_run> fork_run(const fork_source& from,
                                                    const fork_request& how,
                                                    protocol::timestamp_ms now);

} // namespace convene::session
