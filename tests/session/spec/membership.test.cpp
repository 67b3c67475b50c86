#include <catch2/catch.hpp>
#include <convene/session/spec/membership.hpp>
#include <support/specs.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// "boss" leads, "b" would be next, and the recorder never acts.
spec crew() {
  auto made = make_spec(protocol::mode::orchestrated,
                        {"boss", "b", "c", "recorder"});
  made.collab.participants[3].kind = protocol::participant_kind::system;
  made.options.orchestrator = "boss";
  made.options.deputy = "b";
  return made;
}

} // namespace

TEST_CASE("members that are lost cannot act until they are back") {
  const auto scenario = crew();
  membership who{scenario, make_roster(scenario)};
  CHECK(who.size() == 4);
  CHECK(who.can_act() == 3);
  CHECK_FALSE(who.can_act(3));
  CHECK_FALSE(who.can_act(no_participant));
  who.lose(2);
  who.lose(3);
  CHECK(who.can_act() == 2);
  CHECK_FALSE(who.can_act(2));
  CHECK(who[2].lost);
  who.bring_back(2);
  who.bring_back(3);
  CHECK(who.can_act() == 3);
  CHECK(who.can_act(2));
  CHECK(who.why_unsound(true).empty());
}

TEST_CASE("where somebody leads, all others that can act take turns") {
  const auto scenario = crew();
  membership who{scenario, make_roster(scenario)};
  CHECK(who.turn_takers(true) == 2);
  CHECK(who.turn_takers(false) == 3);
  who.lose(0);
  CHECK(who.turn_takers(true) == 2);
}

TEST_CASE("a deputy takes over once, if it can act") {
  const auto scenario = crew();
  membership who{scenario, make_roster(scenario)};
  CHECK(who.initiator_role() == "role-boss");
  who.lose(0);
  REQUIRE(who.promote_deputy());
  CHECK(who.who().orchestrator == 1);
  CHECK(who.initiator_role() == "role-b");
  CHECK_FALSE(who.promote_deputy());
  membership without{scenario, make_roster(scenario)};
  without.lose(1);
  CHECK_FALSE(without.promote_deputy());
  CHECK(without.who().orchestrator == 0);
}

TEST_CASE("members are named as events name them") {
  const auto scenario = crew();
  const membership who{scenario, make_roster(scenario)};
  CHECK(who.name_of(2).participant_id == "c");
  CHECK(who.name_of(2).role_id == "role-c");
  CHECK(who.name_of(no_participant).participant_id.empty());
}
