#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

/// Everybody once, the last of the roster first.
constexpr session::routing_policy backwards{
  .name = "backwards",
  .summary = "everybody once, from the last to the first",
  .decide = [](const session::view& now, session::memory kept) {
    using namespace session;
    if (now.busy > 0)
      return ruling{{}, std::move(kept)};
    if (now.turns == now.participants.size())
      return only(complete{.condition = "all_heard"}, std::move(kept));
    const auto left = now.participants.size() - 1 - now.turns;
    return only(dispatch{.participant = static_cast<participant_index>(left)},
                std::move(kept));
  }};

/// In each process once.
void add_backwards() {
  if (modes::find("backwards") == nullptr)
    REQUIRE(modes::add(backwards));
}

session::spec three() {
  auto made = simulated_in(mode::round_robin, 1);
  made.options.policy = "backwards";
  made.options.rounds.reset();
  return made;
}

} // namespace

TEST_CASE("a mode of the application runs, and its log replays and checks") {
  add_backwards();
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  {
    auto rt = runtime::open({.log = log, .seed = 3}).value();
    CHECK(how(rt->start(three()).await()) == "all_heard");
    REQUIRE(rt->close());
  }
  std::size_t sessions = 0;
  CHECK(findings_in(log, sessions).empty());
  CHECK(sessions == 1);
}

TEST_CASE("a session in a mode of the application goes on after a halt") {
  add_backwards();
  const scratch_folder folder;
  const runtime_options how_to{.log = folder / "events.jsonl"};
  auto waits = three();
  waits.behaviours = {{"*", {{"type", "simulated"}, {"silence", 1}}}};
  waits.options.turn_timeout_ms = 3'000'000;
  {
    auto rt = runtime::open(how_to).value();
    const auto session = rt->start(waits);
    REQUIRE_FALSE(session.refused());
    REQUIRE(rt->flush());
    rt->halt_all();
    const auto ended = session.await();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().rule == "session_suspended");
  }
  auto rt = runtime::open(how_to).value();
  REQUIRE(rt->recovered().sessions.size() == 1);
  const auto& session = rt->recovered().sessions.front();
  session.cancel("enough");
  CHECK(how(session.await()) == "cancelled");
}

TEST_CASE("a policy whose name is taken or malformed, or that decides nothing, "
          "is refused") {
  static constexpr auto decide = backwards.decide;
  const auto rule_of = [](const session::routing_policy& own) {
    const auto added = modes::add(own);
    return added ? "" : added.error().rule;
  };
  static constexpr session::routing_policy taken{.name = "pair",
                                                 .decide = decide};
  static constexpr session::routing_policy odd{.name = "My mode",
                                               .decide = decide};
  static constexpr session::routing_policy empty{.name = "", .decide = decide};
  static constexpr session::routing_policy idle{.name = "idle"};
  CHECK(rule_of(taken) == "policy_exists");
  CHECK(rule_of(odd) == "policy_name");
  CHECK(rule_of(empty) == "policy_name");
  CHECK(rule_of(idle) == "policy_decides");
  CHECK(modes::find("idle") == nullptr);
}

TEST_CASE("an unknown policy is refused with the names that there are") {
  add_backwards();
  auto rt = runtime::open({}).value();
  auto wrong = three();
  wrong.options.policy = "sideways";
  const auto session = rt->start(wrong);
  REQUIRE(session.refused());
  CHECK(session.refused()->rule == "known_policy");
  CHECK(session.refused()->message.find("swarm, backwards")
        != std::string::npos);
}
