#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/lab/simulation/seeded_start.hpp>
#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// What commands take that run a scenario under many seeds.
struct seeded_options {
  host::scenario_input scenario;
  std::string seeds = "1..100";
  std::vector<std::string> stand_ins; ///< ID=BEHAVIOUR
};

/// Declares PATH, --seeds, --stand-in, --set and --strict.
void add_seeded(const command_line& command, seeded_options& into);

/// Reads A..B, or one seed. Rules: `seeds`, `seeds_max`.
[[nodiscard]] protocol::result<host::seed_range>
read_seeds(std::string_view text);

/// Stand-ins as overrides of the scenario, after those that it has.
[[nodiscard]] protocol::result<void>
place_stand_ins(const std::vector<std::string>& given,
                host::scenario_input& into);

/// The error; where it is in an override that a stand-in became, about the
/// stand-in.
[[nodiscard]] protocol::error
as_given(protocol::error why, const std::vector<std::string>& stand_ins);

} // namespace convene::cli
