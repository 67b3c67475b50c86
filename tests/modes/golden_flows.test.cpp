#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

// The two flows of the MAP profile, with ids and participants as they stand in
// the protocol's golden test suite.

namespace {

std::string flow_id(std::string_view last_four) {
  return "650e8400-e29b-41d4-a716-44665544" + std::string{last_four};
}

protocol::plan_step flow_step(std::string_view number, std::string role,
                              std::int64_t order,
                              std::vector<std::string> after) {
  for (auto& id : after)
    id = flow_id(id);
  return {.step_id = flow_id(number),
          .description = "step " + std::string{number},
          .dependencies = std::move(after),
          .agent_role = std::move(role),
          .order_index = order};
}

spec flow(char series, protocol::mode how,
          std::vector<protocol::participant> participants,
          std::vector<protocol::plan_step> steps) {
  auto made = make_spec(how, {});
  auto numbered = [&](std::string_view rest) {
    return flow_id(series + std::string{rest});
  };
  made.context.context_id = numbered("000");
  made.collab.context_id = numbered("000");
  made.collab.collab_id = numbered("002");
  made.collab.status = protocol::collab_status::active;
  made.collab.participants = std::move(participants);
  made.plan = protocol::plan{.plan_id = numbered("001"),
                             .context_id = numbered("000"),
                             .title = "A plan",
                             .objective = "To be carried out",
                             .steps = std::move(steps)};
  return made;
}

} // namespace

TEST_CASE("MAP-FLOW-01: turns go to planner, reviewer, planner") {
  const auto what
    = flow('3', protocol::mode::round_robin,
           {{.participant_id = "agent-a-planner", .role_id = flow_id("3020")},
            {.participant_id = "agent-b-reviewer", .role_id = flow_id("3021")}},
           {flow_step("3010", "planner", 0, {}),
            flow_step("3011", "reviewer", 1, {"3010"}),
            flow_step("3012", "planner", 2, {"3011"})});
  auto bench = rig::started(what, *modes::find("round_robin"));
  bench.answer("agent-a-planner");
  bench.answer("agent-b-reviewer");
  bench.answer("agent-a-planner");
  CHECK(bench.map_types()
        == texts{"MAPSessionStarted", "MAPRolesAssigned", "MAPTurnDispatched",
                 "MAPTurnCompleted", "MAPTurnDispatched", "MAPTurnCompleted",
                 "MAPTurnDispatched", "MAPTurnCompleted",
                 "MAPSessionCompleted"});
  CHECK(bench.order()
        == texts{"agent-a-planner", "agent-b-reviewer", "agent-a-planner"});
  const auto turns = bench.all("MAPTurnDispatched");
  for (std::size_t i = 0; i < turns.size(); ++i) {
    CHECK(turns[i].at("turn_number") == std::to_string(i + 1));
    CHECK(turns[i].at("step_id") == flow_id("301" + std::to_string(i)));
  }
  CHECK(bench.events.back().at("turns_total") == "3");
  CHECK(bench.ending() == "completed: plan_complete");
}

TEST_CASE("MAP-FLOW-02: one broadcast reaches three searchers") {
  const auto what = flow(
    '4', protocol::mode::broadcast,
    {{.participant_id = "agent-orchestrator", .role_id = flow_id("4020")},
     {.participant_id = "agent-searcher-1", .role_id = flow_id("4021")},
     {.participant_id = "agent-searcher-2", .role_id = flow_id("4022")},
     {.participant_id = "agent-searcher-3", .role_id = flow_id("4023")}},
    {flow_step("4010", "orchestrator", 0, {}),
     flow_step("4011", "searcher", 1, {"4010"}),
     flow_step("4012", "searcher", 2, {"4010"}),
     flow_step("4013", "searcher", 3, {"4010"}),
     flow_step("4014", "orchestrator", 4, {"4011", "4012", "4013"})});
  auto bench = rig::started(what, *modes::find("broadcast"));
  CHECK(bench.order()
        == texts{"agent-searcher-1", "agent-searcher-2", "agent-searcher-3"});
  for (unsigned n = 1; n <= 3; ++n)
    CHECK(bench.open.at(n).step_id == flow_id("401" + std::to_string(n)));
  bench.answer("agent-searcher-2");
  bench.answer("agent-searcher-3");
  CHECK(bench.machine().plan()->steps[4].status
        == protocol::step_status::pending);
  bench.answer("agent-searcher-1");
  CHECK(bench.map_types()
        == texts{"MAPSessionStarted", "MAPRolesAssigned", "MAPBroadcastSent",
                 "MAPBroadcastReceived", "MAPBroadcastReceived",
                 "MAPBroadcastReceived", "MAPSessionCompleted"});
  const auto sent = bench.all("MAPBroadcastSent").at(0);
  CHECK(sent.at("target_count") == "3");
  for (const auto& received : bench.all("MAPBroadcastReceived"))
    CHECK(received.at("broadcast_ref") == sent.at("broadcast_id"));
  CHECK(bench.ending() == "completed: plan_complete");
}
