#include <catch2/catch.hpp>
#include <convene/protocol/graph/graph_change.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <support/dice.hpp>

using namespace convene::protocol;
using convene::test::dice;

namespace {

/// Some of ten steps of a plan, with statuses and dependencies.
project_graph random_graph(dice& d) {
  project_graph made;
  const graph_key plan{graph_node_kind::plan, "p"};
  REQUIRE(made.add(plan, {{"status", d.chance(50) ? "draft" : "approved"}}));
  std::vector<graph_key> steps;
  for (int i = 0; i < 10; ++i) {
    if (d.chance(40))
      continue;
    steps.push_back({graph_node_kind::step, part_id("p", std::to_string(i))});
    REQUIRE(made.add(steps.back(),
                     {{"status", d.chance(50) ? "pending" : "completed"}}));
    REQUIRE(made.connect({graph_edge_kind::contains, plan, steps.back()}));
  }
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (d.chance(50))
      REQUIRE(made.connect(
        {graph_edge_kind::depends_on, steps[i], steps[d.below(i)]}));
  return made;
}

} // namespace

TEST_CASE("the change between two graphs makes one of the other, and says how "
          "much it grows") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    dice d{seed};
    auto before = random_graph(d);
    const auto after = random_graph(d);
    const auto nodes = static_cast<std::int64_t>(before.nodes().size());
    const auto edges = static_cast<std::int64_t>(before.edges().size());
    const auto change = change_between(before, after);
    REQUIRE(apply(before, change));
    CHECK(before == after);
    CHECK(graph_hash(before) == graph_hash(after));
    CHECK(nodes + change.node_delta
          == static_cast<std::int64_t>(after.nodes().size()));
    CHECK(edges + change.edge_delta
          == static_cast<std::int64_t>(after.edges().size()));
  }
}

TEST_CASE("between equal graphs there is no change") {
  dice d{3};
  const auto graph = random_graph(d);
  const auto change = to_json(change_between(graph, graph));
  for (const auto* name : {"set", "removed", "connected", "disconnected"})
    CHECK(change.at(name).as_array().empty());
}

TEST_CASE("a change names nodes as kind and id, and edges by both ends") {
  project_graph before;
  const graph_key plan{graph_node_kind::plan, "p"};
  const graph_key step{graph_node_kind::step, "p/s"};
  REQUIRE(before.add(plan, {{"status", "draft"}}));
  auto after = before;
  REQUIRE(after.add(step, {{"status", "pending"}}));
  REQUIRE(after.connect({graph_edge_kind::contains, plan, step}));
  const auto there = to_json(change_between(before, after));
  CHECK(there.at("set").at(0).at("id") == "p/s");
  CHECK(there.at("connected").at(0).at("to") == "step:p/s");
  const auto back = to_json(change_between(after, before));
  CHECK(back.at("removed").at(0) == "step:p/s");
  CHECK(back.at("disconnected").at(0).at("from") == "plan:p");
}
