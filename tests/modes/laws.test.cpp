#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <support/random_session.hpp>

using namespace convene;
using namespace convene::test;

namespace {

constexpr std::uint32_t seeds = 400;

} // namespace

TEST_CASE("whatever happens in a session, its log keeps the laws and replays") {
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto made = run_random_session(*policy, seed);
      auto broken = made.broken;
      for (auto& law : broken_laws(made.lines, policy->takes_turns))
        broken.push_back(std::move(law));
      CAPTURE(broken);
      REQUIRE(broken.empty());
      if (const auto other = replay(made.lines, modes::find)) {
        INFO("line " << other->line << ": " << other->message << "\nexpected "
                     << other->expected << "\nactual   " << other->actual);
        FAIL("the replay differs");
      }
    }
}
