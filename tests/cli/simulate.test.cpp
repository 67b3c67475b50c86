#include "run_fixture.hpp"

#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <chrono>
#include <filesystem>
#include <thread>

using namespace convene::tests;
using Catch::Contains;
using Catch::EndsWith;
using convene::protocol::parse_json;

namespace {

const std::string shared_files = examples_folder + "shared-files/scenario.json";

/// One who acts outside, and one who does not.
const std::string with_a_person = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ana.b", "role_id": "role-a", "kind": "human"},
    {"participant_id": "bot", "role_id": "role-b"}]},
  "behaviours": {"ana.b": {"type": "human"}},
  "session": {"rounds": 2}, "task": "agree"})";

/// What a program tells that is interrupted once a file or folder is there.
convene::protocol::json::value
interrupted_at(program& running, const std::filesystem::path& there) {
  while (!std::filesystem::exists(there) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  running.signal(SIGINT);
  const auto told = running.wait();
  CHECK(told.code == 130);
  auto summary = parse_json(told.out);
  REQUIRE(summary);
  CHECK(summary->at("interrupted") == true);
  return *std::move(summary);
}

} // namespace

TEST_CASE("a kept seed is what run --seed leaves, byte for byte") {
  const scratch_folder folder;
  const auto out = (folder / "all").string();
  CHECK(run({"simulate", shared_files, "--seeds", "6..8", "--threads", "2",
             "--keep", "all", "--quiet", "--out", out})
          .code
        == 0);
  const auto alone = (folder / "run").string();
  CHECK(
    run({"run", shared_files, "--seed", "7", "--quiet", "--out", alone}).code
    == 0);
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator{alone}) {
    const auto name = each.path().filename().string();
    CAPTURE(name);
    CHECK(read_bytes(folder / "all/seeds/7" / name) == read_bytes(each.path()));
    ++files;
  }
  CHECK(files > 5);
  const auto checked = run({"check", (folder / "all/seeds/8").string()});
  CHECK_THAT(checked.out, Contains("0 findings"));
}

TEST_CASE("the summary does not depend on threads and folders") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto one = run(
    {"simulate", shared_files, "--seeds", "1..6", "--threads", "1", "--json"});
  const auto other = run({"simulate", shared_files, "--seeds", "1..6",
                          "--threads", "4", "--json", "--out", out});
  CHECK(one.code == 0);
  CHECK(one.out == other.out);
  CHECK(read_bytes(folder / "out/summary.json") == one.out);
  CHECK_FALSE(std::filesystem::exists(folder / "out/seeds"));
}

TEST_CASE("a simulation for people is a table, and says what is unfinished") {
  const auto told
    = run({"simulate", examples_folder + "runaway-pair/scenario.json",
           "--seeds", "1..10"});
  CHECK(told.code == 0);
  CHECK_THAT(told.out,
             Contains("10 seeds: 0 completed, 10 cancelled, 0 failed\n")
               && Contains("10 cancelled: no_progress\n")
               && Contains("median (95%)") && Contains("never (?..?)")
               && Contains("8 (8..8)") && !Contains("handoffs")
               && Contains("Unfinished: 10 seeds, 100.00% (69.15..100.00)\n"));
}

TEST_CASE("no rule is broken by any of 300 seeds over all modes") {
  for (const std::string name :
       {"code-review", "contested-decision", "debugging-pair",
        "incident-announcement", "refactoring-swarm", "runaway-pair",
        "shared-files", "structured-vote", "support-desk"}) {
    CAPTURE(name);
    const auto told
      = run({"simulate", examples_folder + name + "/scenario.json", "--seeds",
             "1..34", "--json"});
    CHECK(told.code == 0);
    const auto summary = parse_json(told.out);
    REQUIRE(summary);
    CHECK(summary->at("seeds").at("run") == 34);
    CHECK(summary->at("failed") == 0);
  }
}

