#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <map>
#include <string>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;

namespace {

const std::string scenarios = CONVENE_SOURCE_DIR "/tests/cli/faults/";

} // namespace

TEST_CASE("no rule is broken by any of 300 seeds with faults over all modes") {
  std::map<std::string, std::uint64_t> reached;
  for (const std::string name :
       {"broadcast", "orchestrated", "pair", "swarm", "votes"}) {
    CAPTURE(name);
    const auto told = run({"simulate", scenarios + name + ".json", "--seeds",
                           "1..60", "--faults", "all=0.03", "--json"});
    CAPTURE(told.out, told.err);
    CHECK(told.code == 0);
    const auto summary = parse_json(told.out);
    REQUIRE(summary);
    CHECK(summary->at("seeds").at("run") == 60);
    CHECK(summary->at("failed") == 0);
    for (const auto& [state, seeds] :
         summary->at("faults").at("sometimes").as_object())
      reached[state] += seeds.to_number<std::uint64_t>();
  }
  for (const auto& [state, seeds] : reached) {
    CAPTURE(state);
    CHECK(seeds > 0);
  }
}

TEST_CASE("a seed that fails under faults is reproduced by its command, and "
          "made smaller") {
  const scratch_folder folder;
  const auto property = (folder / "calm.json").string();
  write_bytes(property, R"({"never": {"failures": 1}})");
  const auto out = (folder / "out").string();
  const auto told
    = run({"simulate", scenarios + "votes.json", "--seeds", "1..8", "--set",
           "behaviours.*.failure=0", "--set", "behaviours.*.decline=0",
           "--property", property, "--faults", "answer_lost=0.2,twice=0.1",
           "--shrink", "--out", out, "--json"});
  CHECK(told.code == 1);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto& failure = summary->at("failures").at(0);
  CHECK_THAT(std::string{failure.at("command").as_string()},
             Contains("--faults answer_lost=0.2,twice=0.1"));
  const auto& shrunk = summary->at("shrunk");
  CHECK(shrunk.at("seed") == failure.at("seed"));
  CHECK(shrunk.at("rule") == "property");
  CHECK(shrunk.at("minimal") == true);
  CHECK(shrunk.at("faults") == 1);
  const auto again = run(
    {"simulate", out + "/shrunk/scenario.json", "--faults",
     out + "/shrunk/faults.json", "--property", property, "--seeds",
     std::to_string(shrunk.at("seed").to_number<std::uint64_t>()), "--json"});
  CHECK(again.code == 1);
  const auto small = parse_json(again.out);
  REQUIRE(small);
  CHECK(small->at("failures").at(0).at("findings").at(0).at("rule")
        == "property");
}

TEST_CASE("the log of a seed with faults is kept as its disk has it") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  CHECK(
    run({"simulate", scenarios + "swarm.json", "--seeds", "1..6", "--faults",
         "kill=0.1,power_cut=0.1", "--keep", "all", "--quiet", "--out", out})
      .code
    == 0);
  for (const auto* seed : {"1", "2", "3", "4", "5", "6"}) {
    const auto kept = out + "/seeds/" + seed;
    CHECK_THAT(run({"check", kept}).out, Contains("0 findings"));
    CHECK(run({"replay", kept}).code == 0);
  }
}

TEST_CASE("a log in segments, of which earlier ones go, bears the same") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto told
    = run({"simulate", scenarios + "swarm.json", "--seeds", "1..20", "--faults",
           R"({"rates": {"kill": 0.05, "power_cut": 0.02},
               "segment_bytes": 2048, "keep_bytes": 4096})",
           "--keep", "all", "--json", "--out", out});
  CAPTURE(told.out, told.err);
  CHECK(told.code == 0);
  CHECK_THAT(run({"check", out + "/seeds/3"}).out, Contains("0 findings"));
}

TEST_CASE("faults that are none, and shrinking into nowhere, are refused") {
  const auto scenario = scenarios + "pair.json";
  const auto kind = run({"simulate", scenario, "--faults", "crsh=0.1"});
  CHECK(kind.code == 2);
  CHECK_THAT(kind.err, Contains("crsh") && Contains("crash"));
  const auto far = run({"simulate", scenario, "--faults", "typhoon=0.1"});
  CHECK(far.code == 2);
  CHECK_THAT(far.err, Contains("; write all, ") && Contains("crash, "));
  const auto twice
    = run({"simulate", scenario, "--faults", "crash=0.1,kill=0.1,crash=0.2"});
  CHECK(twice.code == 2);
  CHECK_THAT(twice.err, Contains("\"crash\" is there twice"));
  const auto nowhere = run({"simulate", scenario, "--shrink"});
  CHECK(nowhere.code == 2);
  CHECK_THAT(nowhere.err, Contains("--out"));
}
