#include <catch2/catch.hpp>
#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/json/json_text.hpp>

using namespace convene::protocol;
using kind = graph_node_kind;

namespace {

json::object document(std::string_view text) {
  return parse_json(text)->as_object();
}

void add_to(project_graph& graph, module which, std::string_view text) {
  const auto done = add_document(graph, which, document(text));
  INFO((done ? "" : to_string(done.error())));
  REQUIRE(done);
}

error refusal(project_graph graph, module which, std::string_view text) {
  const auto done = add_document(graph, which, document(text));
  REQUIRE_FALSE(done);
  return done.error();
}

project_graph with_context() {
  project_graph made;
  add_to(made, module::context,
         R"({"context_id": "c", "title": "t", "status": "active"})");
  return made;
}

constexpr std::string_view plan_text = R"({
  "plan_id": "p", "context_id": "c", "title": "t", "status": "draft",
  "steps": [
    {"step_id": "b", "description": "second", "status": "pending",
     "dependencies": ["a"], "agent_role": "coder"},
    {"step_id": "a", "description": "first", "status": "pending"}]})";

} // namespace

TEST_CASE("a plan and its steps hang together, whatever their order") {
  auto graph = with_context();
  add_to(graph, module::plan, plan_text);
  const graph_key plan{kind::plan, "p"};
  const graph_key a{kind::step, "p/a"};
  const graph_key b{kind::step, "p/b"};
  using enum graph_edge_kind;
  const auto edges = graph.edges();
  CHECK(std::set<graph_edge>{edges.begin(), edges.end()}
        == std::set<graph_edge>{{has_context, plan, {kind::context, "c"}},
                                {contains, plan, a},
                                {contains, plan, b},
                                {depends_on, b, a}});
  CHECK(graph.find(b)->at("agent_role") == "coder");
  CHECK(graph.find(b)->at("description") == "second");
  CHECK(graph.find(b)->at("status") == "pending");
}

TEST_CASE("what a document refers to has to be in the graph") {
  const project_graph none;
  CHECK(refusal(none, module::plan, plan_text).pointer == "/context_id");
  auto graph = with_context();
  const auto step = refusal(graph, module::plan, R"({
    "plan_id": "p", "context_id": "c", "steps": [
      {"step_id": "a", "dependencies": ["b"]}]})");
  CHECK(step.rule == "node_missing");
  CHECK(step.pointer == "/steps/0/dependencies");
  CHECK(refusal(graph, module::trace,
                R"({"trace_id": "t", "context_id": "c", "plan_id": "p"})")
          .pointer
        == "/plan_id");
  CHECK(refusal(graph, module::confirm, R"({
    "confirm_id": "f", "target_type": "plan", "target_id": "p"})")
          .pointer
        == "/target_id");
  CHECK(refusal(graph, module::collab, R"({"context_id": "c"})").rule
        == "required");
}

TEST_CASE("steps of a document that wait for each other are refused") {
  CHECK(refusal(with_context(), module::plan, R"({
    "plan_id": "p", "context_id": "c", "steps": [
      {"step_id": "a", "dependencies": ["b"]},
      {"step_id": "b", "dependencies": ["a"]}]})")
          .rule
        == "steps_acyclic");
}

TEST_CASE("where Roles are given, every role that is named is one of them") {
  auto graph = with_context();
  add_to(graph, module::role, R"({"role_id": "r1", "name": "coder"})");
  add_to(graph, module::plan, plan_text);
  const graph_key role{kind::role, "r1"};
  CHECK(graph.sources(graph_edge_kind::assigned_to, role)
        == std::vector<graph_key>{{kind::step, "p/b"}});
  const auto other = refusal(graph, module::collab, R"({
    "collab_id": "k", "context_id": "c", "participants": [
      {"participant_id": "x", "role_id": "r1"},
      {"participant_id": "y", "role_id": "codr"}]})");
  CHECK(other.rule == "node_missing");
  CHECK(other.pointer == "/participants/1/role_id");
  CHECK(other.value == "codr");
  CHECK(other.message.ends_with("(did you mean \"coder\"?)"));
}

