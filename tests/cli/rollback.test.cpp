#include "three_steps.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

using namespace convene::tests;
using Catch::Contains;

TEST_CASE("rollback: completed steps are undone in reverse, and the run's own "
          "files stay as they are") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  std::map<std::string, std::string> before;
  for (const auto* name : {"events.jsonl", "trace.json", "plan.json",
                           "result.json", "session/events.jsonl"})
    before[name] = read_bytes(fs::path{at.out} / name);
  const auto report = json_of(at.rolled_back({"--json"}));
  CHECK(report.at("status") == "executed");
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  CHECK(at.types() == three_done);
  for (const auto& [name, bytes] : before)
    CHECK(read_bytes(fs::path{at.out} / name) == bytes);
  // Three files and what step made which are gone again.
  CHECK(report.at("graph").at("node_delta") == -3);
  CHECK(report.at("graph").at("edge_delta") == -6);
  at.check_good();
}

TEST_CASE("rollback: back to a completed step, which stays, and from there to "
          "the start") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  CHECK(at.rolled_back({"--to", step_id(1)}).code == 0);
  CHECK(at.done() == "a b c undo-c undo-b ");
  const auto later = at.rolled_back({"--to", step_id(2)});
  CHECK(later.code == 2);
  CHECK_THAT(later.err, Contains("earlier stage"));
  const auto rest = json_of(at.rolled_back({"--json"}));
  CHECK(rest.at("graph").at("node_delta") == -1);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  at.check_good();
}

TEST_CASE("rollback: a second one to the same stage does nothing, and says "
          "so") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 0);
  const auto log = read_bytes(at.out + "/rollback.jsonl");
  const auto again = at.rolled_back();
  CHECK(again.code == 0);
  CHECK_THAT(again.out, Contains("Nothing to roll back"));
  CHECK(read_bytes(at.out + "/rollback.jsonl") == log);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
}

TEST_CASE("rollback: what a failed compensation left is told, and done by the "
          "next one") {
  three_steps at;
  const auto fixed = (at.folder / "fixed").string();
  at.undoes("b", "[ -e " + fixed + " ] || exit 7; " + at.note("undo-b"));
  REQUIRE(at.ran().code == 0);
  const auto failed = at.rolled_back();
  CHECK(failed.code == 1);
  CHECK_THAT(failed.out, Contains("1 of 3 compensations done")
                           && Contains("failed    " + step_id(2))
                           && Contains("pending   " + step_id(1)));
  CHECK(at.done() == "a b c undo-c ");
  at.check_good();
  CHECK(at.rolled_back().code == 1);
  CHECK(at.done() == "a b c undo-c ");
  const auto other = at.rolled_back({"--to", step_id(1)});
  CHECK(other.code == 1);
  CHECK_THAT(other.err, Contains("finish it first"));
  write_bytes(fixed, "");
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  CHECK(at.types()
        == "rollback_planned compensation_ended compensation_ended "
           "rollback_failed rollback_continued compensation_ended "
           "rollback_failed rollback_continued compensation_ended "
           "compensation_ended graph_rolled_back rollback_executed ");
  at.check_good();
}

TEST_CASE("rollback: a failed run goes back, and its failed step is not "
          "undone") {
  three_steps at;
  at.does("c", at.note("c") + "; exit 3", "");
  REQUIRE(at.ran().code == 1);
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-b undo-a ");
  at.check_good();
}

TEST_CASE("rollback: one compensation can be for all roles that have none") {
  three_steps at;
  at.what.erase("compensations");
  at.undoes("*", at.note("undo-any"));
  at.undoes("b", at.note("undo-b"));
  REQUIRE(at.ran().code == 0);
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-any undo-b undo-any ");
}

TEST_CASE("rollback: a compensation sees what its step said and what the run "
          "left") {
  three_steps at;
  const auto seen = (at.folder / "seen").string();
  at.object_in("compensations")["c"]
    = json::object{{"type", "process"},
                   {"command", {"sh", "-c", "cat >" + seen + "; echo '{}'"}}};
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back({"--to", step_id(2)}).code == 0);
  const auto request = parse_json(read_bytes(seen));
  REQUIRE(request);
  CHECK(request->at("task") == "Undo: do c");
  CHECK(request->at("step_id") == json::string{step_id(3)});
  std::map<std::string, json::value> resources;
  for (const auto& each : request->at("workspace").at("resources").as_array())
    resources[std::string{each.at("resource_id").as_string()}]
      = each.at("value");
  CHECK(resources["a.txt"] == "by a");
  CHECK(resources[step_id(3)].at("result").at("made") == "c");
  CHECK(resources[step_id(3)].at("output_summary") == "did c");
}

