#include <catch2/catch.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

protocol::reply hands_to(std::string to, std::string instructions = "",
                         std::string content = "over to you") {
  return {.content = std::move(content),
          .handoff = protocol::handoff{std::move(to), std::move(instructions),
                                       "r"}};
}

spec team() {
  auto made = make_spec(protocol::mode::round_robin, {"a", "b", "c"});
  made.options.turn_timeout_ms = 1000;
  made.options.rounds = 20;
  made.workspace = {{"file", "a", 0}};
  return made;
}

/// Turns of many at once, on steps of a plan.
spec crowd(const std::vector<step>& steps) {
  auto made = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  made.options.turn_timeout_ms = 1000;
  made.options.rounds = 20;
  made.plan = make_plan(steps);
  return made;
}

void check_log(rig& bench, const routing_policy& policy) {
  if (bench.ending().empty())
    bench.feed(cancel{"enough"});
  CHECK(broken_laws(bench.lines, policy.takes_turns) == texts{});
  CHECK_FALSE(replay(bench.lines, [&](std::string_view) { return &policy; }));
}

/// Gives each ready step to the participant at the step's position, once.
const routing_policy by_position{
  .name = "by_position",
  .takes_turns = false,
  .decide = [](const view& now, memory) {
    ruling all;
    for (auto i : now.plan->ready())
      if (!now.participants[i].busy && now.participants[i].can_act())
        all.decisions.push_back(dispatch{.participant = i, .step = i});
    if (all.decisions.empty() && now.busy == 0)
      all.decisions.push_back(complete{.condition = "enough"});
    return all;
  }};

/// Gives a and b a turn each, for one file of the same name.
const routing_policy for_own_files{
  .name = "for_own_files", .decide = [](const view& now, memory) {
    const auto turn_of = [](participant_index who, const char* file) {
      return dispatch{.participant = who,
                      .terms = turn_terms{.limited = true,
                                          .resources = {{"file", file}}}};
    };
    if (now.turns == 0)
      return ruling{{turn_of(0, "a"), turn_of(1, "b")}, {}};
    return now.busy > 0 ? ruling{}
                        : ruling{{complete{.condition = "enough"}}, {}};
  }};

spec four_writers() {
  auto made = team();
  made.collab.participants.push_back(
    {.participant_id = "d", .role_id = "role-d"});
  made.workspace.clear();
  return made;
}

std::string error_of(protocol::reply reply) {
  auto what = team();
  what.collab.participants.push_back(
    {.participant_id = "clock",
     .role_id = "role-clock",
     .kind = protocol::participant_kind::system});
  auto bench = rig::started(what, solo);
  bench.lose("c");
  reply.writes = {writes("a", 1, 1)};
  const auto made = bench.answer("a", std::move(reply));
  CHECK(made.front().type == "MAPTurnCompleted");
  CHECK(made.front().at("status") == "failed");
  CHECK(bench.all("MAPHandoffInitiated").empty());
  CHECK(bench.ending() == "");
  CHECK(standing(bench.machine()) == texts{"a1=0"});
  check_log(bench, solo);
  return made.front().at("error/code");
}

} // namespace

TEST_CASE("a handoff ends the giver's turn and begins the receiver's") {
  auto bench = rig::started(team(), solo);
  const auto made = bench.answer("a", hands_to("b", "check the numbers"));
  REQUIRE(made.size() == 4);
  CHECK(made[0].type == "MAPTurnCompleted");
  CHECK(made[0].at("status") == "handed_off");
  CHECK(made[1].type == "MAPHandoffInitiated");
  CHECK(made[1].at("from_participant") == "a");
  CHECK(made[1].at("to_participant") == "b");
  CHECK(made[1].at("token_id") == made[0].at("token_id"));
  CHECK(made[1].at("turn_number") == "1");
  CHECK(made[1].at("instructions") == "check the numbers");
  CHECK(made[1].at("reason") == "r");
  CHECK(made[2].type == "handoff_added");
  CHECK(made[2].at("from_participant") == "a");
  CHECK(made[2].at("to_participant") == "b");
  CHECK(made[3].type == "MAPTurnDispatched");
  CHECK(made[3].at("participant_id") == "b");
  CHECK(made[3].at("handoff_id") == made[1].at("handoff_id"));
  CHECK(made[3].at("turn_number") == "2");
  const auto& asked = bench.last();
  CHECK(asked.task == "check the numbers");
  CHECK(asked.terms->handed_by == 0);
  CHECK(asked.terms->instructions == "check the numbers");
  CHECK(asked.dialog.entries().back().content == "over to you");
  bench.answer("b");
  CHECK(bench.turns() == texts{"handed_off", "completed"});
  CHECK(bench.machine().counts().handoffs == 1);
  check_log(bench, solo);
}

