#pragma once

#include <convene/cli/commands/run/scenario_for_seed.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// What commands take that run a scenario under many seeds.
struct seeded_options {
  scenario_file scenario;
  std::string seeds = "1..100";
  std::vector<std::string> stand_ins; ///< ID=BEHAVIOUR
};

/// Declares PATH, --seeds, --stand-in, --set and --strict.
void add_seeded(const command_line& command, seeded_options& into);

/// The first and the last one.
struct seed_range {
  std::uint64_t first = 1;
  std::uint64_t last = 1;

  [[nodiscard]] std::uint64_t size() const noexcept {
    return last - first + 1;
  }
};

/// Reads A..B, or one seed. Rules: `seeds`, `seeds_max`.
[[nodiscard]] protocol::result<seed_range> read_seeds(std::string_view text);

/// Stand-ins as overrides of the scenario, after those that it has.
[[nodiscard]] protocol::result<void>
place_stand_ins(const std::vector<std::string>& given, scenario_file& into);

/// The error; where it is in an override that a stand-in became, about the
/// stand-in.
[[nodiscard]] protocol::error
as_given(protocol::error why, const std::vector<std::string>& stand_ins);

/// Whether the scenario of this seed can start, and so those of others; nobody
/// acts outside of it. `notes` may be null.
[[nodiscard]] protocol::result<host::seeded_scenario>
check_can_start(const scenario_file& from, std::uint64_t seed,
                std::vector<host::source_note>* notes = nullptr);

/// How many threads run seeds: no more than there are, as many as the system
/// lets start.
[[nodiscard]] protocol::result<std::size_t>
threads_for(const common_options& common, const seed_range& seeds);

} // namespace convene::cli
