#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace convene::host {

using namespace protocol;
using std::chrono::steady_clock;

void postgres_connection::close_connection::operator()(
  pg_conn* which) const noexcept {
  postgres().finish(which);
}

result<std::string>
postgres_connection::prepare(const char* sql,
                             std::span<const postgres_parameter> with) {
  if (const auto found = prepared_.find(sql); found != prepared_.end())
    return found->second;
  std::vector<unsigned> types;
  for (const auto& each : with)
    types.push_back(each.type());
  auto name = "s" + std::to_string(prepared_.size());
  if (postgres().send_prepare(connection_.get(), name.c_str(), sql,
                              static_cast<int>(types.size()), types.data())
      == 0)
    return fail(lose(postgres().error_message(connection_.get())));
  return collect().map([&](const postgres_rows& /*none*/) {
    prepared_.emplace(sql, name);
    return name;
  });
}

result<postgres_rows>
postgres_connection::query(const char* sql,
                           std::span<const postgres_parameter> with) {
  if (!is_open())
    return fail(lose("the connection is closed"));
  std::vector<const char*> values;
  std::vector<int> sizes;
  for (const auto& each : with) {
    if (each.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return fail(errc::limit_reached, "a parameter of a statement is too long",
                  "postgres_parameter_max");
    values.push_back(each.data());
    sizes.push_back(static_cast<int>(each.size()));
  }
  const auto name = prepare(sql, with);
  if (!name)
    return fail(name.error());
  const std::vector<int> binary(values.size(), 1);
  auto* const in = connection_.get();
  if (postgres().send_query_prepared(in, name->c_str(),
                                     static_cast<int>(values.size()),
                                     values.data(), sizes.data(), binary.data(),
                                     1)
      == 0)
    return fail(lose(postgres().error_message(in)));
  postgres().set_single_row_mode(in);
  return collect();
}

result<postgres_rows> postgres_connection::ask(const char* sql) {
  if (!is_open())
    return fail(lose("the connection is closed"));
  if (postgres().send_query(connection_.get(), sql) == 0)
    return fail(lose(postgres().error_message(connection_.get())));
  postgres().set_single_row_mode(connection_.get());
  return collect();
}

result<void> postgres_connection::run(const std::string& sql) {
  return ask(sql.c_str()).map([](const postgres_rows& /*none*/) {});
}

result<void> postgres_connection::commit() {
  auto done = ask("COMMIT");
  if (!done) {
    auto why = std::move(done).error();
    if (is_lost(why))
      why.rule = postgres_rule::unknown;
    return fail(std::move(why));
  }
  // Of a transaction with a failed statement, which the body has ignored.
  if (done->command() != "COMMIT")
    return fail(postgres_error(postgres_rule::failed, shown_,
                               "the transaction was rolled back"));
  return {};
}

void postgres_connection::roll_back() noexcept {
  if (is_open()
      && postgres().transaction_status(connection_.get()) != PQTRANS_IDLE
      && !run("ROLLBACK"))
    connection_.reset(); // ends the transaction
}

result<void> postgres_connection::send_all(time_point until) {
  for (;;) {
    const int left = postgres().flush(connection_.get());
    if (left == 0)
      return {};
    if (left < 0)
      return fail(lose(postgres().error_message(connection_.get())));
    const auto ready = wait(POLLIN | POLLOUT, until);
    if (ready == 0)
      return fail(lose("the server does not take a statement"));
    // Else both sides could wait for the other one to read.
    if ((ready & POLLIN) != 0
        && postgres().consume_input(connection_.get()) == 0)
      return fail(lose(postgres().error_message(connection_.get())));
  }
}

result<void> postgres_connection::receive(time_point until) {
  while (postgres().is_busy(connection_.get()) != 0) {
    if (wait(POLLIN, until) == 0)
      return fail(lose("the server does not answer"));
    if (postgres().consume_input(connection_.get()) == 0)
      return fail(lose(postgres().error_message(connection_.get())));
  }
  return {};
}

result<void> postgres_connection::take(pg_result* which, postgres_rows& into,
                                       std::size_t& bytes) {
  decltype(into.rows_)::value_type kept{which};
  switch (postgres().result_status(which)) {
    case PGRES_SINGLE_TUPLE:
      for (int n = postgres().nfields(which); n > 0; --n)
        bytes
          += static_cast<std::size_t>(postgres().get_length(which, 0, n - 1));
      into.rows_.push_back(std::move(kept));
      return {};
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK: {
      into.command_ = postgres().cmd_status(which);
      const std::string_view count = postgres().cmd_tuples(which);
      into.affected_ = 0;
      std::from_chars(count.data(), count.data() + count.size(),
                      into.affected_);
      return {};
    }
    case PGRES_EMPTY_QUERY:
      return {};
    case PGRES_BAD_RESPONSE:
    case PGRES_NONFATAL_ERROR:
    case PGRES_FATAL_ERROR:
      return fail(statement_error(shown_, which));
    default:
      return fail(lose("a statement copies data, which is not supported"));
  }
}

result<postgres_rows> postgres_connection::collect() {
  const auto until = steady_clock::now() + statement_timeout_ + grace_;
  postgres_rows rows;
  std::size_t bytes = 0;
  std::optional<error> failed;
  if (auto sent = send_all(until); !sent)
    return fail(std::move(sent).error());
  for (;;) {
    if (auto received = receive(until); !received)
      return fail(failed ? *std::move(failed) : std::move(received).error());
    auto* const which = postgres().get_result(connection_.get());
    if (which == nullptr)
      break;
    if (auto taken = take(which, rows, bytes); !taken && !failed)
      failed = std::move(taken).error();
    if (!is_open())
      return fail(*std::move(failed));
    if (bytes > result_bytes_max_) {
      connection_.reset();
      return fail(postgres_error(
        postgres_rule::result_max, shown_,
        "a result exceeds " + std::to_string(result_bytes_max_) + " bytes"));
    }
  }
  if (postgres().status(connection_.get()) == CONNECTION_BAD) {
    connection_.reset();
    if (failed)
      failed->rule = postgres_rule::lost;
  }
  if (failed)
    return fail(*std::move(failed));
  return rows;
}

result<bool>
postgres_connection::wait_notified(std::chrono::milliseconds longest) {
  if (!is_open())
    return fail(lose("the connection is closed"));
  const auto until = steady_clock::now() + longest;
  for (bool found = false;;) {
    if (postgres().consume_input(connection_.get()) == 0)
      return fail(lose(postgres().error_message(connection_.get())));
    while (auto* const each = postgres().notifies(connection_.get())) {
      postgres().freemem(each);
      found = true;
    }
    if (found || wait(POLLIN, until) == 0)
      return found;
  }
}

short postgres_connection::wait(short wanted, time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      until - steady_clock::now());
    pollfd socket{.fd = postgres().socket(connection_.get()), .events = wanted};
    const std::int64_t most = stop_.stop_possible() ? 100 : 60'000;
    const auto longest = std::clamp<std::int64_t>(left.count(), 0, most);
    const int ready = ::poll(&socket, 1, static_cast<int>(longest));
    if (ready > 0)
      return socket.revents;
    if (left.count() <= 0 || stop_.stop_requested())
      return 0;
  }
}

error postgres_connection::lose(std::string_view why) {
  auto lost = postgres_error(postgres_rule::lost, shown_,
                             "the connection was lost: " + std::string{why});
  // Closing it does not wait for a server that does not answer.
  if (is_open())
    ::shutdown(postgres().socket(connection_.get()), SHUT_RDWR);
  connection_.reset();
  return lost;
}

} // namespace convene::host
