#pragma once

#include <convene/server/a2a/task_index.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace convene::server {

/// Waits for a task until it is as somebody wants it, and holds no thread
/// meanwhile.
class task_wait : public std::enable_shared_from_this<task_wait> {
public:
  using clock = session_catalog::clock;

  /// `is_met` is asked about the task as it stands, first at once. `then` is
  /// called once, maybe on another thread: when it is met, or never will be
  /// because the server stops. After `expires` it may not be called.
  task_wait(std::shared_ptr<event_feed> feed,
            std::shared_ptr<const task_index> tasks, std::string id,
            std::function<bool(const task_view&)> is_met,
            std::function<void(const task_view&)> then,
            clock::time_point expires)
    : feed_{std::move(feed)}, tasks_{std::move(tasks)}, id_{std::move(id)},
      is_met_{std::move(is_met)}, then_{std::move(then)}, expires_{expires} {}

  void run();

private:
  const std::shared_ptr<event_feed> feed_;
  const std::shared_ptr<const task_index> tasks_;
  const std::string id_;
  const std::function<bool(const task_view&)> is_met_;
  const std::function<void(const task_view&)> then_;
  const clock::time_point expires_;
};

/// Whether the task's end can be shown: its session has all of its events.
[[nodiscard]] bool can_be_shown(session_catalog& sessions,
                                const task_view& one);

} // namespace convene::server
