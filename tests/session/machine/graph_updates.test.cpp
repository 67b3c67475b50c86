#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/graph/network_statuses.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/spec/graph_size.hpp>
#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/network.hpp>
#include <support/dice.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

#include <random>
#include <set>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

spec swarm(const std::vector<step>& steps) {
  auto made = make_spec(protocol::mode::swarm, {"a", "b"});
  made.options.rounds = 20;
  made.options.turn_timeout_ms = 10'000;
  made.options.claim_timeout_ms = 20'000;
  if (!steps.empty())
    made.plan = make_plan(steps);
  return made;
}

/// Each ready step to whoever is at its position.
const routing_policy in_places{
  .name = "in_places",
  .takes_turns = false,
  .decide = [](const view& now, memory) {
    ruling all;
    for (auto i : now.plan->ready())
      if (i < now.participants.size() && !now.participants[i].busy)
        all.decisions.push_back(dispatch{.participant = i, .step = i});
    if (all.decisions.empty() && now.busy == 0)
      all.decisions.push_back(complete{.condition = "enough"});
    return all;
  }};

/// What an event does to the graph: its kind, nodes and edges.
std::string change(const event& e) {
  std::string made{e.whole.at("update_kind").as_string()};
  for (const auto* name : {"node_delta", "edge_delta"})
    made += ' ' + std::to_string(e.whole.at(name).as_int64());
  return made;
}

const event& first(const std::vector<event>& all, std::string_view type) {
  const auto found = std::ranges::find(all, type, &event::type);
  REQUIRE(found != all.end());
  return *found;
}

void check_sums(rig& bench, const routing_policy& policy) {
  if (bench.ending().empty())
    bench.feed(cancel{"enough"});
  CHECK(broken_laws(bench.lines, policy.takes_turns) == texts{});
  CHECK_FALSE(replay(bench.lines, [&](std::string_view) { return &policy; }));
}

} // namespace

TEST_CASE("what a scenario brings is in the graph before the first turn") {
  auto what = swarm({{"one", "role-a", {}}, {"two", "nobody", {}}});
  what.plan->steps[1].agent_role.reset();
  what.plan->steps[1].dependencies = {what.plan->steps[0].step_id};
  what.roles = {{.role_id = id(9), .name = "role-a"}};
  what.workspace = {{"file", "a", 0}, {"file", "b", 0}};
  what.confirm
    = protocol::confirm{.confirm_id = id(8),
                        .target_type = protocol::confirm_target::plan,
                        .target_id = what.plan->plan_id,
                        .status = protocol::confirm_status::approved,
                        .requested_by_role = "role-b",
                        .requested_at = "2026-01-01T00:00:00.000Z"};
  what.confirm->decisions = {{.decision_id = id(7),
                              .decided_by_role = "role-a",
                              .decided_at = "2026-01-01T00:00:00.000Z"}};
  auto bench = rig::started(what, in_places);
  // Context, Role, Collab, two participants, Plan, two steps, Confirm and
  // decision; edges to the Context (2), of the Collab (2), of the Plan (2), to
  // the Role of a participant, of a step and of a decision, between the steps,
  // and of the Confirm (2).
  CHECK(change(first(bench.events, "graph_opened")) == "bulk 10 12");
  CHECK(change(first(bench.events, "workspace_opened")) == "bulk 2 2");
  check_sums(bench, in_places);
}

TEST_CASE("the modules that a scenario brings are in the graph, too") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 1;
  what.roles = {{.role_id = id(9), .name = "role-a"}};
  const auto without = rig::started(what, solo);
  what.extensions = {{.extension_id = id(50),
                      .context_id = what.context.context_id,
                      .name = "files",
                      .extension_type = protocol::extension_type::integration}};
  protocol::confirm approval{.confirm_id = id(51),
                             .target_type = protocol::confirm_target::extension,
                             .target_id = id(50),
                             .status = protocol::confirm_status::approved,
                             .requested_by_role = "role-b",
                             .requested_at = "2026-01-01T00:00:00.000Z"};
  approval.decisions = {{.decision_id = id(52),
                         .decided_by_role = "role-a",
                         .decided_at = "2026-01-01T00:00:00.000Z"}};
  what.extension_confirms = {approval};
  what.core = protocol::core{.core_id = id(40),
                             .status = protocol::core_status::active};
  for (const auto each : protocol::words_of<protocol::module>)
    what.core->modules.push_back(
      {.module_id = *protocol::from_word<protocol::module>(each)});
  what.network
    = protocol::network{.network_id = id(60),
                        .context_id = what.context.context_id,
                        .name = "here",
                        .status = protocol::network_status::active,
                        .nodes = std::vector<protocol::network_node>{
                          {.node_id = id(61), .name = "a", .role_id = "role-a"},
                          {.node_id = id(62), .name = "b"}}};
  auto bench = rig::started(what, solo);
  CHECK(change(first(without.events, "graph_opened")) == "bulk 5 4");
  // Extension, Confirm and decision, Core and its ten modules, Network and its
  // two nodes; edges of the Extension to its Context, of the Confirm (2) and to
  // who decided, of the Core (10), of the Network (3), and to a node's Role.
  CHECK(change(first(bench.events, "graph_opened")) == "bulk 22 22");
  bench.lose("b");
  protocol::project_graph graph;
  protocol::graph_fold fold{graph};
  for (const auto& line : bench.lines)
    REQUIRE(fold.feed(protocol::parse_json(line)->as_object()));
  const auto* const node = graph.find(
    {protocol::graph_node_kind::network_node, id(60) + '/' + id(62)});
  REQUIRE(node != nullptr);
  CHECK(node->at("status") == "unreachable");
  check_sums(bench, solo);
}

