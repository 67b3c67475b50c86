#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <thread>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const std::string golden_flows = CONVENE_SOURCE_DIR "/tests/golden/flows/";

json::value document(const fs::path& file) {
  const auto read = parse_json(read_bytes(file));
  REQUIRE(read);
  return *read;
}

/// The types of the events of the profile, in order.
std::vector<std::string> profile_types(const fs::path& log) {
  std::istringstream lines{read_bytes(log)};
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    const auto event = parse_json(line);
    REQUIRE(event);
    if (event->as_object().contains("sa_id"))
      all.emplace_back(event->at("event_type").as_string().c_str());
  }
  return all;
}

/// Two steps: `first` notes that it was executed, `second` waits for a file.
struct two_programs : run_fixture {
  explicit two_programs(bool repeatable) : run_fixture("") {
    const auto at = folder.path().string();
    const json::object two{
      {"context", {{"title", "Two programs"}}},
      {"plan",
       {{"title", "Two programs"},
        {"steps",
         {{{"step_id", "550e8400-e29b-41d4-a716-446655440001"},
           {"description", "first"},
           {"agent_role", "first"}},
          {{"step_id", "550e8400-e29b-41d4-a716-446655440002"},
           {"description", "second"},
           {"agent_role", "second"},
           {"dependencies",
            json::array{"550e8400-e29b-41d4-a716-446655440001"}}}}}}},
      {"behaviours",
       {{"first", shell("echo 1 >>" + at + "/first", false)},
        {"second", shell("echo 1 >>" + at + "/second; while [ ! -e " + at
                           + "/go ]; do sleep 0.02; done",
                         repeatable)}}}};
    write_bytes(scenario, json::serialize(two));
  }

  static json::object shell(const std::string& script, bool repeatable) {
    return {
      {"type", "process"},
      {"repeatable", repeatable},
      {"command",
       {"sh", "-c",
        "cat >/dev/null; " + script + R"(; echo '{"content": "done"}')"}}};
  }

  /// Kills it while the second step is being executed, once the log has the
  /// end of the first.
  void killed() const {
    program running{
      {"run", scenario, "--profile", "sa", "--out", out, "--allow", "run=sh"}};
    const auto log = fs::path{out} / "session/events.jsonl";
    std::error_code none; // a shell makes a file before it writes a line
    const auto is_due = [&] {
      return fs::file_size(folder / "second", none) == 2
             && read_bytes(log).find("action_ended") != std::string::npos;
    };
    while (!is_due() && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    running.signal(SIGKILL);
    REQUIRE(running.wait().code == 128 + SIGKILL);
    REQUIRE(fs::exists(folder / "second"));
    write_bytes(folder / "go", "");
  }

  [[nodiscard]] finished resumed() const {
    return run({"resume", out, "--allow", "run=sh", "--quiet"});
  }
};

const std::string drafted = R"({
  "context": {"title": "A plan"},
  "plan": {"title": "A plan", "meta": {"protocol_version": "1.0.0",
           "schema_version": "1.0.0", "created_by": "planner"},
           "steps": [{"description": "do it"}]}})";

} // namespace

TEST_CASE("single agent: the golden flows run to documents and events that are "
          "valid") {
  const auto* const flow
    = GENERATE("sa-flow-01-basic", "sa-flow-02-step-evaluation",
               "flow-01-single-agent-plan", "flow-02-large-plan",
               "flow-03-with-tools", "flow-04-llm-enrichment",
               "flow-05-confirm-required");
  CAPTURE(flow);
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto done = run({"run", golden_flows + flow + "/input", "--profile",
                         "sa", "--out", out, "--quiet"});
  CHECK(done.err == "");
  REQUIRE(done.code == 0);
  const auto checked = run({"check", out});
  INFO(checked.out);
  CHECK(checked.code == 0);
  const auto valid = run({"validate", out, "--invariants"});
  INFO(valid.out << valid.err);
  CHECK(valid.code == 0);
  const auto replayed = run({"replay", out});
  CHECK(replayed.code == 0);
  CHECK_THAT(replayed.out, Catch::Contains("all as recorded"));
  const auto plan = document(fs::path{out} / "plan.json");
  CHECK(plan.at("status") == "completed");
  const auto steps = plan.at("steps").as_array().size();
  const auto trace = document(fs::path{out} / "trace.json");
  CHECK(trace.at("segments").as_array().size() == steps);
  CHECK(
    document(fs::path{out} / "result.json").at("steps").at("steps_succeeded")
    == steps);
  const auto types = profile_types(fs::path{out} / "events.jsonl");
  CHECK(types.size() == 5 + 2 * steps);
  CHECK(types.back() == "SACompleted");
}

