#include <catch2/catch.hpp>
#include <convene/lab/load/pacer.hpp>

#include <map>

using namespace convene::host;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

load_stage stage(load_time length, double level,
                 load_unit unit = load_unit::per_second) {
  return {length, {level, unit}};
}

/// All intended starts of an open loop.
std::vector<load_time> starts_of(std::vector<load_stage> stages,
                                 double turns = 1) {
  std::vector<load_time> all;
  const auto pace = make_open_pacer(std::move(stages), turns);
  while (const auto at = pace->due(load_time::max() - 1ns, 0))
    all.push_back(*at);
  return all;
}

std::string refused(std::string_view text) {
  const auto parsed = parse_stages(text);
  return parsed ? "accepted" : parsed.error().rule;
}

} // namespace

TEST_CASE("an open loop starts sessions at even intervals, from the first "
          "moment on") {
  CHECK(starts_of({stage(1s, 4)})
        == std::vector<load_time>{0ms, 250ms, 500ms, 750ms});
}

TEST_CASE("a change of the rate counts what was under way") {
  // Half of the second session's interval is over when the rate doubles.
  const auto all = starts_of({stage(1500ms, 1), stage(1s, 2)});
  CHECK(all == std::vector<load_time>{0ms, 1000ms, 1750ms, 2250ms});
  // A pause in between.
  CHECK(starts_of({stage(1s, 2), stage(10s, 0), stage(1s, 1)})
        == std::vector<load_time>{0ms, 500ms, 11s});
}

TEST_CASE("a rate of turns is one of sessions, by the turns of a session") {
  CHECK(starts_of({stage(1s, 16, load_unit::turns)}, 8)
        == std::vector<load_time>{0ms, 500ms});
}

TEST_CASE("an open loop takes no notice of what is open") {
  const auto pace = make_open_pacer({stage(1s, 10)}, 1);
  CHECK(pace->due(0ms, 1'000'000) == load_time{0});
  CHECK_FALSE(pace->due(99ms, 0));
  CHECK(pace->next(99ms) == 100ms);
  CHECK(pace->due(100ms, 5) == load_time{100ms});
}

TEST_CASE("a closed loop starts as many as are at a time, then one for each "
          "that ends, meant to start at that moment") {
  const auto pace = make_closed_pacer({stage(1s, 2, load_unit::sessions)});
  CHECK(pace->due(0ms, 0) == load_time{0});
  CHECK(pace->due(1ms, 1) == load_time{1ms});
  CHECK_FALSE(pace->due(2ms, 2));
  pace->ended(5ms);
  CHECK(pace->due(7ms, 1) == load_time{5ms});
  CHECK(pace->next(7ms) == 1s);
  CHECK_FALSE(pace->due(1s, 0));
}

TEST_CASE("where the level falls, what ends makes no room") {
  const auto pace = make_closed_pacer(
    {stage(1s, 3, load_unit::sessions), stage(1s, 1, load_unit::sessions)});
  pace->ended(1100ms);
  CHECK_FALSE(pace->due(1100ms, 2));
  pace->ended(1200ms);
  CHECK_FALSE(pace->due(1200ms, 1));
  pace->ended(1300ms);
  CHECK(pace->due(1300ms, 0));
}

TEST_CASE("where the level has fallen, a session is meant to start when there "
          "is room again, not when the first of too many has ended") {
  const auto pace = make_closed_pacer(
    {stage(1s, 4, load_unit::sessions), stage(1s, 2, load_unit::sessions)});
  pace->ended(1100ms);
  pace->ended(1200ms);
  CHECK_FALSE(pace->due(1200ms, 2));
  pace->ended(1300ms);
  CHECK(pace->due(1350ms, 1) == load_time{1300ms});
}

TEST_CASE("stages are read as they are written") {
  const auto parsed = parse_stages("10s:100,500ms:0,2m:5");
  REQUIRE(parsed);
  CHECK(*parsed
        == std::vector{stage(10s, 100, load_unit::sessions),
                       stage(500ms, 0, load_unit::sessions),
                       stage(120s, 5, load_unit::sessions)});
  CHECK(parse_level("2.5/s") == load_level{2.5, load_unit::per_second});
  CHECK(parse_level("900turns/s") == load_level{900, load_unit::turns});
  CHECK(parse_time("1.5s") == load_time{1500ms});
}

TEST_CASE("a stage that makes no sense is refused by name") {
  CHECK(refused("") == "load_stage");
  CHECK(refused("10s") == "load_stage");
  CHECK(refused("10s:5,") == "load_stage");
  CHECK(refused("0s:5") == "load_stage");
  CHECK(refused("10s:0") == "load_stage");
  CHECK(refused("10s:5,10s:5/s") == "load_stage");
  CHECK(refused("10:5") == "load_time");
  CHECK(refused("-1s:5") == "load_time");
  CHECK(refused("1e9s:5") == "load_time");
  CHECK(refused("nans:5") == "load_time");
  CHECK(refused("25h:5") == "load_time_max");
  CHECK(refused("24h:5,24h:5") == "load_time_max");
  CHECK(refused("1s:1.5") == "load_level");
  CHECK(refused("1s:-1") == "load_level");
  CHECK(refused("1s:inf/s") == "load_level_max");
  CHECK(refused("1s:5/m") == "load_level");
  CHECK(refused("1s:99999999999") == "load_level_max");
  std::string many = "1ms:1";
  for (std::size_t i = 0; i < stages_max; ++i)
    many += ",1ms:1";
  CHECK(refused(many) == "stages_max");
}
