#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/log_damage.hpp>
#include <convene/runtime/log/event_log/segment_writer.hpp>

#include <cmath>
#include <cstdint>
#include <string>

using namespace convene;
using host::damage_draws;
using host::frail_storage;

namespace {

host::log_options options_of(frail_storage& disk, bool is_segmented) {
  return {.closes_by = host::group_end::content,
          .durability = protocol::durability::group,
          .existing = host::existing_log::append,
          .segment_bytes = is_segmented ? std::uint64_t{1000} : 0,
          .files = &disk};
}

/// A log of so many groups, in one file or in segments of some groups each.
void write_log(frail_storage& disk, bool is_segmented, int groups) {
  auto writer = host::segment_writer::open("log",
                                           options_of(disk, is_segmented), {});
  REQUIRE(writer);
  for (int i = 0; i < groups; ++i) {
    std::string lines;
    for (int j = 0; j <= i % 3; ++j)
      lines += R"({"event_id":")" + std::to_string(100 * i + j) + "\"}\n";
    host::log_group group{lines};
    REQUIRE(writer->write(group));
    REQUIRE(writer->sync());
  }
  REQUIRE(writer->close());
}

/// The rule by which the log is refused; empty: it is opened.
std::string refused_by(frail_storage& disk, bool is_segmented) {
  const auto opened
    = host::segment_writer::open("log", options_of(disk, is_segmented), {});
  return opened ? std::string{} : opened.error().rule;
}

} // namespace

TEST_CASE("whatever damages a log, it is refused by name, left alone, and as "
          "good as ever once it is put back") {
  for (const bool is_segmented : {false, true}) {
    frail_storage disk{1};
    write_log(disk, is_segmented, 40);
    CHECK((disk.files().size() > 3) == is_segmented);
    const auto whole = disk.copy();
    for (int i = 0; i < 1000; ++i) {
      // Spread evenly.
      const auto drawn_by = [&](double step) {
        return std::fmod(0.5 + i * step, 1);
      };
      const damage_draws drawn{drawn_by(0.8191725133961645),
                               drawn_by(0.6710436067037893),
                               drawn_by(0.5497004779019703)};
      CAPTURE(is_segmented, drawn.segment, drawn.how, drawn.place);
      REQUIRE(host::damage_log(disk, "log", is_segmented, drawn));
      const auto damaged = disk.copy();
      CHECK(damaged != whole);
      CHECK(refused_by(disk, is_segmented) == "log_damaged");
      CHECK(disk.copy() == damaged);
      disk.put_back(whole);
      CHECK(disk.copy() == whole);
    }
    CHECK(refused_by(disk, is_segmented).empty());
  }
}

TEST_CASE("a log whose damage nothing behind it could show is left alone") {
  for (const bool is_segmented : {false, true}) {
    frail_storage disk{1};
    CHECK_FALSE(host::damage_log(disk, "log", is_segmented, {0.5, 0.5, 0.5}));
    CHECK(disk.files().empty());
    write_log(disk, is_segmented, 0); // log_opened
    const auto whole = disk.copy();
    CHECK_FALSE(host::damage_log(disk, "log", is_segmented, {0.5, 0.5, 0.5}));
    CHECK(disk.copy() == whole);
  }
}
