// The golden flows of a single agent, run by the library: whatever store they
// are kept in, it has the same documents, and those that the flow expects.

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/compare_folders.hpp>
#include <convene/runtime/single_agent/flow.hpp>
#include <convene/runtime/single_agent/stored_run.hpp>
#include <runtime/data/state_store/stores.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const fs::path stored_flows = CONVENE_SOURCE_DIR "/tests/golden/flows";

json::object document(const fs::path& file) {
  return protocol::parse_json(read_bytes(file)).value().as_object();
}

/// The folder of what a flow expects.
fs::path expected_of(const std::string& flow) {
  const auto other = stored_flows / flow / "expected";
  return fs::exists(other) ? other : stored_flows / flow / "input";
}

/// As it was loaded, and approved where the flow has somebody approve it.
json::object scenario_of(const std::string& flow) {
  const auto input = stored_flows / flow / "input";
  json::object made{{"context", document(input / "context.json")},
                    {"plan", document(input / "plan.json")}};
  if (fs::exists(input / "confirm.json"))
    made["confirm"] = document(expected_of(flow) / "confirm.json");
  return made;
}

agent_run run_of(const std::string& flow) {
  const auto answer = [](const turn_request& asked) {
    return reply{.content = "done: " + asked.task};
  };
  auto scenario = scenario_of(flow);
  std::map<std::string, reply_function> executors{{"agent", answer}};
  for (const auto& step : scenario["plan"].at("steps").as_array())
    if (const auto* role = step.as_object().if_contains("agent_role"))
      executors.emplace(role->as_string().c_str(), answer);
  auto done = run_single_agent_flow({.scenario = std::move(scenario),
                                     .executors = std::move(executors),
                                     .runtime = {.seed = 5}});
  INFO((done.error ? to_string(*done.error) : ""));
  REQUIRE(done.success);
  return *std::move(done.output);
}

/// The documents of a store, as a folder.
void write_documents(const any_store& from, const fs::path& to) {
  fs::create_directories(to);
  for (const auto& key : from.keys()) {
    const auto area = key.substr(0, key.find('/') - 1);
    write_bytes(to / (area + ".json"), *from.get(key));
  }
}

/// What the flow expects, done.
void write_expected(const std::string& flow, const fs::path& to) {
  fs::create_directories(to);
  auto plan = document(expected_of(flow) / "plan.json");
  plan["status"] = "completed";
  for (auto& step : plan["steps"].as_array())
    step.as_object()["status"] = "completed";
  write_bytes(to / "plan.json", json::serialize(plan));
  for (const auto* name : {"context.json", "confirm.json"})
    if (fs::exists(expected_of(flow) / name))
      fs::copy_file(expected_of(flow) / name, to / name);
}

} // namespace

TEST_CASE("a golden flow leaves equal documents in every kind of store, those "
          "that it expects") {
  const std::string flow
    = GENERATE("flow-01-single-agent-plan", "flow-02-large-plan",
               "flow-03-with-tools", "flow-04-llm-enrichment",
               "flow-05-confirm-required", "sa-flow-01-basic",
               "sa-flow-02-step-evaluation");
  INFO(flow);
  const auto run = run_of(flow);
  const scratch_folder at;
  write_expected(flow, at / "expected");
  std::vector<std::string> exports;
  for (const auto& kind : store_kinds) {
    INFO(kind);
    const any_store store{kind};
    REQUIRE(store_agent_run(*store, run));
    CHECK(store.keys().size() == 4);
    write_documents(store, at.path() / kind);
    CHECK(document(at.path() / kind / "trace.json") == run.trace());
    REQUIRE(compare_folders(at / "expected", at.path() / kind, {},
                            [](const file_comparison& one) {
                              INFO(one.file);
                              CHECK(one.differences.empty());
                              CHECK(one.verdict.errors.empty());
                            }));
    exports.push_back(store.exported());
  }
  for (const auto& each : exports)
    CHECK(each == exports.front());
  // And what one exports, the other has after an import.
  for (const auto& kind : store_kinds) {
    const any_store other{kind};
    REQUIRE(other.import(exports.front()));
    CHECK(other.exported() == exports.front());
  }
}

TEST_CASE("an agent's Trace stands in place of its session's") {
  auto run = run_of("sa-flow-01-basic");
  const any_store store{GENERATE(from_range(store_kinds))};
  const std::string key = "traces/" + std::string{run.outline.trace_id};
  const std::string of_session = R"({"of": "the session"})";
  REQUIRE(store.set(key, of_session).empty());
  CHECK(store_agent_run(*store, run).error().rule == "document_exists");
  CHECK(store.keys() == std::vector<std::string>{key});
  REQUIRE(store_agent_run(*store, run, {of_session}));
  CHECK(store.get(key) == protocol::pretty(run.trace()));
  // A run that lacks an id leaves everything as it was.
  run.plan["plan_id"] = std::string(1'000, 'x');
  run.outline.status = protocol::trace_status::failed;
  CHECK(store_agent_run(*store, run).error().rule == "key_bytes_max");
  CHECK(store.get(key)->find("failed") == std::string::npos);
}
