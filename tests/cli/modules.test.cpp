// Extensions, Core and Network of a run.

#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// Ann is what the Extension has, on a node; `more` are members of the
/// scenario.
std::string scenario_with(const std::string& more,
                          const std::string& status = "registered") {
  return R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "extensions": [{"name": "talker", "extension_type": "capability",
    "status": ")"
         + status + R"(",
    "config": {"type": "process",
      "command": ["sh", "-c", "cat >/dev/null; echo '{\"content\": \"hi\"}'"]}}],
  "behaviours": {"ann": {"type": "extension", "extension": "talker"}},
  )" + more
         + R"(
  "session": {"rounds": 1}, "task": "go on"})";
}

/// A Core with these modules.
std::string core_of(const std::vector<std::string>& modules) {
  std::string text = R"("core": {"modules": [)";
  for (const auto& each : modules)
    text += (text.back() == '[' ? "" : ", ") + (R"({"module_id": ")" + each)
            + "\"}";
  return text + "]},";
}

const std::vector<std::string> enough{"context",   "collab",  "dialog", "trace",
                                      "extension", "confirm", "network"};

const std::string one_node
  = R"("network": {"name": "here", "nodes": [{"name": "ann"}]},)";

json::value module_document(const std::string& file) {
  const auto read = parse_json(read_bytes(file));
  REQUIRE(read);
  return *read;
}

} // namespace

TEST_CASE("a run uses, activates and writes the modules that it is given") {
  const run_fixture made{scenario_with(core_of(enough) + one_node)};
  const auto done = made.run_with({"-v", "--allow", "run=sh"});
  INFO(done.err);
  REQUIRE(done.code == 0);
  const auto dialog = module_document(made.out + "/dialog.json");
  CHECK(dialog.at("messages").as_array().back().at("content") == "hi");
  CHECK(module_document(made.out + "/extension-1.json").at("status")
        == "active");
  const auto confirm = module_document(made.out + "/extension-confirm-1.json");
  CHECK(confirm.at("status") == "approved");
  CHECK(confirm.at("target_type") == "extension");
  CHECK(module_document(made.out + "/core.json").at("status") == "active");
  const auto nodes = module_document(made.out + "/network.json").at("nodes");
  CHECK(nodes.at(0).at("status") == "active");
  const auto paths = module_document(made.out + "/result.json").at("documents");
  CHECK(paths.at("extension-1") == "extension-1.json");
  CHECK(paths.at("network") == "network.json");
  CHECK(run({"check", made.out}).code == 0);
  CHECK(run({"replay", made.out}).code == 0);
  CHECK(run({"validate", made.out}).code == 0);
}

