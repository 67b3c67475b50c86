#include <catch2/catch.hpp>
#include <support/policies.hpp>
#include <support/rig.hpp>

#include <limits>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::mode;

namespace {

spec two(std::int64_t rounds = 3) {
  auto made = make_spec(mode::round_robin, {"a", "b"});
  made.options.rounds = rounds;
  made.options.turn_timeout_ms = 1000;
  made.options.max_duration_ms = 60'000;
  return made;
}

const protocol::uuid forged{1, 2};

} // namespace

TEST_CASE("a session starts, says who takes part, and gives the first turn") {
  auto bench = rig::started(two(), solo);
  CHECK(bench.map_types()
        == texts{"MAPSessionStarted", "MAPRolesAssigned", "MAPTurnDispatched"});
  CHECK(bench.events[0].at("policy") == "solo");
  CHECK(bench.events[0].at("participant_count") == "2");
  CHECK(bench.events[1].at("assignments/1/participant_id") == "b");
  CHECK(bench.events[2].type == "graph_opened");
  const auto& turn = bench.events[3];
  CHECK(turn.at("participant_id") == "a");
  CHECK(turn.at("turn_number") == "1");
  CHECK(turn.at("task") == "the task");
  CHECK(turn.at("token_id") == to_string(bench.last().token));
  CHECK(bench.last().expires_at == bench.now + 1000);
  REQUIRE(bench.last().dialog.entries().size() == 1);
  CHECK(bench.last().dialog.entries()[0].content == "the task");
}

TEST_CASE("participants are told a role name for each, with Roles or without") {
  auto what = two();
  CHECK((rig{what, solo}).machine().info().role_names == texts{"", ""});
  what.roles = {{.role_id = id(30), .name = "boss"}};
  what.collab.participants[1].role_id = id(30);
  CHECK((rig{what, solo}).machine().info().role_names == texts{"", "boss"});
}

TEST_CASE("nothing is taken before the start, and only one start") {
  rig bench{two(), solo};
  CHECK(bench.feed(tick{}).empty());
  CHECK(bench.feed(cancel{"no"}).empty());
  CHECK_FALSE(bench.feed(start{}).empty());
  CHECK(bench.feed(start{}).empty());
  CHECK(bench.machine().counts().refused == 3);
}

TEST_CASE("a collab that comes as active starts like a draft") {
  auto what = two();
  what.collab.status = protocol::collab_status::active;
  auto bench = rig::started(what, solo);
  CHECK(bench.ending() == "");
  CHECK(bench.map_types().front() == "MAPSessionStarted");
}

TEST_CASE("an answer closes its turn, and the next one hears it") {
  auto bench = rig::started(two(2), solo);
  bench.now += 40;
  bench.answer(
    "a", {.content = "done", .usage = {1, 2, 3}, .result = {{"score", 5}}});
  const auto closed = bench.all("MAPTurnCompleted").at(0);
  CHECK(closed.at("status") == "completed");
  CHECK(closed.at("duration_ms") == "40");
  CHECK(closed.at("output_summary") == "done");
  CHECK(closed.at("result/score") == "5");
  CHECK(closed.at("reply/content") == "done");
  CHECK(bench.last().turn_number == 2);
  CHECK(bench.last().dialog.entries().back().content == "done");
  bench.answer("a");
  CHECK(bench.ending() == "completed: enough");
  const auto end = bench.all("MAPSessionCompleted").at(0);
  CHECK(end.at("turns_total") == "2");
  CHECK(end.at("usage/cost_microusd") == "3");
  CHECK(end.at("duration_ms") == "40");
}

TEST_CASE("a turn fails or is declined in the holder's words") {
  auto bench = rig::started(two(), solo);
  bench.answer("a", fails("no_idea"));
  bench.answer("a", declines());
  CHECK(bench.turns() == texts{"failed", "declined"});
  CHECK(bench.all("MAPTurnCompleted")[0].at("error/code") == "no_idea");
}

