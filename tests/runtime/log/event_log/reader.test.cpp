#include "files.hpp"
#include "segment_text.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/read_watch.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <algorithm>
#include <random>

using namespace convene::host;
using namespace convene::tests;
using convene::protocol::errc;
using namespace std::chrono_literals;

namespace {

/// A log of three groups: log_opened, lines 3 and 4, lines 6 and 7.
std::string sample() {
  const scratch_folder folder;
  auto writer = event_log_writer::open(folder / "log", {.group_interval = 1h});
  REQUIRE(writer);
  REQUIRE((*writer)->append("{\"event_id\":\"a\"}\n{\"event_id\":\"b\"}\n"));
  REQUIRE((*writer)->flush());
  REQUIRE((*writer)->append("{\"event_id\":\"c\"}\n{\"event_id\":\"d\"}\n"));
  REQUIRE((*writer)->close());
  return read_bytes(folder / "log");
}

auto read_text(const std::string& bytes, const read_limits& limits = {}) {
  const scratch_folder folder;
  write_bytes(folder / "log", bytes);
  return read_log(folder / "log", limits);
}

/// Where line `number` (1-based) starts.
std::size_t line_start(const std::string& text, int number) {
  std::size_t at = 0;
  while (--number > 0)
    at = text.find('\n', at) + 1;
  return at;
}

std::string without_line(std::string text, int number) {
  const auto start = line_start(text, number);
  return text.erase(start, line_start(text, number + 1) - start);
}

} // namespace

TEST_CASE("a whole log reads back with the numbers of its lines") {
  const auto contents = read_text(sample());
  REQUIRE(contents);
  CHECK(contents->summary.groups == 3);
  CHECK(contents->summary.unacknowledged_bytes == 0);
  REQUIRE(contents->lines.size() == 4);
  std::vector<std::size_t> numbers;
  std::string ids;
  for (const auto& line : contents->lines) {
    numbers.push_back(line.number);
    ids += line.text;
  }
  CHECK(numbers == std::vector<std::size_t>{3, 4, 6, 7});
  CHECK(ids
        == "{\"event_id\":\"a\"}{\"event_id\":\"b\"}"
           "{\"event_id\":\"c\"}{\"event_id\":\"d\"}");
}

TEST_CASE("a tail torn at any byte is counted and its group left out") {
  const auto whole = sample();
  const auto start = line_start(whole, 6);
  for (auto cut = start; cut < whole.size(); ++cut) {
    CAPTURE(cut);
    const auto contents = read_text(whole.substr(0, cut));
    REQUIRE(contents);
    CHECK(contents->lines.size() == 2);
    CHECK(contents->summary.unacknowledged_bytes == cut - start);
  }
}

TEST_CASE("a log torn inside its first group has no events") {
  const auto whole = sample();
  const auto contents = read_text(whole.substr(0, line_start(whole, 2) + 9));
  REQUIRE(contents);
  CHECK(contents->lines.empty());
  CHECK(contents->summary.unacknowledged_bytes == line_start(whole, 2) + 9);
}

TEST_CASE("a flipped bit inside an acknowledged group is found and placed") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  const auto whole = sample();
  const auto group = line_start(whole, 3);
  const auto last_mark = line_start(whole, 8) - 1; // with the line end before
  for (int i = 0; i < 300; ++i) {
    const auto at = random() % last_mark;
    const auto bit = random() % 8;
    CAPTURE(at, bit);
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    const auto contents = read_text(bytes);
    REQUIRE_FALSE(contents);
    CHECK(contents.error().line
          == (at < group                  ? 1
              : at < line_start(whole, 6) ? 3u
                                          : 6u));
    if (at >= line_start(whole, 2))
      CHECK(contents.error().rule == "log_damaged");
  }
}

TEST_CASE("a flipped bit in the last log_group line never yields its events") {
  const auto whole = sample();
  const auto start = line_start(whole, 6);
  for (auto at = line_start(whole, 8) - 1; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      CAPTURE(at, bit);
      auto bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      const auto contents = read_text(bytes);
      if (contents) {
        CHECK(contents->lines.size() == 2);
        CHECK(contents->summary.unacknowledged_bytes == whole.size() - start);
      } else {
        CHECK(contents.error().line == 6);
      }
    }
}

TEST_CASE("damage is told with bytes, expected and found crc32c") {
  auto bytes = sample();
  const auto start = line_start(bytes, 3);
  bytes[start + 14] = 'x';
  const auto contents = read_text(bytes);
  REQUIRE_FALSE(contents);
  const auto& error = contents.error();
  CHECK(error.code == errc::invalid_document);
  CHECK(error.rule == "log_damaged");
  const auto where = "lines 3 to 5, bytes " + std::to_string(start) + " to "
                     + std::to_string(line_start(bytes, 6) - 1);
  CHECK_THAT(error.message, Catch::Contains(where)
                              && Catch::Contains("log_group says crc32c")
                              && Catch::Contains(", found "));
}

TEST_CASE("a group that is gone breaks the chain") {
  auto bytes = sample();
  for (int i = 0; i < 3; ++i)
    bytes = without_line(bytes, 3);
  const auto contents = read_text(bytes);
  REQUIRE_FALSE(contents);
  CHECK(contents.error().rule == "log_damaged");
  CHECK_THAT(contents.error().message, Catch::Contains("the group before"));
}

