// What `check` and `replay` say of the folder that a run wrote.

#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;

namespace {

/// What both say of the folder; each of them finds something.
std::string findings_of(const std::string& folder) {
  const auto checked = run({"check", folder});
  const auto replayed = run({"replay", folder});
  CHECK(checked.code == 1);
  CHECK(replayed.code == 1);
  CHECK(parse_json(run({"check", folder, "--json"}).out)->at("good") == false);
  CHECK(parse_json(run({"replay", folder, "--json"}).out)->at("good") == false);
  return checked.out + replayed.out;
}

} // namespace

TEST_CASE("a log that has lost the end of a session is not called good") {
  const run_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  const auto log = fs::path{at.out} / "events.jsonl";
  CHECK(run({"check", at.out}).code == 0);
  CHECK(run({"replay", at.out}).code == 0);
  fs::resize_file(log, fs::file_size(log) - 1);
  CHECK_THAT(findings_of(at.out), Contains("session_end_missing"));
}

TEST_CASE("sessions that a shared log has lost are named") {
  const run_fixture at{answers};
  REQUIRE(at.run_with({"--instances", "3"}).code == 0);
  const fs::path out{at.out};
  // The others' log with the documents of all.
  const run_fixture less{answers};
  REQUIRE(less.run_with({"--instances", "1"}).code == 0);
  SECTION("with their results") {
    fs::remove(out / "log/ended");
    fs::copy_file(fs::path{less.out} / "events.jsonl", out / "log/000001.jsonl",
                  fs::copy_options::overwrite_existing);
    const auto found = findings_of(at.out);
    for (const auto& entry : fs::directory_iterator{out / "sessions"})
      CHECK_THAT(found, Contains(entry.path().filename().string()
                                 + " session_end_missing"));
  }
  SECTION("without results, by what the run says of itself") {
    fs::remove(out / "log/ended");
    fs::remove_all(out / "sessions");
    fs::copy_file(fs::path{less.out} / "events.jsonl", out / "log/000001.jsonl",
                  fs::copy_options::overwrite_existing);
    const auto found = run({"check", at.out});
    CHECK(found.code == 1);
    CHECK_THAT(found.out,
               Contains(" session_missing ") && Contains(" session_unknown "));
    CHECK_THAT(run({"check", at.out, "--allow-unfinished"}).out,
               !Contains(" session_missing "));
  }
}

TEST_CASE("each document of a run is held against its log") {
  const scratch_folder files;
  const auto out = (files / "out").string();
  const auto example = GENERATE(as<std::string>{}, "shared-files",
                                "refactoring-swarm");
  const auto made = run({"run", examples_folder + example + "/scenario.json",
                         "--quiet", "--out", out});
  REQUIRE(made.code <= 1);
  REQUIRE(run({"check", out}).out.find(" 0 findings") != std::string::npos);
  for (const auto& entry : fs::directory_iterator{out}) {
    const auto name = entry.path().filename().string();
    if (name == "events.jsonl" || name == "run.json" || name == "scenario.json")
      continue;
    INFO(name);
    const auto good = read_bytes(entry.path());
    auto changed = good;
    // The last letter of a value becomes another one.
    const auto at = changed.rfind("\"\n") - 1;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    fs::remove(entry.path());
    write_bytes(entry.path(), changed);
    CHECK_THAT(findings_of(out), Contains(name + ": "));
    fs::remove(entry.path());
    if (name != "result.json")
      CHECK_THAT(findings_of(out), Contains(name + ": "));
    write_bytes(entry.path(), good);
  }
  CHECK(run({"check", out}).code == 0);
}

TEST_CASE("a result.json that cannot be read is a finding, an empty one none") {
  const auto many = GENERATE(false, true);
  const run_fixture at{answers};
  REQUIRE(at.run_with(many ? std::vector<std::string>{"--instances", "2"}
                           : std::vector<std::string>{})
            .code
          == 0);
  const auto sessions = fs::path{at.out} / "sessions";
  const auto file = (many ? fs::directory_iterator { sessions } -> path()
                          : fs::path{at.out})
                    / "result.json";
  const auto good = read_bytes(file);
  for (const auto* text : {"{\"session_id\"", "[]"}) {
    fs::remove(file);
    write_bytes(file, text);
    CHECK_THAT(findings_of(at.out), Contains("result.json: "));
    CHECK(run({"replay", at.out}).code == 1);
  }
  fs::remove(file);
  fs::create_directory(file);
  CHECK_THAT(findings_of(at.out), Contains("result.json: "));
  fs::remove(file);
  CHECK(run({"check", at.out}).code == 0); // a kill came before it
  write_bytes(file, ""); // a loss of power came before its text
  CHECK(run({"check", at.out}).code == 0);
  CHECK(run({"resume", at.out}).code == 0);
  CHECK(read_bytes(file) == good);
}

TEST_CASE("a run.json or scenario.json that cannot be read is a finding of "
          "check") {
  const auto name = GENERATE(as<std::string>{}, "run.json", "scenario.json");
  const run_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  write_bytes(fs::path{at.out} / name, "{");
  const auto found = run({"check", at.out});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains(name));
}
