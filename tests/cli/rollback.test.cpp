#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/event_log/writer.hpp>

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

std::string step_id(int number) {
  return "550e8400-e29b-41d4-a716-44665544000" + std::to_string(number);
}

json::object program_of(const std::string& script, bool repeatable = true,
                        const std::string& reply = R"({"content": "done"})") {
  return {{"type", "process"},
          {"repeatable", repeatable},
          {"command",
           {"sh", "-c",
            "cat >/dev/null; " + script + "; echo '" + reply + "'"}}};
}

/// What a step of the role says: that it is done, and that it wrote a file.
std::string writes(const std::string& role) {
  return R"({"content": "did )" + role + R"(", "result": {"made": ")" + role
         + R"("}, "writes": [{"resource_type": "file", "resource_id": ")" + role
         + R"(.txt", "base_version": 0, "op": "put", "value": "by )" + role
         + R"("}]})";
}

/// Steps a, b and c, one after the other; each, and what undoes it, is noted in
/// the file `done`.
struct three_steps : run_fixture {
  json::object what;

  three_steps() : run_fixture("") {
    json::array steps;
    int number = 1;
    for (const std::string role : {"a", "b", "c"}) {
      json::object step{{"step_id", step_id(number)},
                        {"description", "do " + role},
                        {"agent_role", role}};
      if (number > 1)
        step["dependencies"] = json::array{json::string{step_id(number - 1)}};
      ++number;
      steps.push_back(std::move(step));
      does(role, note(role), writes(role));
      undoes(role, note("undo-" + role));
    }
    what["context"] = json::object{{"title", "Three steps"}};
    what["plan"] = json::object{{"title", "Three steps"}, {"steps", steps}};
  }

  [[nodiscard]] std::string note(const std::string& word) const {
    return "echo " + word + " >>" + folder.path().string() + "/done";
  }

  void does(const std::string& role, const std::string& script,
            const std::string& reply) {
    object_in("behaviours")[role] = program_of(script, true, reply);
  }
  void undoes(const std::string& role, const std::string& script,
              bool repeatable = true) {
    object_in("compensations")[role] = program_of(script, repeatable);
  }
  json::object& object_in(const char* name) {
    auto& member = what[name];
    if (member.is_null())
      member.emplace_object();
    return member.as_object();
  }

  [[nodiscard]] finished ran(const std::vector<std::string>& more = {}) const {
    write_bytes(scenario, json::serialize(what));
    std::vector<std::string> all{"--profile", "sa", "--allow", "run=sh"};
    all.insert(all.end(), more.begin(), more.end());
    return run_with(all);
  }

  [[nodiscard]] std::vector<std::string>
  rollback_arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"rollback", out, "--allow", "run=sh"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] finished
  rolled_back(const std::vector<std::string>& more = {}) const {
    return run(rollback_arguments(more));
  }

  /// What was done and undone, in one line.
  [[nodiscard]] std::string done() const {
    auto all = fs::exists(folder / "done") ? read_bytes(folder / "done") : "";
    std::ranges::replace(all, '\n', ' ');
    return all;
  }

  [[nodiscard]] std::vector<json::object> events() const {
    std::istringstream lines{read_bytes(out + "/rollback.jsonl")};
    std::vector<json::object> all;
    for (std::string line; std::getline(lines, line);) {
      const auto event = parse_json(line);
      REQUIRE(event);
      if (event->as_object().contains("event_type"))
        all.push_back(event->as_object());
    }
    return all;
  }
  /// Replaces the record by one of these events.
  void write_record(const std::vector<std::string>& lines) const {
    fs::remove(out + "/rollback.jsonl");
    auto log = convene::host::event_log_writer::open(out + "/rollback.jsonl");
    REQUIRE(log);
    for (const auto& line : lines)
      REQUIRE((*log)->append(line + '\n'));
    REQUIRE((*log)->close());
  }
  [[nodiscard]] std::string types() const {
    std::string all;
    for (const auto& event : events())
      all += std::string{event.at("event_type").as_string()} + ' ';
    return all;
  }

  void check_good() const {
    const auto checked = run({"check", out});
    INFO(checked.out << checked.err);
    CHECK(checked.code == 0);
    const auto valid = run({"validate", out, "--invariants"});
    INFO(valid.out << valid.err);
    CHECK(valid.code == 0);
  }
};

