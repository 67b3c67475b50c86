#include "files.hpp"
#include "made_log.hpp"
#include "segment_text.hpp"
#include "session_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/salvage.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace convene::host;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

void write_log(const fs::path& folder, const std::vector<std::string>& all) {
  fs::create_directories(folder / "log");
  for (std::size_t i = 0; i < all.size(); ++i)
    write_bytes(folder / "log" / ("00000" + std::to_string(i + 1) + ".jsonl"),
                all[i]);
}

std::vector<std::string> events_of(const fs::path& path) {
  const auto contents = read_log(path);
  if (!contents)
    FAIL(to_string(contents.error()));
  CHECK(contents->summary.unacknowledged_bytes == 0);
  std::vector<std::string> events;
  for (const auto& line : contents->lines)
    events.push_back(line.text);
  return events;
}

salvage_report salvage(const fs::path& log, const fs::path& out) {
  auto report = salvage_log(log, out);
  if (!report)
    FAIL(to_string(report.error()));
  return *std::move(report);
}

/// What must hold whatever was done to the log.
void check_laws(const made_log& made, const fs::path& out,
                const salvage_report& report) {
  const auto events = events_of(out);
  CHECK(report.kept == events.size());
  // A subset, in order.
  auto left = made.lines.begin();
  for (const auto& event : events) {
    left = std::find(left, made.lines.end(), event);
    REQUIRE(left != made.lines.end());
    ++left;
  }
  // Of each session the beginning, by whole inputs; nothing is cut in silence.
  std::map<std::uint64_t, std::vector<std::string>> found;
  for (const auto& event : events)
    for (const auto& [number, lines] : made.sessions)
      if (session_of(event) == session_number(number))
        found[number].push_back(event);
  CHECK(report.sessions == found.size());
  for (const auto& [number, lines] : found) {
    const auto& whole = made.sessions.at(number);
    REQUIRE(lines.size() <= whole.size());
    CHECK(std::equal(lines.begin(), lines.end(), whole.begin()));
    const auto last = lines.back().find(" line ");
    CHECK(lines.back()[last + 6] == lines.back()[last + 11]);
    const auto named = std::ranges::find(report.broken, session_number(number),
                                         &broken_session::session);
    if (named != report.broken.end())
      CHECK(named->kept == lines.size());
    else if (lines.size() < whole.size()) // the log just ends earlier
      CHECK(std::find(made.lines.begin(), left, whole[lines.size()]) == left);
  }
  if (report.undamaged())
    CHECK(left - made.lines.begin()
          == static_cast<std::ptrdiff_t>(events.size()));
}

} // namespace

TEST_CASE("salvaging a log without damage makes the same log again") {
  const scratch_folder folder;
  const auto made = log_maker{3}.make(3);
  write_log(folder.path(), made.segments);
  const auto report = salvage(folder.path(), folder / "out");
  CHECK(report.undamaged());
  CHECK(report.broken_total == 0);
  CHECK(report.left_out == 0);
  CHECK(events_of(folder / "out") == made.lines);
}

TEST_CASE("whatever is done to a log, what is salvaged is right") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const scratch_folder folder;
    const auto made = log_maker{static_cast<std::uint32_t>(random())}.make(
      static_cast<std::uint32_t>(1 + random() % 3));
    auto bytes = made.segments;
    for (auto count = 1 + random() % 3; count > 0; --count) {
      auto& segment = bytes[random() % bytes.size()];
      const auto at = random() % segment.size();
      const auto length = random() % (segment.size() - at);
      switch (random() % 4) {
        case 0:
          segment[at] = static_cast<char>(segment[at] ^ 1 << random() % 8);
          break;
        case 1:
          segment.erase(at, length);
          break;
        case 2: // whole sectors, as disks lose them
          for (auto i = at / 512 * 512; i < at + length; ++i)
            segment[i] = '\0';
          break;
        default:
          segment.insert(at, std::string(length, random() % 2 ? '\n' : '{'));
      }
      if (segment.empty())
        segment = "\n";
    }
    write_log(folder.path(), bytes);
    const auto report = salvage_log(folder.path(), folder / "out");
    if (report)
      check_laws(made, folder / "out", *report);
    else
      CHECK(report.error().rule == "not_a_log");
  }
}

TEST_CASE("a flipped bit costs its group, and each session what follows it") {
  const scratch_folder folder;
  const auto first = line_of_session(1, "a", "MAPSessionStarted") + '\n';
  const auto lost = line_of_session(1, "b") + '\n';
  const auto after = line_of_session(1, "c") + '\n';
  const auto second = line_of_session(2, "a", "MAPSessionStarted") + '\n'
                      + line_of_session(2, "b", "MAPSessionCompleted") + '\n';
  const auto third = line_of_session(3, "a") + '\n';
  const auto log
    = segment_text{}
        .group(first + second)
        .group(lost)
        .group(after)
        .group(third)
        .group(line_of_session(4, "a", "MAPSessionStarted") + '\n');
  auto bytes = log.bytes();
  bytes[log.borders()[2] + 7] ^= 4;
  write_bytes(folder / "log", bytes);
  auto report = salvage(folder / "log", folder / "out");
  CHECK(report.kept == 4);
  CHECK(report.left_out == 2);
  CHECK(report.sessions == 3);
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].offset == log.borders()[2]);
  CHECK(report.damage[0].bytes == log.borders()[3] - log.borders()[2]);
  REQUIRE(report.broken.size() == 2);
  std::ranges::sort(report.broken, {}, &broken_session::kept);
  CHECK(report.broken[0].session == session_number(3));
  CHECK(report.broken[0].kept == 0);
  CHECK(report.broken[1].session == session_number(1));
  CHECK(report.broken[1].kept == 1);
  CHECK(report.broken[1].left_out == 1);
}

