#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/setup.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace convene {

/// Requests to participants that threads of the application answer, in the
/// order in which they came. One that is over leaves by itself. Who has fetched
/// one answers it by `live->answer`; if the last copy of it is destroyed
/// without an answer, the turn fails (`responder_dropped`). Thread-safe; may
/// outlive the runtime.
class request_queue : public std::enable_shared_from_this<request_queue> {
public:
  /// Fails if the system has no file descriptor left.
  [[nodiscard]] CONVENE_API static result<std::shared_ptr<request_queue>>
  make();

  request_queue(const request_queue&) = delete;
  request_queue& operator=(const request_queue&) = delete;
  CONVENE_API ~request_queue();

  /// After `close`, nothing is added.
  CONVENE_API void add(const turn_request& asked);

  /// Waits for the next one. Nothing: `wake` was called, or the queue is closed
  /// and empty.
  [[nodiscard]] CONVENE_API std::optional<turn_request> next();

  /// The same, and nothing after `limit`, too, a year at most.
  [[nodiscard]] CONVENE_API std::optional<turn_request>
  next_for(std::chrono::milliseconds limit);

  [[nodiscard]] CONVENE_API bool is_closed() const;

  /// Ends one wait, the present or next one.
  CONVENE_API void wake();

  /// Ends all waits. The runtime does not do it.
  CONVENE_API void close();

  /// For event loops: an eventfd that is readable while `next` would return at
  /// once.
  [[nodiscard]] int descriptor() const noexcept {
    return descriptor_;
  }

private:
  explicit request_queue(int descriptor) : descriptor_{descriptor} {}

  [[nodiscard]] bool is_ready() const;
  std::optional<turn_request> take();
  void drop(std::uint64_t number);
  void show();

  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::uint64_t, turn_request> waiting_; ///< guarded by mutex
  std::uint64_t last_number_ = 0;                 ///< likewise
  bool is_woken_ = false;                         ///< likewise
  bool is_closed_ = false;                        ///< likewise
  bool is_shown_ = false; ///< whether the descriptor is readable; likewise
};

/// An agent whose requests go into a queue, where threads of the application
/// fetch them.
[[nodiscard]] inline participant
pull_agent(std::string id, std::string role,
           std::shared_ptr<request_queue> queue) {
  return async_agent(std::move(id), std::move(role),
                     [queue = std::move(queue)](const turn_request& asked,
                                                const responder&) {
                       queue->add(asked);
                     });
}

} // namespace convene
