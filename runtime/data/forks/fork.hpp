#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// An answer to the request that is open at the fork.
struct edited_answer {
  std::string participant_id;
  protocol::reply reply;
};

/// Where to fork from the recorded session, and how to continue. One of
/// `event_id` and `turn` is set.
struct fork_order {
  std::string session_id;            ///< empty: the only one on the log
  std::string event_id;              ///< of the last shared input
  std::optional<std::uint32_t> turn; ///< share up to its MAPTurnDispatched
  /// `key=value`, in order: members of the recorded scenario, by dotted path.
  std::vector<std::string> overrides;
  /// Given instead of asking the participant again; unset: all open requests
  /// are asked again.
  std::optional<edited_answer> answer = {};
  protocol::uuid_source& ids; ///< draws the new session's id and key
  /// When the shared part is to end; earlier times keep their distances. Unset:
  /// times stay as recorded.
  std::optional<protocol::timestamp_ms> now;
};

/// A session that shares its beginning with another.
struct forked_session {
  session::spec scenario; ///< names its origin
  std::string events; ///< the shared part under its own ids: lines for a log
  std::uint64_t inputs = 0;
};

/// Feeds the recorded inputs of one session, up to a point, to a machine made
/// from the changed scenario, under a new id and key. The answers are the
/// recorded ones; nobody is asked. What the original had begun outside and not
/// ended by then is not begun again: in the fork, its outcome is unknown. Each
/// input must make that machine ask the same participants for the same kind of
/// answer as the original. Otherwise the fork is refused: `fork_departs` names
/// the first differing event, and a point before it can be forked. Other rules:
/// `fork_session` (which session), `fork_point` (not on the log, or the session
/// had ended), `replay_diverged`, `rules_unsupported` (another version wrote
/// it).
/// The log is only read.
[[nodiscard]] protocol::result<forked_session>
fork_session(const std::filesystem::path& log, const fork_order& how);

/// The same for the session whose events these are, all of them, without line
/// ends; `how.session_id` is its id, and `origin` gets `log` as the log's name.
/// Also refuses (`fork_answer`) an answer that cannot be given: the participant
/// has no open request there, or the reply breaks a bound.
[[nodiscard]] protocol::result<forked_session>
fork_events(const std::vector<std::string>& events, std::string log,
            const fork_order& how);

} // namespace convene::host
