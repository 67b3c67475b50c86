// Which segments go, and that the rest reads like any other log.

#include "trimmed_folder.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/salvage.hpp>
#include <convene/runtime/log/event_log/session_departures.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>

#include <atomic>
#include <thread>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace fs = std::filesystem;

TEST_CASE("the first segments go once all of their sessions have ended") {
  const scratch_folder folder;
  write_short_log(folder.path());
  CHECK(there(folder.path()) == numbers{4, 5, 6});
  const auto removed = read_removed(folder.path());
  REQUIRE(removed);
  CHECK(removed->through == 3);
  CHECK(lines_of(folder.path())
        == std::vector{started(4), ended(3), goes_on(4), goes_on(4)});
}

TEST_CASE("a segment with events of an unfinished session stays, and all "
          "behind it") {
  const scratch_folder folder;
  write(folder.path(), {started(1), started(2), ended(2), goes_on(1)});
  CHECK(there(folder.path()) == numbers{1, 2, 3, 4});
  // Also after the log was opened again, when the end comes.
  write(folder.path(), {ended(1)});
  CHECK(there(folder.path()) == numbers{1, 2, 3, 4, 5});
  write(folder.path(), {started(5)});
  CHECK(there(folder.path()) == numbers{6});
}

TEST_CASE("segments are kept until the log is larger than it should be") {
  const scratch_folder folder;
  const auto group = started(1) + ended(1);
  const auto bytes = [&] {
    const scratch_folder other;
    write(other.path(), {group}, 0);
    return fs::file_size(other / "000001.jsonl") + 100;
  }();
  write(folder.path(), {group, group, group, group, group}, 2 * bytes);
  CHECK(there(folder.path()) == numbers{3, 4, 5});
}

