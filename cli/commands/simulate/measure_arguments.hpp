#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/protocol/base/error.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// What of a simulation is measured and judged besides what always is, as it
/// was given.
struct measure_arguments {
  std::vector<std::string> properties; ///< files
  std::vector<std::string> measures;   ///< NAME=EXPR
  std::vector<std::string> programs;   ///< that judge seeds
  std::string keep;                    ///< failed or all; empty: not given
  std::string fail_on;                 ///< likewise
};

/// Declares --property, --measure, --property-program, --keep and --fail-on.
void add_measures(const command_line& command, measure_arguments& arguments);

/// Sets them in a simulation that has none.
[[nodiscard]] protocol::result<void>
place_measures(const measure_arguments& arguments, host::simulation& into);

/// The words by which a command repeats what is judged.
[[nodiscard]] std::vector<std::string>
property_words(const measure_arguments& arguments);

/// The same with what is measured.
[[nodiscard]] std::vector<std::string>
command_words(const measure_arguments& arguments);

} // namespace convene::cli
