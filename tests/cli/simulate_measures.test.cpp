#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <filesystem>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;

namespace {

const std::string with_files = examples_folder + "shared-files/scenario.json";

/// A program of a shell's lines.
std::string make_program(const scratch_folder& folder, const char* name,
                         const std::string& lines) {
  const auto path = folder / name;
  write_bytes(path, "#!/bin/sh\n" + lines);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

finished simulate_with(std::vector<std::string> more,
                       const std::string& seeds = "1..4",
                       const std::string& threads = "2") {
  more.insert(more.begin(),
              {"simulate", with_files, "--seeds", seeds, "--threads", threads});
  return run(more);
}

} // namespace

TEST_CASE("numbers of the user's own are measured, with their mean") {
  const auto told = simulate_with(
    {"--measure", "twice=turns_total * 2", "--measure", "none=no_such",
     "--measure", "writes=events(resource_written)", "--json"});
  CHECK(told.code == 0);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto& all = summary->at("measures");
  const auto turns = all.at("turns").at("max").to_number<double>();
  CHECK(all.at("twice").at("max").to_number<double>() == 2 * turns);
  CHECK(all.at("twice").at("mean").at("value").to_number<double>()
        == 2 * turns);
  CHECK(all.at("writes").at("min").to_number<double>() > 0);
  CHECK(all.at("none").at("unmeasured") == 4);
  CHECK(all.at("none").at("mean").at("value").is_null());
  const auto table = simulate_with({"--measure", "half=turns_total / 16"});
  CHECK_THAT(table.out, Contains("mean (95%)") && Contains("half"));
}

TEST_CASE("failed turns can be measured and judged") {
  const scratch_folder folder;
  const auto scenario = (folder / "scenario.json").string();
  write_bytes(scenario, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"},
      {"participant_id": "bob", "role_id": "r"}]},
    "behaviours": {"ann": {"type": "simulated", "failure": 1},
                   "*": {"type": "echo"}},
    "session": {"rounds": 3}, "task": "go on"})");
  const auto property = (folder / "calm.json").string();
  write_bytes(property, R"({"result": {"turns_failed": {"below": 3}}})");
  const auto told = run({"simulate", scenario, "--seeds", "1..2", "--measure",
                         "failed=turns_failed + turns_timed_out", "--property",
                         property, "--json"});
  CHECK(told.code == 1);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  CHECK(summary->at("measures").at("failed").at("min").to_number<double>()
        == 3);
  CHECK_THAT(told.out, Contains("turns_failed is 3, wanted: below 3"));
}

TEST_CASE("with --fail-on turn-failure, failed turns fail their seeds") {
  const scratch_folder folder;
  const auto scenario = (folder / "scenario.json").string();
  const auto simulate = [&](const std::string& failure) {
    write_bytes(scenario, R"({
      "collab": {"mode": "broadcast", "participants": [
        {"participant_id": "ann", "role_id": "r"},
        {"participant_id": "bob", "role_id": "r"}]},
      "behaviours": {"ann": {"type": "echo"},
                     "bob": {"type": "simulated", "failure": )"
                            + failure + R"(}},
      "session": {"initiator": "ann"}, "task": "go on"})");
    return run(
      {"simulate", scenario, "--seeds", "1..2", "--fail-on", "turn-failure"});
  };
  const auto told = simulate("1");
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains("2 failed")
                         && Contains("--fail-on turn-failure --seeds 1")
                         && Contains("the simulation drew a failure"));
  CHECK(simulate("0").code == 0);
}

TEST_CASE("a program that the command line names judges each seed") {
  const scratch_folder folder;
  const auto dislikes = make_program(
    folder, "dislikes",
    "read first\n"
    "case \"$first\" in\n"
    "  '{\"seed\":3,\"result\":{'*) echo 'three is not liked'; echo oops >&2\n"
    "    exit 1;;\n"
    "esac\n"
    "grep -q MAPSessionCompleted\n");
  const auto told = simulate_with({"--property-program", dislikes, "--json"});
  CHECK(told.code == 1);
  CHECK_THAT(told.err, Contains("oops"));
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  CHECK(summary->at("failed") == 1);
  const auto& broken = summary->at("properties").at(0);
  CHECK(broken.at("name") == "dislikes");
  CHECK(broken.at("failed") == 1);
  CHECK(broken.at("share").at("value").to_number<double>() == 0.25);
  const auto& first = summary->at("failures").at(0);
  CHECK(first.at("seed") == 3);
  CHECK(first.at("findings").at(0).at("rule") == "property");
  CHECK(first.at("findings").at(0).at("message")
        == "dislikes: three is not liked");
  CHECK_THAT(std::string{first.at("command").as_string()},
             Contains("--property-program " + dislikes));
}

TEST_CASE("a program that does not judge fails the seed by its own name") {
  const scratch_folder folder;
  for (const auto& lines : {"exit 7\n", "kill -9 $$\n", "yes\n"}) {
    const auto broken = make_program(folder, "broken", lines);
    const auto told = simulate_with({"--property-program", broken, "--json"},
                                    "1");
    CHECK(told.code == 1);
    CHECK_THAT(told.out, Contains(R"("rule": "property_program")"));
  }
}

TEST_CASE("a series has a row for each turn, the same on any threads") {
  const scratch_folder folder;
  const auto out = (folder / "one").string();
  const auto told = simulate_with({"--json", "--out", out});
  CHECK(told.code == 0);
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto series = read_bytes(folder / "one/series.csv");
  CHECK_THAT(series, Catch::StartsWith("seed,kind,number,participant_id,"));
  const auto rows = std::ranges::count(series, '\n') - 1;
  CHECK(rows
        == 4 * summary->at("measures").at("turns").at("max").to_number<int>());
  simulate_with({"--out", (folder / "other").string()}, "1..4", "1");
  CHECK(read_bytes(folder / "other/series.csv") == series);
}

TEST_CASE("a measure or program that cannot be meant is refused") {
  const scratch_folder folder;
  write_bytes(folder / "text", "no program");
  for (const auto& [arguments, why] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
         {{"--measure", "x=turns_total +"}, "at column 16"},
         {{"--measure", "x=1", "--measure", "x=2"}, "given twice"},
         {{"--measure", "turns=1"}, "measured already"},
         {{"--property-program", (folder / "text").string()},
          "cannot be executed"},
         {{"--property-program", "no-such-program-anywhere"},
          "no program of this name"}}) {
    const auto refused = simulate_with(arguments);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(why));
  }
}

TEST_CASE("a mean that is too large to be told is not known, but no infinity") {
  const auto told
    = simulate_with({"--measure", "most=1e308 * events(resource_written)",
                     "--measure", "much=1e300 * turns_total", "--json"});
  CHECK(told.code == 0);
  CHECK_THAT(told.out, !Contains("1e99999"));
  const auto summary = parse_json(told.out);
  REQUIRE(summary);
  const auto& much = summary->at("measures").at("much");
  CHECK(
    much.at("max").to_number<double>()
    == 1e300
         * summary->at("measures").at("turns").at("max").to_number<double>());
}
