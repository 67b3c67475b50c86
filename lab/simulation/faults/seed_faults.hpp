#pragma once

#include <convene/actors/behaviours/draw.hpp>
#include <convene/lab/simulation/faults/fault_spec.hpp>

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace convene::host {

/// Processes of a seed that end by a fault and are started again; then nothing
/// ends it any more.
inline constexpr std::uint32_t interruptions_max = 8;

/// Faults of a seed. The one beyond is the error `seed_faults_max`.
inline constexpr std::size_t seed_faults_max = 10'000;

/// The faults of one seed. Whether one strikes, and everything that is drawn
/// for it, is a pure function of (seed, kind, number of the operation), however
/// it came to be asked for: those that struck, as a script, strike again.
class seed_faults {
public:
  seed_faults(const fault_spec& what, std::uint64_t seed);

  /// Counts one more of these operations; returns its number.
  std::uint32_t next(fault_operation what) noexcept {
    return ++operations_.at(static_cast<std::size_t>(what));
  }

  /// Whether a fault of this kind strikes at this operation; then it is kept.
  [[nodiscard]] bool strikes(fault_kind kind, std::uint32_t at);

  /// Uniform, above 0 and below 1. `purpose` is at least 1.
  [[nodiscard]] double draw(fault_kind kind, std::uint32_t at,
                            std::uint8_t purpose) const noexcept {
    return draws_.at(static_cast<std::size_t>(kind)).uniform(at, purpose);
  }

  /// From `delay_ms`, at least 1.
  [[nodiscard]] std::int64_t delay(fault_kind kind, std::uint32_t at,
                                   std::uint8_t purpose) const noexcept;

  /// What was asked of a fault has happened.
  void count(fault_kind kind) noexcept {
    ++counts_.at(static_cast<std::size_t>(kind));
  }

  /// How often each has happened.
  [[nodiscard]] const std::array<std::uint32_t, fault_kinds>&
  counts() const noexcept {
    return counts_;
  }

  /// Those that struck, in order.
  [[nodiscard]] const std::vector<fault_turn>& script() const noexcept {
    return struck_;
  }

  [[nodiscard]] bool is_full() const noexcept {
    return is_full_;
  }

private:
  [[nodiscard]] bool is_meant(fault_kind kind, std::uint32_t at) const noexcept;

  std::array<double, fault_kinds> rates_ = {};
  std::set<std::pair<fault_kind, std::int64_t>> script_;
  bool by_script_ = false;
  actors::distribution delay_ms_;
  std::vector<actors::draws> draws_; ///< by kind
  std::array<std::uint32_t, fault_operations> operations_ = {};
  std::array<std::uint32_t, fault_kinds> counts_ = {};
  std::vector<fault_turn> struck_;
  std::uint32_t interruptions_ = 0;
  bool is_full_ = false;
};

} // namespace convene::host