/// Whether a program has written to the file, not only created it.
bool has_text(const fs::path& file) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  return !failed && bytes != 0;
}

json::object json_of(const finished& done) {
  const auto parsed = parse_json(done.out);
  INFO(done.out << done.err);
  REQUIRE(parsed);
  return parsed->as_object();
}

const std::string three_done = "rollback_planned compensation_ended "
                               "compensation_ended compensation_ended "
                               "graph_rolled_back rollback_executed ";

} // namespace

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

TEST_CASE("rollback: what nothing undoes is told") {
  three_steps at;
  at.object_in("compensations").erase("b");
  at.object_in("compensations").erase("c");
  at.object_in("compensations")["*"] = program_of(at.note("undo-any"));
  at.object_in("compensations").erase("*");
  REQUIRE(at.ran().code == 0);
  const auto report = json_of(at.rolled_back({"--json"}));
  CHECK(report.at("without_compensation")
        == json::array{json::string{step_id(3)}, json::string{step_id(2)}});
  CHECK(at.done() == "a b c undo-a ");
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

TEST_CASE("rollback: a file that cannot be restored keeps it open, and is told "
          "each time") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto files = at.folder / "files";
  fs::create_directory(files);
  fs::create_symlink(at.folder / "elsewhere", files / "a.txt");
  const auto done = at.rolled_back({"--files", files.string()});
  CHECK(done.code == 1);
  CHECK_THAT(done.err, Contains("a.txt"));
  CHECK_THAT(at.types(), !Contains("rollback_executed"));
  // Without the files it is executed; they can be restored later, or not.
  CHECK(at.rolled_back().code == 0);
  CHECK(at.rolled_back({"--files", files.string()}).code != 0);
  fs::remove(files / "a.txt");
  CHECK(at.rolled_back({"--files", files.string()}).code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
}

TEST_CASE("rollback: after a kill it is finished, and no compensation that "
          "ended is run again") {
  three_steps at;
  const auto go = (at.folder / "go").string();
  const auto begun = (at.folder / "begun").string();
  const bool repeatable = GENERATE(true, false);
  at.undoes("b",
            "echo 1 >>" + begun + "; while [ ! -e " + go
              + " ]; do sleep 0.02; done; " + at.note("undo-b"),
            repeatable);
  REQUIRE(at.ran().code == 0);
  {
    program running{at.rollback_arguments()};
    while (!has_text(begun) && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    running.signal(SIGKILL);
    REQUIRE(running.wait().code == 128 + SIGKILL);
  }
  CHECK(at.types() == "rollback_planned ");
  CHECK(run({"check", at.out}).code == 1);
  CHECK(run({"check", at.out, "--allow-unfinished"}).code == 0);
  write_bytes(go, "");
  const auto done = at.rolled_back();
  if (repeatable) {
    CHECK(done.code == 0);
    CHECK(read_bytes(begun) == "1\n1\n");
    CHECK(at.done() == "a b c undo-c undo-b undo-a ");
    CHECK(at.types() == three_done);
    return at.check_good();
  }
  // It may have happened, so somebody has to look.
  CHECK(done.code == 1);
  CHECK_THAT(done.out, Contains("unknown   " + step_id(2)));
  const auto undecided = at.rolled_back();
  CHECK(undecided.code == 1);
  CHECK_THAT(undecided.err, Contains("--unknown done"));
  CHECK(read_bytes(begun) == "1\n");
  const bool repeats = GENERATE(true, false);
  CHECK(at.rolled_back({"--unknown", repeats ? "repeat" : "done"}).code == 0);
  CHECK(at.done()
        == (repeats ? "a b c undo-c undo-b undo-a " : "a b c undo-c undo-a "));
  at.check_good();
}

TEST_CASE("rollback: a signal suspends it, and it is continued") {
  three_steps at;
  const auto go = (at.folder / "go").string();
  const auto begun = (at.folder / "begun").string();
  at.undoes("c", "echo 1 >>" + begun + "; while [ ! -e " + go
                   + " ]; do sleep 0.02; done; " + at.note("undo-c"));
  REQUIRE(at.ran().code == 0);
  program running{at.rollback_arguments()};
  while (!has_text(begun) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGTERM);
  const auto stopped = running.wait();
  CHECK(stopped.code == 143);
  CHECK_THAT(stopped.out, Contains("suspended: 0 of 3 compensations done"));
  write_bytes(go, "");
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  at.check_good();
}

TEST_CASE("rollback: of an interrupted run the completed steps are undone, and "
          "it does not go on") {
  three_steps at;
  const auto begun = (at.folder / "begun").string();
  at.does("c", "echo 1 >>" + begun + "; sleep 60", "");
  write_bytes(at.scenario, json::serialize(at.what));
  program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                   "--allow", "run=sh"}};
  while (!has_text(begun) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGKILL);
  REQUIRE(running.wait().code == 128 + SIGKILL);
  const auto done = at.rolled_back();
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains(step_id(3)) && Contains("may have happened"));
  CHECK(at.done() == "a b undo-b undo-a ");
  const auto checked = run({"check", at.out});
  INFO(checked.out);
  CHECK(checked.code == 0);
  const auto resumed = run({"resume", at.out, "--allow", "run=sh"});
  CHECK(resumed.code == 1);
  CHECK_THAT(resumed.err, Contains("rolled back"));
}

