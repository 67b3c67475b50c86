#pragma once

#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/recovery/snapshot_file.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/replay/replayer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// Where the log of one session differs from what its machine produces from the
/// recorded inputs.
struct log_divergence {
  std::string file;
  std::size_t line = 0; ///< 0: the session's log ends too early
  std::string expected; ///< empty: nothing
  std::string actual;   ///< empty: nothing
  std::string message;  ///< one sentence
  std::string rule; ///< not empty: nothing was compared, `rules_unsupported`
};

/// One session of a log, replayed.
struct replayed_session {
  std::string id; ///< as requested or on the log; empty: lines without one
  std::uint64_t events = 0;
  bool ended = false;
  protocol::timestamp_ms last_at = 0; ///< of its last event
  std::optional<log_divergence> divergence;
  /// The session as the last event left it; null once it has ended, unless
  /// kept, and after a divergence.
  std::unique_ptr<session::replayer> standing;
  /// Why its snapshot, if any, was unusable. Then nothing else is known about
  /// the session, unless it was replayed without it.
  std::string bad_snapshot;
  std::uint64_t covered = 0; ///< events covered by a snapshot
};

/// Replays one session, event by event, and compares it byte by byte. No
/// behaviour is ever called. If a session diverges, the first divergence is
/// kept and the rest is only counted.
class session_replay {
public:
  explicit session_replay(std::string id);

  /// From a snapshot: the first event to feed is the last one it covers.
  session_replay(std::string id, session_snapshot from);

  /// The session's next event.
  void feed(const log_place& place, std::string_view text);

  [[nodiscard]] const replayed_session& session() const noexcept {
    return session_;
  }

  /// The report of a session that has ended without a divergence, which can be
  /// taken once, before `forget`.
  [[nodiscard]] session::report take_report();

  /// Drops everything that a summary does not need.
  void forget() {
    session_.standing.reset();
  }

  /// To be called once, after the last event.
  [[nodiscard]] replayed_session finish();

private:
  void restore(std::string_view text);
  void compare(const log_place& place, std::string_view text);

  replayed_session session_;
  std::optional<session_snapshot> from_; ///< not yet restored
};

} // namespace convene::host
