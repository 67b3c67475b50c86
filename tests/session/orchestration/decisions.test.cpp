#include <catch2/catch.hpp>
#include <support/policies.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::dispatch_decision;

namespace {

spec led(bool with_plan = false) {
  auto made = make_spec(protocol::mode::orchestrated, {"boss", "b", "c"});
  made.options.orchestrator = "boss";
  made.options.turn_timeout_ms = 1000;
  if (with_plan)
    made.plan
      = make_plan({{"first", "b", {}}, {"second", "", {0}}, {"third", "", {}}});
  return made;
}

/// Why the orchestrator's `what` is refused; empty if it is not.
std::string refusal(std::vector<protocol::decision> what,
                    bool with_plan = true) {
  auto bench = rig::started(led(with_plan), obeys);
  bench.answer("boss", decides(std::move(what)));
  return bench.last().kind == request_kind::decision
           ? bench.last().decide->refused
           : std::string{};
}

bool names(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the orchestrator is asked without a turn, and its word is done") {
  auto bench = rig::started(led(), obeys);
  CHECK(bench.last().kind == request_kind::decision);
  CHECK(bench.last().turn_number == 0);
  CHECK(bench.all("MAPTurnDispatched").empty());
  bench.answer("boss",
               decides({dispatch_decision{.participant = "c", .task = "go"}}));
  CHECK(bench.last().task == "go");
  const auto input = bench.all("session_input").at(0);
  CHECK(input.at("input") == "decision");
  CHECK(input.at("participant_id") == "boss");
  CHECK(bench.all("MAPTurnDispatched").at(0).whole.at("initiator_role")
        == "role-boss");
  bench.answer("c", "gone");
  CHECK(bench.last().kind == request_kind::decision);
  CHECK(bench.last().decide->last_participant == 2);
  CHECK(bench.last().decide->last_status == "completed");
  CHECK(bench.last().decide->last_content == "gone");
  bench.answer("boss", decides({protocol::complete_decision{true, "fine"}}));
  CHECK(bench.ending() == "completed: orchestrator_complete");
  CHECK(bench.events.back().at("stop_reason/observed") == "fine");
}

TEST_CASE("a refused decision leaves its reason on the log") {
  auto bench = rig::started(led(), obeys);
  bench.answer("boss", decides({dispatch_decision{.participant = "bb"}}));
  const auto unknown = bench.all("session_input").at(0);
  CHECK(unknown.at("refused") == "dispatch names an unknown participant: bb");
  CHECK(bench.last().decide->refused == unknown.at("refused"));
  bench.answer("boss", fails());
  CHECK(names(bench.all("session_input").at(1).at("refused"),
              "the orchestrator replied failed"));
  bench.answer("boss", decides({dispatch_decision{.participant = "b"}}));
  CHECK(bench.all("session_input").at(2).at("refused") == "");
}

TEST_CASE("a reason that repeats a long name is cut for the log") {
  auto bench = rig::started(led(), obeys);
  bench.answer("boss", decides({dispatch_decision{
                         .participant = std::string(500'000, 'x')}}));
  CHECK(bench.all("session_input").at(0).at("refused").size() < 10'000);
}

TEST_CASE("steps of tasks that name the same resource are not given at once") {
  const protocol::resource_ref r1{"file", "1"};
  const protocol::resource_ref r2{"file", "2"};
  auto what = led();
  what.tasks = {{.title = "one", .resources = {"x"}},
                {.title = "two", .resources = {"x"}}};
  const auto both = [&](const rig& bench) {
    const auto& steps = bench.machine().plan()->steps;
    return std::vector<protocol::decision>{
      dispatch_decision{
        .participant = "b", .step_id = steps[0].step_id, .resources = {{r1}}},
      dispatch_decision{
        .participant = "c", .step_id = steps[1].step_id, .resources = {{r2}}}};
  };
  auto bench = rig::started(what, obeys);
  bench.answer("boss", decides(both(bench)));
  CHECK(names(bench.last().decide->refused, "resources_overlap"));
  bench.answer("boss", decides({both(bench)[0]}));
  CHECK(bench.order().back() == "b");
  bench.answer("b");
  bench.answer("boss", decides({both(bench)[1]}));
  CHECK(bench.order().back() == "c");
}

TEST_CASE("the orchestrator can give up") {
  auto bench = rig::started(led(), obeys);
  bench.answer("boss", decides({protocol::complete_decision{false, "no"}}));
  CHECK(bench.ending() == "cancelled: orchestrator_gave_up");
}

TEST_CASE(
  "an orchestrator cannot make a success of a plan with a failed step") {
  auto what = led();
  what.plan = make_plan({{"one", "b", {}}, {"two", "c", {}}});
  auto bench = rig::started(what, obeys);
  bench.answer("boss",
               decides({protocol::close_step_decision{step_id(0), false, "no"},
                        protocol::complete_decision{true, "fine"}}));
  CHECK(bench.ending() == "cancelled: plan_failed");
  CHECK(bench.events.back().at("stop_reason/observed") == "0 of 2 steps");
}

TEST_CASE("a dispatch says whom by id, by role or by the step's assignment") {
  CHECK(refusal({dispatch_decision{.participant = "c"}}) == "");
  CHECK(refusal({dispatch_decision{.role = "role-c"}}) == "");
  CHECK(refusal({dispatch_decision{.step_id = step_id(0)}}) == "");
  CHECK(names(refusal({dispatch_decision{.participant = "x"}}), "unknown"));
  CHECK(names(refusal({dispatch_decision{.role = "x"}}), "nobody"));
  CHECK(refusal({dispatch_decision{}}) != "");
}

TEST_CASE("a step that is nobody's goes to the next in the roster's order") {
  auto bench = rig::started(led(true), obeys);
  for (const auto* expected : {"b", "c"}) {
    bench.answer("boss", decides({dispatch_decision{.step_id = step_id(2)}}));
    REQUIRE(bench.last().kind == request_kind::turn);
    CHECK(bench.last().step_id == step_id(2));
    bench.answer(expected, {.status = protocol::reply_status::failed});
  }
  CHECK(bench.ending() == "");
}

TEST_CASE("only a step that is ready can be dispatched or closed") {
  CHECK(names(refusal(
                {dispatch_decision{.participant = "b", .step_id = step_id(1)}}),
              "not ready"));
  CHECK(names(refusal({protocol::close_step_decision{step_id(1), true, ""}}),
              "not ready"));
  CHECK(names(refusal({protocol::close_step_decision{id(999), true, ""}}),
              "not ready"));
}

TEST_CASE("decisions that make no sense are refused with the reason") {
  CHECK(names(refusal({}), "nothing"));
  CHECK(names(refusal({protocol::wait_decision{}}), "wait"));
  CHECK(names(refusal({dispatch_decision{.participant = "b"},
                       dispatch_decision{.participant = "c"}}),
              "resources"));
  CHECK(names(refusal(
                {protocol::close_step_decision{step_id(0), true, ""},
                 dispatch_decision{.participant = "b", .step_id = step_id(0)}}),
              "twice"));
}

TEST_CASE("steps are closed before a broadcast takes the others along") {
  auto bench = rig::started(led(true), obeys);
  bench.answer(
    "boss", decides({protocol::broadcast_decision{"what now?"},
                     protocol::close_step_decision{step_id(2), true, "no"}}));
  CHECK(bench.last().kind == request_kind::broadcast);
  CHECK(bench.machine().plan()->steps[2].status
        == protocol::step_status::skipped);
  CHECK(bench.ending() == "");
}

TEST_CASE("a broadcast with nobody left to hear it is refused") {
  auto bench = rig::started(led(), obeys);
  bench.lose("b");
  bench.lose("c");
  bench.answer("boss", decides({protocol::broadcast_decision{}}));
  CHECK(names(bench.last().decide->refused, "nobody"));
}

TEST_CASE("three failed decisions in a row end the session") {
  auto bench = rig::started(led(), obeys);
  bench.answer("boss", decides({}));
  bench.answer("boss", fails());
  bench.answer("boss", decides({dispatch_decision{.participant = "b"}}));
  bench.answer("b");
  bench.answer("boss", declines());
  bench.pass(1000);
  CHECK(bench.ending() == "");
  CHECK(bench.last().decide->refused == "timed out");
  bench.answer("boss", says("I do not know"));
  CHECK(bench.ending() == "cancelled: orchestrator_failed");
  CHECK(bench.all("session_input").at(4).at("input") == "decision_timed_out");
}

TEST_CASE("a lost orchestrator ends the session") {
  auto bench = rig::started(led(), obeys);
  bench.lose("boss");
  CHECK(bench.ending() == "cancelled: orchestrator_lost");
}

TEST_CASE("a lost orchestrator that has a turn open ends the session too") {
  auto bench = rig::started(led(), obeys);
  bench.answer("boss", decides({dispatch_decision{.participant = "boss"}}));
  bench.lose("boss");
  CHECK(bench.ending() == "cancelled: orchestrator_lost");
  CHECK(bench.turns() == texts{"cancelled"});
}

TEST_CASE("a deputy takes over from a lost orchestrator") {
  auto what = led();
  what.options.deputy = "c";
  auto bench = rig::started(what, obeys);
  bench.lose("boss");
  CHECK(bench.order() == texts{"boss", "c"});
  CHECK(bench.last().kind == request_kind::decision);
  bench.answer("c", decides({protocol::broadcast_decision{}}));
  CHECK(bench.order() == texts{"boss", "c", "b"});
  bench.answer("b");
  bench.lose("c");
  CHECK(bench.ending() == "cancelled: orchestrator_lost");
}

TEST_CASE("a deputy takes over while the session is suspended") {
  auto what = led();
  what.options.deputy = "c";
  auto bench = rig::started(what, obeys);
  bench.feed(suspend{});
  bench.lose("boss");
  bench.feed(resume{});
  CHECK(bench.order() == texts{"boss", "c"});
}

TEST_CASE("a deputy that is lost too cannot take over") {
  auto what = led();
  what.options.deputy = "c";
  auto bench = rig::started(what, obeys);
  bench.lose("c");
  bench.lose("boss");
  CHECK(bench.ending() == "cancelled: orchestrator_lost");
}

TEST_CASE("the orchestrator's tasks become steps that it can dispatch") {
  auto bench = rig::started(led(), obeys);
  bench.answer("boss", {.tasks = {{.title = "dig", .description = "a hole"}},
                        .decision = {dispatch_decision{.participant = "b"}}});
  bench.answer("b");
  REQUIRE(bench.last().decide->ready.size() == 1);
  const auto step = bench.last().decide->ready[0];
  CHECK(step.description == "dig: a hole");
  CHECK(bench.machine().plan()->status == protocol::plan_status::draft);
  bench.answer("boss", decides({dispatch_decision{.participant = "c",
                                                  .step_id = step.step_id}}));
  CHECK(bench.machine().plan()->status == protocol::plan_status::in_progress);
  bench.answer("c");
  bench.answer("boss", decides({protocol::complete_decision{}}));
  CHECK(bench.machine().plan()->status == protocol::plan_status::completed);
  CHECK(bench.machine().plan()->steps[0].status
        == protocol::step_status::completed);
}

TEST_CASE("the orchestrator is shown the plan's state") {
  auto bench = rig::started(led(true), obeys);
  const auto& shown = *bench.last().decide;
  CHECK(shown.steps_total == 3);
  CHECK(shown.steps_open == 3);
  REQUIRE(shown.ready.size() == 2);
  CHECK(shown.ready[0].step_id == step_id(0));
  CHECK(shown.ready[0].assigned == 1);
  bench.answer("boss", decides({dispatch_decision{.step_id = step_id(0)}}));
  CHECK(bench.last().task == "first");
  CHECK(bench.last().attempt == 1);
  bench.answer("b", fails());
  CHECK(bench.last().decide->last_status == "failed");
  CHECK(bench.last().decide->last_step_id == step_id(0));
  CHECK(bench.last().decide->ready[0].attempts == 1);
  bench.answer("boss", decides({protocol::close_step_decision{step_id(0), false,
                                                              "hopeless"}}));
  CHECK(bench.last().decide->steps_failed == 2);
  CHECK(bench.last().decide->steps_open == 1);
}
