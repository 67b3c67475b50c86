#include <catch2/catch.hpp>
#include <convene/lab/load/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace convene::host;

namespace {

std::uint64_t exact_quantile(const std::vector<std::uint64_t>& sorted,
                             double share) {
  const auto rank
    = std::ceil(static_cast<double>(sorted.size()) * share - 1e-6);
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

} // namespace

TEST_CASE("each value is in the bucket that its bounds say") {
  CHECK(buckets::of(0) == 0);
  CHECK(buckets::of(127) == 127);
  CHECK(buckets::of(128) == 128);
  std::uint64_t least = 0;
  for (std::size_t i = 0; i + 1 < buckets::count; ++i) {
    const auto most = buckets::highest(i);
    if (buckets::of(least) != i || buckets::of(most) != i)
      FAIL("bucket " << i << " is not " << least << " to " << most);
    least = most + 1;
  }
  CHECK(least == std::uint64_t{1} << buckets::bits);
  CHECK(buckets::of(least) == buckets::count - 1);
  CHECK(buckets::of(std::numeric_limits<std::uint64_t>::max())
        == buckets::count - 1);
}

TEST_CASE("a quantile is that of a sorted sample, or up to 0.8 % above it") {
  constexpr std::uint64_t seed = 20261125;
  INFO("seed " << seed);
  std::mt19937_64 random{seed};
  std::exponential_distribution<double> exponential{1e-6};
  std::lognormal_distribution<double> lognormal{14, 2};
  std::uniform_int_distribution<std::uint64_t> uniform{0, 1'000};
  const std::vector<std::function<std::uint64_t()>> sources{
    [&] { return static_cast<std::uint64_t>(exponential(random)); },
    [&] { return static_cast<std::uint64_t>(lognormal(random)); },
    [&] { return uniform(random); },
    [&] { return random() % 100 < 99 ? 5'000 : std::uint64_t{1} << 33; }};
  for (std::size_t which = 0; which < sources.size(); ++which) {
    for (const std::size_t size : {1U, 2U, 99U, 10'000U}) {
      std::vector<std::uint64_t> sample(size);
      std::ranges::generate(sample, sources[which]);
      const auto all = std::make_unique<histogram>();
      for (const auto value : sample)
        all->record(value);
      std::ranges::sort(sample);
      CHECK(all->count() == size);
      CHECK(all->max() == sample.back());
      for (const double share : {0.5, 0.9, 0.99, 0.999, 0.9999}) {
        CAPTURE(which, size, share);
        const auto exact = exact_quantile(sample, share);
        const auto found = all->quantile(share);
        REQUIRE(found);
        CHECK(*found >= exact);
        CHECK(static_cast<double>(*found)
              <= static_cast<double>(exact) * 1.008);
      }
    }
  }
}

TEST_CASE("a histogram of nothing has no quantiles") {
  const auto none = std::make_unique<histogram>();
  CHECK_FALSE(none->quantile(0.99));
  CHECK_FALSE(none->max());
  CHECK_FALSE(none->mean());
}

TEST_CASE("what is above all buckets counts, and the largest value is exact") {
  const auto all = std::make_unique<histogram>();
  all->record(std::uint64_t{1} << 50);
  all->record(7);
  CHECK(all->quantile(0.5) == 7);
  CHECK(all->quantile(0.99) == std::uint64_t{1} << 50);
  CHECK(all->max() == std::uint64_t{1} << 50);
}

TEST_CASE("histograms add up, and what came since is their difference") {
  const auto before = std::make_unique<histogram>();
  const auto more = std::make_unique<histogram>();
  for (std::uint64_t i = 1; i <= 100; ++i) {
    before->record(i);
    more->record(1000 * i);
  }
  const auto both = std::make_unique<histogram>(*before);
  both->add(*more);
  CHECK(both->count() == 200);
  CHECK(both->quantile(0.5) == 100);
  CHECK(both->mean() == Approx(50.5 * 1001 / 2));
  const auto since = std::make_unique<histogram>(both->since(*before));
  CHECK(since->count() == 100);
  CHECK(since->quantile(0.5) == more->quantile(0.5));
  CHECK(since->mean() == Approx(50'500));
}

TEST_CASE("nothing is lost of what many threads record at the same time") {
  const auto shared = std::make_unique<shared_histogram>();
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&shared, thread] {
      for (std::uint64_t i = 0; i < 10'000; ++i)
        shared->record(thread * 1'000'000 + i);
    });
  for (auto& thread : threads)
    thread.join();
  const auto all = std::make_unique<histogram>();
  shared->read(*all);
  CHECK(all->count() == 40'000);
  CHECK(all->max() == 3'009'999);
  CHECK(all->mean() == Approx(1'500'000 + 4'999.5));
}
