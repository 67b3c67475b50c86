// What is done with a run's log besides writing it: states saved beside it,
// segments taken away.

#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <runtime/log/event_log/session_lines.hpp>

#include <chrono>
#include <map>
#include <thread>

using namespace convene;
using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// Whoever is asked second never answers; nobody waits for ever.
const std::string unanswered = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"},
    {"participant_id": "bob", "role_id": "role-reviewer"}]},
  "behaviours": {"bob": {"type": "simulated", "silence": 1},
                 "*": {"type": "echo"}},
  "session": {"turn_timeout_ms": 600000, "max_duration_ms": 600000},
  "task": "wait"})";

struct upkeep_fixture : run_fixture {
  using run_fixture::run_fixture;

  [[nodiscard]] fs::path snapshots() const {
    return fs::path{out} / "events.snapshots";
  }

  /// Runs until `is_there` and suspends.
  template <class Condition>
  void interrupt(const std::vector<std::string>& arguments,
                 Condition is_there) const {
    program running{arguments};
    while (!is_there() && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    running.signal(SIGTERM);
    CHECK(running.wait().code == 128 + SIGTERM);
  }

  /// How often bob has been asked.
  [[nodiscard]] std::size_t waiting_turns() const {
    const auto log = host::read_log(out);
    std::size_t turns = 0;
    for (const auto& line : log ? log->lines : std::vector<host::log_line>{})
      turns += host::is_of_type(line.text, "MAPTurnDispatched")
                   && line.text.find("\"bob\"") != std::string::npos
                 ? 1
                 : 0;
    return turns;
  }
};

/// Writes the sessions of a log anew, one behind the other, in short segments
/// of which only the last ones are left. Their ids, in this order.
std::vector<std::string> trim(const fs::path& folder) {
  const auto all = host::read_log(folder);
  REQUIRE(all);
  fs::remove_all(folder);
  fs::create_directory(folder);
  std::map<protocol::uuid, std::string> sessions;
  for (const auto& line : all->lines)
    sessions[host::session_of(line.text).value()] += line.text + '\n';
  const auto writer = host::event_log_writer::open(
    folder, {.segment_bytes = 1000, .keep_bytes = 1});
  REQUIRE(writer);
  std::vector<std::string> ids;
  for (const auto& [id, lines] : sessions) {
    ids.push_back(to_string(id));
    REQUIRE((*writer)->append(lines));
    REQUIRE((*writer)->flush());
  }
  REQUIRE((*writer)->close());
  REQUIRE_FALSE(fs::exists(folder / "000001.jsonl"));
  return ids;
}

} // namespace

TEST_CASE("states of sessions are saved as often as run is told, and resume is "
          "told or has it from run") {
  const upkeep_fixture at{unanswered};
  const auto is_saved = [&] { return fs::exists(at.snapshots()); };
  const auto asked = [&](std::size_t times) {
    return [&at, times] { return at.waiting_turns() >= times; };
  };
  at.interrupt({"run", at.scenario, "--out", at.out, "--snapshot-events", "1"},
               is_saved);
  CHECK(is_saved());
  fs::remove_all(at.snapshots());
  at.interrupt({"resume", at.out, "--snapshot-events", "0"}, asked(2));
  CHECK_FALSE(is_saved());
  at.interrupt({"resume", at.out}, is_saved);
  CHECK(is_saved());
  CHECK(run({"replay", at.out}).code == 0);
}

TEST_CASE("a state that is saved beside the log is no document") {
  const upkeep_fixture at{unanswered};
  at.interrupt({"run", at.scenario, "--out", at.out, "--snapshot-events", "1"},
               [&] { return fs::exists(at.snapshots()); });
  REQUIRE(fs::exists(at.snapshots()));
  CHECK(run({"validate", at.out}).code == 0);
  const auto to = [&](const char* name) { return (at.folder / name).string(); };
  CHECK(run({"export", at.out, "--strict", "--out", to("strict")}).code == 0);
  CHECK(run({"import", at.out, "--out", to("imported")}).code == 0);
}

