// A connection to a PostgreSQL server that the tests start.

#include "connections.hpp"

#include <convene/runtime/data/postgres/postgres_url.hpp>
#include <netinet/in.h>
#include <runtime/log/event_log/files.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace convene::host;
using namespace convene::tests;
using Catch::Contains;
using convene::protocol::errc;
using namespace std::chrono_literals;

namespace {

/// Empty without PostgreSQL.
std::optional<postgres_connection> connected() {
  if (!postgres_server::is_installed())
    return {};
  return opened({.url = postgres_server::shared().url()});
}

/// A server that takes connections and never says anything.
class silent_server {
public:
  silent_server() : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(socket_, 8) == 0);
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size)
            == 0);
    port_ = ntohs(at.sin_port);
  }
  silent_server(const silent_server&) = delete;
  silent_server& operator=(const silent_server&) = delete;
  ~silent_server() {
    ::close(socket_);
  }
  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(port_);
  }

private:
  int socket_;
  int port_ = 0;
};

} // namespace

TEST_CASE("parameters and rows keep every byte and every number") {
  auto in = connected();
  if (!in)
    return;
  const std::string raw{"\0\xff'\\", 4};
  const auto rows = in->query(
    "SELECT $1, $2, $3, $4, $5::text, true, 7::int4, -3::int2",
    {"it's \xC3\xA9", std::int64_t{-9'000'000'000},
     postgres_parameter::bytes(raw), std::optional<std::string_view>{}, ""});
  REQUIRE(rows);
  REQUIRE(rows->size() == 1);
  CHECK(rows->text(0, 0) == "it's \xC3\xA9");
  CHECK(rows->number(0, 1) == -9'000'000'000);
  CHECK(rows->text(0, 2) == raw);
  CHECK(rows->is_null(0, 3));
  CHECK_FALSE(rows->is_null(0, 4));
  CHECK(rows->text(0, 4).empty());
  CHECK(rows->number(0, 5) == 1);
  CHECK(rows->number(0, 6) == 7);
  CHECK(rows->number(0, 7) == -3);
}

TEST_CASE("arrays go in whole, empty and with nulls") {
  auto in = connected();
  if (!in)
    return;
  using texts = std::vector<std::optional<std::string_view>>;
  const auto pairs = [&](const texts& all,
                         const std::vector<std::int64_t>& numbers) {
    return in
      ->query("SELECT t, n FROM unnest($1, $2) AS both_of(t, n)",
              {all, numbers})
      .value();
  };
  const auto rows = pairs({"a,\"b", std::nullopt, ""}, {1, -2, 3});
  REQUIRE(rows.size() == 3);
  CHECK(rows.text(0, 0) == "a,\"b");
  CHECK(rows.is_null(1, 0));
  CHECK(rows.text(2, 0).empty());
  CHECK(rows.number(1, 1) == -2);
  CHECK(pairs({}, {}).empty());
}

TEST_CASE("a transaction takes place whole or not at all") {
  auto in = connected();
  if (!in)
    return;
  REQUIRE(in->run("CREATE TEMPORARY TABLE t(n bigint PRIMARY KEY)"));
  const auto put = [&](std::int64_t n) {
    return in->query("INSERT INTO pg_temp.t VALUES($1)", {n})
      .map([](const postgres_rows& done) { CHECK(done.affected() == 1); });
  };
  CHECK(in->in_transaction("BEGIN", [&] { return put(1); }));
  CHECK(rule_of(in->in_transaction(
          "BEGIN", [&] { return put(2).and_then([&] { return put(1); }); }))
        == postgres_rule::exists);
  // What ignores a refusal is not taken for done.
  CHECK(rule_of(in->in_transaction("BEGIN",
                                   [&] {
                                     (void)put(3).and_then(
                                       [&] { return put(1); });
                                     return convene::protocol::result<void>{};
                                   }))
        == postgres_rule::failed);
  const auto left = in->query("SELECT n FROM pg_temp.t");
  REQUIRE(left);
  CHECK(left->size() == 1);
}

TEST_CASE("transactions that disturb each other are a conflict") {
  auto one = connected();
  if (!one)
    return;
  auto two = *connected();
  REQUIRE(one->run("CREATE SCHEMA disturbed; "
                   "CREATE TABLE disturbed.t AS SELECT 1::bigint AS n"));
  constexpr auto begin = "BEGIN ISOLATION LEVEL REPEATABLE READ";
  const auto refused = one->in_transaction(begin, [&] {
    return one->run("SELECT n FROM disturbed.t")
      .and_then([&] { return two.run("UPDATE disturbed.t SET n = n + 1"); })
      .and_then([&] { return one->run("UPDATE disturbed.t SET n = n + 1"); });
  });
  CHECK(rule_of(refused) == postgres_rule::conflict);
  CHECK(refused.error().value == "40001");
  CHECK(one->is_open());
  CHECK(one->run("DROP SCHEMA disturbed CASCADE"));
}

TEST_CASE("a statement ends within its time, and the connection stays") {
  if (!postgres_server::is_installed())
    return;
  auto in = opened(
    {.url = postgres_server::shared().url(), .statement_timeout = 50ms});
  const auto slow = in.run("SELECT pg_sleep(600)");
  CHECK(rule_of(slow) == postgres_rule::timeout);
  CHECK(in.run("SELECT 1"));
}

TEST_CASE("a result has a bound") {
  if (!postgres_server::is_installed())
    return;
  auto in = opened(
    {.url = postgres_server::shared().url(), .result_bytes_max = 100'000});
  CHECK(in.query("SELECT repeat('x', 50000)"));
  const auto much
    = in.query("SELECT repeat('x', 1000) FROM generate_series(1, 1000000)");
  CHECK(rule_of(much) == postgres_rule::result_max);
  CHECK_FALSE(in.is_open());
}

TEST_CASE("a server that does not answer is given up") {
  const silent_server nothing;
  const auto refused = postgres_connection::open(
    {.url = "postgres://ada:secret@" + nothing.address() + "/db",
     .connect_timeout = 50ms});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == postgres_rule::unreachable);
  CHECK_THAT(refused.error().message,
             Contains(nothing.address() + "/db: no connection within 50 ms")
               && !Contains("secret"));
}

TEST_CASE("a backend that stops in the middle is given up") {
  auto in = connected();
  if (!in)
    return;
  auto slow = opened({.url = postgres_server::shared().url(),
                      .statement_timeout = 50ms,
                      .grace = 50ms});
  const auto pid = slow.query("SELECT pg_backend_pid()")->number(0, 0);
  REQUIRE(::kill(static_cast<pid_t>(pid), SIGSTOP) == 0);
  const auto lost = slow.run("SELECT 1");
  ::kill(static_cast<pid_t>(pid), SIGCONT);
  CHECK(rule_of(lost) == postgres_rule::lost);
  CHECK_THAT(lost.error().message, Contains("does not answer"));
  CHECK_FALSE(slow.is_open());
}

TEST_CASE("a connection that the server ends is lost") {
  auto in = connected();
  if (!in)
    return;
  auto other = *connected();
  const auto pid = in->query("SELECT pg_backend_pid()")->number(0, 0);
  REQUIRE(other.query("SELECT pg_terminate_backend($1::int)", {pid}));
  CHECK(rule_of(in->run("SELECT 1")) == postgres_rule::lost);
  CHECK_FALSE(in->is_open());
  CHECK(rule_of(in->run("SELECT 1")) == postgres_rule::lost);
}

TEST_CASE("the end of a connection during COMMIT leaves it unknown") {
  auto in = connected();
  if (!in)
    return;
  auto other = *connected();
  const auto pid = in->query("SELECT pg_backend_pid()")->number(0, 0);
  const auto ended = in->in_transaction("BEGIN", [&] {
    return other.query("SELECT pg_terminate_backend($1::int)", {pid})
      .map([](const postgres_rows& /*none*/) {});
  });
  CHECK(rule_of(ended) == postgres_rule::unknown);
}

TEST_CASE("a notification ends the wait for it") {
  auto in = connected();
  if (!in)
    return;
  auto other = *connected();
  REQUIRE(in->run("LISTEN news"));
  CHECK(in->wait_notified(1ms) == false);
  REQUIRE(other.run("NOTIFY news"));
  CHECK(in->wait_notified(60s) == true);
  CHECK(in->wait_notified(1ms) == false);
}

TEST_CASE("a refusal of the server differs from a missing answer") {
  if (!postgres_server::is_installed())
    return;
  auto& server = postgres_server::shared();
  const auto missing = postgres_connection::open({.url = server.url("none")});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().rule == postgres_rule::refused);
  CHECK(missing.error().value == "3D000");
  // Which is said once.
  CHECK_THAT(missing.error().message, Catch::Contains("\"none\" does not exist")
                                        && !Catch::Contains("3D000"));
  CHECK(missing.error().code == errc::usage);
  const auto nobody
    = postgres_connection::open({.url = "postgres://127.0.0.1:1/postgres"});
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().rule == postgres_rule::unreachable);
  auto in = *connected();
  REQUIRE(in.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0"));
  const auto latin = postgres_connection::open({.url = server.url("latin")});
  REQUIRE_FALSE(latin);
  CHECK_THAT(latin.error().message, Contains("encoding is not UTF8"));
}

TEST_CASE("no message has a password") {
  for (const std::string url :
       {"postgres://ada:se%zzcret@host/db", "postgres://ada:secret@[::1/db",
        "postgres://ada:secret@host/db?secret", "postgres://ada:se%00cret@h/d",
        "postgres://ada:secret@host/db?password=secret&nothing=secret",
        "postgres://ada:se/cret@host/db", "postgres://ada:se@cret@host/db",
        "postgres://ada:se@cret/x@host/db", "postgres://ada:s?e@cret@host/db",
        "postgres://ada:secret@host:cret/db", "mysql://ada:secret@host/db"}) {
    INFO(url);
    const auto refused = postgres_connection::open({.url = url});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::usage);
    CHECK(refused.error().rule == "postgres_url");
    CHECK_THAT(to_string(refused.error()), !Contains("cret"));
  }
  CHECK(shown_postgres_url("postgres:///work?user=a@b") == "postgres:///work");
  CHECK(shown_postgres_url("postgres://ada:se%40c@db/work")
        == "postgres://db/work");
  CHECK(shown_postgres_url(
          "postgresql://ada:secret@db.example:6543/work?password=secret")
        == "postgres://db.example:6543/work");
}

TEST_CASE("hidden: a process without libpq", "[.]") {
  const auto refused = postgres_connection::open({.url = "postgres://host/db"});
  std::cout << '<' << (refused ? "" : to_string(refused.error())) << '>';
}

TEST_CASE("without libpq, the error names the package to install") {
  const scratch_folder folder;
  write_bytes(folder / "libpq.so.5", "no library");
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command = "LD_LIBRARY_PATH='" + folder.path().string() + "' '"
                       + self + "' 'hidden: a process without libpq'";
  const std::unique_ptr<FILE, int (*)(FILE*)> out{::popen(command.c_str(), "r"),
                                                  ::pclose};
  REQUIRE(out);
  std::string text(4'096, '\0');
  text.resize(::fread(text.data(), 1, text.size(), out.get()));
  CHECK_THAT(text, Contains("<libpq.so.5 cannot be loaded: ")
                     && Contains("(Debian: apt install libpq5)"));
}