TEST_CASE("a reply that asks for what cannot be done fails its turn") {
  auto bench = rig::started(two(), solo);
  bench.answer(
    "a", {.claim = {{"file", "a"}}, .tasks = {{.title = "more"}}, .end = true});
  CHECK(bench.turns() == texts{"failed"});
  CHECK(bench.all("MAPTurnCompleted")[0].at("error/code")
        == "claim_not_supported");
  CHECK(bench.machine().plan() == nullptr);
}

TEST_CASE("a turn that is not answered in time is closed as timed_out") {
  auto bench = rig::started(two(), solo);
  CHECK(bench.machine().next_deadline() == bench.now + 1000);
  CHECK(bench.pass(999).empty());
  CHECK_FALSE(bench.pass(1).empty());
  CHECK(bench.turns() == texts{"timed_out"});
  CHECK(bench.last().turn_number == 2);
}

TEST_CASE("a deadline is judged at any input, before that input") {
  auto bench = rig::started(two(), solo);
  bench.now += 1000;
  bench.answer("a");
  CHECK(bench.turns() == texts{"timed_out"});
  CHECK(bench.all("MAPConflictDetected").at(0).at("conflict_type")
        == "stale_token");
}

TEST_CASE("the second of two answers changes nothing and is on the log") {
  auto bench = rig::started(two(), solo);
  const auto token = bench.last().token;
  bench.answer("a", "first");
  bench.feed(answer{0, token, says("second")});
  CHECK(bench.turns() == texts{"completed"});
  const auto conflict = bench.all("MAPConflictDetected").at(0);
  CHECK(conflict.at("conflict_type") == "stale_token");
  CHECK(conflict.at("details/reply/content") == "second");
  CHECK(conflict.at("details/presented_token") == to_string(token));
  const auto resolved = bench.all("MAPConflictResolved").at(0);
  CHECK(resolved.at("conflict_id") == conflict.at("conflict_id"));
  CHECK(resolved.at("resolution_strategy") == "reject");
  REQUIRE(bench.notices.size() == 1);
  CHECK(bench.notices[0].what == "refused");
  CHECK(bench.machine().talk().entries().size() == 2);
}

TEST_CASE("a token counts only in the hands of its holder") {
  auto bench = rig::started(two(), solo);
  bench.feed(answer{1, bench.last().token, says("mine")});
  bench.feed(answer{0, forged, says("guessed")});
  CHECK(bench.turns().empty());
  const auto conflicts = bench.all("MAPConflictDetected");
  REQUIRE(conflicts.size() == 2);
  CHECK(conflicts[0].at("conflict_type") == "exclusive_write_violation");
  CHECK(conflicts[0].at("conflicting_participants") == R"(["b","a"])");
  CHECK(bench.all("MAPConflictResolved")[0].at("winning_participant") == "a");
  bench.answer("a");
  CHECK(bench.turns() == texts{"completed"});
}

TEST_CASE("an answer of nobody is only counted") {
  auto bench = rig::started(two(), solo);
  CHECK(bench.feed(answer{2, bench.last().token, says("?")}).empty());
  CHECK(bench.feed(participant_down{2, "?"}).empty());
  CHECK(bench.feed(participant_up{no_participant}).empty());
  CHECK(bench.machine().counts().refused == 3);
}

TEST_CASE("a holder that keeps answering with dead tokens loses its turn") {
  auto bench = rig::started(two(), solo);
  for (int n = 0; n < 8; ++n)
    bench.feed(answer{0, forged, says("again")});
  CHECK(bench.turns().empty());
  bench.feed(answer{0, forged, says("again")});
  CHECK(bench.turns() == texts{"failed"});
  CHECK(bench.all("MAPTurnCompleted")[0].at("error/code")
        == "too_many_violations");
  CHECK(bench.all("MAPConflictDetected").size() == 8);
  CHECK(bench.last().turn_number == 2);
}

TEST_CASE("each request begins with all violations allowed") {
  auto bench = rig::started(two(), solo);
  for (int turn = 0; turn < 2; ++turn) {
    for (int n = 0; n < 8; ++n)
      bench.feed(answer{0, forged, says("again")});
    bench.answer("a");
  }
  CHECK(bench.turns() == texts{"completed", "completed"});
  CHECK(bench.all("MAPConflictDetected").size() == 16);
}