TEST_CASE("rollback: what compensations may not reach is refused before "
          "anything is recorded") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto done = run({"rollback", at.out});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("--allow run="));
  CHECK_FALSE(fs::exists(at.out + "/rollback.jsonl"));
  CHECK_FALSE(fs::exists(at.out + "/rollback"));
  // The run itself, too, asks for what its compensations need.
  CHECK(at.run_with({"--profile", "sa"}).code == 2);
}

TEST_CASE("rollback: what is no run, or no stage of it, is refused") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  CHECK(at.rolled_back({"--to", "550e8400-e29b-41d4-a716-446655440009"}).code
        == 2);
  CHECK(run({"rollback", at.folder.path().string()}).code == 2);
  CHECK(run({"rollback", at.out + "/session"}).code == 2);
  const run_fixture session{answers};
  REQUIRE(session.run_with().code == 0);
  CHECK_THAT(run({"rollback", session.out}).err,
             Contains("single agent's run"));
  auto with = parse_json(answers)->as_object();
  with["compensations"] = json::object{{"*", json::object{{"type", "echo"}}}};
  const run_fixture several{json::serialize(with)};
  CHECK_THAT(several.run_with().err, Contains("/compensations"));
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
    const auto go = (at.folder / "go").string();
    const auto begun = (at.folder / "begun").string();
    at.does("c", at.note("c") + "; exit 3", "");
    at.undoes("b", "echo 1 >>" + begun + "; while [ ! -e " + go
                     + " ]; do sleep 0.02; done; " + at.note("undo-b"));
    write_bytes(at.scenario, json::serialize(at.what));
    program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                     "--allow", "run=sh"}};
    while (!has_text(begun) && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    running.signal(SIGKILL);
    REQUIRE(running.wait().code == 128 + SIGKILL);
    write_bytes(go, "");
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

TEST_CASE("rollback: check finds events that say something else") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 0);
  // Without the groups' checksums, which would find any edit first.
  std::vector<std::string> lines;
  for (const auto& event : at.events())
    lines.push_back(json::serialize(event));
  REQUIRE(lines.size() == 6);
  std::string rule;
  const auto replaced = [&](std::size_t line, const std::string& from,
                            const std::string& to) {
    const auto found = lines[line].find(from);
    REQUIRE(found != std::string::npos);
    lines[line].replace(found, from.size(), to);
  };
  SECTION("a step is planned first that was completed first") {
    replaced(0, step_id(3), step_id(1));
    rule = "rollback_steps";
  }
  SECTION("a compensation is told twice") {
    lines[2] = lines[1];
    rule = "compensation_once";
  }
  SECTION("compensations are told in another order") {
    std::swap(lines[1], lines[2]);
    rule = "rollback_order";
  }
  SECTION("a compensation failed") {
    replaced(3, R"("completed")", R"("failed")");
    rule = "rollback_outcome";
  }
  SECTION("the graph lost more") {
    replaced(4, R"("node_delta":-3)", R"("node_delta":-4)");
    rule = "rollback_graph";
  }
  SECTION("it is executed before it is planned") {
    lines.erase(lines.begin());
    rule = "rollback_order";
  }
  SECTION("it is executed without the graph") {
    lines.erase(lines.begin() + 4);
    rule = "rollback_order";
  }
  SECTION("an event is none by its schema") {
    replaced(5, R"("event_id":")", R"("event_id":"x)");
    rule = "event_schema";
  }
  SECTION("it does not end") {
    lines.pop_back();
    rule = "rollback_unfinished";
  }
  at.write_record(lines);
  const auto checked = run({"check", at.out});
  INFO(checked.out);
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, Contains(rule));
}

