#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/recovery/session_lines.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convene::server {

/// How much of a session is read at once: at least one event, however long, and
/// no further one that would exceed a bound.
struct page_limits {
  std::size_t events = 100;
  std::size_t bytes = std::size_t{1} << 20;
};

/// Where the events of sessions are on the log: of all that run, and of some
/// that have ended; of others it is read from the log again. Thread-safe.
class event_places {
public:
  explicit event_places(std::filesystem::path log);

  /// The session's next event.
  void add(std::string_view session_id, const host::log_place& place,
           std::size_t bytes);

  /// It was the last one. Only as many ended sessions are kept as `ended_max`.
  void end(std::string_view session_id);

  /// The session is not on the log any more.
  void forget(const std::string& session_id);

  /// Whether the session can be read; if not, `load` makes it so for a while.
  [[nodiscard]] bool has(const std::string& session_id) const;

  /// Of a session that has ended. Reads little but its events, if the log is
  /// indexed, else all of it.
  [[nodiscard]] protocol::result<void> load(const std::string& session_id);

  /// Appends the events from number `first` on, counted from 0, as lines. Not
  /// more than there are. False: it has not the session.
  [[nodiscard]] protocol::result<bool>
  read(const std::string& session_id, std::uint64_t first,
       const page_limits& limits, std::vector<std::string>& into) const;

  static constexpr std::size_t ended_max = 1024;

private:
  struct book {
    mutable std::mutex mutex;
    host::session_lines lines; ///< guarded by it
  };
  using file_names = std::vector<std::string>; ///< by segment number

  void note(const host::log_place& place);
  void keep(const std::string& session_id, std::shared_ptr<book> what);

  const std::filesystem::path log_;
  mutable std::mutex mutex_; ///< guards what follows
  std::unordered_map<std::string, std::shared_ptr<book>> books_;
  std::deque<std::string> ended_; ///< those of them that have, oldest first
  std::shared_ptr<const file_names> files_;
};

} // namespace convene::server
