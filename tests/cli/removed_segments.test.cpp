// The program on a log whose first segments were removed, or lost.

#include "program.hpp"

#include <convene/protocol/json_text.hpp>
#include <convene/runtime/event_log/event_session.hpp>
#include <convene/runtime/event_log/reader.hpp>
#include <convene/runtime/event_log/writer.hpp>

#include <map>

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
