#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::step_status;

namespace {

const routing_policy& swarm_mode() {
  return *modes::find("swarm");
}

spec swarm_of(std::vector<std::string> names, const std::vector<step>& steps) {
  auto made = make_spec(protocol::mode::swarm, names);
  made.options.turn_timeout_ms = 1000;
  made.plan = make_plan(steps);
  return made;
}

step_status status(const rig& bench, std::size_t i) {
  return bench.machine().plan()->steps[i].status;
}

/// The reason that the log gives for the last change of a step's status.
std::string last_reason(const rig& bench) {
  return bench.all("step_status_changed").back().at("reason");
}

} // namespace

TEST_CASE("swarm: whoever is idle gets a step, many at once") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "", {}}, {"2", "", {}}, {"3", "", {}}}),
    swarm_mode());
  CHECK(bench.order() == texts{"a", "b"});
  bench.answer("b");
  CHECK(bench.order() == texts{"a", "b", "b"});
  CHECK(bench.last().task == "3");
  bench.answer("b");
  CHECK(bench.ending() == "");
  bench.answer("a");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("swarm: a step waits for what it depends on") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "", {}}, {"2", "", {0}}}), swarm_mode());
  CHECK(bench.order() == texts{"a"});
  bench.answer("a");
  CHECK(bench.last().task == "2");
}

TEST_CASE("swarm: a step goes only to those whose role fits") {
  auto what
    = swarm_of({"a", "b", "c"},
               {{"1", "role-c", {}}, {"2", "role-c", {}}, {"3", "a", {}}});
  auto bench = rig::started(what, swarm_mode());
  CHECK(bench.order() == texts{"c", "a"});
  bench.answer("c");
  CHECK(bench.order() == texts{"c", "a", "c"});
}

TEST_CASE("swarm: a declined step is offered to the others, each once") {
  auto bench = rig::started(swarm_of({"a", "b", "c"}, {{"1", "", {}}}),
                            swarm_mode());
  bench.answer("a", declines());
  bench.answer("b", declines());
  CHECK(bench.order() == texts{"a", "b", "c"});
  CHECK(status(bench, 0) == step_status::in_progress);
  bench.answer("c", declines());
  CHECK(bench.order().size() == 3);
  CHECK(status(bench, 0) == step_status::failed);
  CHECK(last_reason(bench) == "nobody_accepted");
  CHECK(bench.ending() == "cancelled: plan_failed");
}

TEST_CASE("swarm: tasks that name the same resource follow each other") {
  auto what = swarm_of({"a", "b", "c"}, {});
  what.plan.reset();
  what.tasks = {{.title = "one", .resources = {"main.cpp", "x"}},
                {.title = "two", .resources = {"main.cpp"}},
                {.title = "three", .resources = {"other.cpp"}}};
  auto bench = rig::started(what, swarm_mode());
  CHECK(bench.order() == texts{"a", "b"});
  CHECK(bench.last().task == "three");
  bench.answer("b", {.tasks = {{.title = "four", .resources = {"x"}}}});
  CHECK(bench.order() == texts{"a", "b"});
  bench.answer("a");
  CHECK(bench.order() == texts{"a", "b", "c", "a"});
  for (const auto* who : {"a", "c"})
    bench.answer(who);
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("swarm: declining one step leaves one free for another") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "", {}}, {"2", "", {}}, {"3", "", {}}}),
    swarm_mode());
  bench.answer("a", declines());
  CHECK(bench.last().task == "3");
  CHECK(bench.asked.back().to == 0);
  bench.answer("b");
  CHECK(bench.last().task == "1");
  CHECK(bench.asked.back().to == 1);
}

TEST_CASE("swarm: a step that waits for a busy one who fits is kept") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "a", {}}, {"2", "a", {}}}), swarm_mode());
  CHECK(bench.order() == texts{"a"});
  CHECK(status(bench, 1) == step_status::pending);
  bench.answer("a");
  bench.answer("a");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("swarm: a step that nobody fits any more has failed") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "a", {}}, {"2", "b", {}}}), swarm_mode());
  bench.lose("a");
  CHECK(status(bench, 0) == step_status::failed);
  CHECK(last_reason(bench) == "nobody_accepted");
  bench.answer("b");
  CHECK(bench.ending() == "cancelled: plan_failed");
}

TEST_CASE("swarm: retries are as set, and declining is no try") {
  for (std::int64_t retries : {0, 2}) {
    auto what = swarm_of({"a", "b"}, {{"1", "", {}}});
    what.options.retries = retries;
    auto bench = rig::started(what, swarm_mode());
    bench.answer("a", declines());
    for (std::int64_t n = 0; n <= retries; ++n) {
      CHECK(bench.order().back() == "b");
      n % 2 == 0 ? bench.answer("b", fails()) : bench.pass(1000);
    }
    CHECK(bench.turns().size() == static_cast<std::size_t>(retries) + 2);
    CHECK(status(bench, 0) == step_status::failed);
    CHECK(last_reason(bench) == "retries_used_up");
  }
}

