#include <bindings/c/own_text.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/bindings/c/convene.h>
#include <runtime/log/event_log/files.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

using convene::tests::own_text;
using convene::tests::read_bytes;
using convene::tests::scratch_folder;
namespace json = boost::json;

namespace {

using judge = int (*)(const char*, const char*, char**, char**);

json::value result_of(judge how, const std::string& what,
                      const char* options = nullptr) {
  own_text made;
  own_text error;
  const auto code = how(what.c_str(), options, &made.text, &error.text);
  INFO((error.text == nullptr ? "" : error.text));
  REQUIRE(code == CONVENE_OK);
  return made.read();
}

/// The rule of the refusal.
std::string rule_of(judge how, const std::string& what,
                    const char* options = nullptr) {
  own_text made;
  own_text error;
  CHECK(how(what.c_str(), options, &made.text, &error.text)
        >= CONVENE_UNREADABLE);
  CHECK(made.text == nullptr);
  return error.rule();
}

void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream{file} << text;
}

/// Two participants, each with this behavior.
std::string
scenario_of(const std::string& behaviours = R"({"*": {"type": "simulated"}})") {
  return R"({"convene": "1", "collab": {"title": "work", "purpose": "work",
    "mode": "round_robin", "participants": [
    {"participant_id": "a", "kind": "agent", "role_id": "role-a"},
    {"participant_id": "b", "kind": "agent", "role_id": "role-b"}]},
    "task": "work", "behaviours": )"
         + behaviours + "}";
}

struct runtime_freed {
  void operator()(convene_runtime* what) const {
    convene_runtime_free(what);
  }
};

std::unique_ptr<convene_runtime, runtime_freed>
open_with_log(const std::string& log) {
  const auto options = R"({"log": )" + json::serialize(json::value(log)) + "}";
  convene_runtime* made = nullptr;
  REQUIRE(convene_open(options.c_str(), &made, nullptr) == CONVENE_OK);
  return std::unique_ptr<convene_runtime, runtime_freed>{made};
}

/// The log of a session that has ended.
std::string log_in(const scratch_folder& folder) {
  const auto log = (folder / "log.jsonl").string();
  const auto runtime = open_with_log(log);
  convene_session* session = nullptr;
  own_text result;
  REQUIRE(convene_start(runtime.get(), scenario_of().c_str(), nullptr, &session,
                        nullptr)
          == CONVENE_OK);
  CHECK(convene_await(session, -1, &result.text, nullptr) == CONVENE_OK);
  convene_session_free(session);
  return log;
}

} // namespace

TEST_CASE("a log is checked and recomputed, and an edit of it is found") {
  const scratch_folder folder;
  const auto log = log_in(folder);
  for (const auto how : {convene_check, convene_replay}) {
    const auto verdict = result_of(how, log);
    CHECK(verdict.at("good") == true);
    CHECK(verdict.at("sessions") == 1);
    CHECK(verdict.at("log").as_string() == log);
  }
  auto text = read_bytes(log);
  const auto at = text.find(R"("role-a")");
  REQUIRE(at != text.npos);
  text.replace(at, 8, R"("role-x")");
  write(log, text);
  for (const auto how : {convene_check, convene_replay})
    CHECK(result_of(how, log).at("good") == false);
}

TEST_CASE("a log without its end is good only if that is allowed") {
  const scratch_folder folder;
  const auto log = (folder / "log.jsonl").string();
  const auto left = (folder / "left.jsonl").string();
  {
    const auto runtime = open_with_log(log);
    convene_session* session = nullptr;
    REQUIRE(convene_start(runtime.get(), scenario_of("{}").c_str(), R"(["*"])",
                          &session, nullptr)
            == CONVENE_OK);
    while (read_bytes(log).find("MAPTurnDispatched") == std::string::npos)
      std::this_thread::yield();
    std::filesystem::copy_file(log, left); // what a kill leaves
    convene_session_free(session);
  }
  CHECK(result_of(convene_check, left).at("good") == false);
  CHECK(
    result_of(convene_check, left, R"({"allow_unfinished": true})").at("good")
    == true);
}

