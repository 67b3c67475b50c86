#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::step_status;

namespace {

/// Two executors of the role `tool`, one of `model`, one without a special one.
spec agent_of(const std::vector<step>& steps) {
  auto made = make_spec(protocol::mode::swarm, {"t1", "t2", "m", "a"});
  made.collab.participants[0].role_id = "tool";
  made.collab.participants[1].role_id = "tool";
  made.collab.participants[2].role_id = "model";
  made.collab.participants[3].role_id = "agent";
  made.options.turn_timeout_ms = 1000;
  made.options.retries = 0;
  made.plan = make_plan(steps);
  return made;
}

rig run_plan(const spec& what, std::string_view policy = "single_agent") {
  return rig::started(what, *modes::find(policy));
}

step_status of_step(const rig& bench, std::size_t i) {
  return bench.machine().plan()->steps[i].status;
}

void check_agent_log(const rig& bench) {
  CHECK(broken_laws(bench.lines, false) == texts{});
  CHECK_FALSE(replay(bench.lines, modes::find));
}

} // namespace

TEST_CASE("single agent: ready steps go to the executors of their roles at "
          "once") {
  auto bench = run_plan(agent_of({{"1", "tool", {}},
                                  {"2", "tool", {}},
                                  {"3", "tool", {}},
                                  {"4", "model", {0}},
                                  {"5", "", {}}}));
  CHECK(bench.order() == texts{"t1", "t2", "a"});
  bench.answer("t1");
  CHECK(bench.order() == texts{"t1", "t2", "a", "t1", "m"});
  for (const auto* who : {"t2", "a", "t1", "m"})
    bench.answer(who);
  CHECK(bench.ending() == "completed: plan_complete");
  check_agent_log(bench);
}

TEST_CASE("single agent: steps begin in the order of order_index, then of "
          "step_id") {
  auto what
    = agent_of({{"1", "model", {}}, {"2", "model", {}}, {"3", "model", {}}});
  std::swap(what.plan->steps[1].step_id, what.plan->steps[2].step_id);
  what.plan->steps[2].order_index = 7;
  what.plan->steps[1].order_index = 7;
  auto bench = run_plan(what);
  CHECK(bench.last().task == "3");
  bench.answer("m");
  CHECK(bench.last().task == "2");
  bench.answer("m");
  CHECK(bench.last().task == "1");
}

TEST_CASE("single agent: no more than four steps are executed at once") {
  std::vector<std::string> names;
  std::vector<step> steps;
  for (const auto* name : {"a", "b", "c", "d", "e", "f"}) {
    names.emplace_back(name);
    steps.push_back({"work", "", {}});
  }
  auto what = make_spec(protocol::mode::swarm, names);
  what.plan = make_plan(steps);
  auto bench = run_plan(what);
  CHECK(bench.order() == texts{"a", "b", "c", "d"});
  bench.answer("c");
  CHECK(bench.order().size() == 5);
}

TEST_CASE("single agent: after a failed step nothing begins, and what runs "
          "may end") {
  auto bench = run_plan(agent_of({{"1", "tool", {}},
                                  {"2", "model", {}},
                                  {"3", "model", {}},
                                  {"4", "tool", {0}}}));
  bench.answer("t1", fails());
  CHECK(bench.ending() == "");
  bench.answer("m");
  CHECK(bench.ending() == "cancelled: plan_failed");
  CHECK(of_step(bench, 0) == step_status::failed);
  CHECK(of_step(bench, 1) == step_status::completed);
  CHECK(of_step(bench, 2) == step_status::pending);
  CHECK(of_step(bench, 3) == step_status::blocked);
  CHECK(bench.machine().plan()->status == protocol::plan_status::failed);
  check_agent_log(bench);
}

TEST_CASE("single agent: passing over a failed step, only what waits for it is "
          "left out") {
  auto bench = run_plan(agent_of({{"1", "tool", {}},
                                  {"2", "model", {}},
                                  {"3", "model", {}},
                                  {"4", "tool", {0}}}),
                        "single_agent_skip");
  bench.answer("t1", fails());
  bench.answer("m");
  CHECK(bench.last().task == "3");
  bench.answer("m");
  CHECK(bench.ending() == "cancelled: plan_failed");
  CHECK(of_step(bench, 2) == step_status::completed);
  CHECK(of_step(bench, 3) == step_status::blocked);
  check_agent_log(bench);
}

TEST_CASE("single agent: a failed step is tried again as often as retries "
          "says") {
  auto what = agent_of({{"1", "tool", {}}});
  what.options.retries = 1;
  auto bench = run_plan(what);
  bench.answer("t1", fails());
  CHECK(bench.ending() == "");
  CHECK(bench.last().attempt == 2);
  CHECK(of_step(bench, 0) == step_status::in_progress);
  bench.answer("t1");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("single agent: what may have happened is not tried again") {
  auto what = agent_of({{"1", "tool", {}}});
  what.options.retries = 5;
  auto bench = run_plan(what);
  bench.answer("t1", fails("outcome_unknown"));
  CHECK(bench.ending() == "cancelled: plan_failed");
  CHECK(of_step(bench, 0) == step_status::failed);
  CHECK(bench.all("step_status_changed").back().at("reason")
        == "outcome_unknown");
  check_agent_log(bench);
}

TEST_CASE("single agent: a step that nobody is left for fails") {
  auto bench = run_plan(agent_of({{"1", "tool", {}}, {"2", "model", {0}}}));
  bench.lose("m");
  bench.answer("t1");
  CHECK(bench.ending() == "cancelled: plan_failed");
  CHECK(bench.all("step_status_changed").back().at("reason")
        == "nobody_executes_it");
}