TEST_CASE("a simulation asks for who stands in for whom it cannot call") {
  const run_fixture with{with_a_person};
  const auto refused = run({"simulate", with.scenario, "--json"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.out,
             Contains("stand_in_missing") && Contains("ana.b (human)"));
  const auto unknown
    = run({"simulate", with.scenario, "--stand-in", "eve=simulated"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("--stand-in eve=simulated: no participant"));
  const auto outside
    = run({"simulate", with.scenario, "--stand-in", "ana.b=human"});
  CHECK(outside.code == 2);
  CHECK_THAT(outside.err, Contains("acts outside"));
  const auto unnamed = run({"simulate", with.scenario, "--stand-in",
                            R"(ana.b={"type": "recorded", "log": 5})"});
  CHECK_THAT(unnamed.err, Contains(": /log: write a string here"));
  // It takes no --allow, so it does not ask for one.
  const auto elsewhere
    = run({"simulate", with.scenario, "--stand-in",
           R"(ana.b={"type": "recorded", "log": "/proc/version"})"});
  CHECK(elsewhere.code == 2);
  CHECK_THAT(elsewhere.err,
             Contains("outside of the scenario's folder: copy it into")
               && !Contains("add --allow"));
}

TEST_CASE("a stand-in is what run has by --set") {
  const run_fixture with{with_a_person};
  const std::string behaviour = R"({"type":"simulated","content":"yes"})";
  CHECK(run({"simulate", with.scenario, "--seeds", "3", "--stand-in",
             "ana.b=" + behaviour, "--keep", "all", "--quiet", "--out",
             (with.folder / "all").string()})
          .code
        == 0);
  CHECK(
    with.run_with({"--seed", "3", "--set", R"(behaviours.ana\.b=)" + behaviour})
      .code
    == 0);
  CHECK(read_bytes(with.folder / "all/seeds/3/events.jsonl")
        == read_bytes(with.folder / "out/events.jsonl"));
}

TEST_CASE("a seed that breaks a property is named with how to reproduce it") {
  const run_fixture with{with_a_person};
  const auto file = (with.folder / "it's calm.json").string();
  write_bytes(file, R"([{"never": {"duration_ms": 900}},
                       {"name": "all turns", "at_end": {"turns": 4}}])");
  // Of four turns that take up to 400 ms each, some seeds take longer.
  const std::vector<std::string> same{
    "--stand-in",
    R"(ana.b={"type":"simulated","latency_ms":{"uniform":{"min":0,"max":400}}})",
    "--stand-in",
    R"(bot={"type":"simulated","latency_ms":{"uniform":{"min":0,"max":400}}})",
    "--property",
    file,
    "--json"};
  const auto simulate = [&](std::vector<std::string> all) {
    all.insert(all.begin(), {"simulate", with.scenario});
    all.insert(all.end(), same.begin(), same.end());
    return run(all);
  };
  const auto told
    = simulate({"--seeds", "1..40", "--out", (with.folder / "kept").string()});
  CHECK(told.code == 1);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto failed = summary->at("failed").as_int64();
  CHECK(failed > 0);
  CHECK(failed < 40);
  CHECK(summary->at("properties").at(0).at("failed") == failed);
  CHECK(summary->at("properties").at(1).at("name") == "all turns");
  CHECK(summary->at("properties").at(1).at("failed") == 0);
  const auto& first = summary->at("failures").at(0);
  CHECK(first.at("findings").at(0).at("rule") == "property");
  const auto seed = std::to_string(first.at("seed").as_int64());
  CHECK_THAT(std::string{first.at("command").as_string()},
             Contains("--stand-in 'ana.b={\"type\"")
               && Contains("/it'\\''s calm.json'")
               && EndsWith(" --seeds " + seed + " --out seed-" + seed));
  // Those alone are kept, and fail alone, too.
  std::int64_t kept = 0;
  for (const auto& each :
       std::filesystem::directory_iterator{with.folder / "kept/seeds"})
    kept += each.is_directory() ? 1 : 0;
  CHECK(kept == failed);
  CHECK(simulate({"--seeds", seed}).code == 1);
}

TEST_CASE("a word of a command is for a shell what it was, and for a terminal "
          "only text") {
  using convene::cli::shell_word;
  CHECK(shell_word("a b's") == R"('a b'\''s')");
  CHECK(shell_word("a\t\xff'\\\x1b") == R"($'a\x09\xff\'\\\x1b')");
  CHECK(shell_word("\xc3\xa9 \xe2\x80\xae") == R"($'\xc3\xa9 \xe2\x80\xae')");
}

TEST_CASE("simulated participants write, hand off and cost as they are told") {
  const run_fixture with{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-a"},
      {"participant_id": "ben", "role_id": "role-b"}]},
    "workspace": [{"resource_type": "file", "resource_id": "a", "value": ""}],
    "behaviours": {
      "ben": {"type": "simulated", "content_bytes": 30},
      "ann": {"type": "simulated",
        "writes": {"share": 0.9, "stale": 0.5, "value_bytes": 20, "resources": [
          {"resource_type": "file", "resource_id": "a"}]},
        "handoffs": {"share": 0.3, "to": ["ben"]},
        "usage": {"prompt_tokens": {"uniform": {"min": 100, "max": 900}},
                  "cost_microusd": 3}}},
    "session": {"rounds": 10}, "task": "write"})"};
  const auto told
    = run({"simulate", with.scenario, "--seeds", "1..20", "--json"});
  CHECK(told.code == 0);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto& measures = summary->at("measures");
  const auto median = [&measures](const char* of) {
    return measures.at(of).at("median").at("value").as_int64();
  };
  CHECK(median("tokens") > 2000);
  CHECK(median("tokens") < 9000);
  CHECK(median("cost_microusd") == 30);
  CHECK(median("conflicts") > 0);
  CHECK(median("handoffs") > 0);
}

