#pragma once

#include <convene/lab/load/assertion.hpp>
#include <convene/lab/load/generator.hpp>
#include <convene/lab/load/load_recorder.hpp>
#include <convene/lab/load/load_series.hpp>
#include <convene/lab/load/load_shape.hpp>
#include <convene/lab/load/pacer.hpp>
#include <convene/lab/load/runtime_target.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/client/client.hpp>
#include <convene/runtime/runtime.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convene::host {

/// A load: which sessions, how many, for how long, and on what.
struct load_plan {
  std::vector<load_stage> stages; ///< without the warm-up
  load_time warm_up{};            ///< at the level of the first stage
  load_time drain = std::chrono::seconds{10};
  std::size_t open_max = 100'000;
  std::vector<load_kind> kinds;   ///< one at least
  std::vector<std::size_t> cycle; ///< of the kinds, over and over
  /// Makes the sessions; unset: they are those of the kinds.
  session_maker make;
  /// When sessions start, instead of the stages' levels; empty: by these.
  std::vector<load_time> starts;
  bool ends_with_last = false; ///< of these sessions
  std::uint64_t texts_cut = 0; ///< of a trace
  runtime_options runtime;
  /// Where they run instead of this process, in turn: servers, or nodes of a
  /// cluster, where another one follows a session if one is lost.
  std::vector<client_options> servers;
  std::size_t connections
    = 64; ///< to all of them, at most `load_connections_max`
  std::vector<load_assertion> assertions;
  bool abort_on_fail = false;
  bool fails_on_turns = false; ///< a failed turn makes the load fail
  /// Called about once a second.
  std::function<void(load_time now, const load_figures& so_far)> on_progress;
};

inline constexpr std::size_t load_servers_max = 100;

/// Sessions that have to have ended before a failing assertion ends a load.
inline constexpr std::uint64_t abort_after_sessions = 100;

/// Open sessions below which memory says nothing about one of them.
inline constexpr std::size_t memory_sessions_min = 100;

/// The memory of this process when most sessions were open.
struct load_memory {
  std::uint64_t before_bytes = 0; ///< resident, before the first session
  std::uint64_t bytes = 0;        ///< resident, with `open` sessions
  std::size_t open = 0;
};

/// What a load came to.
struct load_outcome {
  load_course course;
  std::unique_ptr<load_figures> total;
  std::vector<std::unique_ptr<load_figures>> kinds;
  std::vector<std::unique_ptr<load_figures>> stages;
  load_rates rates;
  reason_counts session_errors;
  reason_counts turn_errors;
  std::uint64_t turns_failed = 0;   ///< also of what is not measured
  std::uint64_t writes_refused = 0; ///< likewise
  std::uint64_t unfinished = 0;
  load_memory memory;
  double cpu_seconds = 0; ///< of this process, during what was measured
  double generator_cpu_seconds = 0;
  std::vector<load_second> seconds;
  std::string csv;

  /// Whether the generator was late by more than a tenth of what it measured,
  /// by the 99th percentiles, or left sessions out.
  [[nodiscard]] bool generator_was_late() const;
};

/// Carries out a load, on the calling thread and those of the runtime. Once
/// `stop` is set it ends early. Errors are those of opening the runtime, its
/// log, or the client.
[[nodiscard]] protocol::result<load_outcome>
run_load(const load_plan& what, const std::atomic<bool>& stop);

} // namespace convene::host