TEST_CASE("a Network is in the graph as its document says, whoever is lost") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  dice random{seed};
  const auto below = [&](std::size_t n) { return random.below(n); };
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    const auto what = make_spec(protocol::mode::round_robin, {"a", "b", "c"});
    protocol::network made{.network_id = id(60), .name = "here"};
    made.status = below(2) == 0 ? protocol::network_status::provisioning
                                : protocol::network_status::active;
    made.nodes.emplace();
    for (auto n = below(5); n != 0; --n) {
      protocol::network_node node{.node_id = id(60 + static_cast<int>(n))};
      const std::optional<std::string> names[]{std::nullopt, "a", "b", "x"};
      const std::optional<std::string> roles[]{std::nullopt, "role-a", "role-b",
                                               "role-x"};
      node.name = names[below(4)];
      node.role_id = roles[below(4)];
      node.status = below(4) == 0 ? protocol::node_status::retired
                                  : protocol::node_status::active;
      made.nodes->push_back(node);
    }
    membership who{what, make_roster(what)};
    std::set<std::string, std::less<>> lost;
    for (participant_index i = 0; i < who.size(); ++i)
      if (below(2) == 0) {
        who.lose(i);
        lost.insert(what.collab.participants[i].participant_id);
      }
    CHECK(protocol::with_statuses(protocol::encode(made).as_object(),
                                  protocol::encode(what.collab).as_object(),
                                  lost)
          == protocol::encode(*network_after(made, who)));
  }
}

TEST_CASE("what is said enters the graph when the session suspends or ends") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 20;
  auto bench = rig::started(what, solo);
  const auto spoken = bench.answer("a");
  CHECK(std::ranges::none_of(spoken, [](const event& e) {
    return e.whole.at("event_family") == "graph_update";
  }));
  // The task, what was said, and two turns, of which one is taken back; with
  // Dialog and Trace.
  CHECK(change(first(bench.feed(suspend{}), "session_recorded")) == "bulk 6 6");
  bench.feed(resume{});
  bench.answer("a");
  CHECK(change(first(bench.feed(cancel{"enough"}), "session_recorded"))
        == "bulk 3 3");
  check_sums(bench, solo);
}

TEST_CASE("a step produces each resource that its turn wrote, once") {
  auto bench = rig::started(swarm({{"one", "", {}}, {"two", "", {}}}),
                            in_places);
  const auto made = bench.answer("a",
                                 with({writes("a", 0, 1), writes("a", 1, 2)}));
  CHECK(change(made[0]) == "node_add 1 2");
  CHECK(made[0].at("step_id") == step_id(0));
  CHECK(change(made[1]) == "node_update 0 0");
  auto removal = writes("a", 2, 0);
  removal.op = protocol::write_op::remove;
  removal.value = nullptr;
  const auto then = bench.answer("b", with({writes("a", 2, 3), removal}));
  CHECK(change(then[0]) == "node_update 0 1");
  check_sums(bench, in_places);
}

TEST_CASE("a deleted resource leaves the graph with its edges") {
  auto bench = rig::started(swarm({{"one", "", {}}}), in_places);
  auto removal = writes("a", 1, 0);
  removal.op = protocol::write_op::remove;
  removal.value = nullptr;
  const auto made = bench.answer("a", with({writes("a", 0, 1), removal}));
  CHECK(change(made[1]) == "node_delete -1 -2");
  check_sums(bench, in_places);
}

