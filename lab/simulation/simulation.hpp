#pragma once

#include <convene/lab/simulation/faults/fault_spec.hpp>
#include <convene/lab/simulation/faults/reached_states.hpp>
#include <convene/lab/simulation/measure.hpp>
#include <convene/lab/simulation/property.hpp>
#include <convene/lab/simulation/run_seed.hpp>
#include <convene/lab/simulation/seed_findings.hpp>
#include <convene/lab/simulation/seed_measures.hpp>
#include <convene/lab/simulation/seed_series.hpp>
#include <convene/protocol/base/error.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

class property_programs;

/// Most seeds of one simulation.
inline constexpr std::uint64_t seeds_max = 1'000'000;

/// Failed seeds whose findings are kept and told, those with the lowest
/// numbers; all are counted.
inline constexpr std::size_t failures_told_max = 100;

/// What became of one seed. The same for the same scenario and seed, whatever
/// else is run.
struct seed_outcome {
  std::uint64_t seed = 0;
  bool has_ended = false; ///< else `findings` says why not
  collab_status status = collab_status::cancelled;
  std::string condition;                    ///< that ended it
  std::array<std::uint8_t, 32> digest = {}; ///< SHA-256 of its events
  /// None: nothing is wrong. Only counted beyond `failures_told_max` seeds.
  seed_findings findings;
  std::vector<std::uint32_t> broken; ///< of the simulation's properties
  seed_measures measures;            ///< once it has ended
  /// How often a fault of each kind happened, and what was reached.
  std::array<std::uint32_t, fault_kinds> faults = {};
  states_reached reached;
  std::vector<std::optional<double>> own_measures; ///< the user's, likewise

  [[nodiscard]] bool has_failed() const noexcept {
    return findings.total != 0;
  }
};

/// Whose run is written to a folder.
enum class kept_seeds : std::uint8_t { failed, all };

/// One scenario under the seeds from `first` to `last`, at most `seeds_max`.
struct simulation {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::size_t threads = 1;
  /// Memory of each thread for the events of its seed.
  std::size_t log_bytes_max = std::size_t{64} << 20;
  /// The scenario for a seed. Called from several threads at once.
  std::function<protocol::result<seeded_scenario>(std::uint64_t seed)> scenario;
  draws_by draws = draws_by::request;
  std::vector<property> properties; ///< judged for each seed
  std::optional<fault_spec> faults; ///< that strike each seed
  std::vector<measure> measures;    ///< the user's own
  /// Gets a row for each turn and each answer to a broadcast; may be null.
  series_file* series = nullptr;
  /// Runs the programs that judge properties; null: there are none.
  std::shared_ptr<property_programs> programs;
  kept_seeds keep = kept_seeds::failed;
  /// Gets a folder for each seed that is kept, named by it; empty: none is.
  std::filesystem::path out;
  /// Called now and then, one call at a time, with how many seeds are done and
  /// how many of them failed.
  std::function<void(std::size_t done, std::size_t failed)> on_progress;
};

/// Runs all seeds, each in an actor system of its own on one thread, checks
/// their logs, and returns what became of them in the order of the seeds. Once
/// `stop` is set, those that have not ended are left out. An error is one of
/// the disk.
[[nodiscard]] protocol::result<std::vector<seed_outcome>>
simulate(const simulation& what, const std::atomic<bool>& stop);

} // namespace convene::host
