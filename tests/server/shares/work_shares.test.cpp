#include <catch2/catch.hpp>
#include <convene/server/shares/held_bytes.hpp>
#include <convene/server/shares/work_shares.hpp>

#include <string>

using namespace convene;
using namespace convene::server;

namespace {

std::string rule_of(work_shares& shares, const std::string& key) {
  const auto taken = shares.take(key);
  return taken ? "" : taken.error().rule;
}

} // namespace

TEST_CASE("a key has so many pieces of work at once, and others have theirs") {
  work_shares shares{"sessions", {.key_max = 2}};
  auto first = shares.take("a");
  const auto second = shares.take("a");
  REQUIRE(first);
  REQUIRE(second);
  CHECK(rule_of(shares, "a") == "key_sessions_max");
  CHECK(rule_of(shares, "b").empty());
  first->reset();
  CHECK(rule_of(shares, "a").empty());
}

TEST_CASE("a key's work has so many bytes, of which it is told as it grows") {
  work_shares shares{"runs", {.key_bytes_max = 100}};
  auto first = shares.take("a");
  auto second = shares.take("a");
  REQUIRE(first);
  REQUIRE(second);
  (*first)->grow(60);
  CHECK_FALSE((*first)->is_over());
  (*second)->grow(60);
  CHECK((*first)->is_over());
  CHECK(rule_of(shares, "a") == "key_runs_bytes_max");
  CHECK(rule_of(shares, "b").empty());
  second->reset();
  CHECK_FALSE((*first)->is_over());
  CHECK(rule_of(shares, "a").empty());
  CHECK(shares.take("a", 40));
  const auto large = shares.take("a", 41);
  REQUIRE_FALSE(large);
  CHECK(large.error().rule == "key_runs_bytes_max");
}

TEST_CASE("without a key, work has the bounds of all") {
  work_shares shares{"sessions",
                     {.key_max = 1, .key_bytes_max = 10, .bytes_max = 100}};
  const auto first = shares.take("");
  const auto second = shares.take("");
  REQUIRE(first);
  REQUIRE(second);
  const auto before = shares.take_anyway();
  before->grow(99);
  CHECK_FALSE(before->is_over());
  CHECK(rule_of(shares, "").empty());
  (*second)->grow(1);
  CHECK_FALSE((*second)->is_over());
  CHECK(rule_of(shares, "") == "sessions_bytes_max");
  CHECK(rule_of(shares, "a") == "sessions_bytes_max");
}

TEST_CASE("many short values count for more than a text of as many bytes") {
  std::string values = "[0";
  for (int count = 0; count < 1'000; ++count)
    values += ",0";
  const std::string text(values.size(), 'x');
  CHECK(held_bytes(text) == text.size());
  CHECK(held_bytes(values) > 10 * values.size());
}
