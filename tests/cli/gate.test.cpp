// `convene gate`: what CI and tools came to, and plans that wait for it.

#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace json = boost::json;

namespace {

std::string ci_run(const std::string& run, const std::string& status) {
  return R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":"ci_pipeline","event_family":"external_integration","timestamp":"2026-01-01T00:00:00.000Z","source":"ci-v1","payload":{"ci_provider":"ci","pipeline_id":"main","commit_id":"abc","run_id":")"
         + run + R"(","status":")" + status + "\"}}\n";
}

const std::string linted
  = R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":"tool_execution","event_family":"external_integration","timestamp":"2026-01-01T00:00:00.000Z","source":"ci-v1","payload":{"tool_id":"lint","tool_kind":"linter","invocation_id":"00000000-0000-4000-8000-000000000001","status":"failed"}})"
    "\n";

/// A plan whose second step is the gate for what CI and tools came to.
struct gated_plan : run_fixture {
  std::string log = (folder / "outside.jsonl").string();

  gated_plan() : run_fixture("") {
    const json::object done{
      {"context", {{"title", "Release"}}},
      {"plan",
       {{"title", "Release"},
        {"steps",
         {{{"step_id", "550e8400-e29b-41d4-a716-446655440001"},
           {"description", "build"},
           {"agent_role", "builder"}},
          {{"step_id", "550e8400-e29b-41d4-a716-446655440002"},
           {"description", "CI succeeded"},
           {"agent_role", "gate"},
           {"dependencies",
            json::array{"550e8400-e29b-41d4-a716-446655440001"}}}}}}},
      {"behaviours",
       {{"builder", {{"type", "echo"}}},
        {"gate",
         {{"type", "process"},
          {"command", {CONVENE_PROGRAM, "gate", "--log", log, "--json"}}}}}}};
    write_bytes(scenario, json::serialize(done));
  }

  [[nodiscard]] finished released() const {
    return run_with(
      {"--profile", "sa", "--allow", std::string{"run="} + CONVENE_PROGRAM});
  }
  [[nodiscard]] json::value plan() const {
    const auto read = parse_json(read_bytes(out + "/plan.json"));
    REQUIRE(read);
    return *read;
  }
};

} // namespace

TEST_CASE("gate: a failed run of CI keeps a plan from being completed") {
  const gated_plan at;
  write_bytes(at.log, ci_run("1", "succeeded") + ci_run("2", "failed"));
  CHECK(at.released().code == 1);
  CHECK(at.plan().at("status") == "failed");
  CHECK(at.plan().at("steps").at(0).at("status") == "completed");
  CHECK(at.plan().at("steps").at(1).at("status") == "failed");
  CHECK_THAT(read_bytes(at.out + "/events.jsonl"),
             Contains("pipeline main failed"));
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("gate: a plan is completed once the latest run succeeded") {
  const gated_plan at;
  write_bytes(at.log, ci_run("1", "failed") + ci_run("2", "running")
                        + ci_run("2", "succeeded"));
  const auto done = at.released();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(at.plan().at("status") == "completed");
}

TEST_CASE("gate: what failed, has not ended or is not known does not pass") {
  const scratch_folder folder;
  const auto log = (folder / "outside.jsonl").string();
  const auto gate = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"gate", "--log", log});
    return run(more);
  };
  write_bytes(log, "");
  CHECK(gate({}).code == 1);
  write_bytes(log, ci_run("1", "succeeded") + linted);
  const auto both = gate({});
  CHECK(both.code == 1);
  CHECK_THAT(both.err, Contains("tool lint failed"));
  CHECK(gate({"--pipeline", "main"}).code == 0);
  CHECK(gate({"--pipeline", "main", "--commit", "abc"}).code == 0);
  CHECK(gate({"--pipeline", "main", "--commit", "def"}).code == 1);
  CHECK(gate({"--tool", "lint"}).code == 1);
  CHECK_THAT(gate({"--tool", "test"}).err, Contains("tool test unknown"));
  write_bytes(log, ci_run("1", "succeeded") + ci_run("2", "running"));
  CHECK(gate({}).code == 1);
  write_bytes(log, ci_run("1", "succeeded") + R"({"event_id": "1)");
  CHECK(gate({}).code == 0); // it is being written
  write_bytes(log, "notes\n" + ci_run("1", "succeeded"));
  CHECK(gate({}).code == 2);
  const auto none = run({"gate", "--log", log + ".none"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains(".none: cannot be read: No such file"));
}

TEST_CASE("gate: it waits for what has not ended") {
  const scratch_folder folder;
  const auto log = (folder / "outside.jsonl").string();
  write_bytes(log, ci_run("1", "running"));
  program waiting{{"gate", "--log", log, "--wait-ms", "86400000"}};
  write_bytes(log, ci_run("1", "running") + ci_run("1", "succeeded"));
  CHECK(waiting.wait().code == 0);
}
