#include <convene/lab/load/load_series.hpp>
#include <convene/lab/load/process_use.hpp>
#include <fmt/format.h>

#include <utility>

namespace convene::host {
namespace {

std::string in_milliseconds(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{:.3f}", static_cast<double>(*value) / 1e6)
               : std::string{};
}

} // namespace

load_series::load_series(load_time from)
  : before_{std::make_unique<load_figures>()}, at_{from},
    cpu_{process_cpu_seconds()} {}

void load_series::add(load_time now, std::size_t open,
                      std::unique_ptr<load_figures> all) {
  if (now <= at_) {
    cpu_ = process_cpu_seconds();
    return;
  }
  const auto seconds = std::chrono::duration<double>(now - at_).count();
  constexpr double shortest = 0.5; // rates of less say nothing
  if (seconds < shortest) {
    if (seconds_.empty())
      cpu_ = process_cpu_seconds();
    return;
  }
  const auto rate = [&](load_tally what) {
    return static_cast<double>(all->of(what) - before_->of(what)) / seconds;
  };
  const auto quantile = [&](load_measure what, double share) {
    return all->of(what).since(before_->of(what)).quantile(share);
  };
  const auto cpu = process_cpu_seconds();
  seconds_.push_back(
    {.at = std::chrono::duration<double>(now).count(),
     .open = open,
     .sessions = rate(load_tally::completed) + rate(load_tally::cancelled),
     .turns = rate(load_tally::turns),
     .events = rate(load_tally::events),
     .bytes = rate(load_tally::bytes),
     .wrong = rate(load_tally::cancelled) + rate(load_tally::failed),
     .session_p50 = quantile(load_measure::session, 0.5),
     .session_p99 = quantile(load_measure::session, 0.99),
     .turn_p50 = quantile(load_measure::turn, 0.5),
     .turn_p99 = quantile(load_measure::turn, 0.99),
     .lag_p99 = quantile(load_measure::lag, 0.99),
     .memory_bytes = resident_bytes(),
     .cores = (cpu - cpu_) / seconds});
  before_ = std::move(all);
  at_ = now;
  cpu_ = cpu;
}

std::string load_series::csv() const {
  std::string all = "second,open,sessions_a_second,turns_a_second,events_a_"
                    "second,bytes_a_second,wrong_a_second,session_p50_ms,"
                    "session_p99_ms,turn_p50_ms,turn_p99_ms,lag_p99_ms,"
                    "memory_bytes,cores\n";
  for (const auto& one : seconds_)
    all += fmt::format(
      "{:.3f},{},{:.1f},{:.1f},{:.1f},{:.0f},{:.1f},{},{},{},{},{},{},{:.2f}\n",
      one.at, one.open, one.sessions, one.turns, one.events, one.bytes,
      one.wrong, in_milliseconds(one.session_p50),
      in_milliseconds(one.session_p99), in_milliseconds(one.turn_p50),
      in_milliseconds(one.turn_p99), in_milliseconds(one.lag_p99),
      one.memory_bytes, one.cores);
  return all;
}

} // namespace convene::host
