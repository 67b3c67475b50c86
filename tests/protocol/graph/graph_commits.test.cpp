// What a commit of a graph store makes sure of, beside the rules of the graph.

#include <catch2/catch.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_store.hpp>
#include <convene/protocol/json/json_text.hpp>

using namespace convene::protocol;

namespace {

const graph_key plan_p{graph_node_kind::plan, "p"};
const graph_key step_a{graph_node_kind::step, "p/a"};

json::object plan_with(std::string_view objective) {
  return parse_json(R"({"plan_id": "p", "context_id": "c", "title": "t",
                        "objective": ")"
                    + std::string{objective} + R"(", "status": "draft",
    "steps": [{"step_id": "a", "description": "d", "status": "pending"}]})")
    ->as_object();
}

/// A Context and a Plan with their documents.
graph_store with_documents() {
  graph_store store;
  auto change = store.begin();
  REQUIRE(
    change.take(module::context, parse_json(R"({"context_id": "c", "root": {},
                                     "title": "t", "status": "active"})")
                                   ->as_object()));
  REQUIRE(change.take(module::plan, plan_with("first")));
  REQUIRE(store.commit(std::move(change), 1'000));
  return store;
}

} // namespace

TEST_CASE("a transaction is refused after another that changed only a "
          "document") {
  auto store = with_documents();
  auto first = store.begin();
  auto second = store.begin();
  REQUIRE(first.put(module::plan, plan_with("second")));
  const auto update = store.commit(std::move(first), 2'000);
  REQUIRE(update);
  CHECK_FALSE(*update); // no node has an objective
  REQUIRE(second.put(module::plan, plan_with("third")));
  const auto late = store.commit(std::move(second), 2'000);
  REQUIRE_FALSE(late);
  CHECK(late.error().rule == "graph_changed");
  const auto now = store.begin();
  CHECK(*now.document(module::plan, "p") == plan_with("second"));
}

TEST_CASE("what was put is not changed after it, other than by putting again") {
  auto store = with_documents();
  auto change = store.begin();
  REQUIRE(change.put(module::plan, plan_with("second")));
  REQUIRE(change.graph().update(step_a, {{"status", "completed"}}));
  SECTION("a step of it") {
    const auto refused = store.commit(std::move(change), 2'000);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "document_differs");
    CHECK(store.graph().find(step_a)->at("status") == "pending");
  }
  SECTION("a step of it, before something else is put") {
    REQUIRE(
      change.put(module::context, parse_json(R"({"context_id": "c", "root": {},
                                      "title": "u", "status": "active"})")
                                    ->as_object()));
    const auto refused = store.commit(std::move(change), 2'000);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "document_differs");
  }
  SECTION("it is put again") {
    REQUIRE(change.put(module::plan, plan_with("third")));
    REQUIRE(store.commit(std::move(change), 2'000));
    CHECK(store.graph().find(step_a)->at("status") == "pending");
  }
  SECTION("it is removed") {
    REQUIRE(change.graph().remove_all(plan_p));
    REQUIRE(store.commit(std::move(change), 2'000));
    CHECK(store.begin().document(module::plan, "p") == nullptr);
  }
}

TEST_CASE("all subscribers get the updates in order, even what one of them "
          "commits") {
  graph_store store;
  std::vector<std::uint64_t> seen[3];
  const auto commit = [&](const std::string& id) {
    auto change = store.begin();
    REQUIRE(change.graph().add({graph_node_kind::context, id}, {}));
    REQUIRE(store.commit(std::move(change), 1'000));
  };
  store.subscribe([&](const graph_update& update) {
    seen[0].push_back(update.update_id);
    if (update.update_id > 2)
      return;
    commit("made by the first " + std::to_string(update.update_id));
    if (update.update_id == 1) // it gets what comes after update 2
      store.subscribe(
        [&](const graph_update& one) { seen[2].push_back(one.update_id); });
  });
  store.subscribe(
    [&](const graph_update& update) { seen[1].push_back(update.update_id); });
  commit("one");
  CHECK(seen[0] == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(seen[1] == seen[0]);
  CHECK(seen[2] == std::vector<std::uint64_t>{3});
  CHECK(store.sync().last_update_id == 3);
}

TEST_CASE("a member without a name counts, too, and an edge is added once") {
  project_graph graph;
  const graph_key context{graph_node_kind::context, "c"};
  REQUIRE(graph.add(context, {{"", 1}}));
  const auto other = graph.add(context, {{"", 2}});
  REQUIRE_FALSE(other);
  CHECK(other.error().rule == "node_differs");
  REQUIRE(graph.add(plan_p, {}));
  const graph_difference one{.kind = update_kind::edge_add,
                             .edge = {graph_edge_kind::has_context, plan_p,
                                      context}};
  const auto twice = apply_changes(graph, std::vector{one, one});
  REQUIRE_FALSE(twice);
  CHECK(twice.error().rule == "edge_differs");
}

TEST_CASE("a Role is found by its name, whatever became of others") {
  project_graph graph;
  const auto role = [](const char* id) {
    return graph_key{graph_node_kind::role, id};
  };
  CHECK(graph.role_named("x") == nullptr);
  REQUIRE(graph.add(role("2"), {{"name", "x"}}));
  REQUIRE(graph.add(role("1"), {{"name", "x"}}));
  const auto snapshot = graph;
  CHECK(*graph.role_named("x") == role("1"));
  REQUIRE(graph.update(role("1"), {{"name", "y"}}));
  CHECK(*graph.role_named("x") == role("2"));
  CHECK(*graph.role_named("y") == role("1"));
  REQUIRE(graph.put(role("1"), {{"name", "z"}}));
  CHECK(graph.role_named("y") == nullptr);
  REQUIRE(graph.remove(role("2")));
  CHECK(graph.role_named("x") == nullptr);
  CHECK(*graph.role_named("z") == role("1"));
  CHECK(*snapshot.role_named("x") == role("1"));
  CHECK(graph.role_named("") == nullptr);
}
