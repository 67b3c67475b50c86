#pragma once

#include <convene/lab/simulation/scenario_for_seed.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convene::host {

/// The first and the last one.
struct seed_range {
  std::uint64_t first = 1;
  std::uint64_t last = 1;

  [[nodiscard]] std::uint64_t size() const noexcept {
    return last - first + 1;
  }
};

/// Rules: `seeds`, `seeds_max`.
[[nodiscard]] protocol::result<void> check_range(const seed_range& seeds);

/// Whether the scenario of this seed can start, and so those of others, and no
/// participant acts outside of it. `notes` may be null.
[[nodiscard]] protocol::result<seeded_scenario>
check_can_start(const scenario_input& from, std::uint64_t seed,
                std::vector<source_note>* notes = nullptr);

/// How many threads run seeds: no more than there are, as many as the system
/// lets start. `wanted` is 0 for as many as the machine has cores.
[[nodiscard]] protocol::result<std::size_t>
threads_for(std::size_t wanted, const seed_range& seeds);

} // namespace convene::host
