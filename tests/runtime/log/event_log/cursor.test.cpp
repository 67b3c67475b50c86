#include "files.hpp"
#include "segment_text.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>

#include <algorithm>
#include <random>

using namespace convene::host;
using namespace convene::tests;

namespace {

/// A log of random segments, groups and lines; says what its events are.
std::vector<std::string> write_random_log(const std::filesystem::path& folder,
                                          std::minstd_rand& random) {
  std::vector<std::string> events;
  std::filesystem::create_directories(folder / "log");
  std::optional<std::uint32_t> previous;
  const auto segments = 1 + random() % 4;
  for (std::uint32_t number = 1; number <= segments; ++number) {
    segment_text segment{number, previous};
    for (auto groups = random() % 6; groups > 0; --groups) {
      std::string lines;
      for (auto count = random() % 9; count > 0; --count) {
        events.push_back(std::to_string(events.size())
                         + std::string(random() % 300, 'x'));
        lines += events.back() + '\n';
      }
      segment.group(lines);
    }
    previous = segment.crc();
    auto name = std::to_string(number);
    name = std::string(6 - name.size(), '0') + name + ".jsonl";
    write_bytes(folder / "log" / name, segment.bytes());
  }
  return events;
}

std::vector<std::string> rest_of(log_reader& reader) {
  std::vector<std::string> events;
  while (true) {
    const auto event = reader.next();
    REQUIRE(event);
    if (!*event)
      return events;
    events.emplace_back((*event)->text);
  }
}

log_reader reader_at(const std::filesystem::path& path,
                     const log_cursor& from = {}) {
  auto reader = log_reader::open(path, from);
  if (!reader)
    FAIL(to_string(reader.error()));
  return *std::move(reader);
}

} // namespace

TEST_CASE("from every cursor of a log, exactly the events behind it follow") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  for (int round = 0; round < 60; ++round) {
    const scratch_folder folder;
    const auto events = write_random_log(folder.path(), random);
    auto reader = reader_at(folder.path());
    for (std::size_t i = 0; i <= events.size(); ++i) {
      CAPTURE(i, to_string(reader.cursor()));
      const auto cursor = parse_cursor(to_string(reader.cursor()));
      REQUIRE(cursor);
      CHECK(*cursor == reader.cursor());
      auto later = reader_at(folder.path(), *cursor);
      CHECK(rest_of(later)
            == std::vector<std::string>(
              events.begin() + static_cast<std::ptrdiff_t>(i), events.end()));
      const auto event = reader.next();
      REQUIRE(event);
      REQUIRE(event->has_value() == (i < events.size()));
    }
  }
}

TEST_CASE("line numbers and files are the same from every cursor") {
  std::minstd_rand random{7};
  const scratch_folder folder;
  write_random_log(folder.path(), random);
  auto reader = reader_at(folder.path());
  while (true) {
    auto again = reader_at(folder.path(), reader.cursor());
    const auto event = reader.next();
    const auto same = again.next();
    REQUIRE((event && same));
    REQUIRE(event->has_value() == same->has_value());
    if (!*event)
      break;
    CHECK((*event)->number == (*same)->number);
    CHECK((*event)->file_index == (*same)->file_index);
    CHECK((*event)->text == (*same)->text);
  }
}

TEST_CASE("a reader goes on where it was when the log has grown") {
  const scratch_folder folder;
  segment_text segment;
  segment.group("a\n");
  const auto path = folder / "events.jsonl";
  write_bytes(path, segment.bytes());
  auto reader = reader_at(path);
  CHECK(rest_of(reader) == std::vector<std::string>{"a"});
  const auto before = segment.bytes().size();
  segment.group("b\nc\n");
  for (auto cut = before; cut < segment.bytes().size(); ++cut) {
    write_bytes(path, segment.bytes().substr(0, cut));
    CHECK(rest_of(reader).empty());
    CHECK(reader.unacknowledged_bytes() == cut - before);
  }
  write_bytes(path, segment.bytes());
  CHECK(rest_of(reader) == std::vector<std::string>{"b", "c"});
}

TEST_CASE("a torn tail that is cut and written anew is read as it is then") {
  const scratch_folder folder;
  segment_text segment;
  segment.group("a\n");
  const auto path = folder / "events.jsonl";
  write_bytes(path, segment.bytes() + "never acknowledged");
  auto reader = reader_at(path);
  CHECK(rest_of(reader) == std::vector<std::string>{"a"});
  write_bytes(path, segment.group("b\n").bytes());
  CHECK(rest_of(reader) == std::vector<std::string>{"b"});
}

TEST_CASE("a cursor that the log does not have is refused") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  const auto segment = segment_text{}.group("a\nb\n");
  write_bytes(path, segment.bytes());
  const group_place end{segment.bytes().size(), 6, segment.crc()};
  REQUIRE(log_reader::open(path, {1, end, 0}));
  auto [segment_number, place, behind] = log_cursor{1, end, 0};
  SECTION("another segment") {
    segment_number = 2;
  }
  SECTION("beyond the end") {
    ++place.offset;
  }
  SECTION("where no file can reach") {
    place.offset = 9'999'999'999'999'999'999U;
  }
  SECTION("inside a group") {
    --place.offset;
  }
  SECTION("another log's checksum") {
    ++place.previous_crc;
  }
  const auto refused = log_reader::open(path, {segment_number, place, behind});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "log_cursor");
  CHECK(refused.error().code == convene::protocol::errc::usage);
}

TEST_CASE("a cursor behind more lines than its group has is refused") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  write_bytes(path, segment_text{}.group("a\nb\n").bytes());
  auto reader = reader_at(path, {1, {}, 5});
  const auto refused = reader.next();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "log_cursor");
}

TEST_CASE("a cursor's text is read back, and nothing else is") {
  const log_cursor cursor{3, {4096, 17, 0x9ab0c1d2}, 5};
  CHECK(to_string(cursor) == "3:4096:17:5:9ab0c1d2");
  CHECK(parse_cursor("3:4096:17:5:9ab0c1d2") == cursor);
  for (const auto* text :
       {"", ":", "1", "1:2:3:4", "1:2:3:4:0000000g",
        "1:2:3:4:00000000:", "1:2:3:4:00000000 ", " 1:2:3:4:00000000",
        "1:2:3:4:0000000", "01:2:3:4:00000000", "-1:2:3:4:00000000",
        "1:0:3:4:00000000", "4294967296:2:3:4:00000000", "1:2:1:4:00000000"})
    CHECK_FALSE(parse_cursor(text));
}
