#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace convene::host {

struct postgres_link_options {
  postgres_options connection;
  /// How long a call tries to connect again after the connection was lost.
  std::chrono::milliseconds reconnect_longest{20'000};
  /// What each new connection begins with.
  std::function<protocol::result<void>(postgres_connection&)> set_up;
};

/// A connection that is made again when it was lost, for one thread at a time.
/// A call after a failed attempt fails at once for a second, and then tries
/// once.
class postgres_link {
public:
  /// Connects, without a second attempt.
  [[nodiscard]] static protocol::result<postgres_link>
  open(postgres_link_options how);

  /// What `work(connection)` returns. It changes nothing, and may run again
  /// after a loss.
  template <class Work>
  [[nodiscard]] auto read(Work&& work)
    -> decltype(work(std::declval<postgres_connection&>())) {
    for (int attempt = 1;; ++attempt) {
      auto to = ready();
      if (!to)
        return protocol::fail(std::move(to).error());
      auto done = work(**to);
      if (done || attempt >= attempts_max || !is_lost(done.error()))
        return done;
    }
  }

  using transaction
    = std::function<protocol::result<void>(postgres_connection&)>;

  /// Runs `body` in a transaction that takes place once: it is repeated after
  /// a conflict, or a loss that has undone it. After a loss during COMMIT the
  /// server is asked for the outcome; `postgres_unknown` if it cannot say.
  [[nodiscard]] protocol::result<void> write(const transaction& body) {
    return write(body, true);
  }
  /// Likewise, for a body that cannot run twice.
  [[nodiscard]] protocol::result<void> write_once(const transaction& body) {
    return write(body, false);
  }

private:
  static constexpr int attempts_max = 5;
  using time_point = std::chrono::steady_clock::time_point;

  explicit postgres_link(postgres_link_options how) : how_{std::move(how)} {}

  [[nodiscard]] protocol::result<postgres_connection*> ready();
  [[nodiscard]] protocol::result<void> connect();
  [[nodiscard]] protocol::result<void> write(const transaction& body,
                                             bool may_repeat);
  /// Whether a transaction took place; nothing: not known.
  [[nodiscard]] std::optional<bool> outcome(const std::string& id,
                                            const std::string& history);

  postgres_link_options how_;
  std::optional<postgres_connection> connection_;
  std::string history_;                   ///< of the server that is connected
  std::optional<protocol::error> failed_; ///< of the last attempt
  time_point next_attempt_;
};

} // namespace convene::host