TEST_CASE("nobody can use up the violations of somebody else") {
  auto bench = rig::started(two(), solo);
  for (int n = 0; n < 20; ++n)
    bench.feed(answer{1, forged, says("again")});
  CHECK(bench.all("MAPConflictDetected").size() == 8);
  CHECK(bench.machine().counts().refused == 12);
  bench.feed(answer{0, forged, says("once")});
  CHECK(bench.turns().empty());
}

TEST_CASE("a lost holder's turn fails, and it is not asked again") {
  auto bench = rig::started(two(), solo);
  bench.lose("a", "crashed");
  const auto closed = bench.all("MAPTurnCompleted").at(0);
  CHECK(closed.at("status") == "failed");
  CHECK(closed.at("error/code") == "participant_lost");
  CHECK(closed.at("error/message") == "crashed");
  CHECK(bench.order() == texts{"a", "b"});
  CHECK(bench.lose("a").empty());
  bench.feed(participant_up{0});
  bench.answer("b");
  CHECK(bench.order() == texts{"a", "b", "a"});
}

TEST_CASE("without anybody who can act the session is over") {
  auto bench = rig::started(two(), solo);
  bench.lose("b");
  bench.lose("a");
  CHECK(bench.ending() == "cancelled: participants_lost");
}

TEST_CASE("suspending closes what is open, resuming asks anew") {
  auto bench = rig::started(two(), solo);
  const auto token = bench.last().token;
  bench.feed(suspend{"lunch"});
  CHECK(bench.machine().status() == protocol::collab_status::suspended);
  CHECK(bench.turns() == texts{"cancelled"});
  CHECK(bench.machine().next_deadline() == std::nullopt);
  CHECK(bench.notices.at(0).what == "closed");
  bench.feed(suspend{});
  bench.feed(answer{0, token, says("late")});
  CHECK(bench.all("MAPConflictDetected").size() == 1);
  bench.now += 1'000'000;
  bench.feed(resume{});
  CHECK(bench.last().turn_number == 2);
  CHECK(bench.last().token != token);
  bench.feed(resume{});
  CHECK(bench.machine().counts().refused == 2);
}

