#include <catch2/catch.hpp>
#include <convene/session/conflicts/claim_ledger.hpp>
#include <support/part_rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// Participants 0 and 1, whose claims last for 500 ms.
struct claimants : part_rig {
  claimants()
    : part_rig([] {
        auto made = make_spec(protocol::mode::swarm, {"a", "b"});
        made.options.claim_timeout_ms = 500;
        return made;
      }()) {}

  bool take(participant_index by, protocol::reply reply) {
    return claims.take({.who = by}, reply);
  }

  texts types() {
    texts made;
    for (const auto& each : take_events())
      made.push_back(each.type);
    return made;
  }

  permissions allowed;
  dispute_log disputes{who, log, shared};
  claim_ledger claims{who, log, shared, allowed, disputes};
};

constexpr resource_name x{"file", "x"};
constexpr resource_name y{"file", "y"};

} // namespace

TEST_CASE("of claims that are taken together all are, or none is") {
  claimants of;
  REQUIRE(of.take(1, {.claim = {{"file", "x"}}}));
  of.types();
  const std::vector<protocol::claim> both{{"file", "x"}, {"file", "y"}};
  CHECK_FALSE(of.take(0, {.claim = both, .claim_all = true}));
  CHECK(of.claims.holder(y) == no_participant);
  CHECK(
    of.types()
    == texts{"MAPConflictDetected", "MAPConflictResolved", "claim_refused"});
  CHECK(of.take(0, {.claim = both}));
  CHECK(of.claims.holder(x) == 1);
  CHECK(of.claims.holder(y) == 0);
}

TEST_CASE("only its holder gives a claim back or on") {
  claimants of;
  of.claims.attempt({.who = 0}, {"file", "x"});
  of.claims.attempt({.who = 1},
                    {.resource_type = "file", .resource_id = "y", .to = "a"});
  CHECK(of.types() == texts{"claim_taken", "claim_refused"});
  of.claims.attempt({.who = 0},
                    {.resource_type = "file", .resource_id = "x", .to = "b"});
  CHECK(of.types() == texts{"claim_handed_over"});
  CHECK(of.claims.holder(x) == 1);
  of.claims.attempt(
    {.who = 1}, {.resource_type = "file", .resource_id = "x", .release = true});
  CHECK(of.types() == texts{"claim_released"});
  CHECK(of.claims.holder(x) == no_participant);
}

TEST_CASE("a claim ends at its time, and not before") {
  claimants of;
  of.claims.attempt({.who = 0}, {"file", "x"});
  CHECK(of.claims.deadline(of.now + 9999) == of.now + 500);
  of.types();
  of.pass(499);
  of.claims.expire();
  CHECK(of.types().empty());
  of.pass(1);
  of.claims.expire();
  CHECK(of.types() == texts{"claim_released"});
  CHECK(of.claims.holder(x) == no_participant);
}
