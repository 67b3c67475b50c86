#pragma once

#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/recovery/session_replay.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Whether `event` is the MAPSessionStarted of a session that can be computed
/// again: it carries the resolved scenario, and its routing policy and conflict
/// strategy are ones that this program has. Other programs may write logs
/// without the inputs, and applications may have policies and strategies of
/// their own.
[[nodiscard]] bool can_be_recomputed(const protocol::json::object& event);

/// Replays all sessions of a log in one pass. The machines of ended sessions
/// are not kept.
class log_replay {
public:
  /// Which sessions; unset: all.
  using wish = std::function<bool(std::string_view session_id)>;

  /// Is given the report of each session when it has ended, unless it diverged.
  using end_visitor
    = std::function<void(const std::string& id, session::report report)>;

  explicit log_replay(wish wanted = {}, end_visitor on_end = {});

  /// The log's next event, as returned by the reader.
  void feed(const log_place& place, std::string_view text);

  /// The same for a line that was read as JSON, with the session that it names.
  void feed(const log_place& place, std::string_view session_id,
            std::string_view text);

  /// To be called once, after the last event. In the order in which they began.
  [[nodiscard]] std::vector<replayed_session> finish();

private:
  [[nodiscard]] session_replay& session_of(std::string_view id);

  wish wanted_;
  end_visitor on_end_;
  std::vector<session_replay> sessions_;
  std::map<std::string, std::size_t, std::less<>> positions_;
};

/// The rule of the error if a session is not on the log.
inline constexpr std::string_view session_not_on_log = "session_not_on_log";

/// One session as it is on its log, with the texts of its first and last event
/// and the place of the last one.
struct log_session {
  replayed_session session;
  std::string started;
  std::string last_event;
  std::uint32_t segment = 0;
  std::uint64_t line = 0;
};

/// Replays one session, from its snapshot if there is a valid one; then little
/// else is read. Otherwise `bad_snapshot` says why it was unusable.
[[nodiscard]] protocol::result<log_session>
replay_session(const std::filesystem::path& log, const std::string& id,
               std::optional<session_snapshot> from,
               index_writing writing = index_writing::never);

} // namespace convene::host
