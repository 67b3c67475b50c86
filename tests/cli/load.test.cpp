#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <filesystem>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace json = boost::json;

namespace {

std::vector<std::string> load(std::vector<std::string> more) {
  std::vector<std::string> words{"load", "--threads", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A load that is over at once: a debug build on a busy machine may find its
/// own generator late, so the exit code is not looked at. What has begun is
/// waited for, however long that takes.
const std::vector<std::string> short_one{"--duration", "1s", "--warm-up", "0s",
                                         "--sessions", "2",  "--drain",   "1h"};

std::vector<std::string> short_load(std::vector<std::string> more) {
  auto words = load(short_one);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The summary of a load, which is put on once more where the machine let its
/// time pass before any session began. `out`, if there is one, is then free.
json::value summary_of(std::vector<std::string> words,
                       const std::string& out = {}) {
  words.emplace_back("--json");
  if (!out.empty())
    words.insert(words.end(), {"--out", out});
  for (;;) {
    const auto told = run(words);
    auto summary = parse_json(told.out);
    INFO(told.out << told.err);
    REQUIRE(summary);
    if (summary->at("counts").at("started") != 0) {
      if (!out.empty())
        CHECK(read_bytes(out + "/summary.json") == told.out);
      return *std::move(summary);
    }
    if (!out.empty())
      std::filesystem::remove_all(out);
  }
}

} // namespace

TEST_CASE("a load is measured, and written as it is printed") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto summary
    = summary_of(short_load({"--mode", "round_robin,broadcast"}), out);
  CHECK(summary.at("latency").at("session").at("count").to_number<int>() > 0);
  CHECK(summary.at("counts").at("failed") == 0);
  CHECK(summary.at("modes").as_array().size() == 2);
  CHECK(summary.at("load").at("loop") == "closed");
  CHECK_THAT(read_bytes(folder / "out/series.csv"),
             Catch::StartsWith("second,open,sessions_a_second"));
  CHECK_THAT(read_bytes(folder / "out/report.html"),
             Contains("Content-Security-Policy"));
  // It is comparable with itself alone.
  const auto other = run(load({"--duration", "400ms", "--baseline",
                               (folder / "out/summary.json").string()}));
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("is of another load: it differs in"));
}

TEST_CASE("an assertion that does not hold makes the exit code 1") {
  const auto told = run(short_load({"--assert", "p99<1ns"}));
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains("p99<1ns does not hold: ")
                         && Contains("Closed loop on this process"));
}

TEST_CASE("with --fail-on turn-failure, failed turns fail a load") {
  const scratch_folder folder;
  const auto path = (folder / "scenario.json").string();
  for (const std::string failure : {"0", "1"}) {
    write_bytes(path, R"({
      "collab": {"mode": "round_robin", "participants": [
        {"participant_id": "ann", "role_id": "r"},
        {"participant_id": "bob", "role_id": "r"}]},
      "behaviours": {"ann": {"type": "echo"},
                     "bob": {"type": "simulated", "failure": )"
                        + failure + R"(}},
      "session": {"rounds": 1}, "task": "agree"})");
    const auto summary
      = summary_of(short_load({path, "--fail-on", "turn-failure"}));
    const auto& judged = summary.at("assertions").at(0);
    CHECK(judged.at("text") == "--fail-on turn-failure");
    CHECK(judged.at("holds") == (failure == "0"));
    if (failure == "1")
      CHECK(summary.at("good") == false);
  }
}

