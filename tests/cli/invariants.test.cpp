#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;

namespace {

const std::string flows = CONVENE_SOURCE_DIR "/tests/golden/flows";
const std::string flow_01 = flows + "/flow-01-single-agent-plan";
const std::string flow_05 = flows + "/flow-05-confirm-required";

/// A copy of a flow's input that may be spoiled.
void copy_flow(const scratch_folder& at, const std::string& from) {
  fs::copy(from, at / "flow", fs::copy_options::recursive);
}

} // namespace

TEST_CASE("a broken rule is told with its place, its id and who demands it") {
  const scratch_folder at;
  copy_flow(at, flow_01 + "/input");
  const auto context = (at / "flow/context.json").string();
  auto text = read_bytes(context);
  text.replace(text.find("\"active\""), 8, "\"draft\"");
  write_bytes(context, text);
  const auto folder = (at / "flow").string();
  CHECK(run({"validate", folder}).code == 0);
  const auto found = run({"validate", "--invariants", folder});
  CHECK(found.code == 1);
  CHECK_THAT(found.out,
             Contains(context
                      + ":13:13: /status: must be active "
                        "[sa_context_must_be_active; "
                        "sa-invariants.yaml]\n")
               && Contains("1 of 2 files valid, 2 documents, 1 error\n"));
  CHECK(run({"validate", "--rules", "golden", folder}).code == 0);
  CHECK(
    run({"validate", "--rules", "sa_context_must_be_active,map", folder}).code
    == 1);

  const auto document
    = parse_json(run({"validate", "--invariants", "--json", folder}).out);
  REQUIRE(document);
  const auto& file = document->at("files").at(0);
  CHECK(file.at("valid") == false);
  CHECK(file.at("rules_checked") == 2);
  const auto& error = file.at("errors").at(0);
  CHECK(error.at("keyword") == "invariant");
  CHECK(error.at("rule") == "sa_context_must_be_active");
  CHECK(error.at("scope") == "context");
  CHECK(error.at("path") == "status");
  CHECK(error.at("value") == "\"draft\"");
  CHECK(error.at("demanded_by").at(0) == "sa-invariants.yaml");
  CHECK(error.at("line") == 13);
}

TEST_CASE("a reference to what is not in the folder is a broken rule") {
  const scratch_folder at;
  const fs::path from = examples_folder + "code-review";
  for (const auto* name :
       {"collab.json", "context.json", "plan.json", "role-coder.json",
        "role-orchestrator.json", "role-reviewer.json", "role-tester.json"})
    fs::copy_file(from / name, at / name);
  const auto folder = at.path().string();
  const auto check = [&](const std::string& file, std::string_view known,
                         std::string_view other, const std::string& message) {
    const auto good = read_bytes(at / file.c_str());
    CHECK(run({"validate", "--invariants", folder}).code == 0);
    auto bad = good;
    bad.replace(bad.find(known), known.size(), other);
    write_bytes(at / file.c_str(), bad);
    const auto found = run({"validate", "--invariants", folder});
    CHECK(found.code == 1);
    CHECK_THAT(found.out, Contains(message));
    CHECK(run({"graph", folder}).code != 0);
    write_bytes(at / file.c_str(), good);
  };
  check("collab.json", "f5ec52ed-0108-4475-92e1-bc7656670b14", "coderr",
        "must be the id or name of a Role that is here (did you mean "
        "\"coder\"?) [map_role_ids_known; S002]");
  check("collab.json", "47eaa099-2cb6-416d-86dc-283cf0480ff9",
        "47eaa099-2cb6-416d-86dc-283cf0480ff8",
        "must be the same as context.context_id [collab_context_binding; "
        "S002]");
}

TEST_CASE("warnings and rules that could not be checked are no errors") {
  const auto plan = flow_01 + "/expected/plan.json";
  const auto found = run({"validate", "--invariants", plan});
  CHECK(found.code == 0);
  CHECK_THAT(found.out, Contains(plan + ":13:5: warning: /steps/0/agent_role")
                          && Contains("0 errors, 2 warnings, 1 rule lacked"));
  CHECK(run({"validate", "--invariants", "--quiet", plan}).out.empty());
  const auto document
    = parse_json(run({"validate", "--invariants", "--json", plan}).out);
  REQUIRE(document);
  const auto& file = document->at("files").at(0);
  CHECK(file.at("warnings").as_array().size() == 2);
  CHECK(file.at("rules_unchecked").at(0) == "sa_plan_context_binding");
}

TEST_CASE("rules that are not there are a usage error with the nearest name") {
  const auto refused = run({"validate", "--rules", "goldn", flow_01});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("did you mean \"golden\"?"));
}

