#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

const routing_policy& broadcast_mode() {
  return *modes::find("broadcast");
}

/// One who asks and `others` who answer: b1, b2, ...
spec hall(std::size_t others, std::optional<double> quorum = {},
          std::int64_t rounds = 1) {
  std::vector<std::string> names{"a"};
  for (std::size_t n = 1; n <= others; ++n)
    names.push_back("b" + std::to_string(n));
  auto made = make_spec(protocol::mode::broadcast, names);
  made.options.quorum = quorum;
  made.options.rounds = rounds;
  made.options.turn_timeout_ms = 1000;
  return made;
}

/// The status of each answer, in the order they were taken.
texts answers(const rig& bench) {
  texts found;
  for (const auto& e : bench.all("MAPBroadcastReceived"))
    found.push_back(e.at("receiver_participant") + " " + e.at("status"));
  return found;
}

} // namespace

TEST_CASE("broadcast: all others are asked at once") {
  auto bench = rig::started(hall(3), broadcast_mode());
  CHECK(bench.order() == texts{"b1", "b2", "b3"});
  const auto sent = bench.all("MAPBroadcastSent").at(0);
  CHECK(sent.at("broadcaster_participant") == "a");
  CHECK(sent.at("target_count") == "3");
  CHECK(sent.at("message/task") == "the task");
  for (const auto& d : bench.asked)
    CHECK(to_string(d.what.token) == sent.at("broadcast_id"));
  bench.answer("b2");
  bench.answer("b3", fails());
  CHECK(bench.ending() == "");
  bench.answer("b1", declines());
  CHECK(answers(bench) == texts{"b2 completed", "b3 failed", "b1 declined"});
  CHECK(bench.ending() == "completed: rounds");
  CHECK(bench.all("MAPTurnDispatched").empty());
}

TEST_CASE("broadcast: the initiator is whom the session names") {
  auto what = hall(2);
  what.options.initiator = "b1";
  auto bench = rig::started(what, broadcast_mode());
  CHECK(bench.order() == texts{"a", "b2"});
}

TEST_CASE("broadcast: a quorum closes the round, the others are timed out") {
  struct sample {
    std::size_t others;
    double quorum;
    std::size_t needed;
  };
  for (const auto& s : {sample{4, 0.5, 2}, sample{3, 0.5, 2}, sample{3, 1.0, 3},
                        sample{3, 0.66, 2}, sample{50, 0.66, 33},
                        sample{3, 0.01, 1}, sample{1, 0.5, 1}}) {
    INFO(s.others << " at " << s.quorum);
    auto bench = rig::started(hall(s.others, s.quorum), broadcast_mode());
    for (std::size_t n = 1; n <= s.needed; ++n) {
      CHECK(bench.ending() == "");
      bench.answer("b" + std::to_string(n));
    }
    CHECK(bench.ending() == "completed: rounds");
    const auto all = bench.all("MAPBroadcastReceived");
    REQUIRE(all.size() == s.others);
    for (std::size_t n = s.needed; n < s.others; ++n) {
      CHECK(all[n].at("status") == "timed_out");
      CHECK(all[n].at("error/code") == "quorum_reached");
    }
  }
}

TEST_CASE("broadcast: the deadline closes the round without a quorum") {
  auto bench = rig::started(hall(3, 0.66), broadcast_mode());
  bench.answer("b2");
  CHECK(bench.pass(999).empty());
  bench.pass(1);
  CHECK(answers(bench)
        == texts{"b2 completed", "b1 timed_out", "b3 timed_out"});
  CHECK(bench.all("MAPBroadcastReceived")[1].at("error/code") == "timed_out");
  CHECK(bench.ending() == "cancelled: quorum_missed");
  CHECK(bench.events.back().at("stop_reason/observed") == "1");
  CHECK(bench.events.back().at("stop_reason/limit") == "2");
}

TEST_CASE("broadcast: nobody's answer is no success, whatever the quorum") {
  for (const auto& quorum : {std::optional<double>{}, {0.01}, {1.0}}) {
    auto bench = rig::started(hall(3, quorum), broadcast_mode());
    bench.pass(1000);
    CHECK(answers(bench)
          == texts{"b1 timed_out", "b2 timed_out", "b3 timed_out"});
    CHECK(bench.ending() == "cancelled: quorum_missed");
  }
}

TEST_CASE("broadcast: completed and declined answers count, others do not") {
  for (const bool counts : {true, false}) {
    auto bench = rig::started(hall(4, 0.5), broadcast_mode());
    bench.answer("b1", fails());
    bench.answer("b2", declines());
    bench.lose("b3");
    CHECK(bench.ending() == "");
    bench.answer("b4", counts ? says("yes") : fails());
    CHECK(bench.ending()
          == (counts ? "completed: rounds" : "cancelled: quorum_missed"));
  }
}

