// How it is written down which segments went, and what happens where that, or a
// segment, is damaged or lost.

#include "frail_storage.hpp"
#include "trimmed_folder.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/salvage.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>

#include <cerrno>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace fs = std::filesystem;

TEST_CASE("a lost segment is told from a removed one") {
  const scratch_folder folder;
  write_short_log(folder.path());
  SECTION("the first that should be there") {
    fs::remove(folder / "000004.jsonl");
  }
  SECTION("one behind it") {
    fs::remove(folder / "000005.jsonl");
  }
  SECTION("the record") {
    fs::remove(folder / "removed");
  }
  SECTION("all of them, but not the record") {
    for (const auto number : there(folder.path()))
      fs::remove(folder.path() / segment_name(number));
    CHECK_FALSE(read_log(folder.path()));
    const auto writer = event_log_writer::open(folder.path(),
                                               one_group_each(1));
    REQUIRE_FALSE(writer);
    CHECK(writer.error().rule == "log_damaged");
    return;
  }
  SECTION("the last one of a record is of another log") {
    write_bytes(folder / "removed", to_record({.through = 3, .last_crc = 1}));
    fs::remove(folder / "000005.jsonl");
    fs::remove(folder / "000006.jsonl");
  }
  const auto before = there(folder.path());
  const auto read = read_log(folder.path());
  REQUIRE_FALSE(read);
  CHECK(read.error().rule == "log_damaged");
  CHECK_FALSE(visit_session(folder.path(), session_number(4),
                            [](const auto&, auto) { return true; }));
  const auto writer = event_log_writer::open(folder.path(), one_group_each(1));
  REQUIRE_FALSE(writer);
  CHECK(writer.error().rule == "log_damaged");
  CHECK(there(folder.path()) == before);
}

TEST_CASE("every flipped bit in the last record of removed segments is found") {
  const scratch_folder folder;
  write_short_log(folder.path());
  const auto path = folder / "removed";
  const auto good = read_bytes(path);
  REQUIRE(good.size() % removal_bytes == 0);
  for (auto at = good.size() - removal_bytes; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const auto read = parse_removals(bytes, "removed");
      if (read || read.error().rule != "log_damaged")
        FAIL("byte " << at << ", bit " << bit);
    }
  auto bytes = good;
  bytes[good.size() - 90] = bytes[good.size() - 90] == 'x' ? 'y' : 'x';
  write_bytes(path, bytes);
  const auto read = read_log(folder.path());
  REQUIRE_FALSE(read);
  CHECK(read.error().rule == "log_damaged");
  CHECK(read.error().file == path.string());
  const auto writer = event_log_writer::open(folder.path(), one_group_each(1));
  REQUIRE_FALSE(writer);
  CHECK(writer.error().rule == "log_damaged");
  CHECK(read_bytes(path) == bytes);
}

TEST_CASE("a record that was never written whole counts for nothing and is "
          "cut off") {
  const scratch_folder folder;
  write_short_log(folder.path());
  const auto path = folder / "removed";
  const auto good = read_bytes(path);
  const auto next = to_record({.through = 4, .last_crc = 7});
  for (std::size_t length = 0; length <= removal_bytes; ++length) {
    // A part of it, or a size that was on the disk before any byte.
    write_bytes(path, good
                        + (length < removal_bytes
                             ? next.substr(0, length)
                             : std::string(removal_bytes, '\0')));
    CHECK(lines_of(folder.path()).size() == 4);
    write(folder.path(), {}, 0);
    CHECK(read_bytes(path) == good);
  }
}

TEST_CASE("what a crash left of removed segments is passed over, and removed "
          "when the log is opened") {
  const scratch_folder folder;
  write_short_log(folder.path());
  const auto lines = lines_of(folder.path());
  write_bytes(folder / "000003.jsonl", "anything");
  write_bytes(folder / "000001.index", "anything");
  CHECK(lines_of(folder.path()) == lines);
  write(folder.path(), {}, 0);
  CHECK(there(folder.path()) == numbers{4, 5, 6});
  CHECK_FALSE(fs::exists(folder / "000001.index"));
  CHECK(lines_of(folder.path()) == lines);
}

TEST_CASE("what is left over of removed segments is not salvaged") {
  const scratch_folder folder;
  write_short_log(folder.path());
  write_bytes(folder / "000003.jsonl", "anything");
  const auto salvaged = salvage_log(folder.path(), folder / "out");
  REQUIRE(salvaged);
  CHECK(salvaged->undamaged());
  CHECK(salvaged->kept == 3);
}

TEST_CASE("a segment that cannot be taken away is left over, ends nothing, and "
          "goes when the log is opened again") {
  const fs::path data = "data/log";
  const auto live = [&](frail_storage& disk) {
    auto how = one_group_each(1);
    how.files = &disk;
    const auto writer = event_log_writer::open(data, how);
    if (!writer)
      FAIL(to_string(writer.error()));
    for (const auto& group : {started(1) + ended(1), started(2), ended(2)}) {
      CHECK((*writer)->append(group));
      CHECK((*writer)->flush());
    }
    CHECK((*writer)->close());
  };
  // It makes the same calls each time.
  frail_storage well{1};
  live(well);
  std::uint64_t n = 1;
  while (n <= well.calls() && well.kind_of(n) != frail_storage::call::remove)
    ++n;
  REQUIRE(n <= well.calls());

  frail_storage disk{1};
  disk.fail_at(n, GENERATE(EIO, EROFS), GENERATE(false, true));
  live(disk);
  CHECK_FALSE(disk.content(data / "000001.jsonl").empty());
  disk.restart();
  std::vector<std::string> shown;
  auto how = one_group_each(0);
  how.files = &disk;
  const auto writer = event_log_writer::open(
    data, how,
    [&](const auto&, std::string_view line) { shown.emplace_back(line); });
  REQUIRE(writer);
  CHECK(shown.size() == 2);
  for (const auto& file : disk.files())
    CHECK(file.filename() != "000001.jsonl");
}

TEST_CASE("a newest segment that was only begun is begun again behind removed "
          "ones") {
  const scratch_folder folder;
  write(folder.path(), {started(1) + ended(1), goes_on(2)});
  REQUIRE(there(folder.path()) == numbers{2});
  const auto path = folder / "000002.jsonl";
  const auto whole = read_bytes(path);
  for (const std::size_t length : {0, 5, 20}) {
    write_bytes(path, whole.substr(0, length));
    CHECK(lines_of(folder.path()).empty());
    write(folder.path(), {goes_on(2)});
    CHECK(read_bytes(path) == whole);
  }
}

TEST_CASE(
  "what is left of removed segments is salvaged where nothing else is") {
  const scratch_folder folder;
  write_short_log(folder.path());
  const auto whole = read_bytes(folder / "000004.jsonl");
  for (const auto number : there(folder.path()))
    fs::remove(folder.path() / segment_name(number));
  CHECK_FALSE(salvage_log(folder.path(), folder / "out"));
  write_bytes(folder / "000003.jsonl", whole);
  CHECK(salvage_log(folder.path(), folder / "out"));
}
