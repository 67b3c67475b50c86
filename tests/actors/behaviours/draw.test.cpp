#include <catch2/catch.hpp>
#include <convene/actors/behaviours/draw.hpp>

#include <cmath>

using namespace convene::actors;

TEST_CASE("numbers are SplitMix64's") {
  // the reference implementation's first outputs for the seed 1234567
  CHECK(split_mix(1234567, 0) == 6457827717110365317ULL);
  CHECK(split_mix(1234567, 1) == 3203168211198807973ULL);
  CHECK(split_mix(1234567, 2) == 9817491932198370423ULL);
}

TEST_CASE("seed, participant, request and purpose each change the number") {
  const draws one{1, "a"};
  const auto number = one.bits(0, 0);
  CHECK(number == draws(1, "a").bits(0, 0));
  CHECK(number != draws(2, "a").bits(0, 0));
  CHECK(number != draws(1, "b").bits(0, 0));
  CHECK(number != one.bits(1, 0));
  CHECK(number != one.bits(0, 1));
  CHECK(one.bits(0xffffffff, 255) != one.bits(0xffffffff, 254));
}

TEST_CASE("uniform draws spread evenly and stay inside") {
  const draws one{7, "someone"};
  int below_half = 0;
  for (std::uint32_t n = 0; n < 10'000; ++n) {
    const auto share = one.uniform(n, 0);
    REQUIRE(share > 0);
    REQUIRE(share < 1);
    below_half += share < 0.5;
  }
  CHECK(below_half > 4'850);
  CHECK(below_half < 5'150);
}

TEST_CASE("the normal distribution's quantiles are right to eight digits") {
  CHECK(normal_quantile(0.5) == 0);
  for (double z = -6; z <= 6; z += 0.125) {
    const auto share = std::erfc(-z / std::sqrt(2.0)) / 2;
    CHECK(normal_quantile(share) == Approx(z).margin(1e-8).epsilon(2e-9));
  }
}
