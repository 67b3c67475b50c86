// A log that is there already: gone on with, cut, refused, locked.

#include "files.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <sys/wait.h>
#include <unistd.h>

using namespace convene::host;
using namespace convene::tests;
using namespace std::chrono_literals;
using convene::protocol::durability;

namespace {

const log_options going_on{.group_interval = 1h,
                           .durability = durability::group,
                           .existing = existing_log::append};

std::string event(int number) {
  return "{\"event_id\":" + std::to_string(number) + "}\n";
}

/// Writes events `from` to `to`, each in a group of its own.
log_opening write(const std::filesystem::path& path, int from, int to,
                  const log_options& options = going_on) {
  const auto writer = event_log_writer::open(path, options);
  REQUIRE(writer);
  for (auto i = from; i <= to; ++i) {
    REQUIRE((*writer)->append(event(i)));
    REQUIRE((*writer)->flush());
  }
  REQUIRE((*writer)->close());
  return (*writer)->found();
}

void check_events(const std::filesystem::path& path, int last) {
  const auto contents = read_log(path);
  REQUIRE(contents);
  CHECK(contents->summary.unacknowledged_bytes == 0);
  REQUIRE(contents->lines.size() == static_cast<std::size_t>(last));
  for (int i = 0; i < last; ++i)
    CHECK(contents->lines[static_cast<std::size_t>(i)].text + '\n'
          == event(i + 1));
}

} // namespace

TEST_CASE("a log is gone on with, its chain unbroken") {
  const auto kept = GENERATE(durability::none, durability::group,
                             durability::strict);
  auto options = going_on;
  options.durability = kept;
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  CHECK(write(path, 1, 3, options) == log_opening{});
  CHECK(write(path, 4, 4, options) == log_opening{.events = 3});
  CHECK(write(path, 5, 6, options) == log_opening{.events = 4});
  check_events(path, 6);
}

TEST_CASE("a file in the format of version 0.1.0 is read and appended to") {
  const std::string old
    = R"({"log_opened":{"format":1,"segment":1,"previous":null}})"
      "\n"
      R"({"log_group":{"bytes":56,"crc32c":"53242782","previous":"00000000"}})"
      "\n"
      R"({"event_id":1})"
      "\n"
      R"({"event_id":2})"
      "\n"
      R"({"log_group":{"bytes":30,"crc32c":"ffe4f7c1","previous":"53242782"}})"
      "\n"
      R"({"event_id":3})"
      "\n"
      R"({"log_group":{"bytes":15,"crc32c":"af17ba63","previous":"ffe4f7c1"}})"
      "\n";
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write_bytes(path, old);
  check_events(path, 3);
  CHECK(write(path, 4, 4) == log_opening{.events = 3});
  CHECK(read_bytes(path).starts_with(old));
  check_events(path, 4);
}

TEST_CASE("whoever opens a log is shown what is on it") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write(path, 1, 2);
  std::string shown;
  const auto writer = event_log_writer::open(
    path, going_on, [&](const log_place& place, std::string_view text) {
      CHECK(place.file == path.string());
      shown.append(text) += '\n';
    });
  REQUIRE(writer);
  CHECK(shown == event(1) + event(2));
}

TEST_CASE("a tail torn at any byte is cut, told and written over") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write(path, 1, 2);
  const auto start = read_bytes(path).size();
  write(path, 3, 3);
  const auto whole = read_bytes(path);
  for (auto length = start; length < whole.size(); ++length) {
    write_bytes(path, whole.substr(0, length));
    CHECK(write(path, 3, 3)
          == log_opening{.events = 2, .bytes_cut = length - start});
    CHECK(read_bytes(path) == whole);
  }
}

TEST_CASE("a log torn while it was begun is begun again") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write(path, 1, 0);
  const auto begun = read_bytes(path);
  for (std::size_t length = 0; length < begun.size(); ++length)
    for (const auto& left :
         {begun.substr(0, length), std::string(length, '\0')}) {
      write_bytes(path, left);
      CHECK(write(path, 1, 1) == log_opening{.bytes_cut = length});
      check_events(path, 1);
    }
}

TEST_CASE("what is no log is not cut to one") {
  const auto bytes = GENERATE(as<std::string>{}, "precious",
                              "{\"event_id\":1}\n", std::string(600, '\0'),
                              "{\"log_opened\":1}\n{}\n");
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write_bytes(path, bytes);
  CHECK_FALSE(event_log_writer::open(path, going_on));
  CHECK(read_bytes(path) == bytes);
}

TEST_CASE("a damaged log is refused with the place and left as it is") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write(path, 1, 3);
  auto bytes = read_bytes(path);
  const auto at = bytes.find("2}");
  bytes[at] = '7';
  write_bytes(path, bytes);
  const auto writer = event_log_writer::open(path, going_on);
  REQUIRE_FALSE(writer);
  CHECK(writer.error().rule == "log_damaged");
  CHECK(writer.error().line == 5);
  CHECK(writer.error().file == path.string());
  CHECK(read_bytes(path) == bytes);
}

