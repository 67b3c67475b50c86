// The learning samples of runs: `--learn`, `export --format learning`.

#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <sys/resource.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
namespace host = convene::host;
namespace json = boost::json;

namespace {

std::vector<json::object> samples_in(const std::string& text) {
  std::vector<json::object> all;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    all.push_back(convene::protocol::parse_json(line).value().as_object());
  return all;
}

/// How many samples there are of each collection point.
std::map<std::string, int> points_in(const std::string& text) {
  std::map<std::string, int> all;
  for (const auto& each : samples_in(text))
    ++all[each.at("meta").at("collection_point").as_string().c_str()];
  return all;
}

/// Two steps of one agent, the second fails.
const std::string agent = R"({
  "context": {"title": "A project"},
  "plan": {"title": "Two steps", "steps": [
    {"step_id": "3f1c9b1e-52f4-4c0a-8a55-0d7b2a6f1001", "description": "One"},
    {"description": "Two", "agent_role": "other",
     "dependencies": ["3f1c9b1e-52f4-4c0a-8a55-0d7b2a6f1001"]}]},
  "behaviours": {"*": {"type": "echo"},
    "other": {"type": "script", "turns": [{"status": "failed"}]}}})";

} // namespace

TEST_CASE("a run's samples are valid, and the same as those of its log") {
  const run_fixture test{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"}]},
    "task": "go on",
    "plan": {"title": "Three", "objective": "All three", "steps": [
      {"description": "a"}, {"description": "b"}, {"description": "c"}]}})"};
  const auto file = (test.folder / "samples.jsonl").string();
  const auto ran = test.run_with({"--seed", "7", "--learn", file});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const auto text = read_bytes(file);
  const auto points = points_in(text);
  CHECK(points.at("intent_resolution") == 1);
  CHECK(points.at("plan_generation") == 1);
  CHECK(points.at("execution_completion") == 3);
  CHECK(points.at("user_feedback") == 1);
  CHECK(points.at("map_session_completion") == 1);
  CHECK(text.find(R"("human_feedback_label":"not_reviewed")")
        != std::string::npos);

  const auto checked = run({"validate", file});
  INFO(checked.out << checked.err);
  CHECK(checked.code == 0);
  CHECK(run({"export", test.out, "--format", "learning"}).out == text);
}

TEST_CASE("samples are added to a file once, by run and by resume") {
  const run_fixture test{answers};
  const auto file = (test.folder / "samples.jsonl").string();
  REQUIRE(test.run_with({"--seed", "7", "--learn", file}).code == 0);
  const auto once = read_bytes(file);
  REQUIRE(std::filesystem::remove(test.folder / "out" / "result.json"));
  const auto again = run({"resume", test.out, "--learn", file});
  INFO(again.err);
  REQUIRE(again.code == 0);
  CHECK(read_bytes(file) == once);
  CHECK_THAT(again.out, Contains("0 added, ") && Contains("there already"));
}

TEST_CASE("a single agent's samples name its own events") {
  const run_fixture test{agent};
  const auto file = (test.folder / "samples.jsonl").string();
  const auto ran
    = test.run_with({"--seed", "7", "--profile", "sa", "--learn", file});
  INFO(ran.err);
  REQUIRE(ran.code == 1);
  const auto text = read_bytes(file);
  const auto points = points_in(text);
  CHECK(points.at("plan_generation") == 1);
  CHECK(points.at("execution_completion") == 2);
  CHECK(points.at("pipeline_failure") >= 1);
  const auto events = read_bytes(test.folder / "out" / "events.jsonl");
  for (const auto& each : samples_in(text))
    for (const auto& id : each.at("meta").at("source_event_ids").as_array()) {
      INFO(json::serialize(each));
      CHECK(events.find(id.as_string().c_str()) != std::string::npos);
    }
  CHECK(run({"export", test.out, "--format", "learning"}).out == text);
}

TEST_CASE("scrubbed samples of a run have none of its texts") {
  const run_fixture test{agent};
  const auto file = (test.folder / "samples.jsonl").string();
  REQUIRE(
    test
      .run_with({"--seed", "7", "--profile", "sa", "--learn", file, "--scrub"})
      .code
    == 1);
  const auto text = read_bytes(file);
  CHECK_THAT(text, Contains("(scrubbed)"));
  for (const auto* hidden : {"Two", "A project", "One"})
    CHECK_THAT(text, !Contains(hidden));
  CHECK(run({"export", test.out, "--format", "learning", "--scrub"}).out
        == text);
}

