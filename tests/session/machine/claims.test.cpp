#include <catch2/catch.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/session/conflicts/claim_book.hpp>
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

TEST_CASE(
  "claims that go together are taken, or none is and nothing is written") {
  auto bench = rig::started(crowd(), everybody);
  const auto both = [](std::int64_t version) {
    auto made = with({writes("a", version, 7), writes("c", 0, 7)});
    made.claim = {{"file", "a"}, {"file", "b"}};
    made.claim_all = true;
    return made;
  };
  bench.answer("c", claims("b"));
  const auto refused = bench.answer("a", both(1));
  CHECK(refused[0].type == "claim_refused");
  CHECK(refused[0].at("resource_id") == "a");
  CHECK(refused[0].at("error/code") == "claim_all");
  CHECK(refused[1].at("conflict_type") == "resource_claimed");
  CHECK(refused[2].type == "MAPConflictResolved");
  CHECK(refused[3].type == "write_refused");
  CHECK(refused[3].at("error/code") == "claim_all");
  CHECK(refused[4].type == "write_refused");
  CHECK(refused[5].type == "MAPTurnCompleted");
  CHECK(refused[5].at("status") == "completed");
  CHECK(standing(bench.machine()) == texts{"a1=0"});

  auto back = claims("b");
  back.claim[0].release = true;
  bench.answer("c", back);
  const auto taken = bench.answer("a", both(1));
  CHECK(taken[0].type == "claim_taken");
  CHECK(taken[1].type == "claim_taken");
  CHECK(standing(bench.machine()) == texts{"a2=7 by a", "c1=7 by a"});
  CHECK(bench.answer("b", claims("a"))[0].at("conflict_type")
        == "resource_claimed");
  check_log(bench);
}

TEST_CASE("claims that go together are judged before the first is taken") {
  auto bench = rig::started(crowd(), everybody);
  auto reply = claims("a");
  reply.claim.push_back({"", "b"});
  reply.claim_all = true;
  CHECK(bench.answer("a", reply)[0].at("error/code") == "invalid_claim");
  reply.claim
    = {{"file", "a"},
       {.resource_type = "file", .resource_id = "b", .release = true}};
  CHECK(bench.answer("a", reply)[0].at("error/code") == "invalid_claim");
  CHECK(bench.all("claim_taken").empty());
  reply.claim = {{"file", "a"}, {"file", "a"}};
  const auto twice = bench.answer("a", reply);
  CHECK(twice[0].whole.at("update_kind") == "edge_add");
  CHECK(twice[1].whole.at("update_kind") == "edge_update");
  check_log(bench);
}

TEST_CASE("a log with a part of the claims that go together is found") {
  auto bench = rig::started(crowd(), everybody);
  bench.answer("c", claims("b"));
  auto reply = with({writes("d", 0, 1)});
  SECTION("one claim is taken") {
    reply.claim = {{"file", "a"}, {"file", "b"}};
  }
  SECTION("no claim is taken, and a write counts") {
    reply.claim = {{"file", "b"}};
  }
  bench.answer("a", reply);
  check_log(bench);
  auto changed = 0;
  for (auto& line : bench.lines) {
    const auto at = line.find(R"("claim":[)");
    if (at == std::string::npos || line.find(R"("writes":[)") > at)
      continue;
    line.insert(at, R"("claim_all":true,)");
    ++changed;
  }
  REQUIRE(changed == 1);
  const auto found = broken_laws(bench.lines, false);
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("claims_match_reply") != std::string::npos);
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

TEST_CASE("who holds no turn cannot claim all or nothing") {
  auto what = crowd();
  what.collab.mode = protocol::mode::broadcast;
  const routing_policy one_message{
    .name = "one_message",
    .takes_turns = false,
    .decide = [](const view& now, memory) {
      if (now.busy > 0)
        return ruling{};
      if (now.broadcasts == 0)
        return ruling{{broadcast{}}, {}};
      return ruling{{complete{.condition = "enough"}}, {}};
    }};
  auto bench = rig::started(what, one_message);
  auto reply = claims("a");
  reply.claim_all = true;
  bench.answer("b", reply);
  const auto received = bench.all("MAPBroadcastReceived");
  REQUIRE(received.size() == 1);
  CHECK(received[0].at("status") == "failed");
  CHECK(received[0].at("error/code") == "claim_needs_turn");
  CHECK(bench.all("claim_taken").empty());
}

TEST_CASE("claims that go together count together against their bound",
          "[flood]") {
  auto what = crowd();
  what.options.rounds = 1'000;
  what.options.claim_timeout_ms = 100'000;
  auto bench = rig::started(what, everybody);
  std::size_t taken = 0;
  while (taken < claims_max - 1) {
    protocol::reply many;
    for (std::size_t i = 0;
         i < protocol::reply_claims_max && taken < claims_max - 1; ++i)
      many.claim.push_back({"file", "n" + std::to_string(taken++)});
    bench.answer("b", many);
  }
  REQUIRE(bench.all("claim_taken").size() == claims_max - 1);
  auto two = claims("x");
  two.claim.push_back({"file", "y"});
  two.claim_all = true;
  const auto refused = bench.answer("a", two);
  CHECK(refused[0].at("error/code") == "claim_all");
  CHECK(refused[1].at("error/code") == "claims_max");
  // One that is named twice is one.
  two.claim[1].resource_id = "x";
  const auto one = bench.answer("a", two);
  CHECK(one[0].type == "claim_taken");
  CHECK(one[1].type == "claim_taken");
}