TEST_CASE("what is claimed is in the graph, written or not") {
  auto bench = rig::started(swarm({{"one", "", {}}, {"two", "", {}}}),
                            in_places);
  auto removal = writes("a", 1, 0);
  removal.op = protocol::write_op::remove;
  removal.value = nullptr;
  auto reply = with({writes("a", 0, 1), removal});
  reply.claim = {{"file", "a"}};
  const auto made = bench.answer("a", reply);
  CHECK(change(first(made, "claim_taken")) == "bulk 1 2");
  CHECK(change(made[1]) == "node_update 0 1");
  CHECK(change(made[2]) == "node_update 0 -1");
  const auto lost = bench.lose("a");
  CHECK(change(first(lost, "claim_released")) == "bulk -1 -2");
  check_sums(bench, in_places);
}

TEST_CASE("whoever hands turns to the same again adds no edge") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 20;
  auto bench = rig::started(what, solo);
  const auto to = [](std::string who) {
    return protocol::reply{
      .content = "over", .handoff = protocol::handoff{std::move(who), "", ""}};
  };
  bench.answer("a", to("b"));
  bench.answer("b", to("a"));
  bench.answer("a", to("b"));
  CHECK(bench.all("MAPHandoffInitiated").size() == 3);
  CHECK(bench.all("handoff_added").size() == 2);
  check_sums(bench, solo);
}

TEST_CASE("a Confirm and its decision are told with what they add") {
  auto what = swarm({{"one", "", {}}});
  what.plan->status = protocol::plan_status::draft;
  auto bench = rig::started(what, in_places);
  CHECK(change(first(bench.events, "confirm_added")) == "node_add 1 1");
  CHECK(change(first(bench.events, "decision_added")) == "node_add 1 1");
  check_sums(bench, in_places);
}

TEST_CASE("what a scenario brings is counted as the fold adds it") {
  const std::vector<std::string> words{"",        "x",     "y",
                                       "convene", id(201), id(202)};
  const auto at = std::string{"2026-01-01T00:00:00.000Z"};
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    dice d{seed};
    auto what
      = swarm({{"one", "", {}}, {"two", "", {0}}, {"three", "", {0, 1}}});
    for (unsigned i = 0; i < d.below(4); ++i)
      what.roles.push_back({.role_id = id(201 + i), .name = d.one_of(words)});
    for (auto& each : what.plan->steps) {
      each.agent_role.reset();
      if (d.chance(70))
        each.agent_role = d.one_of(words);
    }
    for (auto& each : what.collab.participants)
      each.role_id = d.one_of(words);
    if (d.chance(50)) {
      what.confirm
        = protocol::confirm{.confirm_id = id(8),
                            .target_type = protocol::confirm_target::plan,
                            .target_id = what.plan->plan_id,
                            .status = protocol::confirm_status::approved,
                            .requested_by_role = "x",
                            .requested_at = at};
      what.confirm->decisions.emplace();
      for (unsigned i = 0; i < d.below(3); ++i)
        what.confirm->decisions->push_back({.decision_id = id(300 + i),
                                            .decided_by_role = d.one_of(words),
                                            .decided_at = at});
    }
    protocol::project_graph graph;
    protocol::graph_fold fold{graph};
    REQUIRE(fold.feed({{"event_type", "MAPSessionStarted"},
                       {"session_id", what.collab.collab_id},
                       {"payload", {{"rules", 5}, {"spec", encode(what)}}}}));
    const auto size = graph_size(what, &*what.plan,
                                 what.confirm ? &*what.confirm : nullptr);
    CHECK(size.nodes == static_cast<std::int64_t>(graph.nodes().size()));
    CHECK(size.edges == static_cast<std::int64_t>(graph.edge_count()));
  }
}

TEST_CASE("two decisions of one id are refused") {
  auto what = swarm({{"one", "", {}}});
  const protocol::confirm_decision one{.decision_id = id(7),
                                       .decided_by_role = "x",
                                       .decided_at
                                       = "2026-01-01T00:00:00.000Z"};
  what.confirm
    = protocol::confirm{.confirm_id = id(8),
                        .target_type = protocol::confirm_target::plan,
                        .target_id = what.plan->plan_id,
                        .status = protocol::confirm_status::approved,
                        .requested_by_role = "x",
                        .requested_at = "2026-01-01T00:00:00.000Z",
                        .decisions = {{one, one}}};
  const auto refused = machine::activate(what, in_places, {}, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "unique_decision_id");
  CHECK(refused.error().pointer == "/confirm/decisions/1/decision_id");
}

TEST_CASE("two Roles of one id are refused") {
  auto what = swarm({});
  what.tasks = {{.title = "one"}};
  what.roles = {{.role_id = id(9), .name = "x"},
                {.role_id = id(9), .name = "y"}};
  const auto refused = machine::activate(what, in_places, {}, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "unique_role_id");
  CHECK(refused.error().pointer == "/roles/1/role_id");
}
