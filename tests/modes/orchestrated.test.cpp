#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::dispatch_decision;

namespace {

rig conducted(bool with_plan = false) {
  auto made = make_spec(protocol::mode::orchestrated,
                        {"orchestrator", "b", "c"});
  made.options.turn_timeout_ms = 1000;
  if (with_plan)
    made.plan = make_plan({{"one", "b", {}}, {"two", "c", {0}}});
  return rig::started(made, *modes::find("orchestrated"));
}

} // namespace

TEST_CASE("orchestrated: the orchestrator is asked first and after each turn") {
  auto bench = conducted();
  bench.answer("orchestrator",
               decides({dispatch_decision{.participant = "c"}}));
  bench.answer("c");
  bench.answer("orchestrator", decides({dispatch_decision{.role = "b"}}));
  bench.answer("b", fails());
  CHECK(bench.order()
        == texts{"orchestrator", "c", "orchestrator", "b", "orchestrator"});
  CHECK(bench.last().decide->last_status == "failed");
  bench.answer("orchestrator", decides({protocol::complete_decision{}}));
  CHECK(bench.ending() == "completed: orchestrator_complete");
  CHECK(bench.events.back().at("turns_total") == "2");
}

TEST_CASE("orchestrated: a broadcast's answers come back to it") {
  auto bench = conducted();
  bench.answer("orchestrator",
               decides({protocol::broadcast_decision{"opinions?"}}));
  CHECK(bench.order() == texts{"orchestrator", "b", "c"});
  CHECK(bench.last().task == "opinions?");
  bench.answer("c", "yes");
  bench.answer("b", "no");
  CHECK(bench.last().kind == request_kind::decision);
  CHECK(
    bench.last().decide->responses
    == std::vector<response>{{2, "completed", "yes"}, {1, "completed", "no"}});
}

TEST_CASE("orchestrated: a plan's steps are its to give and to close") {
  auto bench = conducted(true);
  bench.answer("orchestrator",
               decides({dispatch_decision{.step_id = step_id(0)}}));
  bench.answer("b");
  bench.answer("orchestrator",
               decides(
                 {protocol::close_step_decision{step_id(1), true, "no"}}));
  CHECK(bench.last().decide->steps_open == 0);
  bench.answer("orchestrator", decides({protocol::complete_decision{}}));
  CHECK(bench.machine().plan()->status == protocol::plan_status::completed);
}

TEST_CASE("orchestrated: a bad decision is refused and asked for again") {
  auto bench = conducted();
  bench.answer("orchestrator",
               decides({dispatch_decision{.participant = "x"}}));
  CHECK(bench.order() == texts{"orchestrator", "orchestrator"});
  CHECK(bench.last().decide->refused != "");
  bench.answer("orchestrator",
               decides({dispatch_decision{.participant = "b"}}));
  bench.answer("b");
  CHECK(bench.last().decide->refused == "");
}

TEST_CASE("orchestrated: losing somebody else while it thinks is told anew") {
  auto bench = conducted();
  bench.lose("b");
  bench.answer("orchestrator",
               decides({dispatch_decision{.participant = "b"}}));
  CHECK(bench.last().decide->refused.find("cannot act") != std::string::npos);
}

TEST_CASE("orchestrated: resuming asks for a new decision") {
  auto bench = conducted();
  bench.answer("orchestrator",
               decides({dispatch_decision{.participant = "c"}}));
  bench.feed(suspend{});
  bench.feed(resume{});
  CHECK(bench.order() == texts{"orchestrator", "c", "orchestrator"});
  CHECK(bench.last().decide->last_status == "cancelled");
}

TEST_CASE("orchestrated: broadcasts have a bound even if no time passes") {
  auto what = make_spec(protocol::mode::orchestrated, {"orchestrator", "b"});
  what.options.max_turns = 3;
  auto bench = rig::started(what, *modes::find("orchestrated"));
  for (int i = 0; i < 9 && bench.ending().empty(); ++i) {
    bench.answer("orchestrator",
                 decides({protocol::broadcast_decision{"again?"}}));
    if (bench.ending().empty())
      bench.answer("b");
  }
  CHECK(bench.ending() == "cancelled: max_turns");
  CHECK(bench.all("MAPBroadcastSent").size() == 3);
}

TEST_CASE(
  "orchestrated: the same dispatch for the same answer is no progress") {
  auto what = make_spec(protocol::mode::orchestrated, {"orchestrator", "b"});
  what.options.no_progress = 6;
  const auto ends = [&what](const auto& task_of, const auto& answer_of) {
    auto bench = rig::started(what, *modes::find("orchestrated"));
    int turns = 0;
    for (; turns < 20 && bench.ending().empty(); ++turns) {
      bench.answer("orchestrator",
                   decides({dispatch_decision{.participant = "b",
                                              .task = task_of(turns)}}));
      bench.answer("b", answer_of(turns));
    }
    return bench.ending() + " after " + std::to_string(turns);
  };
  const auto same = [](int) { return std::string{"same"}; };
  const auto other = [](int n) { return "other " + std::to_string(n); };
  // The first turn said something new.
  CHECK(ends(same, same) == "cancelled: no_progress after 7");
  CHECK(ends(other, same) == " after 20");
  CHECK(ends(same, other) == " after 20");
}

TEST_CASE("orchestrated: a decision that adds work is progress") {
  auto what = make_spec(protocol::mode::orchestrated, {"orchestrator", "b"});
  what.options.no_progress = 2;
  auto bench = rig::started(what, *modes::find("orchestrated"));
  for (int n = 0; n < 5; ++n) {
    auto decision = decides({dispatch_decision{.participant = "b"}});
    decision.tasks = {{.title = "more " + std::to_string(n)}};
    bench.answer("orchestrator", decision);
    bench.answer("b", "same");
  }
  CHECK(bench.ending().empty());
}

TEST_CASE("orchestrated: a refused decision is no progress") {
  auto what = make_spec(protocol::mode::orchestrated, {"orchestrator", "b"});
  what.options.no_progress = 2;
  auto bench = rig::started(what, *modes::find("orchestrated"));
  for (int n = 0; n < 5 && bench.ending().empty(); ++n) {
    bench.answer("orchestrator", decides({dispatch_decision{
                                   .participant = "x" + std::to_string(n)}}));
    bench.answer("orchestrator",
                 decides({dispatch_decision{.participant = "b"}}));
    bench.answer("b", "same");
  }
  CHECK(bench.ending() == "cancelled: no_progress");
}
