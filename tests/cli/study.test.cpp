#include "run_fixture.hpp"

#include <convene/protocol/base/seal.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;

namespace {

const std::string tasks = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-a"},
    {"participant_id": "bob", "role_id": "role-b"}]},
  "tasks": [{"title": "one"}, {"title": "two"}, {"title": "three"}],
  "workspace": [{"resource_type": "doc", "resource_id": "d", "value": ""}],
  "behaviours": {"*": {"type": "simulated", "failure": 0.1,
    "writes": {"share": 1, "resources": [{"resource_type": "doc", "resource_id": "d"}]},
    "latency_ms": {"uniform": {"min": 1, "max": 900}}}},
  "session": {"retries": 5, "conflicts": {"strategy": "first-write-wins"}},
  "task": "work"})";

constexpr std::array<const char*, 4> files{"points.jsonl", "points.csv",
                                           "summary.json", "report.html"};

/// One who acts outside.
const std::string study_with_a_person = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ana", "role_id": "role-a", "kind": "human"},
    {"participant_id": "bot", "role_id": "role-b"}]},
  "behaviours": {"ana": {"type": "human"}}, "task": "agree"})";

} // namespace

TEST_CASE("a study says which mode is sooner, and with how many conflicts") {
  const run_fixture with{tasks};
  const auto told = run({"study", with.scenario, "--vary",
                         "collab.mode=round_robin,swarm", "--seeds", "1..30"});
  CHECK(told.code == 0);
  CHECK_THAT(told.out, Contains("2 of 2 points finished: 60 runs, 0 failed")
                         && Contains("completion_ms\n")
                         && Contains("collab.mode=swarm")
                         && Contains("30     0     0  better")
                         && Contains("conflicts\n") && Contains("worse\n"));
}

TEST_CASE("a study is the same with any threads, and in any folder") {
  const run_fixture with{tasks};
  const std::vector<std::string> same{"study",   with.scenario,
                                      "--vary",  "session.retries=0..2",
                                      "--seeds", "5..9",
                                      "--json"};
  auto one = same;
  one.insert(one.end(), {"--threads", "1"});
  auto other = same;
  other.insert(other.end(), {"--threads", "3", "--out", with.out});
  const auto told = run(one);
  CHECK(told.code == 0);
  CHECK(run(other).out == told.out);
  CHECK(read_bytes(with.folder / "out/summary.json") == told.out);
}

TEST_CASE("wherever a study was killed, it goes on to the same files") {
  const run_fixture with{tasks};
  const auto command = [&](const std::string& out) {
    return std::vector<std::string>{"study",   with.scenario,
                                    "--vary",  "collab.mode=round_robin,swarm",
                                    "--vary",  "session.retries=1..3",
                                    "--seeds", "1..10",
                                    "--quiet", "--out",
                                    out};
  };
  const auto whole = (with.folder / "whole").string();
  const auto began = std::chrono::steady_clock::now();
  REQUIRE(run(command(whole)).code == 0);
  auto took = std::chrono::steady_clock::now() - began;
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  std::size_t kills = 0;
  for (int time = 0; time < 3 || (kills == 0 && time < 30); ++time) {
    const auto name = "cut" + std::to_string(time);
    const auto out = (with.folder / name.c_str()).string();
    for (int kill = 0; kill < 3; ++kill) {
      program running{command(out)};
      std::this_thread::sleep_for(
        took * std::uniform_int_distribution<int>{1, 60}(random) / 100);
      running.signal(SIGKILL);
      kills += running.wait().code == 128 + SIGKILL ? 1 : 0;
      if (kills == 0) // the first one was slow to begin
        took /= 2;
    }
    CHECK(run(command(out)).code == 0);
    for (const std::string file : files) {
      CAPTURE(file);
      CHECK(read_bytes(std::filesystem::path{out} / file)
            == read_bytes(std::filesystem::path{whole} / file));
    }
  }
  CHECK(kills > 0);
}

