#pragma once

#include <convene/lab/load/load_recorder.hpp>
#include <convene/lab/load/load_target.hpp>
#include <convene/lab/load/pacer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// What the generator does.
struct load_schedule {
  std::vector<load_time> stage_ends; ///< after the warm-up; one at least
  load_time warm_up{};
  /// How long sessions that run when the last stage ends may go on.
  load_time drain = std::chrono::seconds{10};
  std::function<std::size_t(std::uint64_t number)> kind_of;
  std::size_t open_max = 100'000; ///< sessions that have not ended
  /// Whether all is over once no session is left that is to start or to end.
  bool ends_with_last = false;
  /// Called about once a second, when the warm-up is over, and before the
  /// drain; a text ends the load for that reason.
  std::function<std::string(load_time now, std::size_t open)> on_second;
};

/// How a load ended.
struct load_course {
  std::uint64_t started = 0; ///< warm-up included
  std::size_t open_most = 0;
  load_time measured{}; ///< how long
  bool interrupted = false;
  /// Even after the drain there were sessions that an open loop should have
  /// started before its end.
  bool left_some_out = false;
  std::string aborted; ///< by `on_second`, or a bound; empty: it was not
};

/// The rule of a load that was ended because more than `open_max` sessions had
/// not ended.
inline constexpr std::string_view sessions_open_max = "sessions_open_max";

/// Starts sessions as `pace` says until the last stage is over or `stop` is
/// set, then waits for the rest, and records each start, lag and end. Uses no
/// clock but the target's.
[[nodiscard]] load_course generate(const load_schedule& how, pacer& pace,
                                   load_target& target, load_recorder& recorder,
                                   const std::atomic<bool>& stop);

} // namespace convene::host
