#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

const routing_policy& pair_mode() {
  return *modes::find("pair");
}

spec two(std::int64_t swap_every, std::int64_t rounds) {
  auto made = make_spec(protocol::mode::pair, {"a", "b"});
  made.options.swap_every = swap_every;
  made.options.rounds = rounds;
  return made;
}

/// Who had which duty over whole rounds.
texts duties(std::int64_t swap_every, std::int64_t rounds) {
  auto bench = rig::started(two(swap_every, rounds), pair_mode());
  while (bench.ending().empty())
    bench.answer(bench.asked.back().to == 0 ? "a" : "b");
  CHECK(bench.ending() == "completed: rounds");
  return bench.order();
}

} // namespace

TEST_CASE("pair: without swaps one drives and the other navigates") {
  CHECK(duties(0, 2)
        == texts{"a:driver", "b:navigator", "a:driver", "b:navigator"});
}

TEST_CASE("pair: they swap after each round, or every other") {
  CHECK(duties(1, 3)
        == texts{"a:driver", "b:navigator", "b:driver", "a:navigator",
                 "a:driver", "b:navigator"});
  CHECK(duties(2, 4)
        == texts{"a:driver", "b:navigator", "a:driver", "b:navigator",
                 "b:driver", "a:navigator", "b:driver", "a:navigator"});
}

TEST_CASE("pair: ten rounds unless another number is wanted") {
  auto what = two(1, 1);
  what.options.rounds.reset();
  auto bench = rig::started(what, pair_mode());
  while (bench.ending().empty())
    bench.answer(bench.asked.back().to == 0 ? "a" : "b");
  CHECK(bench.turns().size() == 20);
}

TEST_CASE("pair: the navigator ends it, the driver does not") {
  auto bench = rig::started(two(0, 9), pair_mode());
  const protocol::reply ends{.content = "good", .end = true};
  bench.answer("a", ends);
  CHECK(bench.ending() == "");
  bench.answer("b", ends);
  CHECK(bench.ending() == "completed: navigator_end");
}

TEST_CASE("pair: the duty is on the log") {
  auto bench = rig::started(two(0, 1), pair_mode());
  bench.answer("a");
  CHECK(bench.all("MAPTurnDispatched")[0].at("duty") == "driver");
  CHECK(bench.all("MAPTurnDispatched")[1].at("duty") == "navigator");
}

TEST_CASE("pair: a lost partner ends the session, busy or not") {
  for (const auto* who : {"a", "b"}) {
    auto bench = rig::started(two(0, 9), pair_mode());
    bench.lose(who);
    CHECK(bench.ending() == "cancelled: partner_lost");
    CHECK(bench.turns().size() == 1);
  }
}

TEST_CASE("pair: a system looks on") {
  auto what = two(0, 1);
  what.collab.participants.push_back(
    {.participant_id = "clock",
     .role_id = "role-clock",
     .kind = protocol::participant_kind::system});
  auto bench = rig::started(what, pair_mode());
  bench.answer("a");
  bench.answer("b");
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("pair: a suspended half is done again") {
  auto bench = rig::started(two(1, 1), pair_mode());
  bench.answer("a");
  bench.feed(suspend{});
  bench.feed(resume{});
  CHECK(bench.order() == texts{"a:driver", "b:navigator", "b:navigator"});
}

TEST_CASE("pair: each driver's turn takes the next step, each is reviewed") {
  auto what = two(1, 1);
  what.plan = make_plan({{"one", "", {}}, {"two", "", {0}}});
  auto bench = rig::started(what, pair_mode());
  while (bench.ending().empty())
    bench.answer(bench.asked.back().to == 0 ? "a" : "b");
  CHECK(bench.order()
        == texts{"a:driver", "b:navigator", "b:driver", "a:navigator"});
  texts tasks;
  for (const auto& d : bench.asked)
    tasks.push_back(d.what.task);
  CHECK(tasks == texts{"one", "Review: one", "two", "Review: two"});
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("pair: a step that fails is tried again, and reviewed each time") {
  auto what = two(0, 1);
  what.plan = make_plan({{"hard", "", {}}});
  auto bench = rig::started(what, pair_mode());
  bench.answer("a", fails());
  bench.answer("b");
  bench.answer("a", fails());
  CHECK(bench.last().task == "Review: hard");
  bench.answer("b");
  CHECK(bench.ending() == "cancelled: plan_failed");
}

TEST_CASE("pair: whoever hands a turn on changes seats with the other") {
  auto bench = rig::started(two(0, 3), pair_mode());
  bench.answer("a", {.handoff = protocol::handoff{"b", "you type", ""}});
  bench.answer("b");
  bench.answer("a");
  bench.answer("b");
  bench.answer("a", {.handoff = protocol::handoff{"b", "", ""}});
  bench.answer("b");
  CHECK(bench.order()
        == texts{"a:driver", "b:driver", "a:navigator", "b:driver",
                 "a:navigator", "b:navigator", "a:driver"});
}

TEST_CASE("pair: a handed on turn keeps its right to write, or its lack") {
  auto what = two(0, 3);
  what.workspace = {{"file", "a", 0}};
  auto bench = rig::started(what, pair_mode());
  const protocol::reply writes{.writes = {{"file", "a", 1, {}, 1}}};
  bench.answer("a", {.handoff = protocol::handoff{"b", "", ""}});
  CHECK(bench.answer("b", writes)[0].type == "resource_written");
  bench.answer("a", {.handoff = protocol::handoff{"b", "", ""}});
  CHECK(bench.answer("b", writes)[0].at("conflict_type")
        == "exclusive_write_violation");
}
