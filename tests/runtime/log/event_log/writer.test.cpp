#include "files.hpp"
#include "full_disk.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <sys/stat.h>

#include <future>
#include <thread>
#include <vector>

using namespace convene::host;
using namespace convene::tests;
using convene::protocol::errc;
using namespace std::chrono_literals;

namespace {

/// Groups end when the test says so, and at no other time.
const log_options by_hand{.group_bytes = 1 << 20, .group_interval = 1h};

std::unique_ptr<event_log_writer> open(const std::filesystem::path& path,
                                       const log_options& options = by_hand) {
  auto writer = event_log_writer::open(path, options);
  REQUIRE(writer);
  return *std::move(writer);
}

std::string group(const std::string& lines, const std::string& before) {
  return lines
         + to_line({.bytes = lines.size(),
                    .crc = crc32c(lines),
                    .previous = before.empty() ? 0 : crc32c(before)})
         + '\n';
}

} // namespace

TEST_CASE("a log is groups, each closed by a line that chains it to the last") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl");
  const auto opened = std::string{log_opened_line} + '\n';
  CHECK(read_bytes(folder / "events.jsonl") == group(opened, ""));
  const std::string first = "{\"event_id\":1}\n{\"event_id\":2}\n";
  const std::string second = "{\"event_id\":3}\n";
  REQUIRE(writer->append(first));
  REQUIRE(writer->flush());
  REQUIRE(writer->append(second));
  REQUIRE(writer->close());
  CHECK(read_bytes(folder / "events.jsonl")
        == group(opened, "") + group(first, opened) + group(second, first));
}

TEST_CASE("a group is written when it is large enough or old enough") {
  const auto options
    = GENERATE(log_options{.group_bytes = 64, .group_interval = 1h},
               log_options{.group_bytes = 1 << 20, .group_interval = 1ms});
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl", options);
  REQUIRE(writer->append(std::string(80, 'x') + '\n'));
  // Ends only because the writer acts on its own; ctest's timeout is the bound.
  auto lines = std::uint64_t{0};
  while (lines == 0) {
    const auto contents = read_log(folder / "events.jsonl");
    REQUIRE(contents);
    lines = contents->summary.lines;
  }
  CHECK(lines == 1);
}

TEST_CASE("a log is never written over, nor over anything but a file") {
  const scratch_folder folder;
  write_bytes(folder / "events.jsonl", "precious");
  const auto existing = event_log_writer::open(folder / "events.jsonl");
  REQUIRE_FALSE(existing);
  CHECK(existing.error().code == errc::io_failed);
  CHECK(existing.error().rule == "log_exists");
  CHECK(existing.error().file == (folder / "events.jsonl").string());
  CHECK(read_bytes(folder / "events.jsonl") == "precious");
  CHECK_FALSE(event_log_writer::open(folder.path()));
  CHECK_FALSE(event_log_writer::open(folder / "missing/events.jsonl"));
}

TEST_CASE("an empty file is taken for a new log") {
  const scratch_folder folder;
  write_bytes(folder / "events.jsonl", "");
  CHECK(event_log_writer::open(folder / "events.jsonl"));
}

TEST_CASE("a full disk is told at once, with file and cause, and for good") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl");
  const full_disk limit{4096};
  REQUIRE(writer->append(std::string(10000, 'x') + '\n'));
  const auto append = [&] {
    return writer->append("{}\n").map([](log_position) {});
  };
  for (const auto& answer : {writer->flush(), append(), writer->close(),
                             writer->flush(), writer->close()}) {
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == errc::io_failed);
    CHECK(answer.error().file == (folder / "events.jsonl").string());
    CHECK(answer.error().message.find("File too large") != std::string::npos);
  }
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->lines.empty());
  CHECK(contents->summary.groups == 1);
  CHECK(contents->summary.unacknowledged_bytes > 0);
}