TEST_CASE("what cannot be judged is an error with its place") {
  const scratch_folder folder;
  const auto missing = (folder / "none").string();
  for (const auto how : {convene_check, convene_replay, convene_validate}) {
    own_text made;
    own_text error;
    CHECK(how(missing.c_str(), nullptr, &made.text, &error.text)
          == CONVENE_UNREADABLE);
    CHECK(error.read().at("details").at("file").as_string() == missing);
    CHECK(how(nullptr, nullptr, &made.text, nullptr) == CONVENE_USAGE);
    CHECK(how(missing.c_str(), nullptr, nullptr, nullptr) == CONVENE_USAGE);
    own_text other;
    CHECK(how(missing.c_str(), R"({"ruls": []})", &made.text, &other.text)
          == CONVENE_INVALID_DOCUMENT);
    CHECK(other.read().at("details").at("pointer") == "/ruls");
  }
  const auto log = log_in(folder);
  CHECK(rule_of(convene_replay, log, R"({"session": "x"})") == "session");
}

TEST_CASE("what a server keeps is left to the program") {
  const scratch_folder folder;
  std::filesystem::create_directories(folder / "log");
  std::filesystem::create_directories(folder / "runs");
  for (const auto how : {convene_check, convene_replay})
    CHECK(rule_of(how, (folder / ".").string()) == "server_data");
}

TEST_CASE("documents are validated, each file with its errors") {
  const scratch_folder folder;
  write(folder / "plan.json", R"({"plan_id": 7})");
  const auto path = (folder / "plan.json").string();
  const auto verdict = result_of(convene_validate, path,
                                 R"({"schema": "mplp-plan"})");
  CHECK(verdict.at("valid") == false);
  CHECK(verdict.at("files_invalid") == 1);
  CHECK_FALSE(verdict.at("files").at(0).at("errors").as_array().empty());
  own_text error;
  own_text none;
  CHECK(convene_validate(path.c_str(), R"({"schema": "plam"})", &none.text,
                         &error.text)
        >= CONVENE_UNREADABLE);
  CHECK(error.text != nullptr);
  CHECK(result_of(convene_validate,
                  CONVENE_SOURCE_DIR "/examples/golden/map-flow-01",
                  R"({"invariants": true})")
          .at("valid")
        == true);
}

TEST_CASE("seeds give the same summary on any threads, from text and file") {
  const scratch_folder folder;
  const auto file = (folder / "scenario.json").string();
  write(file, scenario_of());
  const auto one = result_of(convene_simulate, scenario_of(),
                             R"({"seeds": [5, 24], "threads": 1,
                                 "measures": {"twice": "turns_total * 2"}})");
  CHECK(one.at("seeds").at("run") == 20);
  CHECK(one.at("completed") == 20);
  CHECK(one.at("interrupted") == false);
  CHECK(one.at("measures").at("twice").at("median").at("value") == 4.0);
  const auto two = result_of(convene_simulate, file,
                             R"({"seeds": [5, 24], "threads": 2})");
  CHECK(two.at("digest") == one.at("digest"));
  const auto other = result_of(convene_simulate, file, R"({"seeds": [6, 25]})");
  CHECK(other.at("digest") != one.at("digest"));
}

TEST_CASE("a property that seeds break is reported with these seeds") {
  const auto summary
    = result_of(convene_simulate, scenario_of(),
                R"({"seeds": [1, 3], "properties": {"result": {"turns_total":
        {"at_most": 1}}}})");
  CHECK(summary.at("failed") == 3);
  CHECK(summary.at("failures").as_array().size() == 3);
  own_text made;
  own_text error;
  CHECK(convene_simulate(scenario_of().c_str(),
                         R"({"properties": [{"always": {}}]})", &made.text,
                         &error.text)
        == CONVENE_INVALID_DOCUMENT);
  CHECK(error.read().at("details").at("pointer") == "/properties/0/always");
}

TEST_CASE("faults strike a simulation, and no study") {
  const char* const faults = R"({"seeds": [1, 20], "faults": "crash=0.1"})";
  const auto summary = result_of(convene_simulate, scenario_of(), faults);
  CHECK(summary.at("faults").at("struck").at("crash").at("times") != 0);
  CHECK(rule_of(convene_study, scenario_of(), faults)
        == "additionalProperties");
}

