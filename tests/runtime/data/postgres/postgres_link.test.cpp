// Connections that break, and what becomes of transactions.

#include "connections.hpp"

#include <convene/runtime/data/postgres/postgres_link.hpp>
#include <convene/runtime/data/postgres/postgres_schema.hpp>
#include <support/postgres/cutting_proxy.hpp>

#include <array>
#include <string>
#include <thread>

using namespace convene::host;
using namespace convene::tests;
using Catch::Contains;
using namespace std::chrono_literals;

namespace {

postgres_link linked(const std::string& url,
                     std::chrono::milliseconds reconnect = 20'000ms) {
  auto made = postgres_link::open(
    {.connection = {.url = url}, .reconnect_longest = reconnect});
  if (!made)
    FAIL(to_string(made.error()));
  return *std::move(made);
}

std::int64_t count(const std::string& url) {
  return opened({.url = url})
    .query("SELECT count(*) FROM convene.t")
    ->number(0, 0);
}

void create_table(const std::string& url) {
  REQUIRE(opened({.url = url})
            .run("CREATE SCHEMA convene; CREATE TABLE convene.t(n "
                 "bigint)"));
}

convene::protocol::result<void> add_row(postgres_connection& in) {
  return in.run("INSERT INTO convene.t VALUES(1)");
}

/// Ends the connection, as an administrator or a crash does.
void end(postgres_connection& which, const std::string& url) {
  const auto pid = which.query("SELECT pg_backend_pid()")->number(0, 0);
  REQUIRE(opened({.url = url})
            .query("SELECT pg_terminate_backend($1::int, 60000)", {pid}));
}

} // namespace

TEST_CASE("a transaction that a loss has undone takes place once") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  create_table(database.url());
  auto link = linked(database.url());
  const bool in_the_middle = GENERATE(true, false);
  int runs = 0;
  const auto done = link.write([&](postgres_connection& in) {
    auto added = add_row(in);
    if (++runs == 1)
      end(in, database.url());
    return in_the_middle ? added.and_then([&] { return in.run("SELECT 1"); })
                         : added;
  });
  CHECK(rule_of(done).empty());
  CHECK(runs == 2);
  CHECK(count(database.url()) == 1);
}

TEST_CASE("a transaction whose COMMIT was not answered takes place once") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  create_table(database.url());
  cutting_proxy proxy{postgres_server::shared()};
  const auto name = database.url().substr(12, database.url().find('?') - 12);
  auto link = linked(proxy.url(name), 50ms);
  SECTION("the server says that it did") {
    proxy.cut_next_commit();
    CHECK(rule_of(link.write(add_row)).empty());
    CHECK(count(database.url()) == 1);
    CHECK(rule_of(link.write(add_row)).empty());
    CHECK(count(database.url()) == 2);
  }
  SECTION("no server says so") {
    proxy.cut_next_commit(true);
    CHECK(rule_of(link.write(add_row)) == postgres_rule::unknown);
    CHECK(count(database.url()) == 1);
  }
}

TEST_CASE("a transaction that others disturb is repeated") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  create_table(database.url());
  auto link = linked(database.url());
  int runs = 0;
  const auto raise = "DO $$BEGIN RAISE SQLSTATE '40001'; END$$";
  CHECK(link.write([&](postgres_connection& in) {
    return add_row(in).and_then(
      [&] { return ++runs < 3 ? in.run(raise) : in.run("SELECT 1"); });
  }));
  CHECK(runs == 3);
  CHECK(count(database.url()) == 1);
  runs = 0;
  CHECK(rule_of(link.write_once([&](postgres_connection& in) {
          ++runs;
          return in.run(raise);
        }))
        == postgres_rule::conflict);
  CHECK(runs == 1);
}

TEST_CASE("a server that is away is an error, and is found again") {
  if (!postgres_server::is_installed())
    return;
  auto& server = postgres_server::shared();
  auto link = linked(server.url(), 50ms);
  const auto ask = [&] {
    return rule_of(
      link.read([](postgres_connection& in) { return in.query("SELECT 1"); }));
  };
  CHECK(ask().empty());
  server.kill();
  CHECK(ask() == postgres_rule::unreachable);
  CHECK(ask() == postgres_rule::unreachable);
  server.start();
  std::string rule;
  do
    rule = ask();
  while (rule == postgres_rule::unreachable);
  CHECK(rule.empty());
}

TEST_CASE("a call outlasts the restart of its server") {
  if (!postgres_server::is_installed())
    return;
  auto& server = postgres_server::shared();
  auto link = linked(server.url(), 600s);
  server.kill();
  std::string answer;
  std::thread call{[&] {
    const auto rows = link.read(
      [](postgres_connection& in) { return in.query("SELECT 'it is back'"); });
    answer = rows ? rows->text(0, 0) : to_string(rows.error());
  }};
  server.start();
  call.join();
  CHECK(answer == "it is back");
}

TEST_CASE("a part's tables are brought up to date once, and never back") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  const std::array steps{"CREATE TABLE convene.t(n bigint)",
                         "ALTER TABLE convene.t ADD m bigint"};
  const postgres_part first{"sample", std::span{steps}.first(1)};
  const postgres_part second{"sample", steps};
  auto in = opened({.url = database.url()});
  CHECK(part_version(in, second) == 0);
  CHECK(rule_of(prepare_schema(in, first)).empty());
  CHECK(rule_of(prepare_schema(in, first)).empty());
  CHECK(
    rule_of(in.in_transaction("BEGIN", [&] { return lock_part(in, first); }))
      .empty());
  CHECK(rule_of(prepare_schema(in, second)).empty());
  CHECK(rule_of(in.run("INSERT INTO convene.t(n, m) VALUES(1, 2)")).empty());
  const auto refused = prepare_schema(in, first);
  CHECK(rule_of(refused) == "store_version");
  CHECK_THAT(refused.error().message,
             Contains("have version 2, and this program uses version 1"));
  CHECK(
    rule_of(in.in_transaction("BEGIN", [&] { return lock_part(in, first); }))
    == "store_version");
  CHECK(part_version(in, second) == 2);
}

TEST_CASE("programs that create the same tables wait for each other") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  const std::array steps{"CREATE TABLE convene.t(n bigint)"};
  const postgres_part part{"sample", steps};
  std::array<std::string, 4> rules;
  std::vector<std::thread> threads;
  for (auto& rule : rules)
    threads.emplace_back([&] {
      auto in = postgres_connection::open({.url = database.url()});
      rule = in ? rule_of(prepare_schema(*in, part)) : in.error().rule;
    });
  for (auto& each : threads)
    each.join();
  CHECK(rules == std::array<std::string, 4>{});
}