TEST_CASE("segments are removed only where there are some and time is real") {
  const upkeep_fixture at{answers};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--log-keep-bytes", "1"},
        {"--log-keep-bytes", "1", "--instances", "2", "--seed", "1"},
        {"--log-keep-bytes", "-1", "--instances", "2"}}) {
    const auto refused = at.run_with(more);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("--log-keep-bytes"));
    CHECK_FALSE(fs::exists(at.out));
  }
  const std::vector<std::string> some{"--log-keep-bytes", "1"};
  REQUIRE(at.run_with({"--log-keep-bytes", "0"}).code == 0);
  CHECK(run({"resume", at.out, "--log-keep-bytes", "0"}).code == 0);
  const auto refused = run({"resume", at.out, "--log-keep-bytes", "1"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--log-keep-bytes") && Contains("one file"));
  fs::remove_all(at.out);
  REQUIRE(at.run_with({"--instances", "2", "--seed", "1"}).code == 0);
  const auto virtual_time = run({"resume", at.out, "--log-keep-bytes", "1"});
  CHECK(virtual_time.code == 2);
  CHECK_THAT(virtual_time.err, Contains("--seed"));
}

TEST_CASE("what a run was told of its log is kept, and nothing else is taken "
          "for it") {
  const upkeep_fixture at{answers};
  REQUIRE(at.run_with({"--instances", "2", "--snapshot-events", "7",
                       "--log-keep-bytes", "18446744073709551615"})
            .code
          == 0);
  const auto file = fs::path{at.out} / "run.json";
  const auto kept = protocol::parse_json(read_bytes(file)).value();
  CHECK(kept.at("snapshot_events") == 7);
  CHECK(kept.at("log_keep_bytes") == 18446744073709551615U);
  CHECK(run({"resume", at.out}).code == 0);
  for (const auto* member : {"snapshot_events", "log_keep_bytes"})
    for (const auto& other :
         {protocol::json::value(-1), protocol::json::value("7")}) {
      auto wrong = kept;
      wrong.as_object()[member] = other;
      write_bytes(file, protocol::pretty(wrong));
      const auto refused = run({"resume", at.out});
      CHECK(refused.code == 2);
      CHECK_THAT(refused.err, Contains("run.json") && Contains(member));
    }
}

TEST_CASE("a run that was told to keep little of its log removes segments, "
          "also when it goes on") {
  const upkeep_fixture at{answers};
  const auto log = fs::path{at.out} / "log";
  REQUIRE(at.run_with({"--instances", "3", "--log-keep-bytes", "1000"}).code
          == 0);
  // As if none had begun behind a segment that is full.
  fs::remove_all(fs::path{at.out} / "sessions");
  fs::remove_all(log);
  fs::create_directory(log);
  const auto id = session_number(1);
  {
    constexpr std::size_t full = std::size_t{64} << 20;
    const auto writer
      = host::event_log_writer::open(log, {.segment_bytes = 2 * full});
    REQUIRE(writer);
    const auto text = line_of_session(1, std::string(full / 16, 'x'),
                                      "MAPSessionStarted")
                      + '\n';
    for (std::size_t bytes = 0; bytes < full; bytes += text.size())
      REQUIRE((*writer)->append(text));
    REQUIRE(
      (*writer)->append(line_of_session(1, "", "MAPSessionCompleted") + '\n'));
    REQUIRE((*writer)->close());
  }
  const auto documents = fs::path{at.out} / "sessions" / to_string(id);
  fs::create_directories(documents);
  write_bytes(documents / "result.json", R"({"documents": {"events": "."}})");
  const auto done = run({"resume", at.out});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK_FALSE(fs::exists(log / "000001.jsonl"));
  CHECK(run({"check", at.out}).code == 0);
}

TEST_CASE("a session that may have been removed from the log is not run again, "
          "and named if it has no documents") {
  const upkeep_fixture at{answers};
  REQUIRE(at.run_with({"--instances", "5"}).code == 0);
  const auto ids = trim(fs::path{at.out} / "log");
  REQUIRE(ids.size() == 5);
  const auto lines = host::read_log(at.out)->lines.size();
  CHECK(run({"resume", at.out}).code == 0);
  fs::remove_all(fs::path{at.out} / "sessions" / ids[0]);
  const auto done = run({"resume", at.out});
  CHECK(done.code == 2);
  CHECK_THAT(done.err,
             Contains(ids[0] + ": it has no documents") && !Contains(ids[1]));
  CHECK(host::read_log(at.out)->lines.size() == lines);
}
