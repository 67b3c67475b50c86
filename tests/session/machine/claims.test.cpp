#include <catch2/catch.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

spec crowd() {
  auto made = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  made.options.rounds = 20;
  made.options.claim_timeout_ms = 500;
  made.options.turn_timeout_ms = 10'000;
  made.options.conflicts.strategy = conflict_strategy::last_write_wins;
  made.workspace = {{"file", "a", 0}};
  return made;
}

protocol::reply claims(std::string id) {
  return {.claim = {{"file", std::move(id)}}};
}

void check_log(rig& bench) {
  bench.feed(cancel{"enough"});
  CHECK(broken_laws(bench.lines, false).empty());
  CHECK_FALSE(replay(bench.lines, [](std::string_view) { return &everybody; }));
}

} // namespace

TEST_CASE("a claim keeps others from writing until it expires") {
  auto bench = rig::started(crowd(), everybody);
  const auto made = bench.answer("a", claims("a"));
  CHECK(made[0].type == "claim_taken");
  CHECK(made[0].whole.at("update_kind") == "edge_add");
  CHECK(made[0].at("participant_id") == "a");
  const auto refused = bench.answer("b", with({writes("a", 1, 1)}));
  CHECK(refused[0].at("conflict_type") == "resource_claimed");
  CHECK(refused[0].at("conflicting_participants") == R"(["b","a"])");
  CHECK(refused[1].at("winning_participant") == "a");
  CHECK(told(bench, "b") == texts{"write_refused: resource_claimed: file a"});
  bench.answer("a", with({writes("a", 1, 2)}));
  CHECK(standing(bench.machine()) == texts{"a2=2 by a"});
  CHECK(bench.machine().next_deadline() == bench.now + 500);
  const auto ended = bench.pass(500);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].type == "claim_released");
  CHECK(ended[0].at("reason") == "expired");
  bench.answer("b", with({writes("a", 2, 3)}));
  CHECK(standing(bench.machine()) == texts{"a3=3 by b"});
  check_log(bench);
}

TEST_CASE("a claim that somebody else holds is refused") {
  auto bench = rig::started(crowd(), everybody);
  bench.answer("a", claims("a"));
  const auto made = bench.answer("b", claims("a"));
  CHECK(made[0].at("conflict_type") == "resource_claimed");
  CHECK(made[1].at("resolution_strategy") == "reject");
  CHECK(told(bench, "b") == texts{"claim_refused: resource_claimed: file a"});
  check_log(bench);
}

TEST_CASE("a claim can be renewed, given back and handed over") {
  auto bench = rig::started(crowd(), everybody);
  bench.answer("a", claims("a"));
  bench.pass(400);
  const auto again = bench.answer("a", claims("a"));
  CHECK(again[0].whole.at("update_kind") == "edge_update");
  bench.pass(400);
  CHECK(bench.answer("b", claims("a"))[0].type == "MAPConflictDetected");

  auto given = claims("a");
  given.claim[0].to = "b";
  const auto handed = bench.answer("a", given);
  CHECK(handed[0].type == "claim_handed_over");
  CHECK(handed[0].at("to_participant") == "b");
  CHECK(bench.answer("a", with({writes("a", 1, 1)}))[0].at("conflict_type")
        == "resource_claimed");

  auto back = claims("a");
  back.claim[0].release = true;
  CHECK(bench.answer("b", back)[0].type == "claim_released");
  check_log(bench);
}

TEST_CASE("a claim that cannot be carried out is refused by name") {
  auto bench = rig::started(crowd(), everybody);
  auto code = [&](std::string_view who, protocol::claim what) {
    const auto made = bench.answer(who,
                                   protocol::reply{.claim = {std::move(what)}});
    CHECK(made[0].type == "claim_refused");
    return made[0].at("error/code");
  };
  CHECK(code("a", {"file", "a", true}) == "claim_not_held");
  CHECK(code("b", {"file", "a", false, "c"}) == "claim_not_held");
  bench.answer("c", claims("a"));
  CHECK(code("c", {"file", "a", false, "nobody"}) == "participant_unknown");
  check_log(bench);
}

TEST_CASE("a holder that is lost gives its claims back") {
  auto bench = rig::started(crowd(), everybody);
  bench.answer("a", claims("a"));
  bench.lose("a");
  CHECK(bench.all("claim_released")[0].at("reason") == "holder_lost");
  bench.answer("b", with({writes("a", 1, 1)}));
  CHECK(standing(bench.machine()) == texts{"a2=1 by b"});
  check_log(bench);
}

TEST_CASE("a resource can be claimed in the middle of a turn") {
  auto bench = rig::started(crowd(), everybody);
  const auto token = bench.open.at(0).token;
  const auto made
    = bench.feed(claim_attempt{0, token, {"file", "a", false, {}}});
  CHECK(made[0].type == "claim_taken");
  CHECK(made[0].at("input") == "claim");
  bench.feed(claim_attempt{1, bench.open.at(1).token, {"file", "a"}});
  bench.feed(claim_attempt{1, token, {"file", "a"}});
  bench.feed(claim_attempt{0, token, {"file", "b", true}});
  bench.feed(claim_attempt{0, token, {"file", "a", true}});
  CHECK(bench.all("MAPConflictDetected").size() == 2);
  CHECK(bench.all("claim_refused").size() == 1);
  CHECK(bench.all("claim_released").size() == 1);
  check_log(bench);
}

TEST_CASE("where turns are taken nobody claims") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  auto bench = rig::started(what, solo);
  bench.feed(claim_attempt{0, bench.last().token, {"file", "a"}});
  CHECK(bench.machine().counts().refused == 1);
  bench.answer("a", claims("a"));
  CHECK(bench.turns().back() == "failed");
  CHECK(bench.all("MAPTurnCompleted").back().at("error/code")
        == "claim_not_supported");
}
