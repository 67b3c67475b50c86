#include <catch2/catch.hpp>
#include <convene/lab/load/load_run.hpp>
#include <convene/lab/load/trace_replay.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace convene::host;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

class trace_folder {
public:
  trace_folder() {
    fs::create_directories(path);
  }
  trace_folder(const trace_folder&) = delete;
  trace_folder& operator=(const trace_folder&) = delete;
  ~trace_folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  [[nodiscard]] fs::path write(const std::string& name,
                               const std::string& text) const {
    std::ofstream{path / name} << text;
    return path / name;
  }

  const fs::path path = fs::temp_directory_path()
                        / ("convene-trace-" + std::to_string(::getpid()));
};

load_trace recorded(const std::string& text) {
  load_trace made;
  const auto added
    = add_recorded(made, convene::protocol::parse_json(text)->as_object());
  INFO((added ? "" : to_string(added.error())));
  REQUIRE(added);
  return made;
}

std::string refused_session(const std::string& text) {
  load_trace made;
  const auto added
    = add_recorded(made, convene::protocol::parse_json(text)->as_object());
  return added ? "accepted" : added.error().rule;
}

} // namespace

TEST_CASE("a recorded session is read with its children, who start after it") {
  const auto made = recorded(R"({"id": "a", "start_ms": 500, "turns": [
    {"think_ms": 20, "prompt_bytes": 100, "answer_ms": 7, "answer_bytes": 9},
    {"answer_ms": 1}],
    "children": [{"start_ms": 30, "turns": [{"answer_bytes": 1}]},
                 {"turns": []}]})");
  REQUIRE(made.sessions.size() == 2);
  CHECK(made.sessions[0]
        == trace_session{500ms, {{20, 100, 7, 9}, {0, 0, 1, 0}}});
  CHECK(made.sessions[1] == trace_session{530ms, {{0, 0, 0, 1}}});
}

TEST_CASE("a file of kv-cache-tester is read: what each request adds to what "
          "was said, and its subagents") {
  const auto made
    = recorded(R"({"id": "trace_1", "block_size": 64, "requests": [
    {"t": 0.0, "type": "s", "in": 1000, "out": 50, "think_time": 0.0,
     "api_time": 2.5, "hash_ids": [1, 2]},
    {"t": 3.0, "type": "subagent", "requests": [
      {"t": 0.5, "type": "n", "in": 10, "out": 5, "api_time": 0.1}]},
    {"t": 10.0, "type": "s", "in": 1100, "out": 20, "api_time": 1.0}]})");
  REQUIRE(made.sessions.size() == 2);
  // Sessions of children come first where they are inside of the requests.
  CHECK(made.sessions[0] == trace_session{3s, {{400, 40, 100, 20}}});
  CHECK(made.sessions[1]
        == trace_session{0s, {{0, 4000, 2500, 200}, {9000, 200, 1000, 80}}});
}

TEST_CASE("sessions keep their distance if they count from 1970") {
  auto trace = recorded(
    R"({"start_ms": 1764082000000, "turns": [{"answer_ms": 1}],
        "children": [{"start_ms": 250, "turns": [{"answer_ms": 1}]}]})");
  CHECK(trace.sessions[1].start - trace.sessions[0].start == 250ms);
  CHECK(refused_session(R"({"start_ms": 1e300, "turns": [{}]})")
        == "trace_invalid");
  CHECK(refused_session(R"({"start_ms": 3e12, "turns": [{}], "children": [
                            {"start_ms": 3e12, "turns": [{}]}]})")
        == "trace_invalid");
}

TEST_CASE("what is too long is cut, and counted") {
  const auto made = recorded(R"({"turns": [{"prompt_bytes": 5000000}]})");
  CHECK(made.sessions[0].exchanges[0].prompt_bytes == trace_text_bytes_max);
  CHECK(made.texts_cut == 1);
}