TEST_CASE("the time of a suspension does not count") {
  auto bench = rig::started(two(1000), solo);
  bench.pass(500);
  bench.feed(suspend{});
  bench.now += 1'000'000;
  CHECK(bench.feed(tick{}).empty());
  bench.feed(resume{});
  const auto began = bench.now;
  while (bench.ending().empty())
    bench.pass(100);
  CHECK(bench.ending() == "cancelled: max_duration");
  CHECK(bench.now - began == 59'500);
}

TEST_CASE("whoever is lost or back during a suspension is so afterwards") {
  auto bench = rig::started(two(), solo);
  bench.feed(suspend{});
  bench.lose("a");
  bench.feed(resume{});
  CHECK(bench.order() == texts{"a", "b"});
  bench.feed(suspend{});
  bench.feed(participant_up{0});
  bench.feed(resume{});
  CHECK(bench.order() == texts{"a", "b", "a"});
}

TEST_CASE("cancelling ends the session, active or suspended") {
  for (bool suspended : {false, true}) {
    auto bench = rig::started(two(), solo);
    if (suspended)
      bench.feed(suspend{});
    bench.feed(cancel{"enough"});
    CHECK(bench.ending() == "cancelled: cancelled");
    CHECK(bench.turns() == texts{"cancelled"});
    const auto end = bench.events.back();
    CHECK(end.type == "MAPSessionCompleted");
    CHECK(end.at("stop_reason/observed") == "enough");
  }
}

TEST_CASE("reasons go on the log as UTF-8") {
  auto bench = rig::started(two(), solo);
  bench.feed(suspend{"s\xff"});
  bench.lose("b", "d\xff");
  bench.feed(cancel{"c\xff"});
  texts reasons;
  for (const auto& e : bench.all("session_input"))
    reasons.push_back(e.at("reason"));
  CHECK(reasons == texts{"s\xef\xbf\xbd", "d\xef\xbf\xbd", "c\xef\xbf\xbd"});
}

TEST_CASE("nothing comes after the end, and it stays when it was") {
  auto bench = rig::started(two(1), solo);
  const auto token = bench.last().token;
  bench.answer("a");
  const auto ended = bench.now;
  bench.now += 5000;
  CHECK(bench.feed(answer{0, token, says("late")}).empty());
  CHECK(bench.feed(tick{}).empty());
  CHECK(bench.feed(cancel{}).empty());
  CHECK(bench.feed(participant_down{0, "gone"}).empty());
  CHECK(bench.machine().counts().refused == 4);
  CHECK(bench.machine().last_at() == ended);
  CHECK(bench.machine().next_deadline() == std::nullopt);
}

TEST_CASE("max_turns ends a session that would go on") {
  auto what = two(1000);
  what.options.max_turns = 2;
  auto bench = rig::started(what, solo);
  bench.answer("a");
  bench.answer("a");
  CHECK(bench.ending() == "cancelled: max_turns");
  CHECK(bench.events.back().at("stop_reason/limit") == "2");
  CHECK(bench.events.back().at("turns_total") == "2");
}

TEST_CASE("max_duration ends a session and closes its turn") {
  auto bench = rig::started(two(1000), solo);
  while (bench.ending().empty()) {
    bench.now += 900;
    bench.answer("a");
  }
  CHECK(bench.ending() == "cancelled: max_duration");
  CHECK(bench.turns().back() == "cancelled");
  CHECK(bench.now - bench.machine().started_at() == 60'300);
}

TEST_CASE("time neither goes back nor beyond what a timestamp shows") {
  auto bench = rig::started(two(), solo);
  const auto began = bench.now;
  bench.now -= 5000;
  bench.answer("a");
  CHECK(bench.machine().last_at() == began);
  bench.now = std::numeric_limits<std::int64_t>::max();
  bench.feed(tick{});
  CHECK(bench.ending() == "cancelled: max_duration");
  CHECK(bench.machine().last_at() == protocol::timestamp_max);
}

TEST_CASE("several turns can be open where the policy wants it") {
  auto bench = rig::started(two(4), everybody);
  CHECK(bench.order() == texts{"a", "b"});
  CHECK(bench.machine().next_deadline() == bench.now + 1000);
  bench.now += 600;
  bench.answer("b");
  CHECK(bench.order() == texts{"a", "b", "b"});
  bench.pass(400);
  CHECK(bench.turns() == texts{"completed", "timed_out"});
  CHECK(bench.all("MAPTurnCompleted")[1].at("turn_number") == "1");
  bench.answer("a");
  bench.answer("b");
  CHECK(bench.ending() == "completed: enough");
}

TEST_CASE("a policy that breaks its word ends the session as its fault") {
  using decide = ruling (*)(const view&, memory);
  const decide bad[]
    = {[](const view&, memory) { return ruling{}; },
       [](const view&, memory) {
         return ruling{{dispatch{.participant = 9}}, {}};
       },
       [](const view&, memory) {
         return ruling{{dispatch{.participant = 0}, dispatch{.participant = 1}},
                       {}};
       },
       [](const view&, memory) {
         return ruling{{dispatch{.participant = 0, .step = 3}}, {}};
       },
       [](const view&, memory) {
         return ruling{{close_step{.step = 3}}, {}};
       },
       [](const view&, memory) {
         return ruling{{broadcast{}, broadcast{}}, {}};
       }};
  for (auto how : bad) {
    auto what = two();
    what.collab.participants.push_back(
      {.participant_id = "c", .role_id = "role-c"});
    const routing_policy policy{.name = "bad", .decide = how};
    auto bench = rig::started(what, policy);
    CHECK(bench.ending().starts_with("cancelled: "));
    CHECK(bench.events.back().type == "MAPSessionCompleted");
  }
}

TEST_CASE("ids follow from the key: the same inputs make the same log") {
  auto one = rig::started(two(1), solo);
  auto other = rig::started(two(1), solo);
  one.answer("a");
  other.answer("a");
  CHECK(one.lines == other.lines);
}
