#include "asked.hpp"

#include <catch2/catch.hpp>
#include <convene/actors/behaviours/plan.hpp>

using namespace convene;
using namespace convene::actors;
using protocol::close_step_decision;
using protocol::complete_decision;
using protocol::dispatch_decision;
using protocol::wait_decision;

namespace {

using decisions = std::vector<protocol::decision>;

/// An orchestrator's request about a plan with these ready steps.
turn_request about(std::vector<open_step> ready, std::uint32_t open) {
  auto made = asked::decision({"a", "b"});
  made.decide.ready = std::move(ready);
  made.decide.steps_total = 5;
  made.decide.steps_open = open;
  return made;
}

const open_step fresh{.step_id = "fresh"};
const open_step tried_once{.step_id = "once", .attempts = 1};
const open_step used_up{.step_id = "used-up", .attempts = 2};
const std::string used_up_why = "step used-up did not succeed in 2 turns";

const plan_options skip{.on_failure = on_failure::skip};

} // namespace

TEST_CASE("a plan's first ready step is dispatched to its assignee") {
  CHECK(decide_by_plan(about({fresh, tried_once}, 4), {})
        == decisions{dispatch_decision{.step_id = "fresh"}});
}

TEST_CASE("a step is tried again as often as there are retries") {
  CHECK(decide_by_plan(about({tried_once}, 4), {.retries = 1})
        == decisions{dispatch_decision{.step_id = "once"}});
  const std::string why = "step once did not succeed in 1 turn";
  CHECK(decide_by_plan(about({tried_once}, 4), {.retries = 0})
        == decisions{close_step_decision{"once", false, why},
                     complete_decision{false, why}});
}

TEST_CASE("with on_failure skip, a step that is used up is passed over") {
  const close_step_decision closed{"used-up", true,
                                   "step used-up did not succeed in 2 turns"};
  CHECK(decide_by_plan(about({used_up, fresh}, 4), skip)
        == decisions{closed, dispatch_decision{.step_id = "fresh"}});
  SECTION("and if others open up behind it, the orchestrator is asked again") {
    CHECK(decide_by_plan(about({used_up}, 4), skip) == decisions{closed});
  }
  SECTION("and if it was the last one, the session is done") {
    CHECK(
      decide_by_plan(about({used_up}, 1), skip)
      == decisions{closed, complete_decision{true, "every step is closed"}});
  }
}

TEST_CASE("the orchestrator waits while something is outstanding") {
  auto request = about({fresh}, 4);
  request.decide.outstanding = 1;
  CHECK(decide_by_plan(request, {}) == decisions{wait_decision{}});
}

TEST_CASE("a plan without open steps is done, well if none has failed") {
  auto request = about({}, 0);
  CHECK(decide_by_plan(request, {})
        == decisions{complete_decision{true, "every step is closed"}});
  request.decide.steps_failed = 1;
  CHECK(decide_by_plan(request, {})
        == decisions{complete_decision{false, "1 steps failed"}});
  SECTION("and well all the same if failures are to be passed over") {
    CHECK(decide_by_plan(request, skip)
          == decisions{complete_decision{true, "1 steps failed"}});
  }
}

TEST_CASE("steps that can never become ready end the session") {
  CHECK(decide_by_plan(about({}, 3), {})
        == decisions{
          complete_decision{false, "3 open steps can never become ready"}});
}

TEST_CASE("a dispatch that was refused is not tried again") {
  auto request = about({fresh, tried_once}, 4);
  request.decide.refused = "nobody fits";
  const std::string why = "step fresh cannot be dispatched: nobody fits";
  CHECK(decide_by_plan(request, {})
        == decisions{close_step_decision{"fresh", false, why},
                     complete_decision{false, why}});
  SECTION("and with on_failure skip only that step is given up on") {
    CHECK(decide_by_plan(request, skip)
          == decisions{close_step_decision{"fresh", true, why}});
  }
  SECTION("even if others before it were closed with the refused decision") {
    request.decide.ready = {used_up, fresh, tried_once};
    CHECK(decide_by_plan(request, skip)
          == decisions{close_step_decision{"used-up", true, used_up_why},
                       close_step_decision{"fresh", true, why}});
  }
}

TEST_CASE("without a plan everybody else who can act gets a turn in order") {
  const decisions end{complete_decision{true, "everybody has had their turns"}};
  const auto decided = [](std::uint32_t n, std::int64_t rounds) {
    auto request = asked::decision({"a", "clock", "b"}, n);
    request.decide.participants[1].kind = protocol::participant_kind::system;
    return decide_by_plan(request, {.rounds = rounds});
  };
  const decisions a{dispatch_decision{.participant = "a"}};
  const decisions b{dispatch_decision{.participant = "b"}};
  CHECK(decided(0, 1) == a);
  CHECK(decided(1, 1) == b);
  CHECK(decided(2, 1) == end);
  CHECK(decided(2, 2) == a);
  CHECK(decided(3, 2) == b);
  CHECK(decided(4, 2) == end);
  CHECK(decide_by_plan(asked::decision({}), {}) == end);
}

TEST_CASE("an orchestrator by plan echoes when it is asked to act") {
  plan_behaviour one;
  CHECK(one.respond(asked::turn("fix it"))
        == answer{.reply = {.content = "echo: fix it"}});
  CHECK_FALSE(one.blocks());
  const auto decided = one.respond(asked::decision({"a"}));
  CHECK(decided.reply.decision
        == decisions{dispatch_decision{.participant = "a"}});
}
