#include "program.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const std::string two_steps = R"({
  // a plan of two steps
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"},
    {"participant_id": "bob", "role_id": "role-reviewer"}]},
  "plan": {"steps": [{"description": "draft it", "agent_role": "planner"},
                     {"description": "review it", "agent_role": "reviewer"}]},
  "behaviours": {
    "ann": {"type": "script", "turns": [{"content": "a \u001b[31mdraft"}]},
    "*": {"type": "echo"}},
  "task": "Write the page",
})";

const std::string silent = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "behaviours": {"*": {"type": "simulated", "silence": 1}},
  "session": {"turn_timeout_ms": 3600000, "max_duration_ms": 36000000},
  "task": "wait for ever"})";

/// A folder with a scenario, and where its results go.
struct fixture {
  scratch_folder folder;
  std::string scenario = (folder / "scenario.json").string();
  std::string out = (folder / "out").string();

  explicit fixture(const std::string& text = two_steps) {
    write_bytes(scenario, text);
  }

  [[nodiscard]] json::value document(const std::string& name) const {
    const auto read = parse_json(read_bytes(fs::path{out} / name));
    REQUIRE(read);
    return *read;
  }

  [[nodiscard]] finished
  run_with(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"run", scenario, "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

/// A log without the lines that close its groups: where those are depends on
/// how fast the run is.
std::string events_in(const std::string& log) {
  std::istringstream lines{read_bytes(log)};
  std::string all;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(R"({"log_group")"))
      all += line + '\n';
  return all;
}

} // namespace

TEST_CASE("a scenario runs, shows a timeline and leaves its documents") {
  const fixture at;
  const auto done = at.run_with({});
  CHECK(done.code == 0);
  CHECK(done.err.empty());
  CHECK_THAT(done.out, Contains("Write the page (round_robin, 2 participants)")
                         && Contains("#1     ann      asked       draft it")
                         && Contains("#2     bob      completed")
                         && Contains("2/2 review it")
                         && Contains("session  completed   2 turns"));
  CHECK_THAT(done.out, !Contains("\x1b"));
  const auto result = at.document("result.json");
  CHECK(result.at("status") == "completed");
  CHECK(result.at("turns_total") == 2);
  for (const auto& [name, file] : result.at("documents").as_object())
    CHECK(fs::is_regular_file(at.out + '/' + std::string{file.as_string()}));
  CHECK(result.at("documents").as_object().size() == 8);
  CHECK(at.document("trace.json").at("segments").as_array().size() == 2);
  CHECK(at.document("plan.json").at("status") == "completed");
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("the resolved scenario runs again to the same documents") {
  const fixture at;
  REQUIRE(at.run_with({"--quiet", "--seed", "5"}).out.empty());
  const auto again = (at.folder / "again").string();
  REQUIRE(run({"run", at.out + "/scenario.json", "--seed", "5", "--quiet",
               "--out", again})
            .code
          == 0);
  for (const auto* name :
       {"/collab.json", "/trace.json", "/result.json", "/scenario.json"})
    CHECK(read_bytes(at.out + name) == read_bytes(again + name));
  CHECK(events_in(at.out + "/events.jsonl")
        == events_in(again + "/events.jsonl"));
}

TEST_CASE("under virtual time nothing happens before the documents were made") {
  const scratch_folder folder;
  for (const std::string name : {"code-review", "debugging-pair"}) {
    const auto out = folder / name.c_str();
    REQUIRE(run({"run", examples_folder + name + "/scenario.json", "--seed",
                 "1", "--quiet", "--out", out.string()})
              .code
            == 0);
    const auto collab = parse_json(read_bytes(out / "collab.json"));
    const auto dialog = parse_json(read_bytes(out / "dialog.json"));
    REQUIRE((collab && dialog));
    const auto created = collab->at("created_at").as_string();
    CHECK(collab->at("updated_at").as_string() >= created);
    CHECK(dialog->at("started_at").as_string() >= created);
  }
}

TEST_CASE("with --json the result is the one document on standard output") {
  const fixture at;
  const auto done = at.run_with({"--json"});
  CHECK(done.code == 0);
  CHECK(done.err.empty());
  auto document = parse_json(done.out);
  REQUIRE(document);
  CHECK(document->at("out").as_string() == at.out);
  document->as_object().erase("out");
  CHECK(*document == at.document("result.json"));
}

TEST_CASE("a result says what each participant used") {
  const fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"},
      {"participant_id": "bob", "role_id": "r"},
      {"participant_id": "eve", "role_id": "r"}]},
    "behaviours": {
      "ann": {"type": "script", "turns": [
        {"content": "a", "usage": {"prompt_tokens": 5, "cost_microusd": 7}},
        {"content": "b", "usage": {"completion_tokens": 6}}]},
      "bob": {"type": "script", "turns": [
        {"content": "c", "usage": {"completion_tokens": 1}}]},
      "eve": {"type": "echo"}},
    "session": {"rounds": 2}, "task": "go on"})"};
  const auto used = [](const char* text) { return *parse_json(text); };
  REQUIRE(at.run_with({"--quiet"}).code == 0);
  CHECK(at.document("result.json").at("usage") == used(R"({
    "tokens": 12, "cost_microusd": 7, "by_participant": {
      "ann": {"tokens": 11, "cost_microusd": 7},
      "bob": {"tokens": 1, "cost_microusd": 0}}})"));
  CHECK(run({"validate", at.out}).code == 0);
  CHECK(run({"check", at.out}).code == 0);
  auto forged = read_bytes(at.out + "/result.json");
  forged.replace(forged.find("\"tokens\": 11") + 10, 2, "12");
  write_bytes(at.out + "/result.json", forged);
  const auto found = run({"check", at.out});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains("result.json: ")
                          && Contains("is not what the log makes"));
}