TEST_CASE("without instructions the receiver has the giver's task") {
  auto bench = rig::started(team(), solo);
  bench.answer("a", hands_to("b"));
  CHECK(bench.last().task == "the task");
  check_log(bench, solo);
}

TEST_CASE("a handoff to a role finds somebody who has it and can act") {
  auto what = team();
  what.collab.participants[1].role_id = "expert";
  what.collab.participants[2].role_id = "expert";
  auto bench = rig::started(what, solo);
  bench.lose("b");
  bench.answer("a", hands_to("expert"));
  CHECK(bench.order().back() == "c");
  check_log(bench, solo);
}

TEST_CASE("what the giver wrote stands, and its token is dead") {
  auto bench = rig::started(team(), solo);
  const auto token = bench.last().token;
  auto reply = hands_to("b");
  reply.writes = {writes("a", 1, 1)};
  bench.answer("a", reply);
  CHECK(standing(bench.machine()) == texts{"a2=1 by a"});
  const auto late
    = bench.feed(session::write_attempt{0, token, writes("a", 2, 2)});
  CHECK(late[0].at("conflict_type") == "stale_token");
  bench.answer("b", with({writes("a", 2, 3)}));
  CHECK(standing(bench.machine()) == texts{"a3=3 by b"});
  check_log(bench, solo);
}

TEST_CASE("a holder that has handed off cannot hand off again") {
  auto bench = rig::started(team(), solo);
  const auto token = bench.last().token;
  bench.answer("a", hands_to("b"));
  const auto second = bench.feed(session::answer{0, token, hands_to("c")});
  CHECK(second[0].type == "MAPConflictDetected");
  CHECK(second[0].at("conflict_type") == "stale_token");
  CHECK(second[0].at("details/reply/handoff/to") == "c");
  CHECK(bench.all("MAPHandoffInitiated").size() == 1);
  CHECK(bench.order() == texts{"a", "b"});
  check_log(bench, solo);
}

TEST_CASE("a handoff to nobody fails the giver's turn, not the session") {
  CHECK(error_of(hands_to("x")) == "handoff_receiver_unknown");
  CHECK(error_of(hands_to("c")) == "handoff_receiver_lost");
  CHECK(error_of(hands_to("clock")) == "handoff_receiver_unfit");
  CHECK(error_of(hands_to("a")) == "handoff_to_self");
  CHECK(error_of(hands_to("role-a")) == "handoff_to_self");
  CHECK(error_of(hands_to("")) == "invalid_handoff");
}

TEST_CASE("only a reply that completes hands its turn on") {
  auto bench = rig::started(team(), solo);
  auto reply = hands_to("b");
  reply.status = protocol::reply_status::failed;
  bench.answer("a", reply);
  CHECK(bench.turns() == texts{"failed"});
  CHECK(bench.all("MAPHandoffInitiated").empty());
  check_log(bench, solo);
}

TEST_CASE("a turn is handed on only so often in a row") {
  auto what = team();
  what.options.max_handoff_depth = 2;
  auto bench = rig::started(what, solo);
  bench.answer("a", hands_to("b"));
  bench.answer("b", hands_to("a"));
  bench.answer("a", hands_to("b"));
  CHECK(bench.turns() == texts{"handed_off", "handed_off", "failed"});
  CHECK(bench.all("MAPTurnCompleted").back().at("error/code")
        == "handoff_depth_max");
  // The next turn is a new one, with as many handoffs before it.
  bench.answer("a", hands_to("b"));
  CHECK(bench.turns().back() == "handed_off");
  check_log(bench, solo);
}

