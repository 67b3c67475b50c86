#include <catch2/catch.hpp>
#include <convene/actors/behaviours/draw.hpp>
#include <convene/lab/study/paired.hpp>

using namespace convene;
using host::compare_pairs;
using host::never;
using host::seed_values;
using direction = host::paired_difference::direction;

namespace {

/// What all pairs share is much larger than what they differ by.
seed_values values(std::size_t count, std::int64_t shift, std::uint64_t noise) {
  seed_values made;
  for (std::size_t i = 0; i < count; ++i)
    made.emplace_back(
      static_cast<std::int64_t>(actors::split_mix(1, i) % 100'000) + shift
      + static_cast<std::int64_t>(actors::split_mix(noise, i) % 20));
  return made;
}

} // namespace

TEST_CASE("a difference that is small against the noise is found in pairs") {
  const auto found = compare_pairs(values(100, -15, 2), values(100, 0, 3));
  CHECK(found.pairs == 100);
  CHECK(found.lower + found.equal + found.higher == 100);
  REQUIRE(found.mean);
  CHECK(found.mean->value > -20);
  CHECK(found.mean->value < -10);
  CHECK(found.mean->low <= found.mean->value);
  CHECK(found.mean->high >= found.mean->value);
  CHECK(found.mean->high < 0);
  CHECK(found.decided == direction::lower);
  CHECK(compare_pairs(values(100, 0, 3), values(100, -15, 2)).decided
        == direction::higher);
}

TEST_CASE("the same comparison gives the same interval, another data another") {
  const auto one = compare_pairs(values(50, 1, 2), values(50, 0, 3));
  CHECK(one == compare_pairs(values(50, 1, 2), values(50, 0, 3)));
  CHECK(one.mean != compare_pairs(values(50, 1, 9), values(50, 0, 3)).mean);
}

TEST_CASE("few pairs decide nothing, however they agree") {
  const auto of = [](std::size_t count) {
    return compare_pairs(seed_values(count, 1), seed_values(count, 2));
  };
  // Of five, all on one side is as likely as 1 in 16.
  CHECK(of(5).decided == direction::undecided);
  CHECK_FALSE(of(5).median.low);
  CHECK(of(6).decided == direction::lower);
  CHECK(of(6).median == host::estimate{-1, -1, -1});
}

TEST_CASE("variants that do the same do not differ") {
  const auto found = compare_pairs(values(40, 0, 2), values(40, 0, 2));
  CHECK(found.equal == 40);
  CHECK(found.decided == direction::undecided);
  CHECK(found.mean == host::mean_estimate{0, 0, 0});
}

TEST_CASE("what never ends is above all, and equal to what never ends") {
  seed_values finishes(12, 100);
  seed_values never_does(12, never);
  finishes[0] = never;
  const auto found = compare_pairs(finishes, never_does);
  CHECK(found.equal == 1);
  CHECK(found.lower == 11);
  CHECK_FALSE(found.mean);
  CHECK(found.median.value == -never);
  CHECK(found.decided == direction::lower);
  CHECK(compare_pairs(never_does, finishes).median.value == never);
}

TEST_CASE("a seed that one of two has no value of does not count") {
  seed_values some(10, 1);
  some[3].reset();
  CHECK(compare_pairs(some, seed_values(10, 5)).pairs == 9);
  CHECK(compare_pairs(seed_values(3), seed_values(3)).pairs == 0);
  CHECK_FALSE(compare_pairs({}, {}).mean);
}

TEST_CASE(
  "the bootstrap's interval covers the mean about as often as it says") {
  int covered = 0;
  constexpr int times = 300;
  for (int i = 0; i < times; ++i) {
    std::vector<std::int64_t> sample;
    for (std::uint64_t k = 0; k < 60; ++k)
      sample.push_back(static_cast<std::int64_t>(
        actors::split_mix(static_cast<std::uint64_t>(i), k) % 1001));
    const auto found = host::mean_of(sample);
    REQUIRE(found);
    covered += found->low <= 500 && found->high >= 500;
  }
  CHECK(covered > times * 90 / 100);
  CHECK(covered < times * 99 / 100);
}