TEST_CASE("single agent: a failed step ends the plan, and the exit code says "
          "so") {
  const run_fixture at{R"({
    "context": {"title": "T"},
    "plan": {"title": "T", "steps": [
      {"description": "one", "agent_role": "bad"}, {"description": "two"}]},
    "behaviours": {"bad": {"type": "simulated", "failure": 1},
                   "*": {"type": "echo"}}})"};
  CHECK(at.run_with({"--profile", "sa"}).code == 1);
  CHECK(run({"check", at.out}).code == 0);
  const auto types = profile_types(at.out + "/events.jsonl");
  CHECK(std::ranges::count(types, "SAStepFailed") == 1);
  CHECK(document(at.out + "/plan.json").at("status") == "failed");
  CHECK(document(at.out + "/trace.json").at("status") == "failed");
}

TEST_CASE("single agent: what was killed goes on behind the steps that are "
          "done") {
  const two_programs at{true};
  at.killed();
  CHECK_FALSE(fs::exists(at.out + "/result.json"));
  CHECK(run({"check", at.out}).code == 1);
  CHECK(run({"check", at.out, "--allow-unfinished"}).code == 0);
  const auto done = at.resumed();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(read_bytes(at.folder / "first") == "1\n");
  CHECK(read_bytes(at.folder / "second") == "1\n1\n");
  CHECK(run({"check", at.out}).code == 0);
  CHECK(document(at.out + "/plan.json").at("status") == "completed");
  // A segment for each step, and below it those of its actions.
  const auto trace = document(at.out + "/trace.json");
  const auto& segments = trace.at("segments").as_array();
  std::map<std::string, std::string> parents;
  for (const auto& segment : segments)
    if (const auto* parent
        = segment.as_object().if_contains("parent_segment_id"))
      parents.emplace(segment.at("segment_id").as_string(),
                      parent->as_string());
  CHECK(segments.size() == 2 + parents.size());
  CHECK(parents.size() == 3);
  for (const auto& [child, parent] : parents)
    CHECK(std::ranges::any_of(segments, [&](const auto& each) {
      return each.at("segment_id").as_string() == parent
             && each.at("attributes").as_object().contains("step_id");
    }));
  const auto again = at.resumed();
  CHECK(again.code == 0);
  CHECK(read_bytes(at.folder / "second") == "1\n1\n");
}