TEST_CASE(
  "refused writes are counted, and fail a load that must not have any") {
  const scratch_folder folder;
  const auto path = (folder / "scenario.json").string();
  write_bytes(path, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"ann": {"type": "script", "turns": [{"content": "done",
      "writes": [{"resource_type": "file", "resource_id": "a",
                  "base_version": 7, "value": 1}]}]}},
    "session": {"rounds": 1}, "task": "agree"})");
  finished told;
  // Again, where the machine let its time pass before any session began.
  for (int i = 0; i < 20 && told.out.find("Writes refused: ") == told.out.npos;
       ++i)
    told = run(short_load({path, "--fail-on", "turn-failure"}));
  CHECK(told.code == 1);
  CHECK_THAT(told.out, Contains("Writes refused: ") && Contains("0 failed, ")
                         && Contains(" writes refused"));
  const auto summary = summary_of(short_load({path}));
  CHECK(summary.at("assertions").as_array().empty());
  CHECK(summary.at("counts").at("writes_refused").to_number<int>() > 0);
}

TEST_CASE("a rate need not be a whole number") {
  // The second one would begin after two seconds. That the first one ends
  // within its time is not said: the machine may be busy.
  const auto summary = summary_of(load({"--rate", "0.5", "--duration", "1900ms",
                                        "--warm-up", "0s", "--drain", "1h"}));
  CHECK(summary.at("counts").at("started") == 1);
  CHECK(summary.at("latency").at("session").at("count") == 1);
  CHECK(summary.at("load").at("loop") == "open");
  CHECK(summary.at("load").at("on") == "process");
}

TEST_CASE("a scenario of one's own is a load, with stand-ins for who acts "
          "outside") {
  const scratch_folder folder;
  write_bytes(folder / "scenario.json", R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ana", "role_id": "role-a", "kind": "human"},
      {"participant_id": "bot", "role_id": "role-b"}]},
    "behaviours": {"ana": {"type": "human"}, "bot": {"type": "echo"}},
    "session": {"rounds": 1}, "task": "agree"})");
  const auto path = (folder / "scenario.json").string();
  const auto alone = run_verbosely(short_load({path}));
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("stand_in_missing"));
  const auto summary = summary_of(short_load({path, "--stand-in", "ana=echo"}));
  CHECK(summary.at("latency").at("session").at("count").to_number<int>() > 0);
  CHECK(summary.at("counts").at("failed") == 0);
}

TEST_CASE("a load that makes no sense is refused before it begins") {
  const scratch_folder folder;
  write_bytes(folder / "file", "x");
  const std::vector<std::vector<std::string>> all{
    {"--rate", "0"},
    {"--rate", "fast"},
    {"--rate", "5", "--sessions", "5"},
    {"--sessions", "1.5"},
    {"--sessions", "5/s"},
    {"--duration", "0s"},
    {"--duration", "48h"},
    {"--stages", "10s"},
    {"--stages", "10s:5", "--duration", "5s"},
    {"--mode", "duel"},
    {"--writes", "2"},
    {"--writes", "nan"},
    {"--think", "soon"},
    {"--hanging", "5"},
    {"--participants", "1000", "--rounds", "1000"},
    {"--assert", "p99"},
    {"--abort-on-fail"},
    {"--durability", "group"},
    {"--tolerance", "5%"},
    {"--baseline", (folder / "none.json").string()},
    {"--baseline", (folder / "file").string()},
    {"--out", (folder / ".").string()},
    {"--url", "http://192.0.2.1:8080"},
    {"--url", "ftp://127.0.0.1"},
    {"--url", "http://127.0.0.1:1", "--sessions", "65"},
    {(folder / "none.json").string()}};
  for (const auto& words : all) {
    const auto told = run(load(words));
    CAPTURE(words, told.err);
    CHECK(told.code == 2);
    CHECK(told.out.empty());
    CHECK_FALSE(told.err.empty());
  }
}

TEST_CASE(
  "a load on a server that cannot be reached is a fault, not a result") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  const auto told
    = run(short_load({"--url", "http://127.0.0.1:1", "--json", "--out", out}));
  CHECK(told.code == 3);
  CHECK_THAT(told.out,
             Contains("connect_failed") && Contains("nothing listens there"));
  CHECK_FALSE(std::filesystem::exists(out));
}