TEST_CASE("a store is gone on with by its own study alone") {
  const run_fixture with{tasks};
  const auto study = [&](const std::string& vary, const std::string& seeds) {
    return run({"study", with.scenario, "--vary", vary, "--seeds", seeds,
                "--out", with.out, "--json"});
  };
  CHECK(study("session.retries=1,2", "1..3").code == 0);
  CHECK(study("session.retries=1,2", "1..3").code == 0);
  for (const auto& other : {study("session.retries=1,3", "1..3"),
                            study("session.retries=1,2", "1..4")}) {
    CHECK(other.code != 0);
    CHECK_THAT(other.out, Contains("study_other") && Contains("points.jsonl"));
  }
  write_bytes(with.scenario, tasks + "\n// another line changes nothing\n");
  CHECK(study("session.retries=1,2", "1..3").code == 0);
  auto changed = tasks;
  changed.replace(changed.find("0.1"), 3, "0.2");
  write_bytes(with.scenario, changed);
  CHECK_THAT(study("session.retries=1,2", "1..3").out, Contains("study_other"));
}

TEST_CASE("a point that cannot start is refused before any runs, by its name") {
  const run_fixture with{tasks};
  const auto refused = run(
    {"study", with.scenario, "--vary", "collab.mode=round_robin,swarm",
     "--vary", "session.orchestrator=ann,nobody", "--out", with.out, "--json"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.out, Contains("point 2 (collab.mode=round_robin "
                                   "session.orchestrator=nobody)"));
  CHECK_FALSE(std::filesystem::exists(with.out));
  const auto outside = run({"study", (with.folder / "none.json").string()});
  CHECK(outside.code == 2);
  for (const std::string vary : {"a", "collab.mode=", "x=1..99999"}) {
    CAPTURE(vary);
    CHECK(run({"study", with.scenario, "--vary", vary}).code == 2);
  }
  CHECK_THAT(run({"study", with.scenario, "--vary", "session.retries=0..999",
                  "--seeds", "1..100000"})
               .err,
             Contains("runs"));
  CHECK_THAT(run({"study", with.scenario, "--sample", "latin:0"}).err,
             Contains("latin:N"));
  CHECK_THAT(run({"study", with.scenario, "--baseline", "2"}).err,
             Contains("--baseline"));
}

TEST_CASE("variants of a file set what belongs together, and have a name") {
  const run_fixture with{tasks};
  const auto modes = (with.folder / "modes.json").string();
  write_bytes(modes, R"([
    {"name": "one after the other", "set": {"collab.mode": "round_robin"}},
    // One more, who leads.
    {"name": "led", "set": {"collab.mode": "orchestrated",
      "collab.participants": [
        {"participant_id": "ann", "role_id": "role-a"},
        {"participant_id": "bob", "role_id": "role-b"},
        {"participant_id": "lea", "role_id": "role-lead"}],
      "session.orchestrator": "lea", "behaviours.lea": {"type": "plan"}}}])");
  const auto told = run({"study", with.scenario, "--vary-with", modes,
                         "--seeds", "1..10", "--json"});
  CHECK(told.code == 0);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto& led = summary->at("points").at(1);
  CHECK(led.at("vary").at("modes") == "led");
  // Who leads takes no time here: the same tasks, drawn the same.
  const auto& sooner = led.at("against_baseline").at("completion_ms");
  CHECK(sooner.at("equal") == 10);
  write_bytes(modes, R"([{"name": "x", "sets": {}}])");
  const auto refused = run({"study", with.scenario, "--vary-with", modes});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("modes.json") && Contains("/0"));
}

TEST_CASE("failed runs are kept with seed and reason, and how to repeat them") {
  const run_fixture with{tasks};
  // More than a seed's events may be.
  auto large = tasks;
  large.replace(large.find("\"share\": 1,"), 11,
                "\"share\": 1, \"value_bytes\": 900000,");
  large.replace(large.find("\"retries\": 5"), 12,
                "\"rounds\": 100, \"retries\": 5");
  large.replace(large.find("\"tasks\""),
                large.find("\"workspace\"") - large.find("\"tasks\""), "");
  write_bytes(with.scenario, large);
  const auto told
    = run({"study", with.scenario, "--vary", "session.max_turns=2,200",
           "--seeds", "1..2", "--json"});
  CHECK(told.code == 1);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  CHECK(summary->at("failed") == 2);
  const auto& failures = summary->at("points").at(1).at("failures");
  REQUIRE(failures.as_array().size() == 2);
  CHECK(failures.at(0).at("findings").at(0).at("rule") == "seed_log_bytes_max");
  CHECK_THAT(std::string{failures.at(0).at("command").as_string()},
             Contains("convene study ")
               && Contains("--set session.max_turns=200 --seeds 1"));
}

