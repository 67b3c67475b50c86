#include "../../bench/scale/scaling_model.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace convene::bench;

namespace {

std::vector<scaling_point> measured(const scaling_model& law,
                                    const std::vector<double>& threads) {
  std::vector<scaling_point> out;
  for (const auto each : threads)
    out.push_back({each, 800'000 * law.speedup(each)});
  return out;
}

} // namespace

TEST_CASE("rates that follow a law give its parameters") {
  const scaling_model law{.serial = 0.03, .coherence = 0.0004};
  const auto found = fit(measured(law, {1, 2, 4, 8, 16}), scaling_law::usl);
  REQUIRE(found);
  CHECK(found->serial == Approx(law.serial));
  CHECK(found->coherence == Approx(law.coherence));
  CHECK(*found->fastest() == Approx(49.24).epsilon(0.001));
  const auto amdahl = fit(measured({.serial = 0.25}, {2, 1}),
                          scaling_law::amdahl);
  REQUIRE(amdahl);
  CHECK(amdahl->serial == Approx(0.25));
  CHECK(amdahl->speedup(4) == Approx(4 / 1.75));
  CHECK_FALSE(amdahl->fastest());
}

TEST_CASE("no parameter of a law is below 0") {
  // Faster than so many threads can be.
  const std::vector<scaling_point> superlinear{{1, 1}, {2, 2.5}, {4, 6}};
  CHECK(fit(superlinear, scaling_law::amdahl)->serial == 0);
  const auto both = fit(superlinear, scaling_law::usl);
  CHECK((both->serial == 0 && both->coherence == 0));
  // Slower with two threads, but better with four: no coherence explains that.
  const std::vector<scaling_point> odd{{1, 1}, {2, 1}, {4, 3}};
  CHECK(fit(odd, scaling_law::usl)->coherence == 0);
  CHECK(fit(odd, scaling_law::usl)->serial
        == fit(odd, scaling_law::amdahl)->serial);
}

TEST_CASE("a law needs one thread and as many other points as parameters") {
  const scaling_model law{.serial = 0.1};
  CHECK_FALSE(fit(measured(law, {2, 4, 8}), scaling_law::amdahl));
  CHECK_FALSE(fit(measured(law, {1}), scaling_law::amdahl));
  CHECK_FALSE(fit(measured(law, {1, 2}), scaling_law::usl));
  CHECK_FALSE(fit(measured(law, {1, 2, 2}), scaling_law::usl));
  CHECK_FALSE(fit({}, scaling_law::usl));
}
