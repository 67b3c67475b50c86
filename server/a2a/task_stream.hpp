#pragma once

#include <convene/server/a2a/task_index.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace convene::server {

/// What a stream waits for that begins with a task that asks something.
enum class asking_task : unsigned char { is_followed, ends_stream };

/// A task as Server-Sent Events: the task as it stands, then what it is told
/// of. Ends when the task is over or comes to ask something, or with the host.
class task_stream final : public stream_source {
public:
  task_stream(session_host& host, std::shared_ptr<const task_index> tasks,
              task_view first, asking_task asking);
  ~task_stream() override;

  part read(std::size_t bytes_max, std::function<void()> more) override;

private:
  /// What is made of the session once it has ended, on another thread.
  struct ending {
    std::mutex mutex;
    bool is_made = false; ///< guarded by it, as what follows
    std::string bytes;
    std::function<void()> more;
  };

  void stop_waiting();
  [[nodiscard]] part begin_ending(const task_view& now, bool is_first,
                                  std::function<void()> more);
  [[nodiscard]] part read_ending(std::function<void()> more);

  session_host& host_;
  const std::shared_ptr<event_feed> feed_;
  const std::shared_ptr<const task_index> tasks_;
  const task_view task_;
  const asking_task asking_;
  std::size_t place_;
  bool has_begun_ = false;
  std::size_t waits_ = 0; ///< the number of its wait; 0: none
  std::shared_ptr<ending> ending_;
};

} // namespace convene::server
