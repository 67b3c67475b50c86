#pragma once

#include <convene/session/spec/spec.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// Where to leave the recorded course, and how to go on. One of `event_id` and
/// `turn` is set.
struct fork_order {
  std::string session_id;            ///< empty: the log's only one
  std::string event_id;              ///< of the last input to share
  std::optional<std::uint32_t> turn; ///< shared up to its MAPTurnDispatched
  /// `key=value`, in order: members of the recorded scenario, by dotted path.
  std::vector<std::string> overrides;
  protocol::uuid_source& ids; ///< draws the new session's id and key
  /// When the shared part shall end; the times before it keep their distances.
  /// Unset: they stay as recorded.
  std::optional<protocol::timestamp_ms> now;
};

/// A session that shares its beginning with another one.
struct forked_session {
  session::spec scenario; ///< names its origin
  std::string events;     ///< the shared part, as its own: lines for a log
  std::uint64_t inputs = 0;
};

/// Feeds the recorded inputs of one session, up to a point, to a machine that
/// the changed scenario makes, under a new id and key. The answers are the
/// recorded ones; nobody is asked. Each input must make that machine ask the
/// same participants for the same kind of answer as it did the first one.
/// Where it does not, the shared part is none: `fork_departs` names the first
/// event, and a point before it can be forked. Other rules: `fork_session`
/// (which session), `fork_point` (it is not on the log, or the session had
/// ended), `replay_diverged`. The log is only read.
[[nodiscard]] protocol::result<forked_session>
fork_session(const std::filesystem::path& log, const fork_order& how);

} // namespace convene::host