TEST_CASE("with --fail-on turn-failure, failed turns fail a study") {
  const run_fixture with{tasks};
  const auto study = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"study", with.scenario, "--vary", "session.retries=5,6",
                 "--seeds", "1..20", "--json"});
    return run(more);
  };
  CHECK(study({"--out", with.out}).code == 0);
  const auto told = study({"--fail-on", "turn-failure"});
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains("--fail-on turn-failure --seeds "));
  // Points that were judged otherwise are not taken over.
  CHECK_THAT(study({"--fail-on", "turn-failure", "--out", with.out}).out,
             Contains("study_other"));
}

TEST_CASE("a stored share without an interval is told without one") {
  const run_fixture with{tasks};
  const auto property = with.out + "-property.json";
  write_bytes(property, R"({"never": {"text": "nobody says this"}})");
  const auto study = [&] {
    return run({"study", with.scenario, "--vary", "session.retries=1,2",
                "--seeds", "1..3", "--property", property, "--out", with.out});
  };
  CHECK(study().code == 0);
  const auto file = std::filesystem::path{with.out} / "points.jsonl";
  std::string stored; // as versions without seals wrote it
  std::ifstream lines{file};
  for (std::string line; std::getline(lines, line);)
    stored += convene::protocol::without_seal(line) + '\n';
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{R"("failed":0,"share")",
                                            R"("failed":1,"share")"},
        {R"("low":0E0)", R"("low":null)"}}) {
    REQUIRE(stored.find(from) != stored.npos);
    stored.replace(stored.find(from), from.size(), to);
  }
  write_bytes(file, stored);
  const auto told = study();
  CHECK(told.code == 0);
  CHECK_THAT(told.out, Contains("broken by 1 run, 0.0% (?..70.8)"));
}

TEST_CASE("a study asks for who stands in for whom it cannot call") {
  const run_fixture with{study_with_a_person};
  const auto refused = run({"study", with.scenario, "--json"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.out, Contains("stand_in_missing"));
  CHECK(run({"study", with.scenario, "--stand-in", "ana=simulated", "--vary",
             "session.rounds=1..2", "--seeds", "1..2", "--quiet"})
          .code
        == 0);
}

TEST_CASE("a study under the largest seeds has its report") {
  const run_fixture with{tasks};
  const auto told
    = run({"study", with.scenario, "--vary", "session.retries=0..1", "--seeds",
           "18446744073709551614..18446744073709551615", "--out", with.out});
  CHECK(told.code == 0);
  CHECK(told.err.empty());
  CHECK(
    std::filesystem::exists(std::filesystem::path{with.out} / "report.html"));
}

TEST_CASE("a point of which no run ended is told, with what is not known") {
  // More than a seed's log may have.
  const run_fixture with{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-a"}]},
    "behaviours": {"ann": {"type": "simulated", "content_bytes": 1000000}},
    "session": {"rounds": 1, "max_turns": 100}, "task": "talk"})"};
  const auto told
    = run({"study", with.scenario, "--vary", "session.rounds=1,90", "--seeds",
           "1", "--out", with.out});
  CHECK(told.code == 1);
  CHECK(told.err.empty());
  CHECK_THAT(told.out, Contains("seed_log_bytes_max") && Contains("? (?..?)")
                         && !Contains("never"));
  CHECK(
    std::filesystem::exists(std::filesystem::path{with.out} / "report.html"));
}