TEST_CASE("the next group vouches for one whose log_group line is damaged") {
  const scratch_folder folder;
  const auto log = segment_text{}
                     .group(line_of_session(1, "a", "MAPSessionStarted") + '\n')
                     .group(line_of_session(1, "b") + '\n')
                     .group(line_of_session(1, "c") + '\n');
  const auto damage = GENERATE("log_grouX", "bytes", "crc32c");
  CAPTURE(damage);
  auto bytes = log.bytes();
  const auto at = damage == std::string{"log_grouX"}
                    ? bytes.find("log_group", log.borders()[2])
                    : bytes.find(damage,
                                 bytes.find("log_group", log.borders()[2]));
  bytes[at + 8] ^= 1;
  write_bytes(folder / "log", bytes);
  const auto report = salvage(folder / "log", folder / "out");
  CHECK(report.kept == 3);
  CHECK(report.broken_total == 0);
  REQUIRE(report.damage.size() == 1);
  CHECK_THAT(report.damage[0].why, Catch::Contains("vouches"));
}

TEST_CASE("whole groups or segments that are missing are a gap") {
  const scratch_folder folder;
  const auto begin = line_of_session(1, "a", "MAPSessionStarted") + '\n';
  const auto more = [](const char* what) {
    return line_of_session(1, what) + '\n';
  };
  const auto first
    = segment_text{}.group(begin).group(more("b")).group(more("c"));
  const auto second = segment_text{2, first.crc()}.group(more("d"));
  const auto third = segment_text{3, second.crc()}.group(more("e"));
  std::uint64_t kept = 0;
  SECTION("a group") {
    auto bytes = first.bytes();
    bytes.erase(first.borders()[2], first.borders()[3] - first.borders()[2]);
    write_log(folder.path(), {bytes, second.bytes(), third.bytes()});
    kept = 1;
  }
  SECTION("a segment") {
    write_log(folder.path(), {first.bytes(), second.bytes(), third.bytes()});
    fs::remove(folder / "log/000002.jsonl");
    kept = 3;
  }
  SECTION("the first segment, with the session's beginning") {
    write_log(folder.path(), {first.bytes(), second.bytes(), third.bytes()});
    fs::remove(folder / "log/000001.jsonl");
    kept = 0;
  }
  SECTION("a segment's last group") {
    write_log(folder.path(), {first.bytes().substr(0, first.borders()[3]),
                              second.bytes(), third.bytes()});
    kept = 2;
  }
  SECTION("a segment's first group") {
    write_log(folder.path(),
              {first.bytes(), second.bytes().substr(second.borders()[1]),
               third.bytes()});
    kept = 3;
  }
  const auto report = salvage(folder.path(), folder / "out");
  CHECK(report.kept == kept);
  CHECK(report.kept + report.left_out < 6);
  REQUIRE(report.damage_total == 1);
  CHECK(report.damage[0].bytes == 0);
  REQUIRE(report.broken.size() == 1);
  CHECK(report.broken[0].kept == kept);
}

TEST_CASE("a torn tail is no damage, and the log that is salvaged has none") {
  const scratch_folder folder;
  const auto log
    = segment_text{}.group(line_of_session(1, "a", "MAPSessionStarted") + '\n');
  write_bytes(folder / "log", log.bytes() + "{\"event_id\":\"x");
  const auto report = salvage(folder / "log", folder / "out");
  CHECK(report.undamaged());
  CHECK(report.kept == 1);
  CHECK(report.unacknowledged_bytes == 14);
}

TEST_CASE("what somebody said is never taken for a log_group line") {
  const scratch_folder folder;
  const auto line
    = line_of_session(1, "x", "MAPSessionStarted").substr(0, 200)
      + R"("},"result":{"log_group":{"bytes":1,"crc32c":"527d5351",)"
        R"("previous":"00000000"}}})";
  const auto log = segment_text{}.group(line + '\n').group(line + '\n');
  auto bytes = log.bytes();
  bytes[log.borders()[1]] ^= 1;
  write_bytes(folder / "log", bytes);
  const auto report = salvage(folder / "log", folder / "out");
  CHECK(report.groups == 2);
}

TEST_CASE("nothing is salvaged over something, or out of nothing") {
  const scratch_folder folder;
  write_bytes(folder / "log", segment_text{}.group("{}\n").bytes());
  write_bytes(folder / "out", "mine");
  CHECK_FALSE(salvage_log(folder / "log", folder / "out"));
  CHECK_FALSE(salvage_log(folder / "log", folder / "log"));
  CHECK(read_bytes(folder / "out") == "mine");
  write_bytes(folder / "text", "hello\n");
  const auto refused = salvage_log(folder / "text", folder / "new");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "not_a_log");
  CHECK_FALSE(fs::exists(folder / "new"));
}
