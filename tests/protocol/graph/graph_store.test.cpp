#include <catch2/catch.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_store.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <support/dice.hpp>

#include <random>
#include <thread>

using namespace convene::protocol;
using kind = graph_node_kind;
using Catch::Contains;
using enum graph_edge_kind;

namespace {

const graph_key some_context{kind::context, "c"};
const graph_key some_plan{kind::plan, "p"};

graph_key step_of_plan(const std::string& name) {
  return {kind::step, part_id("p", name)};
}

void sure(const result<void>& done) {
  INFO((done ? "" : to_string(done.error())));
  REQUIRE(done);
}

void add_step(project_graph& to, const std::string& name,
              std::string_view status = "pending") {
  sure(to.add(step_of_plan(name), {{"status", status}}));
  sure(to.connect({contains, some_plan, step_of_plan(name)}));
}

/// A Context and a Plan in progress, committed as update 1.
graph_store with_plan() {
  graph_store store;
  auto change = store.begin();
  sure(change.graph().add(some_context, {{"status", "active"}}));
  sure(change.graph().add(some_plan, {{"status", "in_progress"}}));
  sure(change.graph().connect({has_context, some_plan, some_context}));
  add_step(change.graph(), "a");
  REQUIRE(store.commit(std::move(change), 1'000).value());
  return store;
}

/// The rule by which a change is refused, which changes nothing.
template <class Change>
std::string refused_by(graph_store& store, Change&& change) {
  std::size_t updates = 0;
  const auto number = store.subscribe([&](const auto&) { ++updates; });
  const auto hash = graph_hash(store.graph());
  const auto sync = store.sync();
  auto transaction = store.begin();
  change(transaction.graph());
  const auto done = store.commit(std::move(transaction), 2'000);
  store.unsubscribe(number);
  REQUIRE_FALSE(done);
  CHECK(updates == 0);
  CHECK(graph_hash(store.graph()) == hash);
  CHECK(store.sync() == sync);
  return done.error().rule;
}

json::object from_text(std::string_view text) {
  return parse_json(text)->as_object();
}

} // namespace

TEST_CASE("changes that are committed together are one update with the sums of "
          "what they did") {
  auto store = with_plan();
  std::vector<graph_update> seen;
  store.subscribe([&](const auto& update) { seen.push_back(update); });
  auto change = store.begin();
  add_step(change.graph(), "b");
  add_step(change.graph(), "c");
  sure(
    change.graph().connect({depends_on, step_of_plan("c"), step_of_plan("b")}));
  sure(change.graph().update(step_of_plan("a"), {{"status", "in_progress"}}));
  CHECK(seen.empty());
  CHECK(store.graph().find(step_of_plan("b")) == nullptr);
  const auto done = store.commit(std::move(change), 2'000);
  REQUIRE(done);
  REQUIRE(*done);
  CHECK((*done)->kind == update_kind::bulk);
  CHECK((*done)->node_delta == 2);
  CHECK((*done)->edge_delta == 3);
  CHECK((*done)->changes.size() == 6);
  CHECK(seen == std::vector{**done});
  CHECK(store.sync()
        == sync_metadata{.last_update_id = 2,
                         .last_update_at = 2'000,
                         .node_count = 5,
                         .edge_count = 5});
}

TEST_CASE("one change is an update of its own kind, and none is no update") {
  auto store = with_plan();
  auto none = store.begin();
  sure(none.graph().update(some_plan, {{"status", "in_progress"}}));
  const auto unchanged = store.commit(std::move(none), 2'000);
  REQUIRE(unchanged);
  CHECK_FALSE(*unchanged);
  CHECK(store.sync().last_update_id == 1);
  auto one = store.begin();
  sure(one.graph().update(some_plan, {{"status", "completed"}}));
  const auto changed = store.commit(std::move(one), 2'000);
  REQUIRE(changed);
  CHECK((*changed)->kind == update_kind::node_update);
  CHECK((*changed)->node_delta == 0);
}

TEST_CASE("of five changes of which the last is refused, none is made") {
  auto store = with_plan();
  CHECK(refused_by(store,
                   [](project_graph& graph) {
                     for (const auto* name : {"b", "c", "d", "e"})
                       add_step(graph, name);
                     sure(graph.put(some_plan, {{"status", "draft"}}));
                   })
        == "status_move");
  const auto hash = graph_hash(store.graph());
  {
    auto dropped = store.begin();
    add_step(dropped.graph(), "b");
  }
  CHECK(graph_hash(store.graph()) == hash);
}

TEST_CASE("a status moves along its lifecycle, and what is final stays") {
  auto store = with_plan();
  const auto set = [](const graph_key& key, const char* member,
                      const char* value) {
    return [=](project_graph& graph) {
      sure(graph.update(key, {{member, value}}));
    };
  };
  CHECK(refused_by(store, set(step_of_plan("a"), "status", "completed"))
        == "status_move");
  CHECK(refused_by(store, set(step_of_plan("a"), "status", "done"))
        == "status_known");
  for (const auto* status : {"in_progress", "completed"}) {
    auto change = store.begin();
    set(step_of_plan("a"), "status", status)(change.graph());
    REQUIRE(store.commit(std::move(change), 2'000));
  }
  CHECK(refused_by(store, set(step_of_plan("a"), "status", "pending"))
        == "frozen");
  CHECK(refused_by(store, set(step_of_plan("a"), "description", "other"))
        == "frozen");
}

TEST_CASE("parents come before their children and go after them") {
  auto store = with_plan();
  CHECK(refused_by(store,
                   [](project_graph& graph) {
                     sure(graph.add(step_of_plan("lost"), {}));
                   })
        == "parent_missing");
  CHECK(refused_by(store,
                   [](project_graph& graph) {
                     sure(graph.add({kind::plan, "q"}, {}));
                   })
        == "parent_missing");
  CHECK(refused_by(store,
                   [](project_graph& graph) {
                     graph.disconnect({contains, some_plan, step_of_plan("a")});
                   })
        == "parent_missing");
  auto change = store.begin();
  CHECK_FALSE(change.graph().remove(some_plan));
  sure(change.graph().remove_all(some_plan));
  const auto done = store.commit(std::move(change), 2'000);
  REQUIRE(done);
  CHECK((*done)->kind == update_kind::bulk);
  CHECK((*done)->node_delta == -2);
  CHECK((*done)->edge_delta == -2);
}

TEST_CASE("nothing is removed from a Trace") {
  auto store = with_plan();
  const graph_key trace{kind::trace, "t"};
  const graph_key segment{kind::segment, "t/s"};
  auto change = store.begin();
  sure(change.graph().add(trace, {{"status", "running"}}));
  sure(change.graph().connect({has_context, trace, some_context}));
  sure(change.graph().add(segment, {{"status", "running"}}));
  sure(change.graph().connect({contains, trace, segment}));
  REQUIRE(store.commit(std::move(change), 2'000));
  CHECK(refused_by(store,
                   [&](project_graph& graph) { sure(graph.remove(segment)); })
        == "trace_append_only");
  CHECK(refused_by(store,
                   [](project_graph& graph) {
                     sure(graph.remove_all(some_context));
                   })
        == "trace_append_only");
}

TEST_CASE(
  "what is locked stays as it is, with its parts and, of a Context, its "
  "plans") {
  const json::object lock{{"governance", {{"locked", true}}}};
  for (const auto& locked : {some_plan, some_context}) {
    auto store = with_plan();
    auto change = store.begin();
    sure(change.graph().update(locked, lock));
    REQUIRE(store.commit(std::move(change), 2'000));
    CHECK(refused_by(store,
                     [](project_graph& graph) {
                       sure(graph.update(some_plan, {{"title", "other"}}));
                     })
          == "locked");
    CHECK(
      refused_by(
        store,
        [](project_graph& graph) {
          sure(graph.update(step_of_plan("a"), {{"status", "in_progress"}}));
        })
      == "locked");
    CHECK(refused_by(store, [](project_graph& graph) { add_step(graph, "b"); })
          == "locked");
  }
}

TEST_CASE("of two transactions at once the second is refused, never merged") {
  auto store = with_plan();
  auto first = store.begin();
  auto second = store.begin();
  add_step(first.graph(), "b");
  add_step(second.graph(), "c");
  REQUIRE(store.commit(std::move(first), 2'000));
  const auto late = store.commit(std::move(second), 2'000);
  REQUIRE_FALSE(late);
  CHECK(late.error().rule == "graph_changed");
  CHECK(store.graph().find(step_of_plan("c")) == nullptr);
}

TEST_CASE(
  "a document is put as its lifecycle allows, and its nodes change with "
  "it") {
  graph_store store;
  auto change = store.begin();
  sure(change.take(module::context, from_text(R"({"context_id": "c",
    "root": {}, "title": "t", "status": "active"})")));
  auto plan = from_text(R"({"plan_id": "p", "context_id": "c", "title": "t",
    "objective": "o", "status": "draft", "steps": [
      {"step_id": "a", "description": "first", "status": "pending"},
      {"step_id": "b", "description": "second", "status": "pending",
       "dependencies": ["a"]}]})");
  const auto created = change.put(module::plan, plan);
  INFO((created ? "" : to_string(created.error())));
  REQUIRE(created);
  CHECK(created->front().type == "plan_created");
  REQUIRE(store.commit(std::move(change), 1'000));

  auto second = store.begin();
  auto jumped = plan;
  jumped["status"] = "completed";
  const auto refused = second.put(module::plan, jumped);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "status_move");
  plan["steps"].as_array().erase(plan["steps"].as_array().begin());
  plan["steps"].at(0).as_object().erase("dependencies");
  plan["steps"].at(0).as_object()["description"] = "only";
  const auto changed = second.put(module::plan, plan);
  INFO((changed ? "" : to_string(changed.error())));
  REQUIRE(changed);
  CHECK(*second.document(module::plan, "p") == plan);
  const auto update = store.commit(std::move(second), 2'000);
  INFO((update ? "" : to_string(update.error())));
  REQUIRE(update);
  CHECK((*update)->node_delta == -1);
  CHECK((*update)->edge_delta == -2);
  CHECK(store.graph().find(step_of_plan("a")) == nullptr);
  CHECK(store.graph().find(step_of_plan("b"))->at("description") == "only");

  CHECK(refused_by(store,
                   [](project_graph& graph) {
                     sure(graph.update(some_plan, {{"title", "other"}}));
                   })
        == "document_differs");
}

TEST_CASE("an object goes with its document, unless that is locked") {
  for (const bool locked : {false, true}) {
    graph_store store;
    auto change = store.begin();
    const json::object context{{"context_id", "c"},
                               {"title", "t"},
                               {"status", "active"},
                               {"governance", {{"locked", locked}}}};
    sure(change.take(module::context, context));
    REQUIRE(store.commit(std::move(change), 1'000));
    const auto remove = [](project_graph& graph) {
      sure(graph.remove_all(some_context));
    };
    if (locked) {
      CHECK(refused_by(store, remove) == "locked");
      CHECK(store.begin().document(module::context, "c") != nullptr);
      continue;
    }
    auto second = store.begin();
    remove(second.graph());
    REQUIRE(store.commit(std::move(second), 2'000));
    CHECK(store.begin().document(module::context, "c") == nullptr);
  }
}

TEST_CASE("a Plan is approved as the latest Confirm about it says") {
  for (const bool approved_last : {false, true}) {
    graph_store store;
    auto change = store.begin();
    sure(change.take(module::context, from_text(R"({"context_id": "c",
      "title": "t", "status": "active"})")));
    auto plan = from_text(R"({"plan_id": "p", "context_id": "c", "title": "t",
      "objective": "o", "status": "proposed", "steps": [
        {"step_id": "a", "description": "first", "status": "pending"}]})");
    sure(change.take(module::plan, plan));
    const auto confirm = [&](const char* id, bool approved, const char* when) {
      sure(change.take(module::confirm,
                       {{"confirm_id", id},
                        {"target_type", "plan"},
                        {"target_id", "p"},
                        {"status", approved ? "approved" : "rejected"},
                        {"requested_at", when}}));
    };
    confirm("b", !approved_last, "2026-03-02T09:00:00Z");
    confirm("a", approved_last, "2026-03-02T10:00:00Z");
    plan["status"] = "approved";
    const auto done = change.put(module::plan, plan);
    CHECK(done.has_value() == approved_last);
    if (!done)
      CHECK(done.error().rule == "confirm_approved");
  }
}

TEST_CASE("documents name Roles by their ids or names") {
  graph_store store{lifecycle_policy{.roles_resolve = true}};
  auto change = store.begin();
  sure(change.take(module::context, from_text(R"({"context_id": "c",
    "title": "t", "status": "active"})")));
  sure(change.take(module::role,
                   from_text(R"({"role_id": "r", "name": "coder"})")));
  const auto plan_for = [](const char* role) {
    return json::object{{"plan_id", role},
                        {"context_id", "c"},
                        {"title", "t"},
                        {"objective", "o"},
                        {"status", "draft"},
                        {"steps", json::array{{{"step_id", "a"},
                                               {"description", "first"},
                                               {"status", "pending"},
                                               {"agent_role", role}}}}};
  };
  CHECK(change.put(module::plan, plan_for("r")));
  CHECK(change.put(module::plan, plan_for("coder")));
  const auto unknown = change.put(module::plan, plan_for("tester"));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().rule == "reference_missing");
}

TEST_CASE("a locked document changes by a Confirm about it alone") {
  graph_store store;
  auto change = store.begin();
  auto context = from_text(R"({"context_id": "c", "root": {}, "title": "t",
    "status": "active", "governance": {"locked": true}})");
  sure(change.take(module::context, context));
  context["title"] = "other";
  const auto refused = change.put(module::context, context);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "locked");
  CHECK(change.graph().find(some_context)->at("title") == "t");
  sure(change.take(module::confirm, from_text(R"({"confirm_id": "f",
    "target_type": "context", "target_id": "c", "status": "approved"})")));
  context["governance"].as_object()["lastConfirmRef"] = {{"id", "f"},
                                                         {"module", "confirm"}};
  const auto allowed = change.put(module::context, context);
  INFO((allowed ? "" : to_string(allowed.error())));
  REQUIRE(allowed);
  CHECK(change.graph().find(some_context)->at("title") == "other");
}

TEST_CASE("a replica that gets all updates in order has the same graph") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  convene::test::dice dice{seed};
  graph_store store;
  graph_store replica;
  store.subscribe([&](const graph_update& update) {
    const auto read = read_update(*parse_json(pretty(to_json(update))));
    REQUIRE(read);
    CHECK(*read == update);
    sure(replica.apply(*read));
  });
  std::int64_t nodes = 0;
  std::int64_t edges = 0;
  store.subscribe([&](const graph_update& update) {
    nodes += update.node_delta;
    edges += update.edge_delta;
  });
  auto first = store.begin();
  sure(first.graph().add(some_context, {}));
  REQUIRE(store.commit(std::move(first), 0));
  for (timestamp_ms at = 1; at < 300; ++at) {
    auto change = store.begin();
    for (auto left = dice.below(12); left > 0; --left) {
      const graph_key plan{kind::plan, std::to_string(dice.below(4))};
      const auto step = [&] {
        return graph_key{kind::step,
                         part_id(plan.id, std::to_string(dice.below(8)))};
      };
      auto& graph = change.graph();
      static_cast<void>(graph.put(plan, {{"n", dice.below(9)}}));
      sure(graph.connect({has_context, plan, some_context}));
      switch (dice.below(4)) {
        case 0:
        case 1: {
          const auto made = step();
          sure(graph.put(made, {{"n", dice.below(9)}}));
          sure(graph.connect({contains, plan, made}));
          break;
        }
        case 2:
          static_cast<void>(graph.connect({depends_on, step(), step()}));
          break;
        default:
          static_cast<void>(dice.chance(80) ? graph.remove(step())
                                            : graph.remove_all(plan));
      }
    }
    if (dice.chance(20))
      continue; // let go
    const auto done = store.commit(std::move(change), at);
    INFO((done ? "" : to_string(done.error())));
    REQUIRE(done);
    REQUIRE(replica.sync() == store.sync());
  }
  CHECK(graph_hash(replica.graph()) == graph_hash(store.graph()));
  CHECK(nodes == static_cast<std::int64_t>(store.graph().nodes().size()));
  CHECK(edges == static_cast<std::int64_t>(store.graph().edge_count()));
  const auto again = read_graph(*parse_json(pretty(to_json(store.graph()))));
  REQUIRE(again);
  CHECK(*again == store.graph());
  // Without what they share, the comparison is the same.
  CHECK(compare(*again, store.graph()).empty());
  CHECK(compare(project_graph{}, *again)
        == compare(project_graph{}, store.graph()));
}

TEST_CASE("a replica notices what it did not get, and what it got before") {
  auto store = with_plan();
  graph_store replica{store.graph(), 1};
  CHECK(
    replica.sync()
    == sync_metadata{.last_update_id = 1, .node_count = 3, .edge_count = 2});
  std::vector<graph_update> sent;
  store.subscribe([&](const auto& update) { sent.push_back(update); });
  for (const auto* name : {"b", "c", "d"}) {
    auto change = store.begin();
    add_step(change.graph(), name);
    REQUIRE(store.commit(std::move(change), 2'000));
  }
  sure(replica.apply(sent[0]));
  const auto gap = replica.apply(sent[2]);
  REQUIRE_FALSE(gap);
  CHECK(gap.error().rule == "update_gap");
  CHECK_THAT(gap.error().message, Contains("update 4 came, and 3 is missing"));
  const auto repeated = replica.apply(sent[0]);
  REQUIRE_FALSE(repeated);
  CHECK(repeated.error().rule == "update_repeated");
  auto forged = sent[1];
  forged.node_delta = 5;
  const auto wrong = replica.apply(forged);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().rule == "graph_deltas");
  sure(replica.apply(sent[1]));
  sure(replica.apply(sent[2]));
  CHECK(graph_hash(replica.graph()) == graph_hash(store.graph()));
  CHECK(replica.sync() == store.sync());
}

TEST_CASE("an update that does not fit the graph changes nothing") {
  using update = update_kind;
  const auto store = with_plan();
  const auto refused = [&](graph_difference last) {
    auto graph = store.graph();
    const auto done = apply_changes(
      graph, std::vector<graph_difference>{{.kind = update::node_update,
                                            .node = some_plan,
                                            .members = {{"title", "changed"}}},
                                           std::move(last)});
    REQUIRE_FALSE(done);
    CHECK(graph == store.graph());
    return done.error().rule;
  };
  CHECK(refused({.kind = update::node_add, .node = some_plan})
        == "node_differs");
  CHECK(refused({.kind = update::node_update, .node = step_of_plan("x")})
        == "node_missing");
  CHECK(refused({.kind = update::node_delete, .node = some_context})
        == "node_in_use");
  CHECK(refused({.kind = update::edge_add,
                 .edge = {has_context, some_plan, some_context}})
        == "edge_differs");
  CHECK(refused({.kind = update::edge_delete,
                 .edge = {traces, some_plan, some_context}})
        == "edge_missing");
  CHECK(refused({.kind = update::bulk}) == "enum");
}

TEST_CASE("an update that is none is refused with the place") {
  auto store = with_plan();
  auto change = store.begin();
  add_step(change.graph(), "b");
  const auto update = store.commit(std::move(change), 2'000);
  const auto refusal = [&](std::string_view from, std::string_view to) {
    auto text = pretty(to_json(**update));
    const auto at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
    const auto read = read_update(*parse_json(text));
    REQUIRE_FALSE(read);
    return read.error();
  };
  CHECK(refusal(R"("update_id": 2)", R"("update_id": 0)").pointer
        == "/update_id");
  CHECK(refusal("1970-", "197-").pointer == "/at");
  CHECK(refusal(R"("kind": "node_add")", R"("kind": "bulk")").pointer
        == "/changes/0/kind");
  CHECK(refusal(R"("node": "step:)", R"("node": "ste:)").pointer
        == "/changes/0/node");
  CHECK(refusal(R"("from": "plan:p")", R"("from": "p")").pointer
        == "/changes/1/edge/from");
  CHECK(refusal(R"("node_delta": 1)", R"("node_delta": 2)").rule
        == "graph_deltas");
  CHECK(refusal(R"("edge_delta": 1)", R"("edge_delta": 2)").rule
        == "graph_deltas");
  CHECK(refusal(R"("update_kind": "bulk")", R"("update_kind": "node_add")").rule
        == "graph_deltas");
  for (const auto* text : {"[]", "{}", "null", R"({"update_id": 1})"})
    CHECK_FALSE(read_update(*parse_json(text)));
}

TEST_CASE("readers in other threads never see half of a transaction") {
  auto store = with_plan();
  constexpr std::size_t rounds = 20;
  std::vector<std::thread> readers;
  std::vector<std::size_t> left(rounds);
  std::vector<std::size_t> right(rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto name = std::to_string(round);
    auto change = store.begin();
    add_step(change.graph(), name + "-left");
    add_step(change.graph(), name + "-right");
    readers.emplace_back([snapshot = store.graph(), round, &left, &right] {
      for (const auto& [key, members] : snapshot.nodes()) {
        left[round] += key.id.ends_with("-left") ? 1U : 0U;
        right[round] += key.id.ends_with("-right") ? 1U : 0U;
      }
    });
    REQUIRE(store.commit(std::move(change), 2'000));
  }
  for (auto& each : readers)
    each.join();
  for (std::size_t round = 0; round < rounds; ++round) {
    CHECK(left[round] == round);
    CHECK(right[round] == round);
  }
  CHECK(store.graph().nodes().size() == 43);
}
