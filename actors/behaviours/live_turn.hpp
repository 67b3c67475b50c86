#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace convene::actors {

/// The request that a blocking behaviour is working on: what can be done before
/// it is answered, and how to learn that nobody waits for the answer any more.
/// Thread-safe; may outlive its session.
class live_turn {
public:
  /// Hands writes and claims to the session; any thread.
  using sender = std::function<void(protocol::reply)>;

  /// Writes and claims that one request may send before its answer.
  static constexpr std::size_t attempts_max = 256;

  explicit live_turn(sender send) : send_(std::move(send)) {}

  live_turn(const live_turn&) = delete;
  live_turn& operator=(const live_turn&) = delete;

  /// Writes a resource, or claims one, in the middle of the turn, by the rules
  /// of the session. Does not wait: the log and the next request tell what
  /// became of it. False: the request is over or answered, or this was too many
  /// (`attempts_max`), and nothing was sent.
  CONVENE_API bool write(protocol::resource_write what);
  CONVENE_API bool claim(protocol::claim what);

  /// Whether the request was closed before its answer: its time is over, the
  /// session has ended or was suspended.
  [[nodiscard]] CONVENE_API bool is_over() const;

  /// Calls `then` once as soon as `is_over`, on whatever thread; at once if it
  /// is. It must not block nor throw. The number is for `forget`.
  CONVENE_API std::size_t when_over(std::function<void()> then);

  /// `when_over` of this number is not to be called any more.
  CONVENE_API void forget(std::size_t number);

  /// For the participant: the request was closed; or it has its answer.
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