TEST_CASE("the totals of several sessions say what each participant used") {
  const fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"ann": {"type": "script", "turns": [
      {"content": "a", "usage": {"prompt_tokens": 5, "cost_microusd": 7}}]}},
    "session": {"rounds": 1}, "task": "go on"})"};
  const auto done = at.run_with({"--instances", "3", "--json"});
  CHECK(parse_json(done.out)->at("totals").at("usage")
        == *parse_json(R"({"tokens": 15, "cost_microusd": 21,
             "by_participant": {"ann": {"tokens": 15, "cost_microusd": 21}}})"));
}

TEST_CASE("with --json a folder of any name gives a document in UTF-8") {
  const fixture at;
  const auto out = (at.folder / "\xff").string();
  const auto given = run({"run", at.scenario, "--json", "--out", out});
  CHECK(given.code == 0);
  const auto document = parse_json(given.out);
  REQUIRE(document);
  CHECK_THAT(std::string{document->at("out").as_string()},
             Contains("/\xef\xbf\xbd"));
}

TEST_CASE("a session that a guard ended is the answer no") {
  const fixture at;
  const auto done = at.run_with({"--set", "session.max_turns=1"});
  CHECK(done.code == 1);
  const auto reason = at.document("result.json").at("stop_reason");
  CHECK(reason.at("condition") == "max_turns");
  CHECK(reason.at("limit") == 1);
}

TEST_CASE("several sessions share a log and have documents of their own") {
  const fixture at;
  const auto done = at.run_with({"--instances", "20", "--json"});
  CHECK(done.code == 0);
  const auto document = parse_json(done.out);
  REQUIRE(document);
  CHECK(document->at("completed") == 20);
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator{at.out + "/sessions"})
    folders += fs::is_regular_file(entry.path() / "result.json") ? 1 : 0;
  CHECK(folders == 20);
  const auto checked = run({"check", at.out});
  CHECK(checked.code == 0);
  CHECK_THAT(checked.out, Contains("20 sessions, 0 findings"));
}

