#pragma once

#include <convene/server/a2a/task.hpp>

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::server {

/// A task as it stands.
struct task_view {
  std::string id; ///< of its session
  task_origin origin;
  task_status status;
  std::size_t place = 0; ///< behind the last update
  /// Token and participant.
  std::vector<std::pair<std::string, std::string>> questions;
};

/// The sessions of a server that are tasks, as far as their events are durable.
/// One thread feeds it; everything else is thread-safe.
class task_index {
public:
  /// Tasks that are over and have all of their updates: the latest ones.
  static constexpr std::size_t whole_max = 1'000;

  /// The log's next durable event.
  void see(std::string_view session_id, std::string_view line);

  /// The session is unknown from now on.
  void forget(const std::string& session_id);

  [[nodiscard]] std::optional<task_view> find(const std::string& id) const;

  /// What was told behind a place, and how many updates there are; nothing: it
  /// is not a task.
  [[nodiscard]] std::vector<task_status> updates_after(const std::string& id,
                                                       std::size_t place) const;

  /// Whether this message answered a question of the task.
  [[nodiscard]] bool has_taken(const std::string& id,
                               const std::string& message_id) const;

  struct wish {
    std::string context_id;          ///< empty: any
    std::optional<task_state> state; ///< unset: any
    std::string since;               ///< a timestamp; empty: any
    /// Timestamp and id of the last task of the page before.
    std::pair<std::string, std::string> after;
    std::size_t limit = 0;
  };
  struct page {
    std::vector<task_view> tasks;
    std::size_t total = 0; ///< of all pages
    bool more = false;
  };

  /// Those that were told of last come first.
  [[nodiscard]] page list(const wish& which) const;

private:
  mutable std::mutex mutex_; ///< guards what follows
  std::unordered_map<std::string, task> tasks_;
  std::deque<std::string> whole_;
};

} // namespace convene::server
