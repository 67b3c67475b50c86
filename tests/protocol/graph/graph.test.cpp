#include <catch2/catch.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_query.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <support/dice.hpp>

#include <algorithm>
#include <random>

using namespace convene::protocol;
using kind = graph_node_kind;
using Catch::Contains;

namespace {

const graph_key context{kind::context, "c"};
const graph_key plan{kind::plan, "p"};

graph_key step(const std::string& name, const std::string& of = "p") {
  return {kind::step, part_id(of, name)};
}

void must(const result<void>& done) {
  INFO((done ? "" : to_string(done.error())));
  REQUIRE(done);
}

/// A Context with a Plan of three steps, c after b after a.
project_graph three_steps() {
  using enum graph_edge_kind;
  project_graph made;
  must(made.add(context, {{"title", "t"}}));
  must(made.add(plan, {{"status", "draft"}}));
  must(made.connect({has_context, plan, context}));
  for (const auto* name : {"a", "b", "c"}) {
    must(made.add(step(name), {{"status", "pending"}}));
    must(made.connect({contains, plan, step(name)}));
  }
  must(made.connect({depends_on, step("b"), step("a")}));
  must(made.connect({depends_on, step("c"), step("b")}));
  return made;
}

std::string rule_of(const result<void>& done) {
  return done ? "" : done.error().rule;
}

std::vector<graph_edge> edges_of(const project_graph& graph) {
  const auto views = graph.edges();
  return {views.begin(), views.end()};
}

} // namespace

TEST_CASE("parts that are only counted count for the graph's bounds") {
  auto graph = three_steps();
  const auto nodes = graph.node_count();
  const auto edges = graph.edge_count();
  CHECK(nodes == graph.nodes().size());
  must(graph.count_parts(project_graph::nodes_max - nodes - 1));
  CHECK(graph.node_count() == project_graph::nodes_max - 1);
  CHECK(graph.edge_count() == project_graph::nodes_max - 1 - nodes + edges);
  CHECK(rule_of(graph.count_parts(2)) == "nodes_max");
  must(graph.add(step("last"), {}));
  CHECK(rule_of(graph.add(step("more"), {})) == "nodes_max");
  CHECK(rule_of(graph.count_parts(1)) == "nodes_max");
  CHECK_FALSE(graph == three_steps());
}

TEST_CASE("a node is added once, and with other members it is refused") {
  auto graph = three_steps();
  CHECK(graph.add(plan, {{"status", "draft"}}));
  const auto other = graph.add(plan, {{"status", "approved"}});
  REQUIRE_FALSE(other);
  CHECK(other.error().rule == "node_differs");
  CHECK_THAT(other.error().message,
             Contains("plan:p") && Contains("\"draft\" and \"approved\""));
  CHECK(rule_of(graph.add(plan, {})) == "node_differs");
  CHECK(rule_of(graph.add(plan, {{"status", "draft"}, {"title", "more"}}))
        == "node_differs");
  CHECK(graph == three_steps());
}

TEST_CASE("an edge ends at nodes that are there, and dependencies stay in a "
          "plan") {
  using enum graph_edge_kind;
  auto graph = three_steps();
  CHECK(rule_of(graph.connect({contains, plan, step("d")})) == "node_missing");
  CHECK(rule_of(graph.connect({contains, {kind::plan, "q"}, step("a")}))
        == "node_missing");
  CHECK(rule_of(graph.connect({depends_on, step("a"), step("a")}))
        == "self_loop");
  must(graph.add(step("a", "q"), {}));
  CHECK(rule_of(graph.connect({depends_on, step("a"), step("a", "q")}))
        == "foreign_step");
  CHECK(rule_of(graph.connect({depends_on, step("a"), plan}))
        == "foreign_step");
  CHECK(edges_of(graph) == edges_of(three_steps()));
}

TEST_CASE("steps that wait for each other are refused, one by one and all at "
          "once") {
  using enum graph_edge_kind;
  auto graph = three_steps();
  const auto closed = graph.connect({depends_on, step("a"), step("c")});
  CHECK(rule_of(closed) == "steps_acyclic");
  CHECK_THAT(closed.error().message, Contains("step:p/a waits"));
  CHECK(graph == three_steps());
  must(graph.add(step("d"), {}));
  const auto with_d = edges_of(graph);
  CHECK(rule_of(graph.connect_all(
          std::vector<graph_edge>{{contains, plan, step("d")},
                                  {depends_on, step("a"), step("d")},
                                  {depends_on, step("d"), step("c")}}))
        == "steps_acyclic");
  CHECK(edges_of(graph) == with_d);
  must(graph.connect({depends_on, step("a"), step("d")}));
  CHECK(rule_of(graph.connect({depends_on, step("d"), step("c")}))
        == "steps_acyclic");
  // What goes makes room for the other direction.
  graph.disconnect({depends_on, step("b"), step("a")});
  must(graph.connect({depends_on, step("d"), step("c")}));
  CHECK(rule_of(graph.connect({depends_on, step("b"), step("a")}))
        == "steps_acyclic");
}