TEST_CASE("an event log is strict only after its export") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  REQUIRE(run({"run", CONVENE_SOURCE_DIR "/examples/golden/map-flow-01",
               "--out", out})
            .code
          == 0);
  const auto log = out + "/events.jsonl";
  CHECK(run({"validate", log}).code == 0);
  CHECK(run({"validate", "--rules", "map,seed", out}).code == 0);
  const auto strict = run({"validate", "--strict", log});
  CHECK(strict.code == 1);
  CHECK_THAT(strict.out, Contains("event_family"));
}

TEST_CASE("import writes a folder once, unchanged") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  const auto from = flow_01 + "/input";
  const auto done = run({"import", from, "--out", out});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("2 files imported to " + out));
  CHECK(read_bytes(out + "/plan.json") == read_bytes(from + "/plan.json"));
  const auto again
    = parse_json(run({"import", from, "--out", out, "--json"}).out);
  REQUIRE(again);
  CHECK(again->at("outcome") == "unchanged");
  CHECK(again->at("files").at(1).at("file") == "plan.json");
  CHECK(again->at("passed_over").as_array().empty());
  const auto other = run({"import", flow_05 + "/input", "--out", out});
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("has other content"));
  CHECK(read_bytes(out + "/plan.json") == read_bytes(from + "/plan.json"));
}

TEST_CASE("import refuses all for one, and says which") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  copy_flow(at, flow_01 + "/input");
  write_bytes(at / "flow/role.json", "{\"role_id\": 1}");
  write_bytes(at / "flow/notes.txt", "x");
  const auto folder = (at / "flow").string();
  const auto refused = run({"import", folder, "--out", out});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out,
             Contains(folder + "/role.json:1:13: /role_id: expected string")
               && Contains(folder + "/notes.txt: skipped: no JSON file")
               && Contains("nothing imported: 1 of 3 files not valid"));
  CHECK_FALSE(fs::exists(out));
  fs::remove(at / "flow/role.json");
  write_bytes(at / "flow/trace.json",
              read_bytes(flows + "/runtime-output/input/trace.json"));
  CHECK(run({"import", folder, "--out", out, "--invariants"}).code == 1);
  CHECK(run({"import", folder, "--out", out}).code == 0);
  CHECK(run({"import", (at / "none").string(), "--out", out}).code == 2);
  CHECK(run({"import", folder}).code == 2);
  CHECK(run({"import", folder, "--out", "/proc/nothing"}).code == 2);
}

TEST_CASE("compare tells what differs from what was expected") {
  const auto good = run({"compare", "--actual", flow_01 + "/input",
                         "--expected", flow_01 + "/expected"});
  CHECK(good.code == 0);
  CHECK(good.out == "2 of 2 files as expected\n");
  const auto confirm = flow_05 + "/input/confirm.json";
  const std::vector<std::string> bad{"compare",
                                     "--actual",
                                     flow_05 + "/input",
                                     "--expected",
                                     flow_05 + "/expected",
                                     "--rules",
                                     flow_05 + "/invariants.json"};
  const auto found = run(bad);
  CHECK(found.code == 1);
  CHECK_THAT(found.out,
             Contains(confirm
                      + ":10:13: status: expected \"approved\", found "
                        "\"pending\"\n")
               && Contains("2 of 4 files as expected"));
  auto as_json = bad;
  as_json.emplace_back("--json");
  const auto document = parse_json(run(as_json).out);
  REQUIRE(document);
  CHECK(document->at("equal") == false);
  const auto& file = document->at("files").at(0);
  CHECK(file.at("file") == "confirm.json");
  CHECK(file.at("differences_total") == 2);
  CHECK(file.at("differences").at(0).at("path") == "status");
  CHECK(file.at("differences").at(0).at("expected") == "\"approved\"");
  CHECK(file.at("errors").at(0).at("rule") == "status_must_be_valid_enum");
}

TEST_CASE("a strict export compares with itself as equal") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  const auto strict = (at / "strict").string();
  REQUIRE(run({"run", examples_folder + "code-review/scenario.json", "--quiet",
               "--out", out})
            .code
          == 0);
  REQUIRE(run({"export", out, "--strict", "--quiet", "--out", strict}).code
          == 0);
  const auto same = run({"compare", "--actual", strict, "--expected", strict});
  CHECK(same.code == 0);
  CHECK_THAT(same.out, Contains("8 of 8 files as expected"));
  // Valid by neither form.
  auto text = read_bytes(strict + "/events.jsonl");
  const auto number = text.find("\"turn_number\":1");
  REQUIRE(number != text.npos);
  text.replace(text.find("\"event_id\":\""), 12, "\"event_id\":\"x");
  write_bytes(strict + "/events.jsonl", text);
  CHECK(run({"compare", "--actual", strict, "--expected", strict}).code == 1);
}