TEST_CASE("segments are filled one after the other, also over a restart") {
  const scratch_folder folder;
  auto options = going_on;
  options.segment_bytes = 300;
  std::filesystem::create_directory(folder / "log");
  CHECK(write(folder / "log", 1, 9, options) == log_opening{});
  const auto found = write(folder / "log", 10, 19, options);
  CHECK(found.events == 9);
  CHECK(found.segment > 2);
  check_events(folder.path(), 19);
  const auto contents = read_log(folder.path());
  for (const auto& file : contents->summary.files)
    CHECK(std::filesystem::file_size(file) < 300 + 120);
  CHECK(read_log(folder / "log/000002.jsonl"));
}

TEST_CASE("a lost segment is told from a torn tail") {
  const scratch_folder folder;
  auto options = going_on;
  options.segment_bytes = 300;
  std::filesystem::create_directory(folder / "log");
  write(folder / "log", 1, 12, options);
  const auto check_refused = [&] {
    const auto read = read_log(folder.path());
    REQUIRE_FALSE(read);
    CHECK(read.error().rule == "log_damaged");
    const auto writer = event_log_writer::open(folder / "log", options);
    REQUIRE_FALSE(writer);
    CHECK(writer.error().rule == "log_damaged");
  };
  SECTION("the first") {
    std::filesystem::remove(folder / "log/000001.jsonl");
    check_refused();
  }
  SECTION("one in the middle") {
    std::filesystem::remove(folder / "log/000002.jsonl");
    check_refused();
  }
  SECTION("one twice") {
    std::filesystem::copy_file(
      folder / "log/000001.jsonl", folder / "log/000002.jsonl",
      std::filesystem::copy_options::overwrite_existing);
    check_refused();
  }
  SECTION("the end of one that another follows") {
    const auto first = folder / "log/000001.jsonl";
    const auto bytes = read_bytes(first);
    const auto last = bytes.rfind("{\"event_id\"");
    write_bytes(first, bytes.substr(0, last));
    check_refused();
  }
}

TEST_CASE("a segment whose end is torn is refused, and nothing is changed") {
  const scratch_folder folder;
  auto options = going_on;
  options.segment_bytes = 1;
  std::filesystem::create_directory(folder / "log");
  write(folder / "log", 1, 2, options);
  std::filesystem::remove(folder / "log/000003.jsonl");
  const auto torn = folder / "log/000002.jsonl";
  auto bytes = read_bytes(torn);
  const auto newest = folder / "log/000003.jsonl";
  SECTION("by a lost end, with a segment behind it that was only just begun") {
    bytes.pop_back();
    write_bytes(newest, GENERATE(std::string{}, std::string{"{\"log_ope"}));
  }
  SECTION("by something behind it, with a good segment behind that") {
    bytes += "something";
    write(folder / "log", 2, 2, options);
  }
  write_bytes(torn, bytes);
  const auto behind = read_bytes(newest);
  const auto writer = event_log_writer::open(folder / "log", options);
  REQUIRE_FALSE(writer);
  CHECK(writer.error().rule == "log_damaged");
  CHECK(writer.error().file == torn.string());
  CHECK_THAT(writer.error().message,
             Catch::Contains("the segment ends inside a group"));
  CHECK(read_bytes(torn) == bytes);
  CHECK(read_bytes(newest) == behind);
  CHECK_FALSE(read_log(folder.path()));
}

TEST_CASE("a newest segment without a whole group is begun again") {
  const scratch_folder folder;
  auto options = going_on;
  options.segment_bytes = 1;
  std::filesystem::create_directory(folder / "log");
  write(folder / "log", 1, 2, options);
  const auto newest = folder / "log/000003.jsonl";
  const auto length = GENERATE(0, 7, 100);
  write_bytes(newest, read_bytes(newest).substr(0, length));
  const auto read = read_log(folder.path());
  REQUIRE(read);
  CHECK(read->summary.unacknowledged_bytes
        == static_cast<std::uint64_t>(length));
  CHECK(write(folder / "log", 2, 2, options).segment == 3);
  check_events(folder.path(), 2);
}

TEST_CASE("a log has one writer: a second is told so") {
  const scratch_folder folder;
  const bool segmented = GENERATE(false, true);
  auto options = going_on;
  options.segment_bytes = segmented ? 300 : 0;
  std::filesystem::create_directory(folder / "log");
  const auto path = segmented ? folder / "log" : folder / "events.jsonl";
  auto first = event_log_writer::open(path, options);
  REQUIRE(first);
  // Its thread has begun by then, and holds nothing that the child would need.
  REQUIRE((*first)->append(event(1)));
  REQUIRE((*first)->flush());
  // In this process and in another, for the lock is the file's.
  const auto second = event_log_writer::open(path, options);
  REQUIRE_FALSE(second);
  CHECK(second.error().rule == "log_locked");
  const auto child = ::fork();
  if (child == 0) {
    const auto third = event_log_writer::open(path, options);
    ::_exit(!third && third.error().rule == "log_locked" ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  first->reset();
  CHECK(event_log_writer::open(path, options));
}