TEST_CASE("dependencies of a copy do not mislead the other") {
  using enum graph_edge_kind;
  project_graph graph;
  for (const auto* name : {"v", "u", "w", "y", "1", "2", "3"})
    must(graph.add(step(name), {}));
  must(graph.connect({depends_on, step("w"), step("y")}));
  must(graph.connect({depends_on, step("u"), step("w")}));
  must(graph.connect({depends_on, step("v"), step("u")}));
  auto copy = graph;
  copy.disconnect({depends_on, step("v"), step("u")});
  must(copy.connect({depends_on, step("2"), step("3")}));
  must(copy.connect({depends_on, step("1"), step("2")}));
  must(copy.connect({depends_on, step("y"), step("1")}));
  CHECK(rule_of(graph.connect({depends_on, step("w"), step("v")}))
        == "steps_acyclic");
  CHECK(copy.connect({depends_on, step("w"), step("v")}));
}

TEST_CASE("random dependencies are refused where a search finds a cycle") {
  using enum graph_edge_kind;
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  convene::test::dice dice{seed};
  constexpr std::size_t steps = 12;
  const auto name = [](std::size_t i) { return step(std::to_string(i)); };
  for (int round = 0; round < 40; ++round) {
    project_graph graph;
    for (std::size_t i = 0; i < steps; ++i)
      must(graph.add(name(i), {}));
    std::set<std::pair<std::size_t, std::size_t>> expected;
    const auto reaches = [&](std::size_t from, std::size_t to) {
      std::vector<std::size_t> next{from};
      std::set<std::size_t> seen;
      while (!next.empty()) {
        const auto at = next.back();
        next.pop_back();
        if (at == to)
          return true;
        if (seen.insert(at).second)
          for (const auto& [a, b] : expected)
            if (a == at)
              next.push_back(b);
      }
      return false;
    };
    for (int i = 0; i < 120; ++i) {
      const std::size_t a = dice.below(steps);
      const std::size_t b = dice.below(steps);
      if (dice.chance(20)) {
        graph.disconnect({depends_on, name(a), name(b)});
        expected.erase({a, b});
        continue;
      }
      const bool fits = a != b && !reaches(b, a);
      REQUIRE(graph.connect({depends_on, name(a), name(b)}).has_value()
              == fits);
      if (fits)
        expected.insert({a, b});
    }
    CHECK(graph.edge_count() == expected.size());
  }
}

TEST_CASE("what others belong or refer to is not removed, and no edge outlives "
          "a node") {
  auto graph = three_steps();
  CHECK(rule_of(graph.remove(context)) == "node_in_use");
  CHECK(rule_of(graph.remove(plan)) == "node_in_use");
  CHECK(rule_of(graph.remove(step("d"))) == "node_missing");
  const auto waited_for = graph.remove(step("b"));
  CHECK(rule_of(waited_for) == "node_in_use");
  CHECK_THAT(waited_for.error().message, Contains("step:p/c refers"));
  CHECK(graph == three_steps());
  must(graph.remove(step("c")));
  must(graph.remove(step("b")));
  CHECK(graph.find(step("b")) == nullptr);
  CHECK(std::ranges::none_of(edges_of(graph), [](const graph_edge& edge) {
    return edge.from == step("b") || edge.to == step("b");
  }));
  CHECK(graph.sources(graph_edge_kind::depends_on, step("a")).empty());
  CHECK(graph.edge_count() == 2);
}

TEST_CASE("a node goes with all that belongs to it, if nothing else refers to "
          "that") {
  auto graph = three_steps();
  const graph_key confirm{kind::confirm, "f"};
  must(graph.add(confirm, {}));
  must(graph.connect({graph_edge_kind::confirms, confirm, plan}));
  const auto before = graph;
  CHECK(rule_of(graph.remove_all(context)) == "node_in_use");
  CHECK(graph == before);
  must(graph.remove(confirm));
  must(graph.remove_all(context));
  CHECK(graph == project_graph{});
}

TEST_CASE("a copy is a snapshot: changes of one do not show in the other") {
  auto graph = three_steps();
  const auto snapshot = graph;
  must(graph.update(step("a"), {{"status", "completed"}}));
  must(graph.remove(step("c")));
  CHECK(snapshot == three_steps());
  CHECK_FALSE(graph == snapshot);
  auto other = snapshot;
  must(other.put(plan, {{"title", "other"}}));
  CHECK(*other.find(plan) == json::object{{"title", "other"}});
  CHECK(snapshot == three_steps());
}

TEST_CASE("ids of parts differ whatever characters are in them") {
  CHECK(part_id("a/b", "c") != part_id("a", "b/c"));
  CHECK(part_id("a", "b/c") != part_id("a", "b~1c"));
  CHECK(part_id("a", "~") != part_id("a", "~0"));
}

