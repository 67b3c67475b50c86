#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

#include <algorithm>
#include <cstdlib>

using namespace convene;
using namespace convene::test;

namespace {

/// A third of them where each session is saved and restored after every input.
std::uint32_t seeds() {
  return std::getenv("CONVENE_RESTORE") == nullptr ? 400 : 130;
}

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
  for (const auto* policy : modes::catalog()) {
    std::size_t handed = 0;
    std::size_t together = 0;
    for (std::uint32_t seed = 1; seed <= seeds(); ++seed) {
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
      handed += count(made.lines, R"("event_type":"MAPHandoffInitiated")");
      together += turns_together(made.lines) > 1 ? 1 : 0;
    }
    // Sessions in which little happens would keep any law.
    CAPTURE(policy->name, handed, together);
    CHECK((handed > seeds() / 8) == (policy->name != "broadcast"));
    const bool many = policy->name == "orchestrated" || policy->name == "swarm"
                      || policy->name.starts_with("single_agent");
    CHECK((together > seeds() / 20) == many);
  }
}

TEST_CASE("whatever participants do outside, the log keeps the laws") {
  std::size_t started = 0;
  std::size_t again = 0;
  std::size_t cut_short = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds(); ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto made = run_random_session(*policy, seed, nullptr, true);
      auto broken = made.broken;
      for (auto& law : broken_laws(made.lines, policy->takes_turns))
        broken.push_back(std::move(law));
      CAPTURE(broken);
      REQUIRE(broken.empty());
      const auto other = replay(made.lines, modes::find);
      INFO((other ? other->message + "\nexpected " + other->expected
                      + "\nactual   " + other->actual
                  : ""));
      REQUIRE_FALSE(other);
      started += count(made.lines, R"("event_type":"action_started")");
      again += count(made.lines, R"("code":"begun_again")");
      cut_short += count(made.lines, R"("status":"cancelled","error")");
    }
  CAPTURE(started, again, cut_short);
  CHECK(started > 5 * seeds());
  CHECK(again > seeds() / 20);
  CHECK(cut_short > seeds() / 2);
}
