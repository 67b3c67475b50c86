#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>
#include <convene/runtime/data/postgres/postgres_values.hpp>

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace convene::host {

struct postgres_options {
  std::string url; ///< postgres://..., as libpq reads it
  std::chrono::milliseconds connect_timeout{10'000};
  /// After this time the server ends a statement, and `grace` later the
  /// connection is closed, if the server has not answered.
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds grace{2'000};
  std::size_t result_bytes_max = 256U << 20; ///< of all rows of a statement
  std::stop_token stop{}; ///< once requested, no call waits for the server
};

/// One connection to a PostgreSQL database (13 or newer, in UTF-8), for one
/// thread at a time. No call waits without a bound, except for the system's
/// look-up of a host's name. Errors: postgres_error.hpp; none has the password.
/// Names are not looked up in any schema but pg_catalog: write `schema.table`.
class postgres_connection {
public:
  [[nodiscard]] static protocol::result<postgres_connection>
  open(const postgres_options& how);

  /// Runs a statement, which is prepared on its first run. `sql` is a literal,
  /// and of one place in the source; its parameters have the same types each
  /// time.
  [[nodiscard]] protocol::result<postgres_rows>
  query(const char* sql, std::span<const postgres_parameter> with = {});
  [[nodiscard]] protocol::result<postgres_rows>
  query(const char* sql, std::initializer_list<postgres_parameter> with) {
    return query(sql, std::span{with.begin(), with.size()});
  }

  /// Runs statements without parameters, in one transaction unless they say
  /// otherwise. Returns the rows of all of them, as text, and the last command.
  [[nodiscard]] protocol::result<postgres_rows> ask(const char* sql);
  /// Likewise, without rows.
  [[nodiscard]] protocol::result<void> run(const std::string& sql);

  /// Runs `body`, which returns `result<void>`, in a transaction that its error
  /// undoes. `begin` is "BEGIN" with an isolation level, and what else comes
  /// first: the body may take its rows. Rule `unknown` if the connection ended
  /// during COMMIT; with any other error nothing was done.
  template <class Body>
  [[nodiscard]] protocol::result<void>
  in_transaction(const char* begin, Body&& body) {
    auto done = ask(begin).and_then([&](const postgres_rows& begun) {
      if constexpr (std::is_invocable_v<Body, const postgres_rows&>)
        return body(begun);
      else
        return body();
    });
    if (!done) {
      roll_back();
      return done;
    }
    return commit();
  }

  /// Waits until a channel that this connection listens to has a notification;
  /// false: there was none in this time.
  [[nodiscard]] protocol::result<bool>
  wait_notified(std::chrono::milliseconds longest);

  /// As `postgres_options::stop`, from now on.
  void interrupt_by(std::stop_token stop) noexcept {
    stop_ = std::move(stop);
  }

  /// False once the connection was lost or closed: open another one.
  [[nodiscard]] bool is_open() const noexcept {
    return connection_ != nullptr;
  }

  /// The URL without the user's name, the password and the options.
  [[nodiscard]] const std::string& shown() const noexcept {
    return shown_;
  }

private:
  using time_point = std::chrono::steady_clock::time_point;
  struct close_connection {
    void operator()(pg_conn* which) const noexcept;
  };

  postgres_connection(std::string shown, const postgres_options& how);

  [[nodiscard]] protocol::result<void> connect(const std::string& url);
  [[nodiscard]] protocol::result<void> set_up();
  [[nodiscard]] protocol::result<void> commit();
  void roll_back() noexcept;
  /// The name of the statement.
  [[nodiscard]] protocol::result<std::string>
  prepare(const char* sql, std::span<const postgres_parameter> with);
  /// Sends what waits to be sent, and takes the results.
  [[nodiscard]] protocol::result<postgres_rows> collect();
  [[nodiscard]] protocol::result<void> send_all(time_point until);
  [[nodiscard]] protocol::result<void> receive(time_point until);
  [[nodiscard]] protocol::result<void>
  take(pg_result* which, postgres_rows& into, std::size_t& bytes);
  /// Waits for the socket: what it is ready for, nothing at `until` or stopped.
  [[nodiscard]] short wait(short wanted, time_point until) const;
  /// Closes the connection.
  [[nodiscard]] protocol::error lose(std::string_view why);

  std::string shown_;
  std::chrono::milliseconds connect_timeout_;
  std::chrono::milliseconds statement_timeout_;
  std::chrono::milliseconds grace_;
  std::size_t result_bytes_max_;
  std::stop_token stop_;
  std::unique_ptr<pg_conn, close_connection> connection_;
  std::map<const char*, std::string>
    prepared_; ///< names, by the literal's place
};

} // namespace convene::host
