#pragma once

#include <convene/lab/load/load_recorder.hpp>
#include <convene/protocol/base/error.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// Assertions of one load.
inline constexpr std::size_t assertions_max = 100;

/// The shares and rates of a load, so far or at its end.
struct load_rates {
  double sessions = 0; ///< that ended, a second
  double turns = 0;
  double events = 0;
  double bytes = 0;
  std::optional<double> errors;      ///< share of the sessions, 0 to 1
  std::optional<double> turn_errors; ///< share of the turns
};
[[nodiscard]] load_rates rates_of(const load_figures& all,
                                  const load_recorder& recorder,
                                  load_time measured);

/// Something that shall hold for a load: a figure, and what it is compared to.
///
///     p99<5ms  turn.p99.9<=1ms  session.max<1s  lag.mean<100us
///     errors<1%  turn_errors<0.5%  sessions/s>100  turns/s>=5000
///
/// A quantile without a measure is that of `session`.
class load_assertion {
public:
  /// Errors have the code `usage`.
  [[nodiscard]] static protocol::result<load_assertion>
  parse(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept {
    return text_;
  }

  /// Times in nanoseconds, shares from 0 to 1. Unset: nothing was measured.
  [[nodiscard]] std::optional<double> value_in(const load_figures& all,
                                               const load_rates& rates) const;

  /// What has no value does not hold.
  [[nodiscard]] bool holds(std::optional<double> value) const noexcept;

  /// What a quantile of some times is compared to.
  struct time_limit {
    load_measure of = load_measure::session;
    double share = 0;
    double nanoseconds = 0;
    bool below = true;
  };
  /// Unset: the figure is none.
  [[nodiscard]] std::optional<time_limit> quantile_limit() const noexcept;

  /// That of sessions or turns a second; unset: the figure is neither.
  [[nodiscard]] std::optional<double> rate_limit() const noexcept;

  /// The value as a person writes it, `4.2ms` or `0.3%`.
  [[nodiscard]] std::string shown(std::optional<double> value) const;

private:
  enum class figure : std::uint8_t {
    quantile,
    mean,
    max,
    errors,
    turn_errors,
    sessions,
    turns,
    events,
    bytes,
  };

  std::string text_;
  figure what_ = figure::quantile;
  load_measure of_ = load_measure::session;
  double share_ = 0; ///< of a quantile
  bool below_ = true;
  bool or_equal_ = false;
  double limit_ = 0;

  [[nodiscard]] bool is_time() const noexcept {
    return what_ <= figure::max;
  }
  [[nodiscard]] bool is_share() const noexcept {
    return what_ == figure::errors || what_ == figure::turn_errors;
  }
  [[nodiscard]] protocol::result<void> read_figure(std::string_view name);
  [[nodiscard]] protocol::result<void> read_limit(std::string_view text);
};

/// Nanoseconds in the unit that suits them, with three digits: `4.21ms`.
[[nodiscard]] std::string shown_time(double nanoseconds);

} // namespace convene::host
