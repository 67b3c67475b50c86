#pragma once

#include <convene/lab/simulation/run_seed.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <filesystem>

namespace convene::host {

/// Writes what `convene run --seed` would have left in a folder of its own:
/// scenario, log and, unless `ended` is null, the session's documents.
[[nodiscard]] protocol::result<void>
keep_seed(const std::filesystem::path& folder, const seeded_scenario& scenario,
          std::uint64_t seed, const seed_log& log, const session_result* ended);

} // namespace convene::host