TEST_CASE("eight handoffs in a row are allowed unless the scenario says so") {
  auto bench = rig::started(team(), solo);
  for (int n = 0; n < 9; ++n)
    bench.answer(n % 2 == 0 ? "a" : "b", hands_to(n % 2 == 0 ? "b" : "a"));
  CHECK(bench.all("MAPHandoffInitiated").size() == 8);
  CHECK(bench.turns().back() == "failed");
  check_log(bench, solo);
}

TEST_CASE("the step goes to the receiver and keeps its attempt") {
  auto bench = rig::started(crowd({{"one", "", {}}}), by_position);
  bench.answer("a", hands_to("b"));
  CHECK(bench.last().step_id == step_id(0));
  CHECK(bench.last().attempt == 1);
  CHECK(bench.last().task == "one");
  CHECK(bench.all("MAPHandoffInitiated")[0].at("step_id") == step_id(0));
  CHECK(bench.machine().plan()->steps[0].status
        == protocol::step_status::in_progress);
  bench.answer("b");
  CHECK(bench.machine().plan()->steps[0].status
        == protocol::step_status::completed);
  check_log(bench, by_position);
}

TEST_CASE("a receiver who is busy gets its turn when it is free") {
  auto bench = rig::started(crowd({{"one", "", {}}, {"two", "", {}}}),
                            by_position);
  const auto made = bench.answer("a", hands_to("b"));
  CHECK(made.size() == 3); // and no turn
  CHECK(bench.order() == texts{"a", "b"});
  bench.answer("b");
  CHECK(bench.order() == texts{"a", "b", "b"});
  CHECK(bench.last().step_id == step_id(0));
  bench.answer("b");
  CHECK(bench.ending() == "completed: enough");
  check_log(bench, by_position);
}

TEST_CASE("a handoff whose receiver is lost before its turn fails") {
  auto bench = rig::started(
    crowd({{"one", "", {}}, {"two", "", {}}, {"three", "", {}}}), by_position);
  bench.answer("a", hands_to("b"));
  bench.lose("b");
  const auto failed = bench.all("session_input").back();
  CHECK(failed.at("input") == "handoff_failed");
  CHECK(failed.at("participant_id") == "b");
  CHECK(failed.at("reason")
        == bench.all("MAPHandoffInitiated")[0].at("handoff_id"));
  CHECK(bench.order().back() == "a");
  CHECK(bench.last().step_id == step_id(0));
  check_log(bench, by_position);
}

TEST_CASE("a receiver that is lost, late or declines ends its own turn only") {
  auto bench = rig::started(team(), solo);
  bench.answer("a", hands_to("b"));
  bench.lose("b");
  bench.answer("a", hands_to("c"));
  bench.pass(1000);
  bench.answer("a", hands_to("c"));
  bench.answer("c", declines());
  CHECK(bench.turns()
        == texts{"handed_off", "failed", "handed_off", "timed_out",
                 "handed_off", "declined"});
  check_log(bench, solo);
}

TEST_CASE("a suspended session takes back what was handed on") {
  auto bench = rig::started(crowd({{"one", "", {}}, {"two", "", {}}}),
                            by_position);
  bench.answer("a", hands_to("b"));
  bench.feed(suspend{});
  CHECK(bench.turns() == texts{"handed_off", "cancelled"});
  bench.feed(resume{});
  CHECK(bench.order() == texts{"a", "b", "a", "b"});
  CHECK(bench.last().terms->handoff_id.is_nil());
  check_log(bench, by_position);
}

TEST_CASE("the giver's claims go to the receiver if it may write them") {
  auto what = crowd({{"one", "", {}}});
  what.roles = {{.role_id = id(9), .name = "role-b"}};
  what.roles[0].capabilities = {"file.write"};
  auto bench = rig::started(what, by_position);
  auto reply = hands_to("b");
  reply.claim = {{"file", "a"}, {"doc", "a"}};
  const auto made = bench.answer("a", reply);
  texts seen;
  for (const auto& e : made)
    seen.push_back(e.type + " " + e.at("resource_type"));
  CHECK(seen
        == texts{"claim_taken file", "claim_taken doc", "MAPTurnCompleted ",
                 "MAPHandoffInitiated ", "handoff_added ", "claim_released doc",
                 "claim_handed_over file", "MAPTurnDispatched "});
  CHECK(made[6].at("to_participant") == "b");
  bench.answer("b", with({writes("a", 0, 1)}));
  CHECK(standing(bench.machine()) == texts{"a1=1 by b"});
  check_log(bench, by_position);
}