TEST_CASE("compare refuses what it cannot use") {
  const scratch_folder at;
  write_bytes(at / "rules.json", R"([{"id": "x"}])");
  write_bytes(at / "bad.json", "{");
  fs::create_directory(at / "empty");
  const auto good = flow_01 + "/input";
  const auto none = (at / "none").string();
  for (const auto& arguments : std::vector<std::vector<std::string>>{
         {"compare", "--actual", good},
         {"compare", "--actual", none, "--expected", good},
         {"compare", "--actual", good, "--expected", none},
         {"compare", "--actual", good, "--expected", (at / "empty").string()},
         {"compare", "--actual", good, "--expected", at.path().string()},
         {"compare", "--actual", good, "--expected", good, "--rules",
          (at / "rules.json").string()}}) {
    const auto refused = run(arguments);
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK_FALSE(refused.err.empty());
  }
  // What is missing or no JSON among the actual ones is a difference.
  write_bytes(at / "plan.json", "{");
  const auto found
    = run({"compare", "--actual", at.path().string(), "--expected", good});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("context.json:1:1: the file is missing")
                          && Contains("plan.json:1:1: is not JSON"));
}

TEST_CASE("documents of another version are neither valid, imported nor run") {
  const scratch_folder at;
  copy_flow(at, flow_01 + "/input");
  const auto folder = (at / "flow").string();
  const auto context = (at / "flow/context.json").string();
  auto text = read_bytes(context);
  text.replace(text.find("\"1.0.0\""), 7, "\"2.0.0\"");
  write_bytes(context, text);
  const auto found = run({"validate", context});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("/meta/protocol_version: is of protocol "
                                 "version \"2.0.0\", and this program reads "
                                 "1.0.0; convert the document"));
  const auto out = (at / "out").string();
  CHECK(run({"import", folder, "--out", out}).code == 1);
  CHECK_FALSE(fs::exists(out));
  write_bytes(at / "flow/collab.json", R"({
    "mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "planner"}]})");
  const auto refused = run_verbosely({"run", folder, "--out", out});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("context.json")
                            && Contains("protocol_version_unsupported"));
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE("a folder with a Core has one version") {
  const scratch_folder at;
  copy_flow(at, flow_01 + "/input");
  const auto folder = (at / "flow").string();
  write_bytes(at / "flow/core.json", R"({
    "meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
    "core_id": "550e8400-e29b-41d4-a716-446655440009",
    "protocol_version": "1.0.0", "status": "active", "modules": [
      {"module_id": "context", "version": "1.0.0", "status": "enabled"}]})");
  CHECK(run({"validate", "--invariants", folder}).code == 0);
  const auto plan = (at / "flow/plan.json").string();
  auto text = read_bytes(plan);
  text.replace(text.find("\"1.0.0\""), 7, "\"1.0.1\"");
  write_bytes(plan, text);
  CHECK(run({"validate", folder}).code == 0); // each is read
  const auto mixed = run({"validate", "--invariants", folder});
  CHECK(mixed.code == 1);
  CHECK_THAT(mixed.out,
             Contains("core.json") && Contains("protocol_versions_mixed"));
  const auto out = (at / "out").string();
  CHECK(run({"import", folder, "--out", out, "--invariants"}).code == 1);
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE("an import tells what happens to it as events") {
  const scratch_folder at;
  copy_flow(at, flow_01 + "/input");
  const auto folder = (at / "flow").string();
  const auto out = (at / "out").string();
  const auto events = (at / "events.jsonl").string();
  REQUIRE(run({"import", folder, "--out", out, "--events", events}).code == 0);
  write_bytes(at / "flow/role.json", "{\"role_id\": 1}");
  REQUIRE(run({"import", folder, "--out", out + "2", "--events", events}).code
          == 1);
  REQUIRE(run({"import", (at / "none").string(), "--out", out + "3", "--events",
               events})
            .code
          == 2);
  CHECK(run({"validate", events, "--invariants"}).code == 0);
  std::istringstream lines{read_bytes(events)};
  std::vector<std::string> told;
  for (std::string line; std::getline(lines, line);) {
    const auto event = parse_json(line);
    REQUIRE(event);
    CHECK(event->at("event_family") == "import_process");
    CHECK(event->at("payload").at("from").is_string());
    told.emplace_back(event->at("event_type").as_string());
  }
  CHECK(told
        == std::vector<std::string>{"import_started", "import_completed",
                                    "import_started", "import_failed",
                                    "import_started", "import_failed"});
  write_bytes(at / "other", "no events");
  CHECK(run({"import", folder, "--out", out + "4", "--events",
             (at / "other").string()})
          .code
        == 2);
  CHECK_FALSE(fs::exists(out + "4"));
}
