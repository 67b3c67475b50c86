#include <catch2/catch.hpp>
#include <convene/session/requests/broadcast_round.hpp>

using namespace convene;
using namespace convene::session;

namespace {

/// How many of `targets` have to answer before the round is done.
std::uint32_t needed(std::uint32_t targets, double quorum,
                     bool ends_early = true) {
  broadcast_round round;
  round.open({1, 2}, 1, targets, quorum, ends_early);
  std::uint32_t answers = 0;
  for (; !round.is_done(); ++answers)
    round.note({.participant = answers, .status = "completed"}, true);
  return answers;
}

} // namespace

TEST_CASE("a round is done once the quorum has answered, and one at least") {
  CHECK(needed(3, 1) == 3);
  CHECK(needed(3, 0.5) == 2);
  CHECK(needed(50, 0.66) == 33);
  CHECK(needed(3, 0.01) == 1);
  CHECK(needed(1, 1) == 1);
}

TEST_CASE("a round that does not end early waits for all") {
  CHECK(needed(3, 0.5, false) == 3);
}

TEST_CASE("who is silent or fails does not count towards the quorum") {
  broadcast_round round;
  round.open({1, 2}, 1, 3, 0.6, true);
  round.note({0, "timed_out", ""}, false);
  round.note({1, "completed", "yes"}, true);
  CHECK_FALSE(round.is_done());
  round.note({2, "failed", ""}, false);
  CHECK(round.is_done());
  CHECK(round.missed() == missed_quorum{});
  round.close();
  CHECK(round.missed() == missed_quorum{1, 2});
  round.open({1, 3}, 2, 1, 1, true);
  round.note({0, "declined", "no"}, true);
  round.close();
  CHECK(round.missed() == missed_quorum{});
}

TEST_CASE("a round's answers are kept until the next one closes") {
  broadcast_round round;
  CHECK_FALSE(round.is_open());
  CHECK(round.responses()->empty());
  round.open({1, 2}, 1, 2, 1, true);
  CHECK(round.is_open());
  round.note({0, "completed", "yes"}, true);
  round.note({1, "timed_out", ""}, false);
  round.close();
  CHECK_FALSE(round.is_open());
  const std::vector<response> first{{0, "completed", "yes"},
                                    {1, "timed_out", ""}};
  CHECK(*round.responses() == first);
  round.open({1, 3}, 2, 2, 1, true);
  round.note({1, "completed", "no"}, true);
  CHECK(*round.responses() == first);
  round.drop();
  CHECK_FALSE(round.is_open());
  CHECK(*round.responses() == first);
}
