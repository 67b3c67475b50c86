#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace convene::actors {

/// The request that a blocking behaviour is working on: allows writes and
/// claims before the answer, and tells when the answer is no longer awaited.
/// Thread-safe; may outlive its session.
class live_turn {
public:
  /// Sends writes and claims to the session; called on any thread.
  using sender = std::function<void(protocol::reply)>;

  /// The most writes and claims that one request may send before its answer.
  static constexpr std::size_t attempts_max = 256;

  explicit live_turn(sender send) : send_(std::move(send)) {}

  live_turn(const live_turn&) = delete;
  live_turn& operator=(const live_turn&) = delete;

  /// Writes or claims a resource during the turn, under the rules of the
  /// session. Does not wait: the log and the next request show the outcome.
  /// False: the request is over or answered, or `attempts_max` is exceeded;
  /// nothing was sent.
  CONVENE_API bool write(protocol::resource_write what);
  CONVENE_API bool claim(protocol::claim what);

  /// Whether the request was closed before its answer: it timed out, or the
  /// session ended or was suspended.
  [[nodiscard]] CONVENE_API bool is_over() const;

  /// Calls `then` once as soon as `is_over`, on any thread; immediately if it
  /// already is. `then` must not block or throw. Returns a number for `forget`.
  CONVENE_API std::size_t when_over(std::function<void()> then);

  /// Cancels the `when_over` callback of this number.
  CONVENE_API void forget(std::size_t number);

  /// For the participant: the request was closed or has been answered.
  CONVENE_API void close();
  CONVENE_API void finish();

private:
  bool attempt(protocol::reply what);

  sender send_;
  mutable std::mutex mutex_;
  std::size_t attempts_ = 0; ///< guarded by mutex, like the rest
  bool over_ = false;
  bool answered_ = false;
  std::size_t last_number_ = 0;
  std::map<std::size_t, std::function<void()>> then_;
};

} // namespace convene::actors