TEST_CASE("room reserved for an unsynced log is no part of it, and is freed") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  const auto line = std::string((std::size_t{1} << 19) - 1, 'x') + '\n';
  const auto taken = [&] {
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    return static_cast<std::uint64_t>(about.st_blocks) * 512;
  };
  const auto writer = open(path);
  constexpr std::size_t lines = 6;
  for (std::size_t i = 0; i < lines; ++i) {
    REQUIRE(writer->append(line));
    REQUIRE(writer->flush());
  }
  const auto size = std::filesystem::file_size(path);
  CHECK(size < (lines + 1) * line.size());
  const auto contents = read_log(path);
  REQUIRE(contents);
  CHECK(contents->lines.size() == lines);
  CHECK(contents->summary.unacknowledged_bytes == 0);
  REQUIRE(writer->close());
  CHECK(std::filesystem::file_size(path) == size);
  CHECK(taken() < size + line.size());
}

TEST_CASE("a disk that gets full behind reserved room is told as well") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  const auto line = std::string((std::size_t{1} << 19) - 1, 'x') + '\n';
  std::size_t kept = 0;
  {
    const auto writer = open(path);
    const full_disk limit{std::size_t{3} << 20};
    while (kept < 10 && writer->append(line) && writer->flush())
      ++kept;
    REQUIRE(kept == 5); // and not quite a sixth
    CHECK(writer->close().error().message.find("File too large")
          != std::string::npos);
  }
  const auto again = open(path, {.existing = existing_log::append});
  REQUIRE(again->append("{}\n"));
  REQUIRE(again->close());
  const auto contents = read_log(path);
  REQUIRE(contents);
  CHECK(contents->lines.size() == kept + 1);
}

TEST_CASE("opening fails where even the first group does not fit") {
  const auto writer = event_log_writer::open("/dev/full");
  REQUIRE_FALSE(writer);
  CHECK(writer.error().code == errc::io_failed);
  CHECK(writer.error().file == "/dev/full");
}

TEST_CASE("a closed log takes no more lines, and closes again in peace") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl");
  REQUIRE(writer->close());
  const auto late = writer->append("{}\n");
  REQUIRE_FALSE(late);
  CHECK(late.error().code == errc::not_allowed);
  CHECK(writer->flush());
  CHECK(writer->close());
}

TEST_CASE("what waits is written when the writer goes away") {
  const scratch_folder folder;
  REQUIRE(open(folder / "events.jsonl")->append("{\"event_id\":1}\n"));
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->lines.size() == 1);
}

TEST_CASE("half a line, no line and more than the buffer are refused") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl", {.buffer_bytes = 64});
  CHECK_FALSE(writer->append(""));
  CHECK_FALSE(writer->append("{}"));
  const auto large = writer->append(std::string(64, 'x') + '\n');
  REQUIRE_FALSE(large);
  CHECK(large.error().code == errc::limit_reached);
  CHECK(large.error().rule == "log_buffer_bytes");
  CHECK(writer->append(std::string(63, 'x') + '\n'));
}

TEST_CASE("a log is congested while more than half of its buffer waits") {
  const scratch_folder folder;
  const auto writer
    = open(folder / "events.jsonl",
           {.group_bytes = 1 << 20, .group_interval = 1h, .buffer_bytes = 100});
  REQUIRE(writer->append(std::string(49, 'x') + '\n'));
  CHECK_FALSE(writer->congested());
  REQUIRE(writer->append("\n"));
  CHECK(writer->congested());
  REQUIRE(writer->flush());
  CHECK_FALSE(writer->congested());
}

TEST_CASE("a full buffer is written at once and never holds more than it may") {
  const scratch_folder folder;
  const auto writer
    = open(folder / "events.jsonl",
           {.group_bytes = 1 << 20, .group_interval = 1h, .buffer_bytes = 100});
  for (int i = 0; i < 5; ++i)
    REQUIRE(writer->append(std::string(59, 'x') + '\n'));
  REQUIRE(writer->close());
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->lines.size() == 5);
  CHECK(contents->summary.groups == 6);
}

TEST_CASE("groups that close by content are the same each time, whenever they "
          "are written") {
  const auto written = [](std::chrono::milliseconds interval, bool slowly) {
    const scratch_folder folder;
    const auto writer = open(folder / "events.jsonl",
                             {.group_bytes = 100,
                              .group_interval = interval,
                              .closes_by = group_end::content});
    for (int i = 0; i < 200; ++i) {
      REQUIRE(writer->append(std::string(7 + i % 31 * 5, 'x') + '\n'));
      if (i % 17 == 0)
        REQUIRE(writer->flush());
      if (slowly && i % 5 == 0)
        REQUIRE(writer->flush_closed());
    }
    REQUIRE(writer->close());
    return read_bytes(folder / "events.jsonl");
  };
  const auto once = written(0ms, false);
  for (int i = 0; i < 10; ++i)
    CHECK(written(0ms, i % 2 == 0) == once);
  CHECK(written(1h, false) == once);
}

