#include <catch2/catch.hpp>
#include <convene/lab/study/study_points.hpp>

#include <algorithm>
#include <set>

using namespace convene;
using host::grid_of;
using host::latin_hypercube;
using host::parse_variation;

namespace {

host::variation vary(std::string_view text) {
  auto made = parse_variation(text);
  REQUIRE(made);
  return *std::move(made);
}

std::string rule_of(std::string_view text) {
  const auto made = parse_variation(text);
  return made ? "" : made.error().rule;
}

std::vector<std::string> overrides_of(const host::variation& of) {
  std::vector<std::string> all;
  for (const auto& one : of.choices)
    all.insert(all.end(), one.overrides.begin(), one.overrides.end());
  return all;
}

} // namespace

TEST_CASE(
  "values are split at commas outside of JSON, and ranges are counted") {
  CHECK(overrides_of(vary("collab.mode=pair,swarm"))
        == std::vector<std::string>{R"(collab.mode="pair")",
                                    R"(collab.mode="swarm")"});
  CHECK(overrides_of(vary("session.rounds=1..3,9"))
        == std::vector<std::string>{"session.rounds=1", "session.rounds=2",
                                    "session.rounds=3", "session.rounds=9"});
  CHECK(
    overrides_of(vary(R"(session.end={"votes":"all","turns":3},[1,2],"a,b")"))
    == std::vector<std::string>{R"(session.end={"votes":"all","turns":3})",
                                "session.end=[1,2]", R"(session.end="a,b")"});
  const auto range = vary("behaviours.a.failure=0.1..0.5");
  CHECK(range.choices.empty());
  CHECK(range.range == host::number_range{0.1, 0.5});
}

TEST_CASE("a variation that says nothing, or too much, is refused") {
  for (const auto* text :
       {"", "a", "=1", "a=", "a=1,,2", "a=5..1", "a=0.1..0.5,7", "a..b=1"}) {
    CAPTURE(text);
    CHECK(rule_of(text) == "vary");
  }
  CHECK(rule_of("a=1..10001") == "points_max");
  CHECK(rule_of("a=1..10000").empty());
}

TEST_CASE("a grid has all combinations, the last changing fastest") {
  const auto points = grid_of({vary("a=1,2"), vary("b=x,y,z")});
  REQUIRE(points);
  REQUIRE(points->size() == 6);
  CHECK(host::name_of((*points)[0]) == "a=1 b=x");
  CHECK(host::name_of((*points)[1]) == "a=1 b=y");
  CHECK((*points)[5].overrides == std::vector<std::string>{"a=2", R"(b="z")"});
  CHECK(grid_of({})->size() == 1);
  CHECK(grid_of({vary("a=1..200"), vary("b=1..200")}).error().rule
        == "points_max");
  CHECK(grid_of({vary("a=0.5..1")}).error().rule == "vary");
}

TEST_CASE("a Latin hypercube takes each part of each range once") {
  const auto points = latin_hypercube({vary("a=0.0..20.5"), vary("b=1..20")},
                                      20, 7);
  REQUIRE(points.size() == 20);
  std::set<std::int64_t> whole;
  std::set<int> parts;
  for (const auto& point : points) {
    whole.insert(point.vary.at("b").as_int64());
    parts.insert(static_cast<int>(point.vary.at("a").as_double() / 20.5 * 20));
  }
  CHECK(whole.size() == 20);
  CHECK(parts.size() == 20);
  CHECK(points
        == latin_hypercube({vary("a=0.0..20.5"), vary("b=1..20")}, 20, 7));
  CHECK(points
        != latin_hypercube({vary("a=0.0..20.5"), vary("b=1..20")}, 20, 8));
}

TEST_CASE("a hypercube of few choices has no point twice") {
  const auto points = latin_hypercube({vary("a=x,y"), vary("b=1,2")}, 100, 1);
  CHECK(points.size() == 4);
}
