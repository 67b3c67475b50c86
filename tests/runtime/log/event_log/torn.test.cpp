// What a crash can leave behind is cut; what it cannot is damage.

#include "log_history.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>

using namespace convene;
using namespace convene::tests;
using namespace convene::host;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t disk_sector = 512;
const std::filesystem::path path = "data/events.jsonl";

struct image {
  std::string bytes;
  std::vector<std::size_t> ends; // of the groups, that of log_opened first
};

/// A log of groups of `sizes` bytes of lines, made by the writer.
image make_log(const std::vector<std::size_t>& sizes) {
  frail_storage disk{1};
  const auto writer
    = event_log_writer::open(path, {.group_interval = 1h,
                                    .durability = protocol::durability::group,
                                    .files = &disk});
  REQUIRE(writer);
  image log{.ends = {disk.content(path).size()}};
  for (const auto size : sizes) {
    std::string lines;
    while (lines.size() + 80 < size)
      lines += R"({"event_id":")" + std::string(50, 'e') + "\"}\n";
    lines += std::string(size - lines.size() - 1, 'z') + '\n';
    REQUIRE((*writer)->append(lines));
    REQUIRE((*writer)->flush());
    log.ends.push_back(disk.content(path).size());
  }
  log.bytes = disk.content(path);
  return log;
}

/// What a scan says: how many groups are whole, and what follows them.
struct verdict {
  std::uint64_t groups = 0;
  std::uint64_t tail = 0;
  std::optional<protocol::error> error;
};

verdict scan(const std::string& bytes) {
  group_scanner scanner{"log"};
  verdict is;
  // Pieces that end anywhere.
  for (std::size_t at = 0; at < bytes.size() && !is.error; at += 1000) {
    scanner.feed(std::string_view{bytes}.substr(at, 1000));
    auto group = scanner.next();
    for (; group && *group; group = scanner.next())
      ++is.groups;
    if (!group)
      is.error = group.error();
  }
  if (!is.error) {
    if (const auto tail = scanner.finish(); tail)
      is.tail = *tail;
    else
      is.error = tail.error();
  }
  return is;
}

/// The byte range that an error of damage names.
std::pair<std::size_t, std::size_t> bytes_of(const protocol::error& what) {
  std::size_t from = 0;
  std::size_t to = 0;
  const auto at = what.message.find("bytes ");
  if (at != std::string::npos)
    std::sscanf(what.message.c_str() + at, "bytes %zu to %zu", &from, &to);
  return {from, to};
}

} // namespace

TEST_CASE("a log torn at each byte of its last 4 KiB has every group before") {
  const auto log = make_log({100, 3000, 700, 1200, 90, 1500, 400});
  REQUIRE(log.bytes.size() > 4096);
  for (auto length = log.bytes.size() - 4096; length <= log.bytes.size();
       ++length) {
    CAPTURE(length);
    frail_storage disk{1};
    disk.set_content(path, log.bytes.substr(0, length));
    const auto whole = std::upper_bound(log.ends.begin(), log.ends.end(),
                                        length)
                       - log.ends.begin();
    const auto end = log.ends[static_cast<std::size_t>(whole) - 1];
    const auto writer = event_log_writer::open(
      path, {.existing = existing_log::append, .files = &disk});
    REQUIRE(writer);
    CHECK((*writer)->found().bytes_cut == length - end);
    CHECK(disk.content(path) == log.bytes.substr(0, end));
    REQUIRE((*writer)->append("{\"event_id\":1}\n"));
    REQUIRE((*writer)->close());
    const auto after = scan(disk.content(path));
    CHECK_FALSE(after.error);
    CHECK(after.groups == static_cast<std::uint64_t>(whole) + 1);
    CHECK(after.tail == 0);
  }
}

TEST_CASE("a group of which any sectors are missing is a torn tail") {
  // Every place of the group and of its last line in the sectors.
  for (std::size_t before = 100; before < 100 + disk_sector; ++before) {
    const auto log = make_log({before, 1100});
    const auto begin = log.ends[1];
    const auto first = begin / disk_sector;
    const auto count = (log.bytes.size() - 1) / disk_sector - first + 1;
    for (std::size_t lost = 1; lost < std::size_t{1} << count; ++lost) {
      auto bytes = log.bytes;
      for (std::size_t i = 0; i < count; ++i)
        if ((lost >> i & 1) != 0)
          for (auto at = std::max(begin, (first + i) * disk_sector);
               at < std::min(bytes.size(), (first + i + 1) * disk_sector); ++at)
            bytes[at] = '\0';
      CAPTURE(before, lost);
      const auto is = scan(bytes);
      REQUIRE_FALSE(is.error);
      REQUIRE(is.groups == 2);
      REQUIRE(is.tail == bytes.size() - begin);
    }
  }
}

TEST_CASE("a lost sector is damage where whole groups follow") {
  const auto log = make_log({2000, 2000, 100});
  auto bytes = log.bytes;
  bytes.replace(2 * disk_sector, disk_sector, disk_sector, '\0');
  const auto is = scan(bytes);
  REQUIRE(is.error);
  CHECK(is.error->rule == "log_damaged");
}

TEST_CASE("every flipped bit inside a committed group is found and placed") {
  const auto log = make_log({200, 1100, 90, 300});
  for (std::size_t at = 0; at < log.bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = log.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      CAPTURE(at, bit);
      const auto is = scan(bytes);
      REQUIRE(is.error);
      CHECK(is.error->line >= 1);
      if (at < log.ends[0])
        continue; // no log at all, or one whose beginning is damaged
      CHECK(is.error->rule == "log_damaged");
      const auto [from, to] = bytes_of(*is.error);
      CHECK(from <= at);
      // A lost line end or mark shows when the next group ends.
      CHECK(at <= to);
    }
}

TEST_CASE("bits flipped behind the last group are cut as unacknowledged") {
  const auto log = make_log({200, 1100});
  const auto begin = log.ends[1];
  const auto torn = log.bytes.substr(0, log.bytes.size() - 100);
  for (auto at = begin; at < torn.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = torn;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      CAPTURE(at, bit);
      const auto is = scan(bytes);
      REQUIRE_FALSE(is.error);
      CHECK(is.groups == 2);
      CHECK(is.tail == torn.size() - begin);
    }
}