TEST_CASE("rollback: check compares each member of each event") {
  three_steps at;
  const auto fixed = (at.folder / "fixed").string();
  at.undoes("b", "[ -e " + fixed + " ] || exit 7; " + at.note("undo-b"));
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 1);
  write_bytes(fixed, "");
  REQUIRE(at.rolled_back().code == 0);
  at.check_good();
  const auto good = at.events();
  REQUIRE(good.size() == 9);
  struct edit {
    std::size_t event;
    const char* path; ///< of members and, as digits, items
    json::value to;
    const char* rule = "rollback_event";
  };
  const std::vector<edit> edits{
    {0, "event_id", good[1].at("event_id")},
    {0, "timestamp", "2020-01-01T00:00:00.000Z"},
    {0, "event_family", "graph_update"},
    {0, "payload extra", 1},
    {0, "payload sa_id", json::string{step_id(1)}},
    {0, "payload reason", "because"},
    {0, "payload compensation_id", json::string{step_id(1)}},
    {0, "payload attempt", "rollback/0007"},
    {0, "payload without_compensation", json::array{json::string{step_id(1)}}},
    {0, "payload may_have_happened", json::array{json::string{step_id(1)}}},
    {0, "payload steps 0 agent_role", "b"},
    {0, "payload steps 0 description", "do b"},
    {0, "payload steps 0 status", "completed"},
    {1, "payload attempt", "rollback/0002", "rollback_outcome"},
    {2, "payload error_code", "other", "rollback_outcome"},
    {2, "payload error_message", "other", "rollback_outcome"},
    {2, "timestamp", "2020-01-01T00:00:00.000Z"},
    {3, "payload to", json::string{step_id(1)}},
    {3, "payload steps 0 status", "pending"},
    {4, "payload attempt", "rollback/0001"},
    {4, "payload settled", json::array{json::string{step_id(2)}}},
    {7, "payload hash", "00", "rollback_graph"},
    {7, "graph_id", json::string{step_id(1)}, "rollback_graph"},
    {8, "payload to", json::string{step_id(1)}},
    {8, "payload steps 0 status", "failed"},
    {8, "payload files_restored", -5},
    {8, "event_id", good[7].at("event_id")}};
  for (const auto& each : edits) {
    INFO("event " << each.event << ", " << each.path);
    auto events = good;
    json::value whole = events[each.event];
    auto* place = &whole;
    std::istringstream path{each.path};
    for (std::string part; path >> part;)
      place = place->is_array() ? &place->as_array().at(std::stoul(part))
                                : &place->as_object()[part];
    *place = each.to;
    events[each.event] = whole.as_object();
    std::vector<std::string> lines;
    for (const auto& event : events)
      lines.push_back(json::serialize(event));
    at.write_record(lines);
    const auto checked = run({"check", at.out});
    CHECK(checked.code == 1);
    CHECK_THAT(checked.out, Contains(each.rule));
  }
}

TEST_CASE("rollback: a record that is no log is found, and nothing is rolled "
          "back by it") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  write_bytes(at.out + "/rollback.jsonl", "garbage\n");
  const auto checked = run({"check", at.out});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, Contains("not_a_log"));
  CHECK(at.rolled_back().code != 0);
  CHECK(read_bytes(at.out + "/rollback.jsonl") == "garbage\n");
  CHECK(at.done() == "a b c ");
}

TEST_CASE("rollback: a step that its program wrote as completed is undone, "
          "too") {
  three_steps at;
  at.does("a", at.note("a"),
          R"({"content": "did a", "writes": [{"resource_type": "plan_step",
              "resource_id": ")"
            + step_id(1) + R"(", "base_version": 0, "op": "merge",
              "value": {"status": "completed"}}]})");
  REQUIRE(at.ran().code == 0);
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  at.check_good();
}

TEST_CASE("rollback: an attempt has no rollbacks of its own, and is no link") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 0);
  const auto attempts = fs::path{at.out} / "rollback";
  SECTION("links to the run") {
    for (const auto* name : {"0002", "0003"})
      fs::create_directory_symlink(at.out, attempts / name);
    const auto checked = run({"check", at.out});
    CHECK(checked.code == 1);
    CHECK_THAT(checked.out, Contains("is a link"));
  }
  SECTION("a link to the run in an attempt") {
    fs::copy_file(at.out + "/rollback.jsonl",
                  attempts / "0001" / "rollback.jsonl");
    fs::create_directory_symlink(at.out, attempts / "0001" / "rollback");
    CHECK(run({"check", at.out}).code == 0);
  }
}