TEST_CASE("several sessions are told in totals, and one by one if asked") {
  const fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"*": {"type": "simulated", "failure": 0.5}},
    "session": {"rounds": 2, "end": {"failures": 2}}, "seed": 1,
    "task": "go on"})"};
  const auto done = at.run_with({"--instances", "20", "--json"});
  const auto document = parse_json(done.out);
  REQUIRE(document);
  CHECK_FALSE(document->as_object().contains("sessions"));
  CHECK(document->at("failures").as_array().empty());
  // What each session says adds up to the totals.
  std::int64_t turns = 0;
  std::int64_t failed = 0;
  json::object outcomes;
  std::vector<std::int64_t> durations;
  for (const auto& entry : fs::directory_iterator{at.out + "/sessions"}) {
    const auto one = parse_json(read_bytes(entry.path() / "result.json"));
    REQUIRE(one);
    turns += one->at("turns_total").as_int64();
    failed += one->at("turns_failed").as_int64();
    durations.push_back(one->at("duration_ms").as_int64());
    auto& reasons = outcomes[one->at("status").as_string()];
    if (reasons.is_null())
      reasons.emplace_object();
    const auto& condition = one->at("stop_reason").at("condition").as_string();
    auto& count = reasons.as_object()[condition];
    count = count.is_null() ? 1 : count.as_int64() + 1;
  }
  CHECK(document->at("totals").at("turns_total") == turns);
  CHECK(failed > 0);
  CHECK(document->at("totals").at("turns_failed") == failed);
  CHECK(document->at("totals").at("turns_timed_out") == 0);
  CHECK(document->at("outcomes") == outcomes);
  CHECK(outcomes.at("completed").as_object().size() == 2);
  std::ranges::sort(durations);
  const auto& times = document->at("session_duration_ms");
  CHECK(times.at("min") == durations.front());
  CHECK(times.at("median") == durations[9]);
  CHECK(times.at("p95") == durations[18]);
  CHECK(times.at("max") == durations.back());

  const auto listed
    = run({"run", at.scenario, "--instances", "3", "--json", "--verbose",
           "--out", (at.folder / "listed").string()});
  const auto each = parse_json(listed.out);
  REQUIRE(each);
  CHECK(each->at("sessions").as_array().size() == 3);
  const auto text = run({"run", at.scenario, "--instances", "20", "--out",
                         (at.folder / "text").string()});
  CHECK_THAT(text.out, Contains(std::to_string(turns) + " turns, "
                                + std::to_string(failed) + " failed; "));
}

TEST_CASE("only the documents that are wanted are written") {
  const std::string some_stop = R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"*": {"type": "simulated", "failure": 0.3}},
    "session": {"rounds": 5, "no_progress": 2, "end": {"failures": 1}},
    "seed": 3, "task": "go on"})";
  const auto folders = [](const fixture& at) {
    std::error_code none;
    const fs::path all{at.out + "/sessions"};
    return fs::exists(all) ? std::distance(fs::directory_iterator{all}, {}) : 0;
  };
  const auto count = [](const finished& done, const char* what) {
    const auto document = parse_json(done.out);
    REQUIRE(document);
    return document->at(what).as_int64();
  };
  SECTION("none") {
    const fixture at{some_stop};
    const auto done
      = at.run_with({"--instances", "20", "--json", "--documents", "none"});
    CHECK(count(done, "completed") + count(done, "cancelled") == 20);
    CHECK(folders(at) == 0);
    const auto again = run({"resume", at.out});
    CHECK(again.code == 0);
    CHECK_THAT(again.out, Contains("Nothing to resume"));
    CHECK(run({"check", at.out + "/log"}).code == 0);
  }
  SECTION("failed") {
    const fixture at{some_stop};
    const auto done
      = at.run_with({"--instances", "20", "--json", "--documents", "failed"});
    CHECK(count(done, "completed") + count(done, "cancelled") == 20);
    CHECK(folders(at) == count(done, "cancelled"));
    CHECK(count(done, "cancelled") > 0);
    CHECK(count(done, "completed") > 0);
    CHECK_THAT(run({"resume", at.out}).out, Contains("Nothing to resume"));
    // What is wanted and missing is written, and nothing else is told.
    fs::remove_all(*fs::directory_iterator{at.out + "/sessions"});
    const auto resumed = run({"resume", at.out, "--json"});
    CHECK(count(resumed, "cancelled") == 1);
    CHECK(count(resumed, "completed") == 0);
    CHECK(folders(at) == count(done, "cancelled"));
  }
  SECTION("of one session") {
    const fixture at;
    const auto done = at.run_with({"--documents", "none"});
    CHECK(done.code == 0);
    CHECK_THAT(done.out, Contains("\nLog: "));
    CHECK_FALSE(fs::exists(at.out + "/result.json"));
    CHECK(fs::exists(at.out + "/events.jsonl"));
  }
  SECTION("nothing may be left of nobody") {
    const fixture at;
    const auto refused = at.run_with(
      {"--instances", "2", "--documents", "none", "--log-keep-bytes", "1"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("--documents none"));
    CHECK_FALSE(fs::exists(at.out));
  }
}

