#pragma once

#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/runtime/log/recovery/session_replay.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// How the sessions of a ledger are replayed. These functions are called for
/// several sessions at a time, from as many threads, but for each session by
/// one at a time.
struct replay_order {
  /// A session's snapshot to start from; unset: none.
  std::function<std::optional<session_snapshot>(const std::string& session_id)>
    snapshot;
  /// Called with each line of the session at `index`, including those covered
  /// by a snapshot; may be unset.
  std::function<void(std::size_t index, std::string_view line)> show;
  std::size_t threads = 1; ///< at least 1
};

/// Replays these sessions of a ledger, each from its beginning or its snapshot,
/// and keeps their machines. An unusable snapshot costs a replay from the
/// beginning, and `bad_snapshot` says why. Errors: those of reading, and
/// `errc::internal` if something throws.
[[nodiscard]] protocol::result<std::vector<replayed_session>>
replay_sessions(const log_ledger& log,
                const std::vector<const logged_session*>& which,
                const replay_order& how);

} // namespace convene::host
