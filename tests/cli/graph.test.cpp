#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <algorithm>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

json::object graph_of(const std::string& path) {
  const auto done = run({"graph", path, "--json"});
  INFO(done.err);
  INFO(done.out.substr(0, 2'000));
  REQUIRE(done.code == 0);
  return parse_json(done.out)->as_object();
}

std::string run_example(const scratch_folder& at, const fs::path& example) {
  auto out = (at / "out").string();
  REQUIRE(run({"run", example.string(), "--out", out, "--seed", "3"}).code
          <= 1);
  return out;
}

bool has(const json::array& all, const json::value& one) {
  return std::ranges::find(all, one) != all.end();
}

std::size_t count_of(const json::object& graph, const char* list,
                     std::string_view kind) {
  return static_cast<std::size_t>(
    std::ranges::count_if(graph.at(list).as_array(), [&](const auto& each) {
      return each.at("kind").as_string() == kind;
    }));
}

bool is_in_logs_alone(std::string_view kind) {
  return kind == "role" || kind == "ASSIGNED_TO" || kind == "HANDOFF"
         || kind == "PRODUCES" || kind == "CLAIMS";
}

/// Replaces a text in a file.
void forge(const std::string& file, std::string_view from,
           std::string_view to) {
  auto bytes = read_bytes(file);
  const auto at = bytes.find(from);
  REQUIRE(at != bytes.npos);
  write_bytes(file, bytes.replace(at, from.size(), to));
}

} // namespace

TEST_CASE("the log of any example and the documents it left give one graph") {
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator{examples_folder}) {
    const auto scenario = entry.path() / "scenario.json";
    if (!fs::exists(scenario))
      continue;
    INFO(scenario);
    const scratch_folder at;
    const auto out = run_example(at, scenario);
    const auto whole = graph_of(out);
    const auto log = graph_of(out + "/events.jsonl");
    for (const auto* list : {"nodes", "edges"})
      for (const auto& each : log.at(list).as_array())
        CHECK(has(whole.at(list).as_array(), each));
    // Roles and what happened on the way are in the log alone.
    fs::remove(out + "/events.jsonl");
    const auto documents = graph_of(out);
    for (const auto* list : {"nodes", "edges"})
      for (const auto& each : whole.at(list).as_array())
        CHECK(has(documents.at(list).as_array(), each)
              != is_in_logs_alone(each.at("kind").as_string()));
    ++runs;
  }
  CHECK(runs >= 5);
}

TEST_CASE(
  "a document that its run's log did not make is no part of the graph") {
  const scratch_folder at;
  const auto out = run_example(at,
                               examples_folder + "code-review/scenario.json");
  forge(out + "/plan.json", R"("status": "completed")",
        R"("status": "approved")");
  const auto done = run_verbosely({"graph", out});
  CHECK(done.code == 1);
  CHECK_THAT(done.err, Contains("plan.json") && Contains("status")
                         && Contains("node_differs"));
}

TEST_CASE("a graph says what depends on what, and who did it") {
  const scratch_folder at;
  const auto graph_after = [&at](const std::string& example) {
    const auto out = (at / example).string();
    REQUIRE(run({"run", examples_folder + example + "/scenario.json", "--out",
                 out, "--seed", "3"})
              .code
            <= 1);
    return graph_of(out);
  };
  const auto review = graph_after("code-review");
  CHECK(count_of(review, "nodes", "step") == 6);
  CHECK(count_of(review, "edges", "DEPENDS_ON") == 6);
  CHECK(count_of(review, "nodes", "plan") == 1);
  const auto files = graph_after("shared-files");
  CHECK(count_of(files, "nodes", "resource") > 0);
  CHECK(count_of(files, "edges", "PRODUCES") > 0);
  CHECK(count_of(graph_after("support-desk"), "edges", "HANDOFF") > 0);
}

TEST_CASE("a graph that was printed is read back, and a changed one refused") {
  const scratch_folder at;
  const auto out = run_example(at,
                               examples_folder + "code-review/scenario.json");
  const auto printed = run({"graph", out, "--format", "json"});
  const auto file = (at / "graph.json").string();
  write_bytes(file, printed.out);
  const auto again = run({"graph", file, "--format", "json"});
  CHECK(again.code == 0);
  CHECK(again.out == printed.out);
  forge(file, R"("status": "completed")", R"("status": "approved")");
  const auto refused = run_verbosely({"graph", file});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("graph_hash"));
}

TEST_CASE("a graph is drawn, in parts if it is large") {
  const scratch_folder at;
  const auto out = run_example(at,
                               examples_folder + "code-review/scenario.json");
  const auto drawn
    = run({"graph", out, "--kind", "plan,step", "--format", "mermaid"});
  CHECK(drawn.code == 0);
  CHECK_THAT(drawn.out, Catch::StartsWith("flowchart LR\n  n0[\"plan")
                          && Contains("DEPENDS_ON"));
  CHECK(std::ranges::count(drawn.out, '[') == 7);
  const auto dot = run({"graph", out, "--format", "dot"});
  CHECK(dot.code == 0);
  CHECK_THAT(dot.out,
             Catch::StartsWith("digraph project {") && Catch::EndsWith("}\n"));
  const auto plain = run({"graph", out});
  CHECK_THAT(plain.out, Contains("nodes\n") && Contains("  step          6\n")
                          && Contains("hash "));
}

TEST_CASE("a query names what there is, or is refused") {
  const scratch_folder at;
  const auto out = run_example(at,
                               examples_folder + "code-review/scenario.json");
  const auto unknown = run({"graph", out, "--kind", "stepp"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("step"));
  const auto nowhere = run({"graph", out, "--from", "plan:nosuch"});
  CHECK(nowhere.code == 2);
  CHECK_THAT(nowhere.err, Contains("plan:nosuch"));
  CHECK(run({"graph", out, "--from", "nosuch"}).code == 2);
  CHECK(run({"graph", out, "--depth", "2"}).code == 2);
  CHECK(run({"graph", (at / "nothing").string()}).code == 2);
  const auto empty = (at / "empty").string();
  fs::create_directory(empty);
  CHECK(run({"graph", empty}).code == 2);
}

TEST_CASE("the impact of a change is told, and appended as an event") {
  const scratch_folder at;
  const auto out = run_example(at,
                               examples_folder + "code-review/scenario.json");
  const auto graph = graph_of(out);
  const auto& edges = graph.at("edges").as_array();
  const auto waits = std::ranges::find_if(edges, [](const auto& each) {
    return each.at("kind") == "DEPENDS_ON";
  });
  REQUIRE(waits != edges.end());
  const std::string changed = waits->at("to").as_string().c_str();
  const auto events = (at / "impact.jsonl").string();
  const auto done
    = run({"graph", out, "--impact", changed, "--events", events, "--json"});
  INFO(done.err);
  REQUIRE(done.code == 0);
  const auto told = *parse_json(done.out);
  CHECK(told.at("risk_level") == "high"); // all steps are completed
  CHECK(has(told.at("affected_resources").as_array(), waits->at("from")));
  const auto event = *parse_json(read_bytes(events));
  CHECK(event.at("event_family") == "impact_analysis");
  CHECK(event.at("payload") == told);
  CHECK(run({"validate", events}).code == 0);
  CHECK_THAT(run({"graph", out, "--impact", changed}).out,
             Contains("affected, risk high"));
  CHECK(run({"graph", out, "--impact", "step:none"}).code == 2);
  CHECK(run({"graph", out, "--impact", "nothing"}).code == 2);
  CHECK(run({"graph", out, "--events", events}).code == 2);
}