TEST_CASE("a folder of MPLP documents runs as it is") {
  const fixture at;
  REQUIRE(at.run_with({"--quiet"}).code == 0);
  // What a run wrote is such a folder, once its session is fresh again.
  const auto documents = at.folder / "documents";
  fs::create_directory(documents);
  const auto scenario = at.document("scenario.json");
  for (const std::string name : {"collab", "context", "plan"})
    write_bytes(documents / (name + ".json"),
                convene::protocol::pretty(scenario.at(name)));
  write_bytes(documents / "other.json", "{}");
  const auto done
    = run({"run", documents.string(), "--out", (at.folder / "flow").string(),
           "--roles", "planner=ann,reviewer=bob"});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("echo: draft it"));
  CHECK_THAT(done.err, Contains("other.json: not used"));
}

TEST_CASE(
  "a folder with a scenario.json or .jsonc, and no documents, runs it") {
  const fixture at;
  const auto folder = at.folder / "project";
  fs::create_directory(folder);
  const auto name
    = GENERATE(values<std::string>({"scenario.json", "scenario.jsonc"}));
  fs::copy_file(at.scenario, folder / name);
  const auto by_folder
    = run({"run", folder.string(), "--seed", "1", "--out", at.out, "--quiet"});
  CHECK(by_folder.code == 0);
  const auto by_file = run({"run", at.scenario, "--seed", "1", "--out",
                            (at.folder / "again").string(), "--quiet"});
  CHECK(by_file.code == 0);
  CHECK(events_in(at.out + "/events.jsonl")
        == events_in((at.folder / "again/events.jsonl").string()));
}

TEST_CASE("a dry run says whether a scenario would run, and creates nothing") {
  const fixture at;
  const auto store = (at.folder / "store.db").string();
  const auto good
    = at.run_with({"--dry-run", "--store", "sqlite:" + store, "--learn",
                   (at.folder / "samples.jsonl").string()});
  CHECK(good.code == 0);
  CHECK_THAT(good.out,
             Contains("ready to run: ") && Contains("2 participants"));
  CHECK_FALSE(fs::exists(at.out));
  CHECK_FALSE(fs::exists(store));
  CHECK_FALSE(fs::exists(at.folder / "samples.jsonl"));
  const auto as_json = parse_json(at.run_with({"--dry-run", "--json"}).out);
  REQUIRE(as_json);
  CHECK(as_json->at("dry_run") == true);
  CHECK(as_json->at("participants") == 2);
  const std::vector<std::string> below_file{"run", at.scenario, "--out",
                                            at.scenario + "/a/b"};
  auto dry_below = below_file;
  dry_below.emplace_back("--dry-run");
  for (const auto& line : {below_file, dry_below}) {
    const auto refused = run(line);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("/a/b: cannot be written: "));
  }
  const std::string nowhere = "sqlite:" + at.scenario + "x/store.db";
  for (const auto& line :
       {std::vector<std::string>{"--store", nowhere, "--dry-run"},
        {"--store", nowhere}}) {
    const auto refused = at.run_with(line);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("x/store.db: the state store cannot be "));
    CHECK_FALSE(fs::exists(at.out));
  }
  // It may be written, but no file can be made there.
  const auto dry_store
    = at.run_with({"--dry-run", "--store", "sqlite:/proc/convene.db"});
  CHECK(dry_store.code == 2);
  CHECK_THAT(dry_store.err,
             Contains("/proc/convene.db: the state store cannot be created"));
  // What `run` refuses, it refuses alike.
  fs::create_directory(at.out);
  write_bytes(at.out + "/theirs.txt", "x");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{},
        {"--set", "session.max_turns=none"},
        {"--set", "behaviours.carl.type=echo"}}) {
    auto dry = options;
    dry.emplace_back("--dry-run");
    const auto refused = at.run_with(dry);
    const auto run = at.run_with(options);
    CHECK(refused.code == 2);
    CHECK(run.code == 2);
    CHECK(refused.err == run.err);
  }
}

