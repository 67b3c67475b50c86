#pragma once

#include <convene/lab/load/load_recorder.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// What happened in one second of a load, or somewhat more or less. Times in
/// nanoseconds; unset: nothing was measured.
struct load_second {
  double at = 0; ///< seconds since the load began, at its end
  std::size_t open = 0;
  double sessions = 0; ///< that ended, a second
  double turns = 0;
  double events = 0;
  double bytes = 0;
  double wrong = 0; ///< sessions that were cancelled or failed, a second
  std::optional<std::uint64_t> session_p50, session_p99, turn_p50, turn_p99,
    lag_p99;
  std::uint64_t memory_bytes = 0; ///< resident
  double cores = 0;               ///< that the process kept busy
};

/// Adds a second to the series each time it is told to.
class load_series {
public:
  /// What is before `from` is left out.
  explicit load_series(load_time from);

  /// `all` is everything that was recorded so far. Less than half a second is
  /// left to the next one.
  void add(load_time now, std::size_t open, std::unique_ptr<load_figures> all);

  [[nodiscard]] const std::vector<load_second>& seconds() const noexcept {
    return seconds_;
  }

  /// A line for each second, below a line with the names of the columns; times
  /// in milliseconds.
  [[nodiscard]] std::string csv() const;

private:
  std::vector<load_second> seconds_;
  std::unique_ptr<load_figures> before_;
  load_time at_{};
  double cpu_ = 0;
};

} // namespace convene::host
