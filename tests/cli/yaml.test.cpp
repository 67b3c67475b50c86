#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <filesystem>
#include <string>

using namespace convene::tests;
using Catch::Contains;

namespace {

constexpr const char* in_yaml = R"(# two who repeat the task
collab:
  mode: pair
  participants:
    - {participant_id: ada, role_id: role-coder}
    - {participant_id: bob, role_id: role-reviewer}
task: no
behaviours:
  "*": {type: echo}
session:
  rounds: 2
)";

} // namespace

TEST_CASE("a scenario in YAML runs wherever one in JSON does") {
  const scratch_folder files;
  const auto folder = files.path().string();
  const auto scenario = (files / "scenario.yaml").string();
  write_bytes(scenario, in_yaml);
  const auto out = (files / "out").string();
  const auto done = run({"run", folder, "--json", "--out", out});
  INFO(done.out << done.err);
  REQUIRE(done.code == 0);
  CHECK(convene::protocol::parse_json(done.out).value().at("status")
        == "completed");
  CHECK(run({"check", out}).code == 0);
  CHECK(run({"run", scenario, "--dry-run"}).code == 0);
  CHECK(run({"validate", scenario}).code == 0);
  const auto in_folder = run({"validate", folder, "--json"});
  CHECK(in_folder.code == 0);
  CHECK_THAT(in_folder.out, Contains("scenario.yaml"));
  CHECK(run({"simulate", scenario, "--seeds", "1..3"}).code == 0);
  CHECK(
    run({"study", scenario, "--vary", "session.rounds=1,2", "--seeds", "1..3"})
      .code
    == 0);
  // 1: the load was late, on a busy machine.
  CHECK(run({"load", scenario, "--duration", "100ms", "--warm-up", "0s"}).code
        <= 1);
}

TEST_CASE("a fault in a YAML scenario is reported with its line") {
  const scratch_folder files;
  const auto scenario = (files / "a.yml").string();
  write_bytes(scenario, in_yaml + std::string{"  max_turns: many\n"});
  for (const auto* command : {"run", "validate"})
    CHECK_THAT(run({command, scenario}).out + run({command, scenario}).err,
               Contains("a.yml:12:14: /session/max_turns: "));
  write_bytes(scenario, "collab:\n\tmode: pair\n");
  CHECK_THAT(run({"run", scenario}).err,
             Contains("a.yml:2:1: ") && Contains("not with tabs"));
  const auto strict = run({"validate", "--strict", scenario});
  CHECK(strict.code == 1); // the protocol's documents are JSON
}

TEST_CASE("a skill of an agent may be YAML, and each id is of one file") {
  const scratch_folder files;
  const auto agents = (files / "agents").string();
  std::filesystem::create_directory(agents);
  const auto serve = [&] {
    return run({"serve", "--agents", agents, "--data",
                (files / "data").string(), "--listen", "127.0.0.1:0"});
  };
  write_bytes(agents + "/review.yaml", in_yaml + std::string{"  rounds: 3\n"});
  const auto twice = serve();
  CHECK(twice.code == 2);
  CHECK_THAT(twice.err, Contains("review.yaml:12:3: "));
  write_bytes(agents + "/review.yaml", in_yaml);
  write_bytes(agents + "/review.yml", in_yaml);
  const auto both = serve();
  CHECK(both.code == 2);
  CHECK_THAT(both.err, Contains("review.yml: another file gives the skill"));
}