TEST_CASE("single agent: while it is suspended no step begins") {
  two_programs at{true};
  // A third step waits for the second one.
  auto scenario = document(at.scenario).as_object();
  scenario["plan"].at("steps").as_array().push_back(
    {{"step_id", "550e8400-e29b-41d4-a716-446655440003"},
     {"description", "third"},
     {"agent_role", "third"},
     {"dependencies", json::array{"550e8400-e29b-41d4-a716-446655440002"}}});
  scenario["behaviours"].as_object()["third"]
    = two_programs::shell("echo 1 >>" + (at.folder / "third").string(), true);
  write_bytes(at.scenario, json::serialize(scenario));
  program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                   "--allow", "run=sh"}};
  while (!fs::exists(at.folder / "second") && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGINT);
  CHECK(running.wait().code == 128 + SIGINT);
  write_bytes(at.folder / "go", "");
  CHECK_FALSE(fs::exists(at.folder / "third"));
  CHECK_FALSE(fs::exists(at.out + "/result.json"));
  CHECK(at.resumed().code == 0);
  CHECK(read_bytes(at.folder / "first") == "1\n");
  CHECK(read_bytes(at.folder / "third") == "1\n");
  CHECK(document(at.out + "/plan.json").at("status") == "completed");
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("single agent: a step that may have happened is not repeated") {
  const two_programs at{false};
  at.killed();
  CHECK(at.resumed().code == 1);
  CHECK(read_bytes(at.folder / "first") == "1\n");
  CHECK(read_bytes(at.folder / "second") == "1\n");
  CHECK_THAT(read_bytes(at.out + "/events.jsonl"),
             Contains(R"("error_code":"outcome_unknown")"));
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("single agent: documents that a kill prevented are written by "
          "resume, the same") {
  const run_fixture at{drafted};
  REQUIRE(at.run_with({"--profile", "sa"}).code == 0);
  const auto log = read_bytes(at.out + "/events.jsonl");
  const auto trace = read_bytes(at.out + "/trace.json");
  for (const auto* name : {"events.jsonl", "trace.json", "result.json"})
    fs::remove(at.out + "/" + name);
  write_bytes(at.out + "/events.jsonl.new", "half");
  REQUIRE(run({"resume", at.out}).code == 0);
  CHECK(read_bytes(at.out + "/events.jsonl") == log);
  CHECK(read_bytes(at.out + "/trace.json") == trace);
  CHECK_FALSE(fs::exists(at.out + "/events.jsonl.new"));
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("single agent: a document that is not what the log makes is found") {
  const run_fixture at{drafted};
  REQUIRE(at.run_with({"--profile", "sa"}).code == 0);
  const auto* const name = GENERATE("context.json", "plan.json", "trace.json",
                                    "result.json");
  auto text = read_bytes(fs::path{at.out} / name);
  const auto word = text.find("A plan") != std::string::npos ? "A plan"
                                                             : "completed";
  text.replace(text.find(word), 1, "x");
  write_bytes(fs::path{at.out} / name, text);
  const auto checked = run({"check", at.out});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, Contains(name) && Contains("document_matches_log"));
}

TEST_CASE("single agent: its event log is read by check, validate and events") {
  const run_fixture at{drafted};
  REQUIRE(at.run_with({"--profile", "sa"}).code == 0);
  const auto log = at.out + "/events.jsonl";
  CHECK(run({"check", log}).code == 0);
  CHECK(run({"validate", log}).code == 0);
  CHECK_THAT(run({"events", log, "--type", "SAStepStarted"}).out,
             Contains("SAStepStarted"));
}

TEST_CASE("single agent: the last decision of a file approves the plan or "
          "not") {
  const run_fixture at{drafted};
  const auto file = (at.folder / "decisions.json").string();
  write_bytes(file, R"([
    {"status": "rejected", "decided_by_role": "dba", "reason": "no way back"},
    {"status": "approved", "decided_by_role": "dba", "reason": "there is one",
     "decision_id": "550e8400-e29b-41d4-a716-446655440522",
     "decided_at": "2025-12-07T12:15:00Z"}])");
  REQUIRE(at.run_with({"--profile", "sa", "--decisions", file}).code == 0);
  const auto confirm = document(at.out + "/confirm.json");
  CHECK(confirm.at("status") == "approved");
  REQUIRE(confirm.at("decisions").as_array().size() == 2);
  CHECK(confirm.at("decisions").at(0).at("status") == "rejected");
  CHECK(confirm.at("decisions").at(1).at("decided_at")
        == "2025-12-07T12:15:00Z");
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("single agent: a plan that is not approved is not begun") {
  const run_fixture at{drafted};
  const auto file = (at.folder / "decisions.json").string();
  const auto [text, code, why] = GENERATE(table<std::string, int, std::string>(
    {{R"([{"status": "rejected", "decided_by_role": "dba",
             "reason": "too bold"}])",
      1, "too bold"},
     {R"([{"status": "approved", "decided_by_role": "planner"}])", 1,
      "own_plan"},
     {R"([])", 2, "must hold an array of decisions"},
     {R"([{"status": "fine", "decided_by_role": "dba"}])", 2, "/0/status"},
     {R"([{"status": "approved"}])", 2, "decided_by_role is missing"},
     {R"([{"status": "approved", "decided_by_role": "dba",
             "decision_id": "7"}])",
      2, "/0/decision_id"},
     {R"([{"status": "approved", "decided_by_role": "dba",
             "decided_at": "today"}])",
      2, "/0/decided_at"},
     {R"([{"status": "approved", "decided_by_role": "dba", "x": "y"}])", 2,
      "unknown member"},
     {R"({)", 2, "decisions.json"}}));
  write_bytes(file, text);
  const auto done = at.run_with({"-v", "--profile", "sa", "--decisions", file});
  CHECK(done.code == code);
  CHECK_THAT(done.err, Contains(why));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("single agent: what does not fit one agent is refused by its name") {
  const run_fixture at{drafted};
  CHECK_THAT(at.run_with({"--profile", "sa", "--instances", "2"}).err,
             Contains("--instances"));
  CHECK_THAT(at.run_with({"--profile", "sa", "--roles", "a=b"}).err,
             Contains("--roles"));
  const run_fixture session{answers};
  const auto done = session.run_with({"--profile", "sa"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("/collab") && Contains("--profile map"));
  CHECK_FALSE(fs::exists(session.out));
}

TEST_CASE("single agent: a folder needs a context and a plan") {
  const scratch_folder folder;
  write_bytes(folder / "context.json", "{}");
  const auto out = (folder / "out").string();
  const auto done
    = run({"run", folder.path().string(), "--profile", "sa", "--out", out});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("has no plan.json"));
}

TEST_CASE("single agent: a context that is not active, and steps in a circle, "
          "are refused") {
  const auto [change, why] = GENERATE(table<std::string, std::string>(
    {{"context.status=suspended", "context_active"},
     {R"(plan.steps.0.dependencies=["550e8400-e29b-41d4-a716-446655440001"])",
      "itself"}}));
  const run_fixture at{R"({
    "context": {"title": "T"},
    "plan": {"title": "T", "steps": [
      {"step_id": "550e8400-e29b-41d4-a716-446655440001",
       "description": "one"}]}})"};
  const auto done = at.run_with({"-v", "--profile", "sa", "--set", change});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains(why));
  CHECK_FALSE(fs::exists(at.out));
}
