#include <catch2/catch.hpp>
#include <convene/session/requests/participant_list.hpp>
#include <support/dice.hpp>

#include <algorithm>
#include <vector>

using namespace convene;
using namespace convene::session;

namespace {

using indexes = std::vector<participant_index>;

indexes all_of(const participant_list& list) {
  return {list.begin(), list.end()};
}

} // namespace

TEST_CASE("participants stay in the order in which they were added") {
  participant_list list{4};
  CHECK(list.empty());
  CHECK(list.begin() == list.end());
  for (const participant_index who : {2U, 0U, 3U})
    list.push_back(who);
  CHECK(all_of(list) == indexes{2, 0, 3});
  CHECK(list.front() == 2);
  CHECK(list.contains(3));
  CHECK_FALSE(list.contains(1));
  list.erase(2);
  list.push_back(2);
  CHECK(all_of(list) == indexes{0, 3, 2});
  list.clear();
  CHECK(list.empty());
  CHECK_FALSE(list.contains(0));
  list.push_back(1);
  CHECK(all_of(list) == indexes{1});
}

TEST_CASE("a list is what a vector would be, whoever comes and goes") {
  constexpr std::uint32_t most = 12;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    convene::test::dice dice{seed};
    participant_list list{most};
    indexes expected;
    for (int n = 0; n < 200; ++n) {
      const auto who = static_cast<participant_index>(dice.below(most));
      const auto found = std::ranges::find(expected, who);
      REQUIRE(list.contains(who) == (found != expected.end()));
      if (found != expected.end()) {
        list.erase(who);
        expected.erase(found);
      } else {
        list.push_back(who);
        expected.push_back(who);
      }
      REQUIRE(all_of(list) == expected);
      REQUIRE(list.size() == expected.size());
    }
  }
}
