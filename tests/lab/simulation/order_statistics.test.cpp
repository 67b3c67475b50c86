#include <catch2/catch.hpp>
#include <convene/lab/simulation/order_statistics.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

using namespace convene;
using host::estimate;
using host::quantile_of;

namespace {

std::vector<std::int64_t> up_to(std::int64_t last) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(last));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

} // namespace

TEST_CASE("a quantile is an order statistic, between two others") {
  // Tables of confidence intervals for a median: n = 10, ranks 2 and 9 cover
  // it with 97.9%, n = 100, ranks 40 and 61 with 96.5%.
  CHECK(quantile_of(up_to(10), 0, 0.5) == estimate{5, 2, 9});
  CHECK(quantile_of(up_to(100), 0, 0.5) == estimate{50, 40, 61});
  // At most 982 of 1000 are below it with 1.4%, 983 with 2.6%; at most 995
  // with 97.1%, 996 with 99.0%.
  CHECK(quantile_of(up_to(1000), 0, 0.99) == estimate{990, 983, 997});
  CHECK(quantile_of({}, 0, 0.5) == estimate{});
}

TEST_CASE("an interval that the sample does not bound is open") {
  CHECK(quantile_of({4}, 0, 0.5) == estimate{4, {}, {}});
  const auto p99 = quantile_of(up_to(100), 0, 0.99);
  CHECK(p99.value == 99);
  CHECK(p99.low == 97);
  CHECK_FALSE(p99.high);
}

TEST_CASE("what was never reached counts as above all that was") {
  CHECK(quantile_of(up_to(60), 40, 0.5) == estimate{50, 40, {}});
  CHECK(quantile_of(up_to(40), 60, 0.5) == estimate{{}, 40, {}});
  CHECK(quantile_of({}, 100, 0.5) == estimate{});
}

TEST_CASE("an interval covers the true quantile as often as it says") {
  constexpr std::uint64_t seed = 20260101;
  INFO("seed " << seed);
  std::mt19937_64 random{seed};
  constexpr int samples = 2000;
  for (const double share : {0.5, 0.9}) {
    int covered = 0;
    for (int i = 0; i < samples; ++i) {
      std::vector<std::int64_t> sample(200);
      for (auto& one : sample)
        one = static_cast<std::int64_t>(random() % 1'000'000'007);
      std::ranges::sort(sample);
      const auto found = quantile_of(sample, 0, share);
      const auto truth = static_cast<std::int64_t>(1e9 * share);
      covered += *found.low <= truth && truth <= *found.high ? 1 : 0;
    }
    CHECK(covered >= samples * 94 / 100);
    CHECK(covered <= samples * 98 / 100);
  }
}

TEST_CASE("the interval of a share is that of Clopper and Pearson") {
  const auto some = host::interval_of_share(5, 100);
  CHECK(some.low == Approx(0.01643).margin(1e-5));
  CHECK(some.high == Approx(0.11284).margin(1e-5));
  // Of none in n: 1 - 0.025^(1/n).
  const auto none = host::interval_of_share(0, 20);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(0.16843).margin(1e-5));
  const auto all = host::interval_of_share(20, 20);
  CHECK(all.low == Approx(0.83157).margin(1e-5));
  CHECK(all.high == 1);
}

TEST_CASE("seeds that did not complete are a share and time, and no result") {
  std::vector<host::seed_outcome> all(8);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].has_ended = i != 7; // one could not run
    all[i].status = i < 5 ? collab_status::completed : collab_status::cancelled;
    all[i].measures = {.duration_ms = static_cast<std::int64_t>(100 * i),
                       .steps = 2,
                       .steps_open = i == 5 ? 2 : 0};
  }
  const auto summary = host::summarise({.first = 1, .last = 8}, all);
  const auto& left = summary.at("unfinished");
  CHECK(left.at("seeds") == 2);
  CHECK(left.at("share").at("value").as_double()
        == Approx(2.0 / 7).margin(1e-6));
  CHECK(left.at("censored_ms").at("min") == 500);
  CHECK(left.at("censored_ms").at("max") == 600);
  CHECK(left.at("steps") == 14);
  CHECK(left.at("steps_open") == 2);
  const auto& measures = summary.at("measures");
  CHECK(measures.at("completion_ms").at("median").at("value") == 300);
  CHECK(measures.at("completion_ms").at("p90").at("value").is_null());
  CHECK(measures.at("completion_ms").at("max").is_null());
  CHECK(measures.at("duration_ms").at("p90").at("value") == 600);
}

TEST_CASE("a measure has a histogram whose bars count each seed once") {
  std::vector<host::seed_outcome> all(100);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].has_ended = true;
    all[i].status = collab_status::completed;
    all[i].measures = {.duration_ms = static_cast<std::int64_t>(i * i),
                       .turns = i < 60 ? 3 : 5,
                       .tokens = std::numeric_limits<std::int64_t>::max()};
  }
  const auto summary = host::summarise({.first = 1, .last = 100}, all);
  const auto bars_of = [&summary](const char* measure) {
    return summary.at("measures").at(measure).at("histogram").as_array();
  };
  const auto turns = bars_of("turns");
  CHECK(turns
        == boost::json::array{{{"from", 3}, {"to", 3}, {"seeds", 60}},
                              {{"from", 4}, {"to", 4}, {"seeds", 0}},
                              {{"from", 5}, {"to", 5}, {"seeds", 40}}});
  const auto tokens = bars_of("tokens");
  REQUIRE(tokens.size() == 1);
  CHECK(tokens[0].at("seeds") == 100);
  const auto durations = bars_of("duration_ms");
  CHECK(durations.size() <= 24);
  std::int64_t counted = 0;
  std::int64_t begin = 0;
  for (const auto& bar : durations) {
    CHECK(bar.at("from") == begin);
    begin = bar.at("to").as_int64() + 1;
    const auto inside = std::ranges::count_if(all, [&](const auto& one) {
      return one.measures.duration_ms >= bar.at("from").as_int64()
             && one.measures.duration_ms <= bar.at("to").as_int64();
    });
    CHECK(bar.at("seeds") == inside);
    counted += bar.at("seeds").as_int64();
  }
  CHECK(counted == 100);
  CHECK(durations.back().at("to") == 99 * 99);
}
