// The program on a log whose first segments were removed, or lost.

#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <map>
#include <set>

using namespace convene;
using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

constexpr int sessions_run = 12;

/// Real sessions on a log that keeps little, so that of one the end is left.
fs::path trimmed_run(const scratch_folder& in) {
  const auto out = (in / "out").string();
  REQUIRE(
    run({"run", CONVENE_SOURCE_DIR "/examples/debugging-pair/scenario.json",
         "--quiet", "--seed", "3", "--instances", std::to_string(sessions_run),
         "--out", out})
      .code
    == 0);
  const auto all = host::read_log(out);
  REQUIRE(all);
  std::map<protocol::uuid, std::vector<std::string>> sessions;
  for (const auto& line : all->lines)
    sessions[host::session_of(line.text).value()].push_back(line.text + '\n');
  const auto folder = in / "trimmed";
  fs::create_directories(folder / "log");
  const auto writer = host::event_log_writer::open(
    folder / "log", {.durability = protocol::durability::group,
                     .segment_bytes = 3000,
                     .keep_bytes = 1});
  REQUIRE(writer);
  std::vector<std::string> order;
  for (const auto& [id, lines] : sessions) {
    // Each begins before the last line of the one before.
    order.insert(order.empty() ? order.end() : order.end() - 1, lines.front());
    order.insert(order.end(), lines.begin() + 1, lines.end());
  }
  for (const auto& line : order) {
    REQUIRE((*writer)->append(line));
    REQUIRE((*writer)->flush());
  }
  REQUIRE((*writer)->close());
  return folder;
}

/// Of a session of which `trimmed` has nothing: an event from its middle.
std::string line_of_removed_session(const fs::path& all,
                                    const fs::path& trimmed) {
  std::set<protocol::uuid> left;
  const auto rest = host::read_log(trimmed);
  const auto whole = host::read_log(all);
  REQUIRE((rest && whole));
  for (const auto& line : rest->lines)
    left.insert(host::session_of(line.text).value());
  for (const auto& line : whole->lines)
    if (!left.contains(host::session_of(line.text).value())
        && host::is_of_type(line.text, "MAPTurnDispatched"))
      return line.text + '\n';
  FAIL("no session was removed whole");
  return {};
}

} // namespace

TEST_CASE(
  "check and replay pass over sessions that began in removed segments") {
  const scratch_folder folder;
  const auto log = trimmed_run(folder).string();
  for (const char* command : {"check", "replay"}) {
    const auto text = run({command, log});
    CHECK(text.code == 0);
    CHECK_THAT(text.out, Contains("left out that began in removed segments"));
    const auto found = run({command, log, "--json"});
    CHECK(found.code == 0);
    CHECK_THAT(found.out, Contains("\"sessions_cut\": 1"));
  }
  CHECK(run({"events", log}).code == 0);
}

TEST_CASE("check finds a session that has neither its beginning nor its end") {
  const scratch_folder folder;
  const auto log = trimmed_run(folder);
  {
    // As a loss of power may leave it: its end was lost.
    const auto writer = host::event_log_writer::open(
      log / "log",
      {.existing = host::existing_log::append, .segment_bytes = 3000});
    REQUIRE(writer);
    REQUIRE((*writer)->append(line_of_removed_session(folder / "out", log)));
    REQUIRE((*writer)->close());
  }
  const auto text = run({"check", log.string()});
  CHECK(text.code == 1);
  CHECK_THAT(text.out,
             Contains(log.string()
                      + ": - session_end_lost 1 session that began in removed "
                        "segments never ended\n")
               && Contains(", 1 finding,"));
  const auto json = run({"check", log.string(), "--json"});
  CHECK(json.code == 1);
  const auto found = protocol::parse_json(json.out);
  REQUIRE(found);
  CHECK_FALSE(found->at("good").as_bool());
  const auto& one = found->at("logs").at(0);
  CHECK(one.at("sessions_cut") == 2);
  CHECK(one.at("findings_total") == 1);
  REQUIRE(one.at("findings").as_array().size() == 1);
  CHECK(one.at("findings").at(0).at("rule") == "session_end_lost");
  CHECK(one.at("findings").at(0).at("file").as_string() == log.string());
}

TEST_CASE("export passes by what is left over of removed segments") {
  const scratch_folder folder;
  const auto log = trimmed_run(folder);
  const auto exported = [&](const char* to) {
    const auto out = folder / to;
    const auto done
      = run({"export", log.string(), "--strict", "--out", out.string()});
    INFO(done.err);
    REQUIRE(done.code == 0);
    return read_bytes(out / "events.jsonl");
  };
  const auto before = exported("before");
  CHECK_FALSE(before.empty());
  write_bytes(log / "log" / "000001.jsonl", "{\"anything\": true}\n");
  CHECK(exported("after") == before);
}

TEST_CASE("a log whose first segments were lost is refused by every command") {
  const scratch_folder folder;
  const auto log = trimmed_run(folder);
  fs::remove(log / "log" / "removed");
  for (const char* command : {"check", "replay", "events"}) {
    const auto text = run({command, log.string()});
    CHECK(text.code != 0);
    CHECK_THAT(text.out + text.err,
               Contains("segment 1 of the log is missing"));
  }
}