TEST_CASE("what cannot be run is refused before anything is created") {
  const auto [text, why] = GENERATE(table<std::string, std::string>(
    {{"{", "scenario.json:1:"},
     {R"({"collab": {"mode": "chaos"}, "task": "x"})", "/collab/mode"},
     {R"({"collab": {"mode": "pair", "participants": [
          {"participant_id": "a", "role_id": "r"}]}, "task": "x"})",
      "pair_participants"},
     {R"({"collab": "missing.json"})", "missing.json"}}));
  const fixture at{text};
  const auto refused = at.run_with({"-v"});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains(why));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("paths that cannot be run are refused") {
  const fixture at;
  fs::create_directory(at.folder / "empty");
  for (const auto& path :
       {at.folder / "missing", at.folder / "empty", fs::path{"/dev/null"}}) {
    const auto refused = run({"run", path.string(), "--out", at.out});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(path.string()));
  }
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("what is wrong with a plan's steps is told with the user's ids") {
  const fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"}]},
    "plan": {"steps": [{"step_id": "build", "description": "Build"},
      {"step_id": "test", "description": "Test", "dependencies": ["biuld"]}]},
    "task": "go on"})"};
  const auto refused = at.run_with({});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("/plan/steps/1/dependencies/0: ")
                            && Contains("found biuld)"));
}

TEST_CASE("a policy that is not known is refused with those that are") {
  const fixture at;
  const auto refused = at.run_with({"--set", "session.policy=pairs"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("/session/policy: ")
                            && Contains("use one of broadcast, orchestrated")
                            && Contains("found pairs)"));
}

TEST_CASE("a folder with something in it is left alone") {
  const fixture at;
  fs::create_directory(at.out);
  write_bytes(at.out + "/mine", "x");
  const auto refused = at.run_with({});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("not empty"));
  CHECK(std::distance(fs::directory_iterator{at.out}, {}) == 1);
}

TEST_CASE("an end that only an application can judge is refused at once") {
  const fixture at;
  const auto refused
    = at.run_with({"-v", "--set", R"(session.end={"custom": "tests_pass"})"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("known_condition"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("without --out a folder that cannot be made has no number") {
  const fixture at;
  write_bytes(at.folder / "convene-out", "a file");
  const auto before = fs::current_path();
  fs::current_path((at.folder / "").parent_path());
  const auto refused = run({"run", at.scenario});
  fs::current_path(before);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("convene-out/") && !Contains("-9999: cannot"));
}

TEST_CASE("an output folder that cannot be written is a usage error") {
  const fixture at;
  const auto refused = run({"run", at.scenario, "--out", "/proc/nothing/here"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--out"));
}

TEST_CASE("a role_id that is none of the given Roles is refused") {
  const fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "reviewr"}]},
    "roles": [{"name": "reviewer"}], "task": "go on"})"};
  const auto refused = at.run_with({});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("/collab/participants/0/role_id: none of the given Roles "
                      "has this id or name (did you mean \"reviewer\"?)")
               && Contains("(found reviewr)"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("approval by a person needs a person") {
  const fixture at;
  const auto refused = at.run_with({"--approval", "require"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--interactive"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("a run keeps its events in each of the three ways") {
  const fixture at;
  const auto* const how = GENERATE("none", "group", "strict");
  CHECK(at.run_with({"--durability", how}).code == 0);
  const auto checked = run({"check", at.out});
  CHECK(checked.code == 0);
}

TEST_CASE("options that contradict the scenario are refused") {
  const fixture at;
  const auto more = GENERATE(
    values<std::vector<std::string>>({{"--roles", "planner=nobody"},
                                      {"--roles", "planner"},
                                      {"--roles", "planner=ann,planner=bob"},
                                      {"--set", "session.max_turn=1"},
                                      {"--set", "session"},
                                      {"--seed", "-1"},
                                      {"--instances", "0"}}));
  const auto refused = at.run_with(more);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(more[0]));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("a log that may not grow ends the run with an error") {
  const fixture at;
  // Enough turns for a log above the limit, which counts in KiB.
  write_bytes(at.scenario, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"}]},
    "session": {"rounds": 1000}, "task": "go on"})");
  const auto ended
    = run_shell("ulimit -f 64; exec \"$0\" \"$@\"",
                {"run", at.scenario, "--quiet", "--out", at.out});
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, Contains("File too large"));
  CHECK(fs::file_size(fs::path{at.out} / "events.jsonl") <= 64 << 10);
}

TEST_CASE("what is validated can be chosen, and other words are refused") {
  for (const std::string level : {"boundary", "input", "off"}) {
    const fixture at;
    CHECK(at.run_with({"--validation", level}).code == 0);
  }
  const fixture at;
  CHECK(at.run_with({"--validation", "all"}).code == 2);
  CHECK(at.run_with({"--validation", "off", "--revalidate"}).code == 2);
  CHECK_FALSE(fs::exists(at.out));
  CHECK(at.run_with({"--revalidate"}).code == 0);
}

TEST_CASE("a scenario that its schema refuses is refused by place and rule") {
  const std::string text = R"({"collab": {"mode": "round_robin",
    "participants": [{"participant_id": "a", "role_id": "r"}]},
    "behaviours": {"*": {"type": "simulated", "latency_ms": -1}},
    "task": "work"})";
  const fixture at{text};
  const auto refused = at.run_with({});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(":3:") && Contains("latency_ms"));
}

