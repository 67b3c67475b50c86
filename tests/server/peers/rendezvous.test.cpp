#include <catch2/catch.hpp>
#include <convene/server/peers/rendezvous.hpp>

#include <algorithm>
#include <map>
#include <vector>

using convene::server::pick_node;

namespace {

constexpr int keys = 3'000;

std::string picked(int key, const std::vector<std::string>& from) {
  return from[*pick_node("session " + std::to_string(key), from)];
}

} // namespace

TEST_CASE("no node is picked where there is none") {
  CHECK_FALSE(pick_node("key", {}));
}

TEST_CASE("the order of the nodes does not matter") {
  std::vector<std::string> nodes{"a", "b", "c", "d"};
  auto other = nodes;
  std::ranges::reverse(other);
  for (int key = 0; key < keys; ++key)
    CHECK(picked(key, nodes) == picked(key, other));
}

TEST_CASE("each node gets about as many keys") {
  const std::vector<std::string> nodes{"a", "b", "c", "d"};
  std::map<std::string, int> counts;
  for (int key = 0; key < keys; ++key)
    ++counts[picked(key, nodes)];
  for (const auto& node : nodes) {
    CHECK(counts[node] > keys / 4 - 150);
    CHECK(counts[node] < keys / 4 + 150);
  }
}

TEST_CASE("a node that goes moves only its own keys, and to all others") {
  const std::vector<std::string> all{"a", "b", "c", "d"};
  const std::vector<std::string> without_c{"a", "b", "d"};
  std::map<std::string, int> moved;
  for (int key = 0; key < keys; ++key) {
    const auto before = picked(key, all);
    const auto after = picked(key, without_c);
    if (before == "c")
      ++moved[after];
    else
      CHECK(before == after);
  }
  CHECK(moved.size() == without_c.size());
}
