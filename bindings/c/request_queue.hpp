#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/error.hpp>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace convene::c_api {

/// The requests to participants of the host that nobody has fetched yet, in the
/// order in which they came. One that is over leaves by itself. Thread-safe.
class request_queue : public std::enable_shared_from_this<request_queue> {
public:
  /// Fails if the system has no descriptor left.
  [[nodiscard]] static protocol::result<std::shared_ptr<request_queue>> make();

  request_queue(const request_queue&) = delete;
  request_queue& operator=(const request_queue&) = delete;
  ~request_queue();

  /// After `close`, nothing is added.
  void add(const actors::turn_request& asked);

  /// Waits for at most `limit_ms`, below 0 without limit. Nothing: the time is
  /// over, `wake` was called, or it is closed and empty.
  [[nodiscard]] std::optional<actors::turn_request> next(std::int64_t limit_ms);

  [[nodiscard]] bool is_closed() const;

  /// Ends one wait, the present or next one.
  void wake();

  /// Ends all waits.
  void close();

  /// An eventfd that is readable while `next` would return at once.
  [[nodiscard]] int descriptor() const noexcept {
    return descriptor_;
  }

private:
  explicit request_queue(int descriptor) : descriptor_{descriptor} {}

  void drop(std::uint64_t number);
  void show();

  const int descriptor_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::uint64_t, actors::turn_request> waiting_; ///< guarded by mutex
  std::uint64_t last_number_ = 0;                         ///< likewise
  bool is_woken_ = false;                                 ///< likewise
  bool is_closed_ = false;                                ///< likewise
  bool is_shown_ = false; ///< whether the descriptor is readable; likewise
};

} // namespace convene::c_api