TEST_CASE("what is no recorded session is refused") {
  CHECK(refused_session("{}") == "trace_invalid");
  CHECK(refused_session(R"({"turns": 5})") == "trace_invalid");
  CHECK(refused_session(R"({"turns": [5]})") == "trace_invalid");
  CHECK(refused_session(R"({"turns": [{"think_ms": -1}]})") == "trace_invalid");
  CHECK(refused_session(R"({"turns": [{"think_ms": "5"}]})")
        == "trace_invalid");
  CHECK(refused_session(R"({"start_ms": null, "turns": []})")
        == "trace_invalid");
  CHECK(refused_session(R"({"requests": [{"t": -5}]})") == "trace_invalid");
  CHECK(refused_session(R"({"turns": [], "children": [{}]})")
        == "trace_invalid");
  std::string deep = R"({"turns": []})";
  for (int i = 0; i <= trace_depth_max; ++i)
    deep = R"({"turns": [], "children": [)" + deep + "]}";
  CHECK(refused_session(deep) == "trace_depth_max");
}

TEST_CASE("a trace begins with its first session, and says where it is "
          "wrong") {
  const trace_folder folder;
  const auto good = read_trace(folder.write(
    "good.jsonl", "{\"start_ms\": 900, \"turns\": [{}]}\n\n"
                  "{\"start_ms\": 400, \"turns\": [{\"answer_ms\": 3}]}\n"));
  REQUIRE(good);
  REQUIRE(good->sessions.size() == 2);
  CHECK(good->sessions[0] == trace_session{0ms, {{0, 0, 3, 0}}});
  CHECK(good->sessions[1].start == 500ms);

  const auto bad = read_trace(
    folder.write("bad.jsonl", "{\"turns\": [{}]}\n{\"turns\": 1}\n"));
  REQUIRE_FALSE(bad);
  CHECK(bad.error().line == 2);
  CHECK(bad.error().column == 1);
  CHECK_THAT(bad.error().file, Contains("bad.jsonl"));
  CHECK(read_trace(folder.write("none.jsonl", "\n")).error().rule
        == "trace_invalid");
  CHECK_FALSE(read_trace(folder.write("cut.jsonl", "{\"turns\": [")));
  CHECK_FALSE(read_trace(folder.path / "missing.jsonl"));
}

TEST_CASE("a folder of traces is read, file by file") {
  const trace_folder folder;
  static_cast<void>(folder.write("one.json", R"({"requests": [{"in": 1}]})"));
  static_cast<void>(
    folder.write("two.json", "{\n  \"requests\": [{\"in\": 2}]\n}\n"));
  static_cast<void>(folder.write("notes.txt", "x"));
  const auto made = read_trace(folder.path);
  REQUIRE(made);
  CHECK(made->sessions.size() == 2);
}

TEST_CASE("a replayed trace has its turns, their sizes, and the time that they "
          "took") {
  load_trace trace;
  REQUIRE(add_session(trace, {0ms, {{0, 500, 0, 10}, {10, 20, 10, 30}}}));
  REQUIRE(add_session(trace, {5ms, {{0, 1, 0, 1}}}));
  load_plan plan;
  plan.runtime.threads = 1;
  plan.drain = 30s;
  REQUIRE(set_trace(std::move(trace), 1, plan));
  CHECK(plan.starts == std::vector<load_time>{0ms, 5ms});
  const std::atomic<bool> stop = false;
  const auto outcome = run_load(plan, stop);
  REQUIRE(outcome);
  CHECK(outcome->session_errors.empty());
  const auto& turns = outcome->total->of(load_measure::turn);
  CHECK(turns.count() == 6);
  CHECK(*turns.max() >= 10'000'000);
  CHECK(outcome->total->of(load_measure::session).count() == 2);
  CHECK(*outcome->total->of(load_measure::session).max() >= 20'000'000);
}