TEST_CASE("rollback: by its policy a run that cannot be rolled back has its "
          "result all the same") {
  three_steps at;
  at.object_in("session")["policy"] = "single_agent_rollback";
  // In the place where the compensations are to run.
  at.does("c", "touch " + at.out + "/rollback; exit 3", "");
  SECTION("as JSON") {
    const auto done = at.ran({"--json"});
    CHECK(done.code == 1);
    const auto result = json_of(done);
    CHECK(result.at("steps").at("status") == "failed");
    CHECK(result.at("rollback").at("status") == "failed");
    CHECK(result.at("rollback").at("error").as_object().contains("message"));
    const auto again = run({"resume", at.out, "--allow", "run=sh", "--json"});
    CHECK(again.code == 1);
    CHECK(json_of(again).at("rollback").at("status") == "failed");
  }
  SECTION("as text") {
    const auto done = at.ran();
    CHECK(done.code == 1);
    CHECK_THAT(done.err, Contains("cannot be rolled back"));
    const auto again = run({"resume", at.out, "--allow", "run=sh"});
    CHECK(again.code == 1);
    CHECK_THAT(again.out, !Contains("Nothing to resume"));
  }
}

TEST_CASE("rollback: a compensation is told what of its step does not fit") {
  three_steps at;
  const auto seen = (at.folder / "seen").string();
  const auto bytes = GENERATE(600'000, 1'048'500);
  write_bytes(at.folder / "large",
              R"({"content": "x", "result": {"made": ")"
                + std::string(static_cast<std::size_t>(bytes), 'y') + R"("}})");
  at.object_in("behaviours")["c"] = json::object{
    {"type", "process"},
    {"command",
     {"sh", "-c", "cat >/dev/null; cat " + (at.folder / "large").string()}}};
  at.object_in("compensations")["c"]
    = json::object{{"type", "process"},
                   {"command", {"sh", "-c", "cat >" + seen + "; echo '{}'"}}};
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back({"--to", step_id(2)}).code == 0);
  const auto request = parse_json(read_bytes(seen));
  REQUIRE(request);
  for (const auto& each : request->at("workspace").at("resources").as_array())
    if (each.at("resource_id") == json::string{step_id(3)}) {
      const auto& value = each.at("value").as_object();
      CHECK(value.contains("result") == (bytes == 600'000));
      CHECK(value.contains("left_out") == (bytes != 600'000));
    }
}

TEST_CASE("rollback: each file that cannot be restored is told, and those that "
          "were") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto files = at.folder / "files";
  fs::create_directory(files);
  for (const auto* name : {"a.txt", "c.txt"})
    fs::create_symlink(at.folder / "elsewhere", files / name);
  write_bytes(files / "b.txt", "by b");
  const auto done = at.rolled_back({"--files", files.string(), "--json"});
  CHECK(done.code == 1);
  const auto report = json_of(done);
  CHECK(report.at("status") == "failed");
  CHECK(report.at("files").as_array().size() == 1);
  CHECK(report.at("files_errors").as_array().size() == 2);
  CHECK_FALSE(fs::exists(files / "b.txt"));
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

TEST_CASE("rollback: an error about a compensation names its place in the "
          "scenario") {
  three_steps at;
  at.object_in("compensations")["a"] = json::object{{"type", "nonsense"}};
  const auto done = at.ran();
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("/compensations/a/type"));
}

TEST_CASE("rollback: a step that a signal interrupted may have happened") {
  three_steps at;
  const auto begun = (at.folder / "begun").string();
  at.object_in("behaviours")["b"]
    = program_of("echo 1 >>" + begun + "; sleep 60", false);
  write_bytes(at.scenario, json::serialize(at.what));
  program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                   "--allow", "run=sh"}};
  while (!has_text(begun) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGINT);
  REQUIRE(running.wait().code == 130);
  const auto report = json_of(at.rolled_back({"--json"}));
  CHECK(report.at("may_have_happened")
        == json::array{json::string{step_id(2)}});
  at.check_good();
}