TEST_CASE("rollback: files become what they were at the stage, and what is "
          "replaced is kept") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto files = at.folder / "files";
  fs::create_directory(files);
  write_bytes(files / "a.txt", "edited");
  write_bytes(files / "b.txt", "by b");
  write_bytes(files / "other.txt", "mine");
  const auto done = json_of(
    at.rolled_back({"--to", step_id(1), "--files", files.string(), "--json"}));
  CHECK(done.at("files").as_array().size() == 2);
  CHECK(read_bytes(files / "a.txt") == "by a");
  CHECK_FALSE(fs::exists(files / "b.txt"));
  CHECK(read_bytes(files / "other.txt") == "mine");
  std::vector<std::string> kept;
  for (const auto& each : done.at("files").as_array())
    kept.push_back(read_bytes(std::string{each.at("kept").as_string()}));
  CHECK(kept == std::vector<std::string>{"edited", "by b"});
  CHECK(at.events().back().at("payload").at("files_restored") == 2);
  // Later, by themselves.
  write_bytes(files / "a.txt", "edited again");
  const auto again
    = at.rolled_back({"--to", step_id(1), "--files", files.string()});
  CHECK(again.code == 0);
  CHECK(read_bytes(files / "a.txt") == "by a");
}

TEST_CASE("rollback: by its policy a run undoes what it did after a failed "
          "step") {
  three_steps at;
  at.object_in("session")["policy"] = "single_agent_rollback";
  SECTION("a step fails") {
    at.does("c", at.note("c") + "; exit 3", "");
    const auto report = json_of(at.ran({"--json"}));
    CHECK(report.at("rollback").at("status") == "executed");
    CHECK(at.done() == "a b c undo-b undo-a ");
    CHECK(at.events().front().at("payload").at("reason") == "plan_failed");
    // A resumed one has nothing left to do.
    CHECK(run({"resume", at.out, "--allow", "run=sh"}).code == 0);
    CHECK(at.done() == "a b c undo-b undo-a ");
    CHECK(at.rolled_back().code == 0);
  }
  SECTION("none does") {
    REQUIRE(at.ran().code == 0);
    CHECK(at.done() == "a b c ");
    CHECK_FALSE(fs::exists(at.out + "/rollback.jsonl"));
  }
  SECTION("it is killed meanwhile") {
    const auto begun = at.folder / "begun";
    at.does("c", at.note("c") + "; exit 3", "");
    at.undoes("b", at.held_back() + at.note("undo-b"));
    write_bytes(at.scenario, json::serialize(at.what));
    program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                     "--allow", "run=sh"}};
    while (!has_text(begun) && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    running.signal(SIGKILL);
    REQUIRE(running.wait().code == 128 + SIGKILL);
    at.release();
    CHECK(run({"resume", at.out, "--allow", "run=sh"}).code == 0);
    CHECK(at.done() == "a b c undo-b undo-a ");
  }
  at.check_good();
}

TEST_CASE("rollback: with a seed it is the same, byte for byte") {
  const std::string seeded = R"({
    "context": {"title": "T"},
    "plan": {"title": "T", "steps": [
      {"description": "one", "agent_role": "good"},
      {"description": "two", "agent_role": "good", "order_index": 2},
      {"description": "three", "agent_role": "bad", "order_index": 3}]},
    "behaviours": {"good": {"type": "simulated", "latency_ms": 5},
                   "bad": {"type": "simulated", "latency_ms": 90,
                           "failure": 1}},
    "compensations": {"good": {"type": "simulated", "latency_ms": 700}},
    "session": {"policy": "single_agent_rollback"}})";
  std::vector<std::string> logs;
  for (int i = 0; i < 2; ++i) {
    const run_fixture at{seeded};
    REQUIRE(at.run_with({"--profile", "sa", "--seed", "7"}).code == 1);
    CHECK(run({"check", at.out}).code == 0);
    logs.push_back(
      read_bytes(at.out + "/rollback.jsonl")
      + read_bytes(at.out + "/rollback/0001/session/events.jsonl"));
  }
  CHECK(logs[0] == logs[1]);
}

TEST_CASE("rollback: the graph of the run's folder is that of the stage") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto graph = [&] { return json_of(run({"graph", at.out, "--json"})); };
  const auto nodes = [](const json::object& of, std::string_view kind) {
    return std::ranges::count_if(of.at("nodes").as_array(),
                                 [&](const json::value& each) {
                                   return each.at("kind").as_string() == kind;
                                 });
  };
  const auto status = [](const json::object& of, int step) {
    for (const auto& each : of.at("nodes").as_array())
      if (each.at("kind") == "step"
          && std::string{each.at("id").as_string()}.ends_with(step_id(step)))
        return std::string{each.at("members").at("status").as_string()};
    return std::string{};
  };
  const auto before = graph();
  CHECK(nodes(before, "resource") == 3);
  REQUIRE(at.rolled_back({"--to", step_id(1)}).code == 0);
  const auto middle = graph();
  CHECK(nodes(middle, "resource") == 1);
  CHECK(nodes(middle, "collab") == 1);
  CHECK(status(middle, 1) == "completed");
  CHECK(status(middle, 3) == "pending");
  REQUIRE(at.rolled_back().code == 0);
  CHECK(nodes(graph(), "resource") == 0);
  CHECK(status(graph(), 1) == "pending");
  CHECK(nodes(graph(), "segment") == nodes(before, "segment"));
}
