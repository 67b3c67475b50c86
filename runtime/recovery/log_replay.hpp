#pragma once

#include <convene/runtime/event_log/reader.hpp>
#include <convene/runtime/event_log/session_reader.hpp>
#include <convene/runtime/recovery/snapshot_file.hpp>
#include <convene/session/replayer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Where the log of one session is not what its machine makes of the recorded
/// inputs.
struct log_divergence {
  std::string file;
  std::size_t line = 0; ///< 0: the session's log ends too early
  std::string expected; ///< empty: nothing
  std::string actual;   ///< empty: nothing
  std::string message;  ///< one sentence
};

/// One session of a log, replayed.
struct replayed_session {
  std::string id; ///< as it stands in the log; empty: of lines without one
  std::uint64_t events = 0;
  bool ended = false;
  protocol::timestamp_ms last_at = 0; ///< of its last event
  std::optional<log_divergence> divergence;
  /// The session as the last event left it; null once it has ended, unless
  /// kept, and after a divergence.
  std::unique_ptr<session::replayer> standing;
  /// Why its snapshot was of no use, if there was one. Then nothing else is
  /// known of the session: it has to be replayed without (`replay_session`).
  std::string bad_snapshot;
  /// What of the snapshot is still to be seen on the log.
  std::optional<session_snapshot> awaited;
  std::uint64_t covered = 0; ///< events that a snapshot stood for
};

/// What is to be replayed, and what is kept.
struct replay_options {
  /// Which sessions; unset: all.
  std::function<bool(std::string_view session_id)> wanted;
  /// Whether sessions that have ended stay in memory.
  bool keep_ended = false;
  /// A session's snapshot, to go on from; unset: all is computed from the
  /// start.
  std::function<std::optional<session_snapshot>(std::string_view session_id)>
    snapshot;
  /// The first event that is fed is the last one that the snapshot covers.
  bool from_snapshot = false;
};

/// Computes all sessions of a log again, event by event, and compares them
/// byte by byte. No behaviour is ever called. Of a session that diverges, the
/// first divergence is kept and the rest is only counted.
class log_replay {
public:
  explicit log_replay(replay_options how = {});

  /// The log's next event, as the reader shows it.
  void feed(const log_place& place, std::string_view text);

  /// To be called once, after the last event. In the order in which they began.
  [[nodiscard]] std::vector<replayed_session> finish();

private:
  [[nodiscard]] replayed_session& session_of(std::string_view id);
  void pass_over(replayed_session& which, std::string_view text);
  void compare(replayed_session& which, const log_place& place,
               std::string_view text);

  replay_options how_;
  std::vector<replayed_session> sessions_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

/// The rule of the error where a log has nothing of a session.
inline constexpr std::string_view session_not_on_log = "session_not_on_log";

/// One session as its log has it, with the texts of its first and its last
/// event and where the last one stands.
struct log_session {
  replayed_session session;
  std::string started;
  std::string last_event;
  std::size_t file = 0;
  std::uint64_t line = 0;
};

/// Replays one session, from its snapshot if there is one and it is good; then
/// little else is read. `bad_snapshot` says why it was not.
[[nodiscard]] protocol::result<log_session>
replay_session(const std::filesystem::path& log, const std::string& id,
               std::optional<session_snapshot> from,
               index_writing writing = index_writing::never);

} // namespace convene::host