TEST_CASE("in a simulation every participant needs a behavior of its own") {
  const auto some = scenario_of(R"({"a": {"type": "simulated"}})");
  const auto outside
    = scenario_of(R"({"*": {"type": "process", "command": ["/bin/true"]}})");
  for (const auto how : {convene_simulate, convene_study}) {
    CHECK(rule_of(how, some) == "participant_unbound");
    CHECK(rule_of(how, outside) == "stand_in_missing");
    CHECK(
      rule_of(how, some,
              R"({"stand_ins": {"b": {"type": "process", "command": ["x"]}}})")
      == "stand_in");
  }
  CHECK(result_of(convene_simulate, some,
                  R"({"seeds": [1, 2], "stand_ins": {"b": "echo"}})")
          .at("completed")
        == 2);
}

TEST_CASE("a scenario that comes as text names no file") {
  const auto with = [](const std::string& collab) {
    return R"({"convene": "1", "collab": )" + collab + R"(, "task": "work"})";
  };
  CHECK(rule_of(convene_simulate, with(R"("/etc/passwd")")) == "names_file");
  const auto recorded
    = scenario_of(R"({"*": {"type": "recorded", "log": "log.jsonl"}})");
  CHECK(rule_of(convene_simulate, recorded) == "names_file");
}

TEST_CASE("a study compares variants under the same seeds") {
  const auto summary
    = result_of(convene_study, scenario_of(),
                R"({"seeds": [1, 10], "vary": {"session.rounds": [1, 2]}})");
  const auto& points = summary.at("points").as_array();
  REQUIRE(points.size() == 2);
  CHECK(points[0].at("vary").at("session.rounds") == 1);
  CHECK(points[1].at("against_baseline").at("turns").at("higher") == 10);
  CHECK(summary.at("interrupted") == false);
  const auto sampled
    = result_of(convene_study, scenario_of(),
                R"({"seeds": [1, 2], "sample": 3, "baseline": 2,
        "vary": {"behaviours.*.latency_ms": {"from": 1.5, "to": 9.5}}})");
  CHECK(sampled.at("points").as_array().size() == 3);
  CHECK(sampled.at("points").at(1).at("against_baseline").is_null());
}

TEST_CASE("what a study or a simulation may have is bounded") {
  for (const auto& [options, rule] :
       {std::pair{R"({"seeds": [1, 1000001]})", "seeds_max"},
        {R"({"seeds": [2, 1]})", "seeds"},
        {R"({"seeds": [1]})", "seeds"},
        {R"({"seeds": [-1, 1]})", "seeds"},
        {R"({"threads": 1025})", "maximum"}})
    for (const auto how : {convene_simulate, convene_study})
      CHECK(rule_of(how, scenario_of(), options) == rule);
  for (const auto& [options, rule] :
       {std::pair{R"({"vary": {"session.rounds": {"from": 1, "to": 2}}})",
                  "vary"},
        {R"({"vary": {"session.rounds": []}})", "vary"},
        {R"({"sample": 10001})", "points_max"},
        {R"({"baseline": 2})", "baseline"},
        {R"({"vary": {"session.rounds": [1, 2]}, "seeds": [1, 600000]})",
         "study_runs_max"}})
    CHECK(rule_of(convene_study, scenario_of(), options) == rule);
}

TEST_CASE("a simulation ends after its time with the seeds that had ended") {
  for (const auto how : {convene_simulate, convene_study}) {
    const auto summary = result_of(how, scenario_of(),
                                   R"({"seeds": [1, 1000000],
                                       "timeout_ms": 20})");
    CHECK(summary.at("interrupted") == true);
  }
}

TEST_CASE("a simulation that another thread interrupts returns") {
  std::atomic<bool> has_ended = false;
  std::thread other{[&] {
    while (!has_ended) {
      convene_interrupt();
      std::this_thread::yield();
    }
  }};
  const auto summary = result_of(convene_simulate, scenario_of(),
                                 R"({"seeds": [1, 1000000]})");
  has_ended = true;
  other.join();
  CHECK(summary.at("interrupted") == true);
  CHECK(result_of(convene_simulate, scenario_of(), R"({"seeds": [1, 2]})")
          .at("interrupted")
        == false);
}
