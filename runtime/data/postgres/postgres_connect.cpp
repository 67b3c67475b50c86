#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>
#include <poll.h>

#include <array>
#include <utility>

namespace convene::host {

using namespace protocol;
using std::chrono::steady_clock;

namespace {

constexpr int version_least = 130'000; // transactions' ids have 64 bits

void ignore_notice(void* /*unused*/, const char* /*message*/) {
  // nop
}

} // namespace

postgres_connection::postgres_connection(std::string shown,
                                         const postgres_options& how)
  : shown_{std::move(shown)}, connect_timeout_{how.connect_timeout},
    statement_timeout_{how.statement_timeout}, grace_{how.grace},
    result_bytes_max_{how.result_bytes_max}, stop_{how.stop} {
  // nop
}

result<postgres_connection>
postgres_connection::open(const postgres_options& how) {
  auto shown = shown_postgres_url(how.url);
  if (!shown)
    return fail(std::move(shown).error());
  postgres_connection made{*std::move(shown), how};
  auto ready = made.connect(how.url).and_then([&] { return made.set_up(); });
  if (!ready)
    return fail(std::move(ready).error());
  return made;
}

result<void> postgres_connection::connect(const std::string& url) {
  // Later ones win over those in the URL.
  const std::array keywords{"fallback_application_name", "dbname",
                            "client_encoding",
                            static_cast<const char*>(nullptr)};
  const std::array values{"convene", url.c_str(), "UTF8",
                          static_cast<const char*>(nullptr)};
  const auto until = steady_clock::now() + connect_timeout_;
  connection_.reset(
    postgres().connect_start_params(keywords.data(), values.data(), 1));
  auto* const made = connection_.get();
  if (made == nullptr)
    return fail(
      postgres_error(postgres_rule::unreachable, shown_, "out of memory"));
  postgres().set_error_verbosity(made, PQERRORS_VERBOSE); // with the SQLSTATE
  postgres().set_notice_processor(made, ignore_notice, nullptr);
  auto state = postgres().status(made) == CONNECTION_BAD
                 ? PGRES_POLLING_FAILED
                 : PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK) {
    if (state == PGRES_POLLING_FAILED) {
      auto why = connect_error(shown_, made);
      connection_.reset();
      return fail(std::move(why));
    }
    if (wait(state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until) == 0) {
      connection_.reset();
      return fail(postgres_error(postgres_rule::unreachable, shown_,
                                 "no connection within "
                                   + std::to_string(connect_timeout_.count())
                                   + " ms"));
    }
    state = postgres().connect_poll(made);
  }
  postgres().set_error_verbosity(made, PQERRORS_DEFAULT);
  postgres().set_nonblocking(made, 1);
  return {};
}

result<void> postgres_connection::set_up() {
  auto* const made = connection_.get();
  const auto refuse = [this](const std::string& why) {
    return fail(postgres_error(postgres_rule::refused, shown_, why));
  };
  if (postgres().server_version(made) < version_least)
    return refuse("the server is older than PostgreSQL 13; use a newer one");
  const char* const encoding = postgres().parameter_status(made,
                                                           "server_encoding");
  if (encoding == nullptr || std::string_view{encoding} != "UTF8")
    return refuse("the database's encoding is not UTF8; create one with "
                  "ENCODING 'UTF8' TEMPLATE template0");
  return run("SET search_path = pg_catalog; SET TimeZone = 'UTC'; "
             "SET standard_conforming_strings = on; SET statement_timeout = "
             + std::to_string(statement_timeout_.count()));
}

} // namespace convene::host