TEST_CASE("swarm: replies add tasks to the pool") {
  auto bench = rig::started(swarm_of({"a", "b"}, {{"1", "", {}}}),
                            swarm_mode());
  bench.answer("a",
               {.tasks = {{.title = "more", .role = "b"}, {.title = "rest"}}});
  CHECK(bench.order() == texts{"a", "b", "a"});
  bench.answer("a");
  CHECK(bench.ending() == "");
  bench.answer("b");
  CHECK(bench.ending() == "completed: plan_complete");
  CHECK(bench.machine().plan()->steps.size() == 3);
}

TEST_CASE("swarm: without a plan the task, or the list of tasks, is the pool") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b"});
  auto one = rig::started(what, swarm_mode());
  CHECK(one.order() == texts{"a"});
  CHECK(one.last().task == "the task");
  one.answer("a");
  CHECK(one.ending() == "completed: plan_complete");
  what.tasks = {{.title = "x"}, {.title = "y"}};
  auto list = rig::started(what, swarm_mode());
  CHECK(list.order() == texts{"a", "b"});
}

TEST_CASE("swarm: somebody who is back is offered what is left") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "", {}}, {"2", "", {}}, {"3", "", {}}}),
    swarm_mode());
  bench.lose("b");
  CHECK(bench.order() == texts{"a", "b"});
  bench.feed(participant_up{1});
  CHECK(bench.order() == texts{"a", "b", "b"});
}

TEST_CASE("swarm: suspended steps are offered again") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "", {}}, {"2", "", {}}}), swarm_mode());
  bench.feed(suspend{});
  bench.feed(resume{});
  CHECK(bench.turns() == texts{"cancelled", "cancelled"});
  CHECK(bench.order().size() == 4);
  CHECK(bench.last().attempt == 1);
}

TEST_CASE("swarm: thousands of steps that no idle one fits just wait") {
  std::vector<std::string> names(2'000);
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = "idle" + std::to_string(i);
  names.push_back("worker");
  auto what = make_spec(protocol::mode::swarm, names);
  what.plan = make_plan(std::vector<step>(10'000, {"work", "worker", {}}));
  auto bench = rig::started(what, *modes::find("swarm"));
  for (int i = 0; i < 20; ++i)
    bench.answer("worker");
  CHECK(bench.asked.size() == 21);
}

TEST_CASE("swarm: a step can be handed to somebody of another role") {
  auto bench = rig::started(swarm_of({"a", "b"}, {{"1", "a", {}}}),
                            swarm_mode());
  bench.answer("a", {.handoff = protocol::handoff{"b", "finish it", ""}});
  CHECK(bench.order() == texts{"a", "b"});
  CHECK(bench.last().attempt == 1);
  // A receiver that fails leaves the step to be tried once more.
  bench.answer("b", fails());
  CHECK(bench.last().step_id == step_id(0));
  CHECK(bench.last().attempt == 2);
  bench.answer(bench.asked.back().to == 0 ? "a" : "b");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("swarm: who hands off is idle and gets the next step") {
  auto bench = rig::started(
    swarm_of({"a", "b"}, {{"1", "", {}}, {"2", "", {}}, {"3", "", {}}}),
    swarm_mode());
  bench.answer("a", {.handoff = protocol::handoff{"b", "", ""}});
  CHECK(bench.order() == texts{"a", "b", "a"});
  CHECK(bench.last().step_id == step_id(2));
  bench.answer("b");
  CHECK(bench.last().step_id == step_id(0));
}

TEST_CASE("swarm: a completed step is progress, whatever its turn says") {
  auto what = swarm_of({"a", "b"}, {{"1", "a", {}},
                                    {"2", "a", {}},
                                    {"3", "a", {}},
                                    {"4", "a", {}},
                                    {"5", "a", {}}});
  what.options.no_progress = 2;
  auto bench = rig::started(what, swarm_mode());
  for (int n = 0; n < 5; ++n)
    bench.answer("a", "done");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("swarm: steps that fail for nothing new are no progress") {
  auto what = swarm_of({"a", "b"}, {{"1", "a", {}}, {"2", "a", {}}});
  what.options.no_progress = 3;
  auto bench = rig::started(what, swarm_mode());
  for (int n = 0; n < 4 && bench.ending().empty(); ++n)
    bench.answer("a", fails());
  CHECK(bench.ending() == "cancelled: no_progress");
}