TEST_CASE(
  "broadcast: without a quorum all are waited for, and half is enough") {
  auto bench = rig::started(hall(4), broadcast_mode());
  bench.answer("b1");
  bench.answer("b2");
  CHECK(bench.ending() == "");
  bench.pass(1000);
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("broadcast: a round below its quorum is told so to the next one") {
  auto bench = rig::started(hall(3, {}, 3), broadcast_mode());
  CHECK(bench.last().missed == missed_quorum{});
  bench.answer("b1");
  bench.pass(1000);
  CHECK(bench.last().round == 2);
  CHECK(bench.last().missed == missed_quorum{1, 2});
  const auto second = bench.all("MAPBroadcastSent").at(1);
  CHECK(second.at("message/missed_quorum") == R"({"answered":1,"needed":2})");
  CHECK(second.at("message/deadline_ms") == "1000");
  for (const auto* who : {"b1", "b2", "b3"})
    bench.answer(who);
  CHECK(bench.last().missed == missed_quorum{});
  CHECK(bench.all("MAPBroadcastSent").at(2).at("message/missed_quorum") == "");
  for (const auto* who : {"b1", "b2", "b3"})
    bench.answer(who);
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("broadcast: the next round carries the answers of the last") {
  auto bench = rig::started(hall(2, 1.0, 2), broadcast_mode());
  CHECK(bench.last().round == 1);
  CHECK(bench.last().responses->empty());
  bench.answer("b2", "two");
  bench.answer("b1", declines());
  CHECK(bench.order() == texts{"b1", "b2", "b1", "b2"});
  CHECK(bench.last().round == 2);
  CHECK(*bench.last().responses
        == std::vector<response>{{2, "completed", "two"}, {1, "declined", ""}});
  const auto sent = bench.all("MAPBroadcastSent").at(1);
  CHECK(sent.at("message/round") == "2");
  CHECK(sent.at("message/responses/0/participant_id") == "b2");
  CHECK(sent.at("message/responses/0/content") == "two");
  bench.answer("b1");
  bench.answer("b2");
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("broadcast: a late answer is a conflict and changes nothing") {
  auto bench = rig::started(hall(2, 0.5, 2), broadcast_mode());
  const auto token = bench.last().token;
  bench.answer("b1");
  bench.feed(answer{2, token, says("late")});
  CHECK(bench.all("MAPConflictDetected").size() == 1);
  CHECK(answers(bench) == texts{"b1 completed", "b2 timed_out"});
}

TEST_CASE("broadcast: somebody lost has failed and is not asked again") {
  auto bench = rig::started(hall(2, 1.0, 2), broadcast_mode());
  bench.lose("b1");
  bench.answer("b2");
  CHECK(answers(bench) == texts{"b1 failed", "b2 completed"});
  CHECK(bench.order() == texts{"b1", "b2", "b2"});
}

TEST_CASE("broadcast: with nobody left to ask it is over") {
  auto bench = rig::started(hall(2, 1.0, 3), broadcast_mode());
  bench.lose("b1");
  bench.lose("b2");
  CHECK(bench.ending() == "cancelled: no_receivers");
}

TEST_CASE("broadcast: a suspended round is asked again") {
  auto bench = rig::started(hall(2), broadcast_mode());
  bench.answer("b1");
  bench.feed(suspend{"lunch"});
  CHECK(bench.all("MAPBroadcastReceived")[1].at("error/code") == "suspended");
  bench.feed(resume{});
  CHECK(bench.order() == texts{"b1", "b2", "b1", "b2"});
  CHECK(bench.last().round == 1);
  bench.answer("b1");
  bench.answer("b2");
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("broadcast: ready steps ride along, one each, and are tried again") {
  auto what = hall(2);
  what.plan = make_plan({{"ask", "a", {}},
                         {"one", "b1", {0}},
                         {"two", "b2", {0}},
                         {"gather", "a", {1, 2}}});
  auto bench = rig::started(what, broadcast_mode());
  CHECK(bench.open.at(1).task == "one");
  CHECK(bench.open.at(2).step_id == step_id(2));
  bench.answer("b1");
  bench.answer("b2", fails());
  CHECK(bench.all("MAPBroadcastSent").size() == 2);
  CHECK(bench.open.at(1).step_id == "");
  CHECK(bench.open.at(2).attempt == 2);
  bench.answer("b1");
  bench.answer("b2");
  CHECK(bench.ending() == "completed: plan_complete");
  CHECK(bench.machine().plan()->status == protocol::plan_status::completed);
}

TEST_CASE("broadcast: steps of those who cannot act are done by others") {
  auto what = hall(2);
  what.collab.participants.push_back(
    {.participant_id = "clock",
     .role_id = "role-clock",
     .kind = protocol::participant_kind::system});
  what.options.assign = {{"timer", "clock"}};
  what.plan = make_plan({{"one", "timer", {}}});
  auto bench = rig::started(what, broadcast_mode());
  CHECK(bench.open.at(1).task == "one");
  for (const auto* who : {"b1", "b2", "clock"})
    if (bench.open.contains(bench.index(who)))
      bench.answer(who);
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("broadcast: a long chain of the initiator's own steps just ends") {
  std::vector<step> steps(10'000, {"own", "a", {}});
  for (unsigned i = 1; i < steps.size(); ++i)
    steps[i].after = {i - 1};
  auto what = hall(1);
  what.plan = make_plan(steps);
  auto bench = rig::started(what, broadcast_mode());
  bench.answer("b1");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE(
  "broadcast: no word of a reply's makes its step's attempt uncounted") {
  for (const auto* code : {"suspended", "session_ended", "other"}) {
    INFO(code);
    auto what = hall(1);
    what.plan = make_plan({{"one", "b1", {}}});
    auto bench = rig::started(what, broadcast_mode());
    for (int i = 0; i < 3 && bench.ending().empty(); ++i)
      bench.answer("b1", {.status = protocol::reply_status::failed,
                          .error = {code, "no"}});
    CHECK(bench.all("MAPBroadcastSent").size() == 2);
    CHECK(bench.ending() == "cancelled: plan_failed");
  }
}

TEST_CASE("broadcast: an answer has no turn to hand on") {
  auto bench
    = rig::started(make_spec(protocol::mode::broadcast, {"a", "b", "c"}),
                   *modes::find("broadcast"));
  bench.answer("b", {.handoff = protocol::handoff{"c", "", ""}});
  const auto got = bench.all("MAPBroadcastReceived").back();
  CHECK(got.at("status") == "failed");
  CHECK(got.at("error/code") == "handoff_needs_turn");
}