TEST_CASE("samples have nothing of what was written into files") {
  const run_fixture test{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"}]},
    "behaviours": {"ann": {"type": "script", "turns": [{"content": "done",
      "writes": [{"resource_type": "file", "resource_id": "keys/.env",
                  "base_version": 0, "value": "KEY=of-the-safe"}]}]}},
    "session": {"rounds": 1}, "task": "write"})"};
  const auto file = (test.folder / "samples.jsonl").string();
  REQUIRE(test.run_with({"--learn", file}).code == 0);
  CHECK_THAT(read_bytes(test.out + "/events.jsonl"), Contains("of-the-safe"));
  const auto text = read_bytes(file);
  CHECK_FALSE(samples_in(text).empty());
  CHECK_THAT(text, !Contains("of-the-safe"));
  CHECK_THAT(text, !Contains(".env"));
}

TEST_CASE("a store has the samples of sessions whose documents ask for it") {
  const bool named = GENERATE(true, false);
  const run_fixture test{
    R"({"collab": {"mode": "round_robin", "meta": {"cross_cutting": [)"
    + std::string{named ? R"("learning-feedback")" : R"("observability")"}
    + R"(]}, "participants": [{"participant_id": "ann", "role_id": "r"}]},
       "session": {"rounds": 1}, "task": "go on"})"};
  const auto store = (test.folder / "state.db").string();
  const auto ran = test.run_with({"--store", "sqlite:" + store});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const auto opened = host::open_sqlite_store(store);
  REQUIRE(opened);
  const auto page = host::awaited<host::state_page>([&](auto then) {
    (*opened)->scan({.prefix = "learning_samples/"}, std::move(then));
  });
  REQUIRE(page);
  CHECK(page->entries.empty() == !named);
}

TEST_CASE("a session that opted out gives no samples, and a note says so") {
  const run_fixture test{
    R"({"collab": {"mode": "round_robin",
        "meta": {"cross_cutting": ["observability"]},
        "participants": [{"participant_id": "ann", "role_id": "r"}]},
       "session": {"rounds": 1}, "task": "go on"})"};
  const auto file = (test.folder / "samples.jsonl").string();
  const auto ran
    = run({"run", test.scenario, "--out", test.out, "--learn", file});
  REQUIRE(ran.code == 0);
  CHECK(read_bytes(file).empty());
  CHECK_THAT(ran.err, Contains("1 session without learning samples"));
  CHECK(run({"export", test.out, "--format", "learning"}).out.empty());
}

TEST_CASE("a run whose samples cannot be written succeeds and says so") {
  const run_fixture test{answers};
  const auto file = (test.folder / "samples.jsonl").string();
  // A file that has grown to its limit already, with samples of another run.
  std::string full;
  for (int i = 100'000; full.size() < 100'000; ++i)
    full += R"({"sample_id":"00000000-0000-4000-8000-000000)"
            + std::to_string(i) + "\"}\n";
  write_bytes(file, full);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = full.size(), .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto ran = test.run_with({"--learn", file});
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.err,
             Contains("samples.jsonl") && Contains("--format learning"));
  CHECK(run({"check", test.out}).code == 0);
  CHECK(read_bytes(file) == full);
}

TEST_CASE("samples that have nowhere to go are refused before a run begins") {
  const run_fixture test{answers};
  const auto arguments
    = GENERATE(as<std::vector<std::string>>{},
               std::vector<std::string>{"--learn", "/dev/full"},
               std::vector<std::string>{"--scrub"});
  CHECK(test.run_with(arguments).code == 2);
  CHECK_FALSE(std::filesystem::exists(test.out));
}

TEST_CASE("samples are made of events that no session has") {
  const scratch_folder folder;
  const auto file = (folder / "events.jsonl").string();
  write_bytes(
    file,
    R"({"event_id":"00000000-0000-4000-8000-000000000001","event_type":"user_message_received","event_family":"intent","timestamp":"2026-01-01T00:00:00.000Z","payload":{"raw_text":"Sort it"}})"
    "\n");
  const auto made = run({"export", file, "--format", "learning"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(points_in(made.out)
        == std::map<std::string, int>{{"intent_resolution", 1}});
}
