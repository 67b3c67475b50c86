#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/faults/faulty_session.hpp>
#include <convene/lab/simulation/seed_log.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/session/spec/spec.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace convene::host {

/// A scenario as it is for one seed.
struct seeded_scenario {
  session::spec spec;
  boost::json::object aliases; ///< of the ids in its documents
};

/// The rule of the error if a session logs more than a seed may.
inline constexpr std::string_view seed_log_bytes_max = "seed_log_bytes_max";

/// The rule of the error if a run was given up because `stop` was set.
inline constexpr std::string_view seed_interrupted = "seed_interrupted";

/// How a seed's runtime is set up, which is how that of `convene run --seed`
/// is.
[[nodiscard]] runtime_options options_for_seed(const session::spec& what,
                                               std::uint64_t seed);

/// What the draws of simulated participants follow from.
enum class draws_by : std::uint8_t {
  request, ///< as those of `convene run --seed`
  task,    ///< the same for all variants of a session (actors::task_places)
};

/// Runs one session in virtual time, on the calling thread alone, and leaves
/// its events in `log`, which takes at most `bytes_max`. Nothing of it is on
/// disk. Errors are those of `session_handle::await` and the two above.
[[nodiscard]] protocol::result<session_result>
run_seed(const session::spec& what, std::uint64_t seed, std::size_t bytes_max,
         const std::atomic<bool>& stop, seed_log& log,
         draws_by how = draws_by::request);

/// The same under faults: the log is on a disk of its own, which is kept in
/// `log`, too. Besides, errors are those of `run_with_faults`.
[[nodiscard]] faulty_run
run_faulty_seed(const session::spec& what, std::uint64_t seed,
                const fault_spec& faults, std::size_t bytes_max,
                const std::atomic<bool>& stop, seed_log& log);

} // namespace convene::host