TEST_CASE("a Confirm leads to what it is about, and its decisions to Roles") {
  auto graph = with_context();
  add_to(graph, module::role, R"({"role_id": "r1", "name": "lead"})");
  add_to(graph, module::plan, R"({"plan_id": "p", "context_id": "c",
    "steps": [{"step_id": "a"}]})");
  add_to(graph, module::confirm, R"({
    "confirm_id": "f", "target_type": "plan", "target_id": "p",
    "status": "approved", "decisions": [
      {"decision_id": "d", "status": "approved", "decided_by_role": "lead"}]})");
  using enum graph_edge_kind;
  CHECK(graph.targets(confirms, {kind::confirm, "f"})
        == std::vector<graph_key>{{kind::plan, "p"}});
  CHECK(graph.targets(decided_by, {kind::decision, "f/d"})
        == std::vector<graph_key>{{kind::role, "r1"}});
}

TEST_CASE("a segment is contained in the segment above it") {
  auto graph = with_context();
  add_to(graph, module::trace, R"({
    "trace_id": "t", "context_id": "c", "status": "running", "segments": [
      {"segment_id": "1", "label": "turn"},
      {"segment_id": "2", "label": "tool", "parent_segment_id": "1"}]})");
  using enum graph_edge_kind;
  CHECK(graph.sources(contains, {kind::segment, "t/2"})
        == std::vector<graph_key>{{kind::segment, "t/1"}});
  CHECK(graph.sources(contains, {kind::segment, "t/1"})
        == std::vector<graph_key>{{kind::trace, "t"}});
}

TEST_CASE("members of a wrong type are no members") {
  auto graph = with_context();
  add_to(graph, module::collab, R"({
    "collab_id": "k", "context_id": "c", "mode": 7, "participants": [
      3, {"participant_id": "x", "role_id": ["r"]}]})");
  CHECK(graph.find({kind::participant, "k/x"}) != nullptr);
  CHECK(refusal(graph, module::network,
                R"({"network_id": "n", "context_id": "c",
                    "nodes": [{"node_id": 4}]})")
          .pointer
        == "/nodes/0");
}

TEST_CASE("a document that is put again replaces what it said, and nothing "
          "else") {
  auto graph = with_context();
  const auto put = [&](module which, std::string_view text) {
    const auto done = put_document(graph, which, document(text));
    INFO((done ? "" : to_string(done.error())));
    REQUIRE(done);
  };
  using enum graph_edge_kind;
  const graph_key collab{kind::collab, "k"};
  put(module::collab, R"({"collab_id": "k", "context_id": "c", "title": "t",
    "participants": [{"participant_id": "a"}, {"participant_id": "b"}]})");
  REQUIRE(add_workspace(graph, "k",
                        parse_json(R"([{"resource_type": "file",
    "resource_id": "f", "version": 1}])")
                          ->as_array()));
  put(module::collab, R"({"collab_id": "k", "context_id": "c", "title": "u",
    "participants": [{"participant_id": "b"}]})");
  CHECK(graph.find(collab)->at("title") == "u");
  CHECK(graph.targets(contains, collab)
        == std::vector<graph_key>{{kind::participant, "k/b"},
                                  {kind::resource, "k/file/f"}});

  const graph_key trace{kind::trace, "t"};
  const graph_key above{kind::segment, "t/1"};
  const graph_key below{kind::segment, "t/2"};
  put(module::trace, R"({"trace_id": "t", "context_id": "c", "segments": [
    {"segment_id": "1"}, {"segment_id": "2", "parent_segment_id": "1"}]})");
  CHECK(graph.targets(contains, above) == std::vector{below});
  put(module::trace, R"({"trace_id": "t", "context_id": "c", "segments": [
    {"segment_id": "1"}]})");
  CHECK(graph.find(below) == nullptr);
  put(module::trace, R"({"trace_id": "t", "context_id": "c", "segments": [
    {"segment_id": "1"}, {"segment_id": "2", "parent_segment_id": "1"}]})");
  put(module::trace, R"({"trace_id": "t", "context_id": "c", "segments": [
    {"segment_id": "1"}, {"segment_id": "2"}]})");
  CHECK(graph.targets(contains, above).empty());
  CHECK(graph.targets(contains, trace) == std::vector{above, below});
}
