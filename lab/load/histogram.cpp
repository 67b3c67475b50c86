#include <convene/lab/load/histogram.hpp>

#include <algorithm>
#include <cmath>

namespace convene::host {

void histogram::record(std::uint64_t value) noexcept {
  ++counts_[buckets::of(value)];
  ++count_;
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
}

void histogram::add(const histogram& other) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

histogram histogram::since(const histogram& earlier) const noexcept {
  histogram made;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    made.counts_[i] = counts_[i] - earlier.counts_[i];
    made.count_ += made.counts_[i];
    if (made.counts_[i] != 0)
      made.max_ = std::min(max_, buckets::highest(i));
  }
  made.sum_ = sum_ - earlier.sum_;
  return made;
}

std::optional<std::uint64_t> histogram::quantile(double share) const noexcept {
  if (count_ == 0)
    return std::nullopt;
  // A share like 0.999 is no exact number: what it misses by is taken off.
  const auto exact
    = std::ceil(static_cast<double>(count_) * share * (1 - 1e-12));
  const auto rank = std::clamp(static_cast<std::uint64_t>(exact),
                               std::uint64_t{1}, count_);
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i + 1 < counts_.size(); ++i) {
    so_far += counts_[i];
    if (so_far >= rank)
      return std::min(buckets::highest(i), max_);
  }
  return max_;
}

std::optional<std::uint64_t> histogram::max() const noexcept {
  return count_ == 0 ? std::nullopt : std::optional{max_};
}

std::optional<double> histogram::mean() const noexcept {
  return count_ == 0 ? std::nullopt
                     : std::optional{sum_ / static_cast<double>(count_)};
}

void shared_histogram::record(std::uint64_t value) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  counts_[buckets::of(value)].fetch_add(1, relaxed);
  sum_.fetch_add(value, relaxed);
  auto seen = max_.load(relaxed);
  while (value > seen && !max_.compare_exchange_weak(seen, value, relaxed)) {
    // another thread was faster; `seen` is what it stored
  }
}

void shared_histogram::read(histogram& into) const noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  into.count_ = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    into.counts_[i] = counts_[i].load(relaxed);
    into.count_ += into.counts_[i];
  }
  into.max_ = max_.load(relaxed);
  into.sum_ = static_cast<double>(sum_.load(relaxed));
}

} // namespace convene::host