TEST_CASE("the graph of a run's log has its Extensions, Core and Network") {
  const run_fixture made{scenario_with(core_of(enough) + one_node)};
  REQUIRE(made.run_with({"-v", "--allow", "run=sh"}).code == 0);
  const auto graph_of = [](const std::string& path) {
    const auto done = run({"graph", path, "--format", "json", "--kind",
                           "extension,core,module,network,network_node,"
                           "confirm,decision"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    return parse_json(done.out).value();
  };
  auto of_log = graph_of(made.out + "/events.jsonl");
  const auto of_all = graph_of(made.out);
  CHECK(of_log.at("edges") == of_all.at("edges"));
  const auto& nodes = of_log.at("nodes").as_array();
  CHECK(nodes.size() == 1 + 1 + enough.size() + 2 + 2);
  REQUIRE(of_all.at("nodes").as_array().size() == nodes.size());
  for (const auto& each : nodes)
    if (const auto* has = each.at("members").as_object().if_contains("status"))
      CHECK((*has == "active" || *has == "approved" || *has == "enabled"));
}

TEST_CASE("what a run wrote of its modules can be run again") {
  const run_fixture made{scenario_with(core_of(enough) + one_node)};
  REQUIRE(made.run_with({"-v", "--allow", "run=sh"}).code == 0);
  const auto again
    = run({"run", made.out + "/scenario.json", "--quiet", "--out",
           (made.folder / "again").string(), "--allow", "run=sh"});
  INFO(again.err);
  CHECK(again.code == 0);
}

TEST_CASE("an exported run tells of its Extension and what it did") {
  const run_fixture made{scenario_with("")};
  REQUIRE(made.run_with({"-v", "--allow", "run=sh"}).code == 0);
  const auto folder = (made.folder / "strict").string();
  const auto done = run({"export", made.out, "--strict", "--out", folder});
  INFO(done.err);
  REQUIRE(done.code == 0);
  const auto events = read_bytes(folder + "/events.jsonl");
  for (const std::string type :
       {"extension_activated", "tool_execution_started",
        "tool_execution_completed"})
    CHECK_THAT(events, Contains("\"event_type\":\"" + type + '"'));
  CHECK(run({"validate", folder, "--strict"}).code == 0);
}

TEST_CASE("a run without a module that it needs is refused before it begins") {
  for (const auto& missing : enough) {
    INFO(missing);
    auto modules = enough;
    std::erase(modules, missing);
    const run_fixture made{scenario_with(core_of(modules) + one_node)};
    const auto done = made.run_with({"--allow", "run=sh", "--json"});
    CHECK(done.code == 2);
    CHECK_THAT(done.out + done.err, Contains("core_module"));
    CHECK_THAT(done.out + done.err, Contains("module " + missing));
    CHECK_FALSE(fs::exists(made.out));
  }
}

TEST_CASE("tasks that a reply brings need a module, as what is given does") {
  auto modules = enough;
  const auto run_with_modules = [](const std::vector<std::string>& all) {
    const run_fixture made{R"({
      "collab": {"mode": "round_robin", "participants": [
        {"participant_id": "ann", "role_id": "role-planner"}]},
      "behaviours": {"ann": {"type": "script", "turns": [
        {"content": "more", "tasks": [{"title": "another"}]}]}},
      )" + core_of(all) + R"(
      "session": {"rounds": 1}, "task": "go on"})"};
    static_cast<void>(made.run_with());
    CHECK(run({"check", made.out}).code == 0);
    CHECK(run({"replay", made.out}).code == 0);
    return read_bytes(made.out + "/events.jsonl");
  };
  const auto refused = run_with_modules(modules);
  CHECK_THAT(refused, Contains("\"code\":\"core_module\""));
  CHECK_THAT(refused, !Contains("\"plan_created\""));
  modules.emplace_back("plan");
  const auto taken = run_with_modules(modules);
  CHECK_THAT(taken, !Contains("core_module"));
  CHECK_THAT(taken, Contains("\"plan_created\""));
}

TEST_CASE("an Extension that has ended is not used") {
  const run_fixture made{scenario_with("", "inactive")};
  const auto done = made.run_with({"-v", "--allow", "run=sh"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("extension_active"));
  CHECK_FALSE(fs::exists(made.out));
}

TEST_CASE("with security the program approves no Extension") {
  const run_fixture made{scenario_with(
    R"("core": {"meta": {"cross_cutting": ["security"]}, "modules": [
         {"module_id": "context"}, {"module_id": "collab"},
         {"module_id": "dialog"}, {"module_id": "trace"},
         {"module_id": "confirm"}, {"module_id": "extension"}]},)")};
  const auto done = made.run_with({"-v", "--allow", "run=sh"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("extension_confirmed"));
}

TEST_CASE("a person is asked about what can act, whatever a scenario says") {
  const auto [status, more] = GENERATE(table<std::string, std::string>({
    {"registered", ""},
    {"active", ""},
    {"active", R"("extension_confirms": [{"requested_by_role": "convene",
                    "status": "approved"}],)"},
  }));
  const run_fixture made{scenario_with(more, status)};
  const auto with = [&](const std::string& answer) {
    return run_shell("echo " + answer + " | \"$0\" \"$@\" 2>&1",
                     {"run", made.scenario, "--quiet", "--allow", "run=sh",
                      "--interactive", "--approval", "require", "--out",
                      made.out});
  };
  const auto refused = with("/reject no");
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains("talker") && Contains("cat >/dev/null"));
  CHECK_FALSE(fs::exists(made.out));
  const auto approved = with("/approve it may");
  INFO(approved.out << approved.err);
  REQUIRE(approved.code == 0);
  CHECK_THAT(read_bytes(made.out + "/extension-confirm-1.json"),
             Contains("it may"));
}

TEST_CASE("an Extension reaches no more than what is allowed") {
  const run_fixture made{scenario_with("")};
  const auto done = made.run_with();
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("--allow run=sh"));
}

TEST_CASE("a folder of documents brings its modules along") {
  const scratch_folder at;
  const std::string meta
    = R"({"meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},)";
  const std::string context = "650e8400-e29b-41d4-a716-446655443000";
  write_bytes(at / "context.json",
              meta + R"("context_id": ")" + context
                + R"(", "root": {"domain": "d", "environment": "e"},
                     "title": "t", "status": "active"})");
  write_bytes(at / "collab.json",
              meta + R"("collab_id": "650e8400-e29b-41d4-a716-446655443002",
                "context_id": ")"
                + context + R"(", "title": "t", "purpose": "p", "mode": "pair",
                "status": "draft", "created_at": "2026-01-01T00:00:00Z",
                "participants": [
                  {"participant_id": "a", "kind": "agent", "role_id": "r"},
                  {"participant_id": "b", "kind": "agent", "role_id": "r"}]})");
  write_bytes(at / "core.json",
              meta + R"("core_id": "650e8400-e29b-41d4-a716-446655443005",
                "protocol_version": "1.0.0", "status": "active", "modules": [
                {"module_id": "collab", "version": "1.0.0",
                 "status": "disabled"}]})");
  const auto out = at / "out";
  const auto refused
    = run_verbosely({"run", at.path().string(), "--out", out.string()});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("core_module"));
  fs::remove(at / "core.json");
  write_bytes(at / "network.json",
              meta + R"("network_id": "650e8400-e29b-41d4-a716-446655443006",
                "context_id": ")"
                + context + R"(", "name": "n", "topology_type": "mesh",
                "status": "degraded"})");
  write_bytes(at / "extension-one.json",
              meta + R"("extension_id": "650e8400-e29b-41d4-a716-446655443007",
                "context_id": ")"
                + context + R"(", "name": "one", "extension_type": "other",
                "version": "1.0.0", "status": "registered"})");
  const auto done = run({"run", at.path().string(), "--out", out.string()});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(module_document((out / "extension-1.json").string()).at("status")
        == "active");
  CHECK(module_document((out / "network.json").string()).at("status")
        == "degraded");
  CHECK_FALSE(fs::exists(out / "core.json"));
}