TEST_CASE("an interrupted simulation tells of the seeds that have ended") {
  const scratch_folder folder;
  program simulation{{"simulate", shared_files, "--seeds", "1..100000",
                      "--keep", "all", "--json", "--out",
                      (folder / "out").string()}};
  const auto summary = interrupted_at(simulation,
                                      folder / "out/seeds/2/result.json");
  CHECK(summary.at("completed").as_int64() > 0);
  CHECK(summary.at("failed") == 0);
}

TEST_CASE("a simulation that is interrupted while it makes a seed smaller says "
          "so") {
  const scratch_folder folder;
  const auto judge = (folder / "judge").string();
  // Its second run, the first candidate's, is one that the signal ends.
  write_bytes(judge, "#!/bin/sh\ncat > /dev/null\ncd '" + folder.path().string()
                       + "'\nif mkdir first 2> /dev/null; then echo bad; exit "
                         "1; fi\nmkdir second\nexec sleep 50\n");
  std::filesystem::permissions(judge, std::filesystem::perms::owner_all);
  program simulation{{"simulate", shared_files, "--seeds", "1",
                      "--property-program", judge, "--shrink", "--json",
                      "--out", (folder / "out").string()}};
  const auto summary = interrupted_at(simulation, folder / "second");
  CHECK(summary.at("failed") == 1);
  CHECK(summary.at("shrunk").at("error").at("code") == "seed_interrupted");
}

TEST_CASE("what a simulation cannot do is refused before it begins") {
  const scratch_folder folder;
  write_bytes(folder / "file", "here");
  std::string many = R"([{"never": {"failures": 3}})";
  for (int i = 0; i < 59; ++i)
    many += R"(, {"never": {"failures": 3}})";
  const auto sixty = (folder / "sixty").string();
  write_bytes(sixty, many + "]");
  for (const auto& [arguments, why] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
         {{"--seeds", "9..1"}, "the last is below the first"},
         {{"--seeds", "1..x"}, "give a whole number"},
         {{"--seeds", "0..1000000"}, "at most 1000000"},
         {{"--keep", "all"}, "--keep requires --out"},
         {{"--property", sixty, "--property", sixty}, "over 100 properties"},
         {{"--out", folder.path().string()}, "is not an empty folder"},
         {{"--property", (folder / "file").string()}, "file:1:1: "},
         {{"--set", "collab.mode=none"}, "collab.mode=none"}}) {
    std::vector<std::string> all{"simulate", shared_files};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto refused = run(all);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(why));
  }
}