TEST_CASE("waiting for a line of an open group closes the group") {
  const scratch_folder folder;
  const auto writer
    = open(folder / "events.jsonl",
           {.group_interval = 0ms, .closes_by = group_end::content});
  const auto first = writer->append("1\n");
  REQUIRE(first);
  REQUIRE(writer->append("2\n"));
  CHECK(writer->flush_closed());
  CHECK(writer->kept() < *first);
  std::promise<void> kept;
  writer->call_when_kept(*first, [&](convene::protocol::result<void> how) {
    if (how)
      kept.set_value();
  });
  kept.get_future().get();
  CHECK(writer->kept() == writer->appended());
}

TEST_CASE(
  "a full buffer of groups that close by content never waits for ever") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl",
                           {.group_bytes = 50,
                            .group_interval = 1h,
                            .closes_by = group_end::content,
                            .buffer_bytes = 100});
  for (int i = 0; i < 50; ++i)
    REQUIRE(writer->append(std::string(i % 4 == 0 ? 99 : 30, 'x') + '\n'));
  CHECK(writer->close());
}

TEST_CASE(
  "without syncs, who waits for lines writes them, and no thread wakes") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl");
  const auto first = writer->append("1\n");
  const auto place = writer->append("2\n", true);
  REQUIRE(place);
  std::vector<int> called;
  const auto here = std::this_thread::get_id();
  const auto note = [&](int number) {
    return [&, number](convene::protocol::result<void> how) {
      if (how && std::this_thread::get_id() == here)
        called.push_back(number);
    };
  };
  writer->write_and_call(*place, note(2));
  CHECK(called == std::vector{2});
  CHECK(writer->kept() == *place);
  const auto contents = read_log(folder / "events.jsonl");
  REQUIRE(contents);
  CHECK(contents->lines.size() == 2);
  // What is there is not written again.
  writer->write_and_call(*first, note(1));
  CHECK(called == std::vector{2, 1});
  REQUIRE(writer->close());
  CHECK(read_log(folder / "events.jsonl")->summary.groups == 2);
}

TEST_CASE("who waits for lines does not write what is much, or a new segment") {
  const auto [options, count] = GENERATE(table<log_options, int>(
    {{{.group_bytes = 1 << 20}, 200}, {{.segment_bytes = 4096}, 40}}));
  const scratch_folder folder;
  if (options.segment_bytes != 0)
    std::filesystem::create_directory(folder / "log");
  const auto writer = open(folder / "log", options);
  const std::string lines(1023, 'x');
  bool is_elsewhere = false;
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < count && !is_elsewhere; ++i) {
    std::promise<std::thread::id> called;
    for (int more = options.segment_bytes == 0 ? 100 : 1; more > 0; --more)
      REQUIRE(writer->append(lines + '\n', true));
    writer->write_and_call(writer->appended(),
                           [&](convene::protocol::result<void>) {
                             called.set_value(std::this_thread::get_id());
                           });
    is_elsewhere = called.get_future().get() != here;
  }
  CHECK(is_elsewhere);
  CHECK(writer->close());
}

TEST_CASE("who writes lines hears that it failed, and nobody else writes") {
  const scratch_folder folder;
  const auto writer = open(folder / "events.jsonl");
  const full_disk limit{4096};
  const auto place = writer->append(std::string(10000, 'x') + '\n', true);
  REQUIRE(place);
  int failures = 0;
  const auto note = [&](convene::protocol::result<void> how) {
    failures += how ? 0 : 1;
  };
  writer->write_and_call(*place, note);
  CHECK(failures == 1);
  writer->write_and_call(*place, note);
  CHECK(failures == 2);
  CHECK_FALSE(writer->append("{}\n"));
  CHECK_FALSE(writer->close());
  CHECK(writer->kept() == 0);
}