TEST_CASE("for a server the two of a recorded session are scripts") {
  load_trace trace;
  REQUIRE(add_session(trace, {0ms, {{0, 3, 25, 2}, {10, 0, 20, 1}}}));
  load_plan plan;
  REQUIRE(set_trace(std::move(trace), 2, plan, true));
  const auto made = plan.make({});
  CHECK(made.functions.empty());
  CHECK(made.scenario.options.rounds == 2);
  const auto expected = convene::protocol::parse_json(R"({
    "caller": {"type": "script", "turn_latency_ms": [0, 5],
               "turns": [{"content": "..."}, {"content": ""}]},
    "agent": {"type": "script", "turn_latency_ms": [13, 10],
              "turns": [{"content": ".."}, {"content": "."}]}})");
  REQUIRE(expected);
  CHECK(made.scenario.behaviours == expected->as_object());
}

TEST_CASE("a trace is refused that takes too long, however long it is") {
  constexpr std::int64_t day_ms = 24LL * 3600 * 1000;
  for (const std::size_t turns : {2, 60'000}) {
    load_trace trace;
    REQUIRE(add_session(trace, {0ms, std::vector<trace_exchange>(
                                       turns, {day_ms, 1, day_ms, 1})}));
    load_plan plan;
    const auto set = set_trace(std::move(trace), trace_speed_min, plan);
    REQUIRE_FALSE(set);
    CHECK(set.error().rule == "load_time_max");
  }
}

TEST_CASE("a log that a load has left is a trace of that load") {
  const trace_folder folder;
  const auto log = folder.path / "log";
  fs::create_directories(log);
  load_plan plan;
  plan.stages = {{60s, {}}};
  plan.ends_with_last = true;
  plan.starts.assign(3, load_time{});
  plan.kinds = {kind_of({.participants = 2, .rounds = 2}).value()};
  plan.cycle = {0};
  plan.runtime.threads = 1;
  plan.runtime.log = log;
  const std::atomic<bool> stop = false;
  REQUIRE(run_load(plan, stop));
  for (const auto& path : {log, folder.path}) {
    const auto made = read_trace(path);
    REQUIRE(made);
    CHECK(made->sessions.size() == 3);
    CHECK(made->exchanges == 12);
    CHECK(made->sessions[0].exchanges[0].answer_bytes == 64);
  }
}

TEST_CASE("a broadcast on a log takes as long as its slowest answer, with the "
          "bytes of all") {
  const trace_folder folder;
  const auto log = folder.path / "log.jsonl";
  const auto writer = event_log_writer::open(log);
  REQUIRE(writer);
  const auto add = [&](const std::string& type, const std::string& second,
                       const std::string& payload) {
    REQUIRE((*writer)->append(R"({"event_id":"e","event_type":")" + type
                              + R"(","event_family":"f","session_id":"s",)"
                                R"("timestamp":"2026-01-01T00:00:)"
                              + second + R"(Z","payload":{)" + payload
                              + "}}\n"));
  };
  const std::string answers = R"("broadcast_ref":"b","status":"completed",)";
  add("MAPSessionStarted", "00.000", "");
  add("MAPBroadcastSent", "00.100",
      R"("broadcast_id":"b","message":{"task":"vote"})");
  add("MAPBroadcastReceived", "00.130",
      answers + R"("duration_ms":30,"reply":{"content":"aye"})");
  add("MAPBroadcastReceived", "00.140",
      answers + R"("duration_ms":10,"reply":{"content":"nay"})");
  add("MAPTurnDispatched", "00.200", R"("turn_number":1,"task":"go")");
  add("MAPTurnCompleted", "00.250",
      R"("turn_number":1,"duration_ms":50,"reply":{"content":"gone"})");
  REQUIRE((*writer)->close());
  const auto made = read_trace(log);
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  REQUIRE(made->sessions.size() == 1);
  CHECK(made->sessions[0].exchanges
        == std::vector<trace_exchange>{{100, 4, 30, 6}, {60, 2, 50, 4}});
}