TEST_CASE("a missing log_group line is damage, at the end a torn tail") {
  const auto inside = read_text(without_line(sample(), 5));
  REQUIRE_FALSE(inside);
  CHECK(inside.error().rule == "log_damaged");
  CHECK(inside.error().line == 3);
  const auto whole = sample();
  const auto end = read_text(without_line(whole, 8));
  REQUIRE(end);
  CHECK(end->lines.size() == 2);
  CHECK(end->summary.unacknowledged_bytes
        == line_start(whole, 8) - line_start(whole, 6));
}

TEST_CASE("a log without its beginning is told from a file that is no log") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  std::string garbage(100000, '\0');
  for (auto& byte : garbage)
    byte = static_cast<char>(random() >> 8);
  auto newer = sample();
  newer[line_start(newer, 1) + 24] = '2';
  const auto [bytes, rule] = GENERATE_COPY(table<std::string, std::string>({
    {without_line(sample(), 1), "log_opened_missing"},
    {sample().substr(line_start(sample(), 3)), "log_opened_missing"},
    {"", "not_a_log"},
    {sample().substr(0, 20), "not_a_log"},
    {"{\"meta\":{}}\n", "not_a_log"},
    {garbage, "not_a_log"},
    {std::string(5000, '\n'), "not_a_log"},
    {newer, "log_format"},
  }));
  const auto contents = read_text(bytes);
  REQUIRE_FALSE(contents);
  CHECK(contents.error().rule == rule);
  CHECK(contents.error().line == 1);
}

TEST_CASE("lines and groups beyond the limits are refused, not held") {
  const auto line = read_text(sample() + std::string(101, 'x'),
                              {.line_bytes = 100, .group_bytes = 1000});
  REQUIRE_FALSE(line);
  CHECK(line.error().code == errc::limit_reached);
  CHECK(line.error().rule == "log_line_bytes");
  CHECK(line.error().line == 9);
  const auto group = read_text(sample() + std::string(1001, '\n'),
                               {.line_bytes = 100, .group_bytes = 1000});
  REQUIRE_FALSE(group);
  CHECK(group.error().rule == "log_group_bytes");
  CHECK(group.error().line == 9);
}

TEST_CASE("groups far larger than a read piece come out whole") {
  const scratch_folder folder;
  auto writer = event_log_writer::open(folder / "log", {.group_interval = 1h});
  REQUIRE(writer);
  std::string lines;
  for (int i = 0; i < 20000; ++i)
    lines += std::to_string(i) + std::string(50, ' ') + '\n';
  REQUIRE((*writer)->append(lines));
  REQUIRE((*writer)->close());
  std::string again;
  const auto summary = visit_log(folder / "log",
                                 [&](const log_place&, std::string_view text) {
                                   again.append(text) += '\n';
                                 });
  REQUIRE(summary);
  CHECK(again == lines);
}

TEST_CASE("a folder is read by events.jsonl, else by its segments in order") {
  const scratch_folder folder;
  const auto nothing = read_log(folder.path());
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().code == errc::unreadable);
  std::filesystem::create_directory(folder / "log");
  write_bytes(folder / "log/notes.txt", "no log");
  segment_text first;
  first.group("a\nb\n").group("c\n");
  segment_text second{2, first.crc()};
  second.group("d\n");
  write_bytes(folder / "log/000001.jsonl", first.bytes());
  write_bytes(folder / "log/000002.jsonl", second.bytes() + "e\nf");
  const auto segments = read_log(folder.path());
  REQUIRE(segments);
  REQUIRE(segments->summary.files.size() == 2);
  CHECK(segments->summary.files[0] == (folder / "log/000001.jsonl").string());
  CHECK(segments->lines.size() == 4);
  CHECK(segments->lines.back().file == 1);
  CHECK(segments->lines.back().number == 3);
  CHECK(segments->summary.unacknowledged_bytes == 3);
  write_bytes(folder / "events.jsonl", sample());
  const auto single = read_log(folder.path());
  REQUIRE(single);
  CHECK(single->lines.size() == 4);
}

TEST_CASE("what cannot be read is named") {
  const auto missing = read_log("no/such/log");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == errc::unreadable);
  CHECK(missing.error().file == "no/such/log");
  CHECK_FALSE(read_log("/dev/null"));
}

TEST_CASE("while a thread watches, reading reports the bytes of all segments") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder / "log");
  auto writer = event_log_writer::open(
    folder / "log", {.group_interval = 1h, .segment_bytes = 300'000});
  REQUIRE(writer);
  const auto line = "{\"event_id\":\"" + std::string(10'000, 'a') + "\"}\n";
  for (int i = 0; i < 100; ++i) {
    REQUIRE((*writer)->append(line));
    REQUIRE((*writer)->flush());
  }
  REQUIRE((*writer)->close());
  const auto files = log_files(folder / "log");
  REQUIRE(files);
  REQUIRE(files->size() > 1);
  std::uint64_t size = 0;
  for (const auto& file : *files)
    size += std::filesystem::file_size(file);

  std::vector<std::uint64_t> reports;
  std::uint64_t all = 0;
  {
    const read_watch watch{[&](std::uint64_t bytes, std::uint64_t of) {
      reports.push_back(bytes);
      all = of;
    }};
    REQUIRE(visit_log(folder / "log", [](const auto&, auto) {}));
  }
  CHECK(all == size);
  REQUIRE(reports.size() > 10);
  CHECK(std::ranges::is_sorted(reports));
  CHECK(reports.back() < size);
  CHECK(reports.back() > size - 100'000);
  const auto before = reports.size();
  REQUIRE(visit_log(folder / "log", [](const auto&, auto) {}));
  CHECK(reports.size() == before); // it is watched no longer
}
