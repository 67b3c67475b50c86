#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace convene::host {

/// The buckets of a histogram: whole numbers below 128 each have one of their
/// own, those above share one with the 127th part of themselves at most, so
/// that a value read from it is less than 0.8 % too large. From 2^46 on (19
/// hours in nanoseconds) there is one bucket for all.
namespace buckets {

inline constexpr unsigned fine_bits = 7; ///< 128 buckets for each power of two
inline constexpr unsigned bits = 46;
inline constexpr std::size_t count
  = (std::size_t{bits - fine_bits + 1} << fine_bits) + 1;

[[nodiscard]] constexpr std::size_t of(std::uint64_t value) noexcept {
  if (value < (std::uint64_t{1} << fine_bits))
    return static_cast<std::size_t>(value);
  if (value >> bits != 0)
    return count - 1;
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1
                     - fine_bits;
  return (std::size_t{shift} << fine_bits)
         + static_cast<std::size_t>(value >> shift);
}

/// The largest value in a bucket; of the last one, its least.
[[nodiscard]] constexpr std::uint64_t highest(std::size_t bucket) noexcept {
  constexpr std::size_t each = std::size_t{1} << fine_bits;
  if (bucket < each)
    return bucket;
  if (bucket == count - 1)
    return std::uint64_t{1} << bits;
  const auto shift = bucket / each - 1;
  return ((std::uint64_t{bucket % each + each} + 1) << shift) - 1;
}

} // namespace buckets

/// How often which values were recorded, in log-linear buckets. A value.
class histogram {
public:
  void record(std::uint64_t value) noexcept;

  /// What was recorded in both.
  void add(const histogram& other) noexcept;

  /// What was recorded since `earlier`, which is this histogram as it was. Its
  /// largest value is that of its highest bucket.
  [[nodiscard]] histogram since(const histogram& earlier) const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_;
  }

  /// The value that a share (from 0 to 1) of all do not exceed: that of rank
  /// ceil(count * share), or up to 0.8 % more. Unset: there is none.
  [[nodiscard]] std::optional<std::uint64_t>
  quantile(double share) const noexcept;

  /// Exact. Unset: there is none.
  [[nodiscard]] std::optional<std::uint64_t> max() const noexcept;
  [[nodiscard]] std::optional<double> mean() const noexcept;

private:
  friend class shared_histogram;

  std::array<std::uint64_t, buckets::count> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
  double sum_ = 0;
};

/// A histogram that many threads record into at the same time.
class shared_histogram {
public:
  void record(std::uint64_t value) noexcept;

  /// As it is now; what is recorded meanwhile may be missing.
  void read(histogram& into) const noexcept;

private:
  std::array<std::atomic<std::uint64_t>, buckets::count> counts_{};
  std::atomic<std::uint64_t> max_{0};
  std::atomic<std::uint64_t> sum_{0};
};

} // namespace convene::host