namespace {

/// Of five turns three fail, two of them for the same reason.
const std::string some_fail = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "r"},
    {"participant_id": "bob", "role_id": "r"},
    {"participant_id": "cy", "role_id": "r"},
    {"participant_id": "di", "role_id": "r"},
    {"participant_id": "ed", "role_id": "r"}]},
  "behaviours": {
    "ann": {"type": "script", "turns": [
      {"status": "failed", "error": {"code": "x", "message": "rare"}}]},
    "bob": {"type": "script", "turns": [
      {"status": "failed", "error": {"code": "x", "message": "no disk"}}]},
    "cy": {"type": "script", "turns": [
      {"status": "failed", "error": {"code": "x", "message": "no disk"}}]},
    "*": {"type": "echo"}},
  "task": "go on"})";

} // namespace

TEST_CASE("failed turns are counted and grouped, and fail a run on request") {
  const fixture at{some_fail};
  const auto done = at.run_with();
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("completed   3 of 5 turns failed; ")
                         && Contains("failed      2 times (bob, cy): no disk"));
  const auto result = at.document("result.json");
  CHECK(result.at("turns_failed") == 3);
  CHECK(result.at("turns_timed_out") == 0);
  CHECK(json::serialize(result.at("errors"))
        == R"([{"message":"no disk","count":2,"participants":["bob","cy"]},)"
           R"({"message":"rare","count":1,"participants":["ann"]}])");
  CHECK(run({"validate", at.out}).code == 0);
  CHECK(run({"check", at.out}).code == 0);
  const auto unkept = run({"run", at.scenario, "--documents", "none", "--json",
                           "--out", at.out + "-unkept"});
  CHECK_THAT(unkept.out, Contains(R"("turns_failed": 3)"));
}

TEST_CASE("a refused write counts as a failure where the turn completed") {
  const fixture at{R"({
    "collab": {"mode": "swarm", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"},
      {"participant_id": "ben", "role_id": "role-coder"}]},
    "tasks": [{"title": "One", "role": "ann", "resources": ["a.txt"]},
              {"title": "Two", "role": "ben", "resources": ["b.txt"]}],
    "behaviours": {
      "ann": {"type": "script", "turns": [{"content": "done", "writes": [
        {"resource_type": "file", "resource_id": "c.txt", "base_version": 0,
         "value": 1}]}]},
      "ben": {"type": "script", "turns": [{"content": "done", "writes": [
        {"resource_type": "file", "resource_id": "b.txt", "base_version": 7,
         "value": 1},
        {"resource_type": "file", "resource_id": "b.txt", "base_version": 0,
         "value": 1}]}]}},
    "task": "go on"})"};
  const auto done = at.run_with();
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("completed   2 turns, 2 writes refused, "));
  const auto result = at.document("result.json");
  CHECK(result.at("status") == "completed");
  CHECK(result.at("turns_failed") == 0);
  CHECK(result.at("writes_refused") == 2);
  // Whichever came first.
  CHECK_THAT(
    json::serialize(result.at("errors")),
    Contains(R"({"message":"write of file/c.txt refused: the turn may write )"
             R"(only the resources that its task names","count":1,)"
             R"("participants":["ann"]})")
      && Contains(R"({"message":"write of file/b.txt refused: there is no )"
                  R"(version 7, the latest is 0","count":1,)"
                  R"("participants":["ben"]})"));
  CHECK(run({"validate", at.out}).code == 0);
  CHECK(run({"check", at.out}).code == 0);
  const auto told = run({"explain", at.out});
  CHECK_THAT(told.out, Contains("answered: \"done\"; refused: the write of "
                                "file/c.txt"));
  CHECK_THAT(told.out,
             Contains("a write of file/c.txt by ann was refused (the turn may "
                      "write only the resources that its task names)"));
  CHECK_THAT(told.out, Contains("ann on file/c.txt "
                                "(exclusive_write_violation): ann was refused: "
                                "the turn may write only"));
  CHECK_THAT(told.out, !Contains("for nobody"));
  const auto many = run({"run", at.scenario, "--instances", "2", "--json",
                         "--out", at.out + "-many"});
  CHECK_THAT(many.out, Contains(R"("writes_refused": 4)"));
  CHECK(run({"run", at.scenario, "--fail-on", "turn-failure", "--out",
             at.out + "-again"})
          .code
        == 1);
}