TEST_CASE("without the option no segment is removed, also of a log that lost "
          "some to it") {
  const scratch_folder folder;
  write_short_log(folder.path());
  write(folder.path(), {ended(4), goes_on(6), ended(6), goes_on(7)}, 0);
  CHECK(there(folder.path()) == numbers{4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("a removed segment takes its index along") {
  const scratch_folder folder;
  write(folder.path(), {started(1), ended(1)}, 0);
  REQUIRE(visit_session(folder.path(), session_number(1),
                        [](const auto&, auto) { return true; }));
  REQUIRE(fs::exists(folder / "000001.index"));
  write(folder.path(), {started(2)});
  CHECK(there(folder.path()) == numbers{3});
  CHECK_FALSE(fs::exists(folder / "000001.index"));
}

TEST_CASE("a log without its first segments reads like any other") {
  const scratch_folder folder;
  write_short_log(folder.path());
  // By session, with and without an index.
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> seen;
    const auto read = visit_session(folder.path(), session_number(4),
                                    [&](const auto&, std::string_view line) {
                                      seen.push_back(std::string{line} + '\n');
                                      return true;
                                    });
    REQUIRE(read);
    CHECK(seen == std::vector{started(4), goes_on(4), goes_on(4)});
  }
  // From every cursor.
  auto reader = log_reader::open(folder.path());
  REQUIRE(reader);
  const auto all = lines_of(folder.path());
  for (std::size_t left = all.size();; --left) {
    auto from = log_reader::open(folder.path(), reader->cursor());
    REQUIRE(from);
    std::size_t behind = 0;
    for (auto event = from->next(); event && *event; event = from->next())
      ++behind;
    CHECK(behind == left);
    const auto event = reader->next();
    REQUIRE(event);
    if (!*event)
      break;
  }
  // Salvage has nothing to say, and takes the sessions that begin there.
  const auto salvaged = salvage_log(folder.path(), folder / "out");
  REQUIRE(salvaged);
  CHECK(salvaged->undamaged());
  CHECK(salvaged->broken_total == 0);
  CHECK(salvaged->kept == 3);
}

TEST_CASE("a log can be opened whenever segments of it are removed") {
  const scratch_folder folder;
  // The same log with and without its first segments, one behind the other.
  const std::vector groups{started(1), ended(1), started(2)};
  fs::create_directory(folder / "whole");
  write(folder / "whole", groups, 0);
  fs::create_directory(folder / "trimmed");
  write(folder / "trimmed", groups);
  REQUIRE(there(folder / "trimmed") == numbers{3});
  const auto log = folder / "log";
  for (int i = 0; i < 500; ++i) {
    fs::remove(log);
    fs::create_directory_symlink("whole", log);
    fs::create_directory_symlink("trimmed", folder / "next");
    std::atomic<bool> looking{false};
    std::atomic<bool> removed{false};
    std::thread removal{[&] {
      while (!looking)
        std::this_thread::yield();
      std::error_code failed;
      fs::rename(folder / "next", log, failed);
      removed = true;
    }};
    auto opened = log_reader::open(log);
    looking = true;
    while (opened && !removed)
      opened = log_reader::open(log);
    removal.join();
    REQUIRE(fs::read_symlink(log) == "trimmed");
    if (!opened)
      FAIL(i << ": " << to_string(opened.error()));
  }
}

TEST_CASE("a cursor of a segment that was removed is refused") {
  const scratch_folder folder;
  write_short_log(folder.path());
  const auto from = log_reader::open(folder.path(), {.segment = 2});
  REQUIRE_FALSE(from);
  CHECK(from.error().rule == "log_cursor");
}

TEST_CASE("who follows a log too slowly is told that segments were removed") {
  const scratch_folder folder;
  write(folder.path(), {started(1)});
  auto reader = log_reader::open(folder.path());
  REQUIRE(reader);
  REQUIRE(reader->next());
  REQUIRE_FALSE(*reader->next());
  write(folder.path(), {ended(1), started(2), goes_on(2)});
  REQUIRE(there(folder.path()) == numbers{3, 4});
  const auto next = reader->next();
  REQUIRE_FALSE(next);
  CHECK(next.error().rule == "log_cursor");
}

TEST_CASE("who needs sessions from their beginning is not shown the rest of "
          "those that began in removed segments") {
  const scratch_folder folder;
  write_short_log(folder.path());
  std::vector<std::string> lines;
  const auto read = visit_sessions(folder.path(),
                                   [&](const auto&, std::string_view line) {
                                     lines.push_back(std::string{line} + '\n');
                                   });
  REQUIRE(read);
  CHECK(lines == std::vector{started(4), goes_on(4), goes_on(4)});
  CHECK(read->lines == 3);
  CHECK(read->sessions_cut == 1);
  CHECK(read->sessions_lost == 0);
}

TEST_CASE("a session without beginning and end is told") {
  const scratch_folder folder;
  write(folder.path(), {started(1) + ended(1), started(2) + ended(2)});
  // As a loss of power may leave it: 9 began in what is gone, its end is lost.
  write(folder.path(), {goes_on(9)});
  REQUIRE(there(folder.path()) == numbers{3});
  const auto read = visit_sessions(folder.path(), [](const auto&, auto) {});
  REQUIRE(read);
  CHECK(read->sessions_cut == 1);
  CHECK(read->sessions_lost == 1);
}

namespace {

/// Writes each of these in a segment of its own, with these options.
void write_with(const fs::path& folder, const std::vector<std::string>& groups,
                const log_options& how) {
  const auto writer = event_log_writer::open(folder, how);
  REQUIRE(writer);
  for (const auto& lines : groups) {
    REQUIRE((*writer)->append(lines));
    REQUIRE((*writer)->flush());
  }
  REQUIRE((*writer)->close());
}

} // namespace

TEST_CASE("segments that were written to long ago go, however small the log") {
  const scratch_folder folder;
  write(folder.path(),
        {started(1) + ended(1), started(2), ended(2), started(3) + ended(3)},
        0);
  for (int number = 1; number <= 3; ++number)
    fs::last_write_time(folder / segment_name(number),
                        fs::file_time_type::clock::now()
                          - std::chrono::hours{2});
  auto how = one_group_each(0);
  how.keep_time = std::chrono::hours{3};
  write_with(folder.path(), {started(4) + ended(4)}, how);
  CHECK(there(folder.path()) == numbers{1, 2, 3, 4, 5});
  how.keep_time = std::chrono::hours{1};
  write_with(folder.path(), {started(5)}, how);
  CHECK(there(folder.path()) == numbers{4, 5, 6});
}

TEST_CASE("a segment is closed once its first event is old, however small") {
  const scratch_folder folder;
  auto how = one_group_each(0);
  how.segment_bytes = std::uint64_t{1} << 20;
  auto old = started(1);
  old.insert(1, R"("timestamp":"2026-01-01T00:00:00.000Z",)");
  write_with(folder.path(), {old, ended(1)}, how);
  CHECK(there(folder.path()) == numbers{1});
  how.keep_time = std::chrono::hours{1'000'000};
  write_with(folder.path(), {started(2)}, how);
  CHECK(there(folder.path()) == numbers{1});
  how.keep_time = std::chrono::hours{1};
  write_with(folder.path(), {ended(2), started(3)}, how);
  CHECK(there(folder.path()) == numbers{1, 2});
}

TEST_CASE("what a reader has not read stays, and it hears what goes") {
  const scratch_folder folder;
  auto how = one_group_each(1);
  const auto reader = std::make_shared<session_departures>();
  reader->await_reader();
  how.companions.push_back(reader);
  write_with(folder.path(),
             {started(1) + ended(1), started(2), ended(2), started(3)}, how);
  CHECK(there(folder.path()) == numbers{1, 2, 3, 4});
  CHECK(reader->take().empty());
  reader->reached(3);
  write_with(folder.path(), {goes_on(3)}, how);
  CHECK(there(folder.path()) == numbers{3, 4, 5});
  CHECK(reader->take() == std::vector{session_number(1), session_number(2)});
  CHECK(reader->take().empty());
}

TEST_CASE("a log that nobody writes to loses what need not be kept") {
  const scratch_folder folder;
  auto how = one_group_each(1);
  how.keep_interval = std::chrono::milliseconds{1};
  const auto reader = std::make_shared<session_departures>();
  std::atomic<bool> has_left{false};
  reader->await_reader();
  reader->call_when_left([&] { has_left = true; });
  how.companions.push_back(reader);
  const auto writer = event_log_writer::open(folder.path(), how);
  REQUIRE(writer);
  // Its end is the last that is written, and all of it is needed until then.
  for (const auto& lines : {started(1), goes_on(1), ended(1)}) {
    REQUIRE((*writer)->append(lines));
    REQUIRE((*writer)->flush());
  }
  for (std::uint32_t segment = 1; segment <= 3; ++segment)
    reader->reached(segment);
  reader->paused();
  while (there(folder.path()) != numbers{4} || !has_left)
    std::this_thread::yield();
  CHECK(reader->take() == std::vector{session_number(1)});
  REQUIRE((*writer)->append(started(2)));
  REQUIRE((*writer)->close());
  CHECK(lines_of(folder.path()) == std::vector{started(2)});
}

TEST_CASE("what is old goes though nobody writes, and what has not ended "
          "stays") {
  const scratch_folder folder;
  auto how = one_group_each(0);
  how.keep_interval = std::chrono::milliseconds{1};
  how.keep_time = std::chrono::milliseconds{8};
  const auto writer = event_log_writer::open(folder.path(), how);
  REQUIRE(writer);
  for (const auto& lines : {started(1) + ended(1), started(2)}) {
    REQUIRE((*writer)->append(lines));
    REQUIRE((*writer)->flush());
  }
  while (there(folder.path()).front() == 1)
    std::this_thread::yield();
  REQUIRE((*writer)->close());
  CHECK(lines_of(folder.path()) == std::vector{started(2)});
}