TEST_CASE("the limits of a session hold across handoffs") {
  auto what = team();
  what.options.max_turns = 2;
  auto bench = rig::started(what, solo);
  bench.answer("a", hands_to("b"));
  bench.answer("b", hands_to("c"));
  CHECK(bench.ending() == "cancelled: max_turns");
  CHECK(bench.order() == texts{"a", "b"});
  check_log(bench, solo);

  auto poor = team();
  poor.options.budget.tokens = 10;
  auto other = rig::started(poor, solo);
  auto reply = hands_to("b");
  reply.usage = {3, 3, 0};
  other.answer("a", reply);
  reply.handoff->to = "c";
  other.answer("b", reply);
  CHECK(other.ending() == "cancelled: budget_tokens");
  CHECK(other.all("MAPSessionCompleted")[0].at("handoffs_count") == "2");
  check_log(other, solo);
}

TEST_CASE("a receiver may write what its giver may not") {
  auto bench = rig::started(four_writers(), for_own_files);
  bench.answer("a", hands_to("c"));
  CHECK(bench.order() == texts{"a", "b", "c"});
  CHECK(bench.all("MAPTurnDispatched")[2].at("resources").empty());
  bench.answer("c",
               with({writes("c", 0, 1), writes("a", 0, 2), writes("b", 0, 3)}));
  // Except what another open turn names.
  CHECK(standing(bench.machine()) == texts{"a1=2 by c", "c1=1 by c"});
  const auto refused = bench.all("MAPConflictDetected");
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].at("resource_id") == "b");
  CHECK(refused[0].at("conflict_type") == "exclusive_write_violation");
  CHECK(bench.all("MAPConflictResolved")[0].at("winning_participant") == "b");
  bench.answer("b", with({writes("b", 0, 4)}));
  CHECK(bench.ending() == "completed: enough");
  check_log(bench, for_own_files);
}

TEST_CASE("a receiver's role says what it may write") {
  auto what = four_writers();
  what.roles = {{.role_id = id(9), .name = "role-c"}};
  what.roles[0].capabilities = {"doc.write"};
  auto bench = rig::started(what, for_own_files);
  bench.answer("a", hands_to("c"));
  bench.answer("c", with({writes("a", 0, 1)}));
  CHECK(standing(bench.machine()).empty());
  CHECK(bench.all("MAPConflictDetected")[0].at("conflict_type")
        == "permission_denied");
  check_log(bench, for_own_files);
}

TEST_CASE("of two handoffs the second begins when the first has closed") {
  auto bench = rig::started(four_writers(), for_own_files);
  bench.answer("a", hands_to("c"));
  bench.answer("b", hands_to("d"));
  CHECK(bench.order() == texts{"a", "b", "c"});
  bench.answer("c", with({writes("x", 0, 1)}));
  CHECK(bench.order() == texts{"a", "b", "c", "d"});
  bench.answer("d", with({writes("x", 1, 2)}));
  CHECK(standing(bench.machine()) == texts{"x2=2 by d"});
  CHECK(bench.ending() == "completed: enough");
  check_log(bench, for_own_files);
}

TEST_CASE("a handoff on a step may write all that no other step names") {
  auto what = crowd({});
  what.plan.reset();
  what.tasks = {{.title = "one", .resources = {"a"}},
                {.title = "two", .resources = {"b", "doc/c"}}};
  auto bench = rig::started(what, by_position);
  bench.answer("a", hands_to("c"));
  bench.answer("c", with({writes("c", 0, 1),
                          writes("a", 0, 2),
                          writes("b", 0, 3),
                          {"doc", "c", 0, protocol::write_op::put, 4}}));
  CHECK(standing(bench.machine()) == texts{"a1=2 by c", "c1=1 by c"});
  texts refused;
  for (const auto& each : bench.all("MAPConflictDetected"))
    refused.push_back(each.at("resource_type") + "/" + each.at("resource_id")
                      + ": " + each.at("conflict_type"));
  CHECK(refused
        == texts{"file/b: exclusive_write_violation",
                 "doc/c: exclusive_write_violation"});
  bench.answer("b", with({writes("b", 0, 5)}));
  check_log(bench, by_position);
}
