#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::test;

namespace {

constexpr std::uint32_t seeds = 400;

std::size_t count(const texts& lines, std::string_view what) {
  return static_cast<std::size_t>(
    std::ranges::count_if(lines, [&](const auto& line) {
      return line.find(what) != std::string::npos;
    }));
}

/// How many turns were open at once, at most.
std::size_t turns_together(const texts& lines) {
  std::size_t open = 0;
  std::size_t most = 0;
  for (const auto& line : lines) {
    open += count({line}, R"("event_type":"MAPTurnDispatched")");
    open -= count({line}, R"("event_type":"MAPTurnCompleted")");
    most = std::max(most, open);
  }
  return most;
}

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

TEST_CASE("random sessions hand turns on and have several open at once") {
  for (const auto* policy : modes::catalog()) {
    std::size_t handed = 0;
    std::size_t together = 0;
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      const auto lines = run_random_session(*policy, seed).lines;
      handed += count(lines, R"("event_type":"MAPHandoffInitiated")");
      together += turns_together(lines) > 1 ? 1 : 0;
    }
    CAPTURE(policy->name, handed, together);
    CHECK((handed > 50) == (policy->name != "broadcast"));
    const bool many = policy->name == "orchestrated" || policy->name == "swarm";
    CHECK((together > 20) == many);
  }
}