TEST_CASE(
  "a study compares measures of its user's own, and judges properties") {
  const run_fixture with{tasks};
  const auto property = (with.folder / "few.json").string();
  write_bytes(property,
              R"({"name": "few", "result": {"turns_total": {"at_most": 3}}})");
  const std::vector<std::string> command{
    "study",      with.scenario,
    "--vary",     "collab.mode=round_robin,swarm",
    "--seeds",    "1..30",
    "--measure",  "writes_a_turn=events(resource_written) / turns_total",
    "--measure",  "none=value(no, such)",
    "--property", property,
    "--out",      with.out,
    "--json"};
  const auto told = run(command);
  CHECK(told.code == 1);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto& first = summary->at("points").at(0);
  const auto& second = summary->at("points").at(1);
  const auto mean = [](const auto& of) {
    return of.at("mean").at("value").template to_number<double>();
  };
  const auto& own = first.at("measures").at("writes_a_turn");
  CHECK(mean(own) > 0.5);
  CHECK(mean(own) <= 1);
  CHECK(own.at("unmeasured") == 0);
  CHECK(first.at("measures").at("none").at("unmeasured") == 30);
  CHECK(first.at("measures").at("none").at("mean").is_null());
  const auto& compared = second.at("against_baseline").at("writes_a_turn");
  CHECK(mean(compared)
        == Approx(mean(second.at("measures").at("writes_a_turn")) - mean(own))
             .margin(0.000'01));
  CHECK(compared.at("pairs") == 30);
  CHECK(summary->at("better").at("writes_a_turn") == "neither");
  // A task that failed is done again, in a turn more.
  const auto& judged = first.at("properties").at(0);
  CHECK(judged.at("name") == "few");
  const auto broken = judged.at("failed").to_number<std::size_t>();
  CHECK(broken > 0);
  CHECK(broken < 30);
  CHECK(first.at("failed") == broken);
  // Each failed run is kept, and reproduced by its command.
  const auto& failure = first.at("failures").at(0);
  const auto seed
    = std::to_string(failure.at("seed").to_number<std::uint64_t>());
  CHECK_THAT(std::string{failure.at("command").as_string()},
             Contains("--property") && Contains("--measure"));
  const auto kept = with.folder / "out/seeds/1";
  CHECK(static_cast<std::size_t>(
          std::distance(std::filesystem::directory_iterator{kept}, {}))
        == broken);
  CHECK_THAT(run({"check", (kept / seed).string()}).out,
             Contains("0 findings"));
  // The same command reads what is finished; another measure is another study.
  CHECK(run(command).out == told.out);
  auto other = command;
  other[7] = "writes_a_turn=events(resource_written)";
  CHECK_THAT(run(other).out, Contains("study_other"));
  auto keeping = command;
  keeping.insert(keeping.end(), {"--keep", "all"});
  CHECK_THAT(run(keeping).out, Contains("study_other"));
  keeping.back() = "failed";
  CHECK(run(keeping).out == told.out);
  write_bytes(property,
              R"({"name": "few", "result": {"turns_total": {"at_most": 4}}})");
  CHECK_THAT(run(command).out, Contains("study_other"));
  CHECK_THAT(run({"study", with.scenario, "--keep", "all"}).err,
             Contains("--out"));
  CHECK_THAT(run({"study", with.scenario, "--measure", "completed=1"}).err,
             Contains("another name"));
}

TEST_CASE("a study that is stopped while its points are checked says so") {
  const run_fixture with{tasks};
  // One that has not yet begun to listen says nothing, and one whose points
  // are checked has run some: the next one may live longer, or not as long. A
  // million runs never end meanwhile.
  std::string said;
  std::chrono::milliseconds life{100};
  const auto is_stopped = [&said] {
    return said.find("nothing was run") != std::string::npos;
  };
  for (int tries = 0; tries < 40 && !is_stopped(); ++tries) {
    if (!said.empty())
      std::filesystem::remove_all(with.out);
    program running{{"study", with.scenario, "--vary",
                     "session.max_turns=1..10000", "--seeds", "1..100", "--out",
                     with.out, "--json"}};
    std::this_thread::sleep_for(life);
    running.signal(SIGINT);
    const auto told = running.wait();
    said = told.out + told.err;
    INFO(said);
    CHECK(told.code == 128 + SIGINT);
    life = said.empty() ? life * 2 : life * 3 / 4;
  }
  CHECK_THAT(said, Contains("nothing was run"));
  CHECK_FALSE(std::filesystem::exists(with.out));
}
