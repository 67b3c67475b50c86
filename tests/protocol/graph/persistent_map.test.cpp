#include <catch2/catch.hpp>
#include <convene/protocol/graph/persistent_map.hpp>
#include <support/dice.hpp>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace convene::protocol;

namespace {

using numbers = persistent_map<int, std::string, std::less<>, 4>;
using plain = std::map<int, std::string>;

plain entries_of(const numbers& map) {
  plain made;
  int last = -1;
  for (const auto& [key, value] : map) {
    REQUIRE(key > last);
    last = key;
    made.emplace(key, value);
  }
  REQUIRE(made.size() == map.size());
  return made;
}

/// What makes one the other, found without any cleverness.
std::vector<std::pair<int, int>> differing(const plain& a, const plain& b) {
  std::vector<std::pair<int, int>> made; // the key, and what it is in
  for (int key = 0; key < 1'000; ++key) {
    const auto one = a.find(key);
    const auto two = b.find(key);
    const int in = (one == a.end() ? 0 : 1) + (two == b.end() ? 0 : 2);
    if (in == 1 || in == 2 || (in == 3 && one->second != two->second))
      made.emplace_back(key, in);
  }
  return made;
}

std::vector<std::pair<int, int>> differing(const numbers& a, const numbers& b) {
  std::vector<std::pair<int, int>> made;
  numbers::visit_both(a, b, [&](const auto* one, const auto* two) {
    if (one == nullptr || two == nullptr || one->value != two->value)
      made.emplace_back(one == nullptr ? two->key : one->key,
                        (one == nullptr ? 0 : 1) + (two == nullptr ? 0 : 2));
  });
  return made;
}

void change(numbers& map, plain& expected, convene::test::dice& dice,
            int bound) {
  const auto key = static_cast<int>(dice.below(static_cast<unsigned>(bound)));
  const auto value = std::to_string(dice.below(1'000));
  switch (dice.below(4)) {
    case 0:
    case 1:
      REQUIRE(map.insert(key, value) == expected.emplace(key, value).second);
      break;
    case 2:
      REQUIRE(map.erase(key) == (expected.erase(key) == 1));
      break;
    default: {
      auto* const found = map.edit(key);
      const auto is = expected.find(key);
      REQUIRE((found != nullptr) == (is != expected.end()));
      if (found != nullptr)
        found->value = is->second = value;
    }
  }
  REQUIRE(map.size() == expected.size());
}

} // namespace

TEST_CASE("after random changes a persistent map is what a plain map is, and "
          "so are its snapshots") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  convene::test::dice dice{seed};
  for (const int bound : {5, 60, 1'000}) {
    numbers map;
    plain expected;
    std::vector<std::pair<numbers, plain>> snapshots;
    for (int i = 0; i < 4'000; ++i) {
      change(map, expected, dice, bound);
      if (dice.chance(1))
        snapshots.emplace_back(map, expected);
      if (dice.chance(1) && !snapshots.empty())
        std::tie(map, expected) = dice.one_of(snapshots);
    }
    CHECK(entries_of(map) == expected);
    for (const auto& [snapshot, was] : snapshots) {
      CHECK(entries_of(snapshot) == was);
      CHECK(differing(snapshot, map) == differing(was, expected));
    }
    for (int key = -1; key <= bound; ++key) {
      const auto at = map.lower_bound(key);
      const auto is = expected.lower_bound(key);
      REQUIRE((at == map.end()) == (is == expected.end()));
      if (is != expected.end())
        REQUIRE(at->key == is->first);
      const auto* const found = map.find(key);
      REQUIRE((found != nullptr) == expected.contains(key));
    }
    while (!expected.empty()) {
      const auto key = expected.begin()->first;
      REQUIRE(map.erase(key));
      expected.erase(key);
    }
    CHECK(map.empty());
    CHECK(map.begin() == map.end());
  }
}

TEST_CASE("keys may come in any order") {
  std::vector<int> keys(900);
  std::iota(keys.begin(), keys.end(), 0);
  for (int order = 0; order < 2; ++order) {
    numbers map;
    for (const int key : keys)
      CHECK(map.insert(key, "v"));
    CHECK(entries_of(map).size() == keys.size());
    std::reverse(keys.begin(), keys.end());
  }
}

TEST_CASE("a map that was moved from is empty") {
  numbers map;
  map.insert(1, "one");
  const auto other = std::move(map);
  CHECK(map.empty()); // NOLINT: that is what is asked
  CHECK(map.find(1) == nullptr);
  CHECK(map.insert(2, "two"));
  CHECK(other.find(1)->value == "one");
}

TEST_CASE("snapshots are read in other threads while the map changes") {
  numbers map;
  for (int key = 0; key < 500; ++key)
    map.insert(key, "first");
  std::vector<std::thread> readers;
  std::vector<std::size_t> found(4);
  for (auto& count : found)
    readers.emplace_back([snapshot = map, &count]() mutable {
      for (int round = 0; round < 20; ++round)
        for (const auto& [key, value] : snapshot)
          count += value == "first" ? 1U : 0U;
      snapshot.erase(7); // a copy is the reader's own
    });
  for (int key = 0; key < 500; ++key) {
    map.edit(key)->value = "second";
    if (key % 3 == 0)
      map.erase(key);
  }
  for (auto& each : readers)
    each.join();
  for (const auto count : found)
    CHECK(count == 20 * 500);
}
