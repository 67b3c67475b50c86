// What is particular to the store in a database: it is shared, and its server
// may go away. Losses during transactions: runtime/data/postgres.

#include "stores.hpp"

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <atomic>
#include <cstdlib>
#include <thread>

using namespace convene::tests;
using Catch::Contains;

namespace {

std::unique_ptr<state_store> opened(const scratch_database& where,
                                    const postgres_store_options& how = {}) {
  auto made = open_postgres_store(where.url(), how);
  if (!made)
    FAIL(to_string(made.error()));
  return *std::move(made);
}

void execute(const scratch_database& where, const std::string& sql) {
  auto in = postgres_connection::open({.url = where.url()});
  REQUIRE(in);
  if (const auto done = in->run(sql); !done)
    FAIL(to_string(done.error()));
}

state_event_page events_after(state_store& in, std::uint64_t number) {
  return awaited<state_event_page>(
           [&](auto then) { in.events({.after = number}, std::move(then)); })
    .value();
}

} // namespace

TEST_CASE("stores of one database see each other's values at once") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  CHECK(has_postgres_store(database.url()) == false);
  {
    const auto one = opened(database);
    CHECK(has_postgres_store(database.url()) == true);
    const auto other = opened(database);
    CHECK(put(*one, "plans/1", "1").empty());
    CHECK(get(*other, "plans/1") == "1");
    state_transaction change;
    change.expect("plans/1", "2");
    change.set("plans/1", "3");
    CHECK(any_store::rule_of<void>(
            [&](auto then) { other->commit(change, std::move(then)); })
          == "transaction_conflict");
  }
  CHECK(get(*opened(database), "plans/1") == "1");
}

TEST_CASE("stores that write at the same time lose no change, and a follower "
          "misses no event") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  constexpr int writers = 3;
  constexpr int each = 15;
  std::vector<std::thread> threads;
  const auto reader = opened(database);
  for (int n = 0; n < writers; ++n)
    threads.emplace_back([&, n] {
      const auto store = open_postgres_store(database.url());
      for (int done = 0; done < each;) {
        const auto before = get(**store, "plans/sum");
        state_transaction change;
        change.expect("plans/sum", before);
        change.set("plans/sum",
                   std::to_string(std::stoi(before.value_or("0")) + 1));
        change.append(
          {std::to_string(n) + '-' + std::to_string(done), "t", "", "{}"});
        const auto refused = any_store::rule_of<void>(
          [&](auto then) { (*store)->commit(change, std::move(then)); });
        if (refused.empty())
          ++done;
        else if (refused != "transaction_conflict")
          std::abort();
      }
    });
  std::size_t seen = 0;
  for (std::uint64_t number = 0; seen < std::size_t{writers} * each;) {
    const auto page = events_after(*reader, number);
    for (const auto& event : page.events) {
      CHECK(event.number == number + 1);
      number = event.number;
      ++seen;
    }
  }
  for (auto& thread : threads)
    thread.join();
  CHECK(get(*reader, "plans/sum") == std::to_string(writers * each));
}

TEST_CASE("another version's tables are refused, also while a store is open") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  const auto store = opened(database);
  CHECK(put(*store, "plans/1", "1").empty());
  execute(database, "UPDATE convene.version SET version = 2");
  CHECK(put(*store, "plans/1", "2") == "store_version");
  const auto refused = open_postgres_store(database.url());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "store_version");
  CHECK(get(*store, "plans/1") == "1");
}

TEST_CASE("a store works again when its server is back") {
  if (!postgres_server::is_installed())
    return;
  auto& server = postgres_server::shared();
  const scratch_database database;
  const auto store
    = opened(database, {.reconnect_longest = std::chrono::milliseconds{50}});
  CHECK(put(*store, "plans/1", "1").empty());
  server.kill();
  CHECK(put(*store, "plans/1", "2") == "postgres_unreachable");
  server.start();
  std::string rule;
  do
    rule = put(*store, "plans/2", "2");
  while (rule == "postgres_unreachable");
  CHECK(rule.empty());
  CHECK(get(*store, "plans/1") == "1");
  CHECK(get(*store, "plans/2") == "2");
}

TEST_CASE("a page ends early when it has as many bytes as it may") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  const auto store = opened(database);
  execute(database, "INSERT INTO convene.state_entry VALUES "
                    "('plans/1', '\"' || repeat('x', 70000000) || '\"'), "
                    "('plans/2', '2')");
  const auto page = [&](const std::string& after) {
    return awaited<state_page>(
             [&](auto then) { store->scan({.after = after}, std::move(then)); })
      .value();
  };
  const auto first = page("");
  CHECK(first.entries.size() == 1);
  CHECK(first.more);
  const auto last = page("plans/1");
  CHECK(last.entries == std::vector<state_entry>{{"plans/2", "2"}});
  CHECK_FALSE(last.more);
}

TEST_CASE("a user without rights gets an error, and may use existing tables") {
  if (!postgres_server::is_installed())
    return;
  const scratch_database database;
  execute(database, "DO $$BEGIN CREATE ROLE ada LOGIN; EXCEPTION WHEN "
                    "duplicate_object THEN NULL; END$$");
  const auto as_ada = database.url() + "&user=ada";
  const auto refused = open_postgres_store(as_ada);
  REQUIRE_FALSE(refused);
  CHECK_THAT(to_string(refused.error()), Contains("permission denied"));
  (void)opened(database);
  execute(database, "GRANT USAGE ON SCHEMA convene TO ada; GRANT ALL ON ALL "
                    "TABLES IN SCHEMA convene TO ada");
  const auto store = open_postgres_store(as_ada);
  REQUIRE(store);
  CHECK(put(**store, "plans/1", "1").empty());
}
