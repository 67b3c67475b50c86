#include <catch2/catch.hpp>
#include <convene/protocol/base/uuid_table.hpp>
#include <support/dice.hpp>

#include <set>

using convene::protocol::uuid;
using convene::protocol::uuid_table;

TEST_CASE("a set of ids has those that were inserted, and no others") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    convene::test::dice d{seed};
    // With a small range ids repeat; nil is an id like any other.
    const auto range = d.chance(50) ? 50U : 100'000U;
    uuid_table made;
    std::set<uuid> expected;
    for (int i = 0; i < 3'000; ++i) {
      const uuid id{d.below(range), d.below(3)};
      REQUIRE(made.contains(id) == expected.contains(id));
      REQUIRE(made.insert(id) == expected.insert(id).second);
      REQUIRE(made.contains(id));
    }
  }
}

TEST_CASE("ids that all have the same slot are kept apart, too") {
  uuid_table made;
  // The hash multiplies; with this half the product is always 0.
  constexpr std::uint64_t zero = 0x9e3779b97f4a7c15ULL;
  for (std::uint64_t i = 1; i <= 20'000; ++i)
    REQUIRE(made.insert({zero, i}));
  for (std::uint64_t i = 1; i <= 20'000; ++i)
    REQUIRE_FALSE(made.insert({zero, i}));
  CHECK_FALSE(made.contains({zero, 0}));
}
