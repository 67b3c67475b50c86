#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

const routing_policy& round_robin_mode() {
  return *modes::find("round_robin");
}

spec three(std::int64_t rounds = 1) {
  auto made = make_spec(protocol::mode::round_robin, {"a", "b", "c"});
  made.options.rounds = rounds;
  return made;
}

/// Everybody answers until the session has ended.
void run(rig& bench) {
  for (int n = 0; n < 100 && bench.ending().empty(); ++n)
    bench.answer(bench.order().back());
}

} // namespace

TEST_CASE("round robin: everybody in order, round after round") {
  auto bench = rig::started(three(2), round_robin_mode());
  run(bench);
  CHECK(bench.order() == texts{"a", "b", "c", "a", "b", "c"});
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("round robin: one round unless more are wanted") {
  auto what = three();
  what.options.rounds.reset();
  auto bench = rig::started(what, round_robin_mode());
  run(bench);
  CHECK(bench.order() == texts{"a", "b", "c"});
}

TEST_CASE("round robin: systems have no turn") {
  auto what = three();
  what.collab.participants[1].kind = protocol::participant_kind::system;
  auto bench = rig::started(what, round_robin_mode());
  run(bench);
  CHECK(bench.order() == texts{"a", "c"});
}

TEST_CASE("round robin: a failed turn is followed by the next one's") {
  auto bench = rig::started(three(), round_robin_mode());
  bench.answer("a", fails());
  bench.answer("b", declines());
  bench.pass(30'000);
  CHECK(bench.order() == texts{"a", "b", "c"});
  CHECK(bench.turns() == texts{"failed", "declined", "timed_out"});
}

TEST_CASE("round robin: rounds in which no turn completed are no success") {
  auto bench = rig::started(three(2), round_robin_mode());
  for (int n = 0; n < 5; ++n)
    bench.answer(bench.order().back(), n % 2 == 0 ? fails() : declines());
  SECTION("whatever the last one fails by") {
    bench.pass(30'000);
    CHECK(bench.ending() == "cancelled: no_turn_completed");
    CHECK(bench.machine().result()->observed == "6");
  }
  SECTION("a single one that completes is enough") {
    bench.answer("c");
    CHECK(bench.ending() == "completed: rounds");
  }
}

TEST_CASE("round robin: it ends when all vote to, with their latest word") {
  auto bench = rig::started(three(10), round_robin_mode());
  const protocol::reply ends{.content = "enough", .end = true};
  bench.answer("a", ends);
  bench.answer("b", ends);
  bench.answer("c");
  bench.answer("a");
  bench.answer("b", ends);
  bench.answer("c", ends);
  CHECK(bench.ending() == "");
  bench.answer("a", ends);
  CHECK(bench.ending() == "completed: end_votes");
  CHECK(bench.turns().size() == 7);
}

TEST_CASE("round robin: the lost are skipped and their votes not awaited") {
  auto bench = rig::started(three(10), round_robin_mode());
  bench.lose("b");
  const protocol::reply ends{.end = true};
  bench.answer("a", ends);
  CHECK(bench.order() == texts{"a", "c"});
  bench.answer("c", ends);
  CHECK(bench.ending() == "completed: end_votes");
}

TEST_CASE("round robin: somebody who is back has turns again") {
  auto bench = rig::started(three(2), round_robin_mode());
  bench.lose("b");
  bench.answer("a");
  bench.feed(participant_up{1});
  run(bench);
  CHECK(bench.order() == texts{"a", "c", "a", "b", "c"});
}

TEST_CASE("round robin: the turn that a suspension cancelled is given again") {
  auto bench = rig::started(three(), round_robin_mode());
  bench.answer("a");
  bench.feed(suspend{});
  bench.feed(resume{});
  run(bench);
  CHECK(bench.order() == texts{"a", "b", "b", "c"});
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("round robin: a plan's steps run in dependency order") {
  auto what = three();
  what.plan = make_plan(
    {{"last", "a", {1, 2}}, {"first", "b", {}}, {"second", "c", {1}}});
  auto bench = rig::started(what, round_robin_mode());
  run(bench);
  CHECK(bench.order() == texts{"b", "c", "a"});
  texts tasks;
  for (const auto& d : bench.asked)
    tasks.push_back(d.what.task);
  CHECK(tasks == texts{"first", "second", "last"});
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("round robin: steps without a role go round") {
  auto what = three();
  what.plan
    = make_plan({{"1", "", {}}, {"2", "", {}}, {"3", "", {}}, {"4", "", {}}});
  auto bench = rig::started(what, round_robin_mode());
  run(bench);
  CHECK(bench.order() == texts{"a", "b", "c", "a"});
}

TEST_CASE("round robin: a step is tried once more, by the next one") {
  for (const auto& reply : {fails(), declines()}) {
    auto what = three();
    what.plan = make_plan({{"hard", "b", {}}, {"after", "a", {0}}});
    auto bench = rig::started(what, round_robin_mode());
    bench.answer("b", reply);
    CHECK(bench.order() == texts{"b", "c"});
    CHECK(bench.last().attempt == 2);
    run(bench);
    CHECK(bench.order() == texts{"b", "c", "a"});
    CHECK(bench.ending() == "completed: plan_complete");
  }
}

TEST_CASE("round robin: a step that fails twice fails what waits for it") {
  auto what = three();
  what.plan
    = make_plan({{"hard", "b", {}}, {"after", "a", {0}}, {"other", "a", {}}});
  auto bench = rig::started(what, round_robin_mode());
  bench.answer("b", fails());
  bench.pass(30'000);
  run(bench);
  CHECK(bench.order() == texts{"b", "c", "a"});
  CHECK(bench.ending() == "cancelled: plan_failed");
  CHECK(bench.machine().plan()->status == protocol::plan_status::failed);
  CHECK(bench.machine().plan()->steps[1].status
        == protocol::step_status::blocked);
}

TEST_CASE("round robin: retries are as many as the session says") {
  for (std::int64_t retries : {0, 3}) {
    auto what = three();
    what.options.retries = retries;
    what.plan = make_plan({{"hard", "", {}}});
    auto bench = rig::started(what, round_robin_mode());
    while (bench.ending().empty())
      bench.answer(bench.order().back(), fails());
    CHECK(bench.turns().size() == static_cast<std::size_t>(retries) + 1);
  }
}

TEST_CASE("round robin: a lost participant's step goes to the next one") {
  auto what = three();
  what.plan = make_plan({{"1", "b", {}}, {"2", "b", {0}}});
  auto bench = rig::started(what, round_robin_mode());
  bench.lose("b");
  CHECK(bench.order() == texts{"b", "c"});
  run(bench);
  CHECK(bench.order() == texts{"b", "c", "a"});
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("round robin: a suspended step keeps its attempts") {
  auto what = three();
  what.plan = make_plan({{"1", "b", {}}});
  auto bench = rig::started(what, round_robin_mode());
  bench.feed(suspend{});
  bench.feed(resume{});
  CHECK(bench.order() == texts{"b", "b"});
  CHECK(bench.last().attempt == 1);
}

TEST_CASE("round robin: all can vote to end before the plan is done") {
  auto what = three();
  what.plan
    = make_plan({{"1", "", {}}, {"2", "", {}}, {"3", "", {}}, {"4", "", {}}});
  auto bench = rig::started(what, round_robin_mode());
  for (const auto* who : {"a", "b", "c"})
    bench.answer(who, {.end = true});
  CHECK(bench.ending() == "completed: end_votes");
}

TEST_CASE("round robin: tasks that a step's reply adds are done too") {
  auto what = three();
  what.plan = make_plan({{"1", "", {}}});
  auto bench = rig::started(what, round_robin_mode());
  bench.answer("a", {.tasks = {{.title = "more", .role = "c"}}});
  run(bench);
  CHECK(bench.order() == texts{"a", "c"});
  CHECK(bench.last().task == "more");
  CHECK(bench.machine().plan()->steps.size() == 2);
}

TEST_CASE("round robin: a reply that is refused does not vote to end") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 2;
  auto bench = rig::started(what, *modes::find("round_robin"));
  for (const auto* who : {"a", "b"}) {
    auto reply = says("done");
    reply.end = true;
    reply.handoff = protocol::handoff{.to = "nobody"};
    bench.answer(who, reply);
  }
  CHECK(bench.ending() == "");
}

TEST_CASE("round robin: after a handoff the order goes on from the giver") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b", "c", "d"});
  auto bench = rig::started(what, *modes::find("round_robin"));
  bench.answer("a", {.handoff = protocol::handoff{"c", "", ""}});
  for (const auto* who : {"c", "b", "c", "d"})
    bench.answer(who);
  CHECK(bench.order() == texts{"a", "c", "b", "c", "d"});
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("round robin: a suspended session asks the giver again") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b", "c"});
  auto bench = rig::started(what, *modes::find("round_robin"));
  bench.answer("a", {.handoff = protocol::handoff{"c", "", ""}});
  bench.feed(suspend{});
  bench.feed(resume{});
  CHECK(bench.order() == texts{"a", "c", "a"});
}