TEST_CASE("a query takes nodes near one, and of some kinds") {
  const auto graph = three_steps();
  const auto near = select(graph, {.from = step("c"), .depth = 1});
  REQUIRE(near);
  CHECK(near->nodes().size() == 3); // c, b and the plan
  const auto far = select(graph, {.from = step("c"), .depth = 9});
  REQUIRE(far);
  CHECK(*far == graph);
  const auto alone = select(graph, {.from = step("c"), .depth = 0});
  REQUIRE(alone);
  CHECK(alone->nodes().size() == 1);
  const auto steps
    = select(graph, {.kinds = {kind::step}, .from = context, .depth = 2});
  REQUIRE(steps);
  CHECK(steps->nodes().size() == 3);
  CHECK(steps->edges().size() == 2);
  const auto nowhere = select(graph, {.from = step("d")});
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().rule == "node_missing");
}

TEST_CASE("a graph is read back from its document") {
  const auto graph = three_steps();
  const auto again = read_graph(*parse_json(pretty(to_json(graph))));
  REQUIRE(again);
  CHECK(*again == graph);
  CHECK(graph_hash(*again) == graph_hash(graph));
}

TEST_CASE("equal graphs have equal hashes, in whatever order they were made") {
  project_graph other;
  const auto graph = three_steps();
  std::vector<std::pair<graph_key, json::object>> nodes;
  for (const auto& [key, members] : graph.nodes())
    nodes.emplace_back(key, members);
  std::ranges::reverse(nodes);
  for (auto& [key, members] : nodes)
    must(other.add(key, members));
  CHECK(graph_hash(other) != graph_hash(graph));
  auto edges = edges_of(graph);
  std::ranges::reverse(edges);
  for (const auto& edge : edges)
    must(other.connect(edge));
  CHECK(graph_hash(other) == graph_hash(graph));

  project_graph one;
  project_graph two;
  must(one.add(plan, {{"a", 1}, {"b", {{"c", 1}, {"d", 2}}}}));
  must(two.add(plan, {{"b", {{"d", 2}, {"c", 1}}}, {"a", 1}}));
  CHECK(graph_hash(one) == graph_hash(two));
}

TEST_CASE("a document that is no graph is refused with the place") {
  const auto refusal = [](std::string_view from, std::string_view to) {
    auto text = pretty(to_json(three_steps()));
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
    const auto read = read_graph(*parse_json(text));
    REQUIRE_FALSE(read);
    return read.error();
  };
  CHECK(refusal(R"("format": 1)", R"("format": 2)").rule == "graph_format");
  CHECK(refusal(R"("kind": "plan")", R"("kind": "plum")").pointer
        == "/nodes/1/kind");
  CHECK(refusal(R"("kind": "DEPENDS_ON")", R"("kind": "AFTER")").pointer
        == "/edges/4/kind");
  CHECK(refusal(R"("from": "step:p/b")", R"("from": "p/b")").rule == "pattern");
  CHECK(refusal(R"("from": "step:p/b")", R"("from": "step:p/x")").rule
        == "node_missing");
  CHECK(refusal(R"("from": "step:p/b")", R"("from": "step:p/c")").rule
        == "graph_hash");
  CHECK(refusal(R"("status": "draft")", R"("status": "failed")").rule
        == "graph_hash");
  for (const auto* text : {"[]", "{}", "null", R"({"format": 1})",
                           R"({"format": 1, "nodes": {}, "edges": []})",
                           R"({"format": 1, "nodes": [1], "edges": []})"})
    CHECK_FALSE(read_graph(*parse_json(text)));
}

TEST_CASE("random changes keep both directions of every edge") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  convene::test::dice dice{seed};
  project_graph graph;
  std::set<graph_edge> expected;
  const auto key = [&dice] {
    return graph_key{static_cast<kind>(dice.below(words_of<kind>.size())),
                     std::to_string(dice.below(6))};
  };
  for (int i = 0; i < 3'000; ++i) {
    const graph_edge edge{static_cast<graph_edge_kind>(
                            dice.below(words_of<graph_edge_kind>.size())),
                          key(), key()};
    switch (dice.below(4)) {
      case 0:
        must(graph.add(edge.from, {}));
        break;
      case 1:
        if (graph.connect(edge))
          expected.insert(edge);
        break;
      case 2:
        graph.disconnect(edge);
        expected.erase(edge);
        break;
      default:
        if (graph.remove(edge.from))
          std::erase_if(expected, [&](const graph_edge& each) {
            return each.from == edge.from || each.to == edge.from;
          });
    }
  }
  CHECK(edges_of(graph)
        == std::vector<graph_edge>(expected.begin(), expected.end()));
  CHECK(graph.edge_count() == expected.size());
  for (const auto& edge : expected) {
    const auto from = graph.sources(edge.kind, edge.to);
    CHECK(std::ranges::find(from, edge.from) != from.end());
    const auto to = graph.targets(edge.kind, edge.from);
    CHECK(std::ranges::find(to, edge.to) != to.end());
  }
}