TEST_CASE("failed turns fail a run with --fail-on turn-failure") {
  const auto code = [](const std::string& scenario,
                       std::vector<std::string> more) {
    more.insert(more.begin(), {"--fail-on", "turn-failure"});
    return fixture{scenario}.run_with(more).code;
  };
  CHECK(code(some_fail, {}) == 1);
  CHECK(code(some_fail, {"--instances", "3"}) == 1);
  CHECK(code(some_fail, {"--documents", "none", "--quiet"}) == 1);
  CHECK(code(two_steps, {}) == 0);
  CHECK(code(R"({
    "collab": {"mode": "broadcast", "participants": [
      {"participant_id": "ann", "role_id": "r"},
      {"participant_id": "bob", "role_id": "r"},
      {"participant_id": "cy", "role_id": "r"}]},
    "behaviours": {"cy": {"type": "simulated", "failure": 1},
                   "*": {"type": "echo"}},
    "session": {"initiator": "ann"}, "task": "go on"})",
             {})
        == 1);
  CHECK(fixture{two_steps}.run_with({"--fail-on", "luck"}).code == 2);
}

TEST_CASE("a result of earlier versions, without failures, is accepted") {
  const fixture at{some_fail};
  REQUIRE(at.run_with().code == 0);
  auto result = at.document("result.json").as_object();
  result.erase("writes_refused");
  write_bytes(at.out + "/result.json", json::serialize(result));
  CHECK(run({"check", at.out}).code == 0);
  for (const auto* name : {"turns_failed", "turns_timed_out", "errors"})
    result.erase(name);
  write_bytes(at.out + "/result.json", json::serialize(result));
  CHECK(run({"check", at.out}).code == 0);
  result["turns_failed"] = 0;
  write_bytes(at.out + "/result.json", json::serialize(result));
  CHECK(run({"check", at.out}).code == 1);
}

TEST_CASE("explain shows failures with the same message once and in full") {
  const std::string message(400, 'x');
  auto text = some_fail;
  for (auto at = text.find("no disk"); at != text.npos;
       at = text.find("no disk"))
    text.replace(at, 7, message);
  const fixture at{text};
  REQUIRE(at.run_with().code == 0);
  const auto told = run({"explain", at.out});
  CHECK_THAT(told.out, Contains("(x: " + message + ") (and 1 more like it)\n")
                         && Contains("(x: rare)\n"));
  const auto report = parse_json(run({"explain", at.out, "--json"}).out);
  REQUIRE(report);
  const auto& failures = report->at("sessions").at(0).at("failures");
  CHECK(failures.at("total") == 3);
  REQUIRE(failures.at("first").as_array().size() == 2);
  CHECK(failures.at("first").at(1).at("times") == 2);
}

TEST_CASE(
  "a lead that dispatches the same agent for the same answer is stopped") {
  const fixture at{R"({
    "collab": {"mode": "orchestrated", "participants": [
      {"participant_id": "lead", "role_id": "role-lead"},
      {"participant_id": "bob", "role_id": "role-coder"}]},
    "behaviours": {
      "lead": {"type": "process", "mode": "lines", "command": ["sh", "-c",
        "while read line; do echo '{\"content\": \"on it\", \"decision\": [{\"dispatch\": {\"participant\": \"bob\"}}]}'; done"]},
      "bob": {"type": "process", "mode": "lines", "command": ["sh", "-c",
        "while read line; do echo '{\"content\": \"done\"}'; done"]}},
    "session": {"orchestrator": "lead"},
    "task": "Fix it"})"};
  CHECK(at.run_with({"--allow", "run=sh"}).code == 1);
  const auto result = at.document("result.json");
  CHECK(result.at("stop_reason").at("condition") == "no_progress");
  CHECK(result.at("turns_total") == 7);
  CHECK(run({"check", at.out}).code == 0);
  CHECK(run({"replay", at.out}).code == 0);
}
