#include <catch2/catch.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <support/part_rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

struct record : part_rig {
  record() : part_rig(make_spec(protocol::mode::swarm, {"a", "b"})) {}

  dispute_log disputes{who, log, shared};
};

const protocol::resource_write of_x{"file", "x"};

} // namespace

TEST_CASE("an objection with somebody's right behind it is a conflict") {
  record of;
  of.disputes.object({.who = 0}, of_x,
                     conflict_with(1, "resource_claimed", "no"));
  CHECK(of.take_events("conflict_id").size() == 2);
  CHECK(of.log.counts().conflicts == 1);
  CHECK(of.out.notices.back().reason == "resource_claimed: file x");
  of.disputes.object({.who = 0}, of_x, {.code = "patch", .message = "no"});
  const auto made = of.take_events();
  REQUIRE(made.size() == 1);
  CHECK(made[0].type == "write_refused");
  CHECK(of.log.counts().conflicts == 1);
  CHECK(of.out.notices.back().to == 0);
}

TEST_CASE("nobody wins a conflict against oneself") {
  record of;
  of.disputes.object({.who = 0}, of_x, conflict_with(0, "stale_token", "late"));
  CHECK(of.take_events("winning_participant").back()
        == "MAPConflictResolved: ");
  of.disputes.object({.who = 0}, of_x, conflict_with(1, "stale_token", "late"));
  CHECK(of.take_events("winning_participant").back()
        == "MAPConflictResolved: b");
}

TEST_CASE("those whose writes are replaced are notified, each of its own") {
  record of;
  write_conflict found{.versions = {2},
                       .authors = {{.participant = 1, .token = {5, 6}}}};
  of.disputes.replace({1, 2}, {.who = 0}, of_x, found,
                      {.outcome = resolution_kind::replace});
  REQUIRE(of.out.notices.size() == 1);
  CHECK(of.out.notices[0].to == 1);
  CHECK(of.out.notices[0].token == protocol::uuid{5, 6});
  CHECK(of.take_events("losing_participants").size() == 1);
}

TEST_CASE("an answer without a request is a conflict with the turn's holder") {
  record of;
  reject_answer(of.who, of.log, 0, {3, 4}, {.content = "done"}, true, 1);
  const auto made = of.take_events();
  REQUIRE(made.size() == 2);
  CHECK(made[0].at("conflict_type") == "stale_token");
  CHECK(made[1].at("winning_participant") == "b");
  CHECK(of.out.notices.empty());
}
