#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/scenario_for_seed.hpp>
#include <convene/lab/simulation/shrink.hpp>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::cli {

/// How `convene simulate --shrink` was called.
struct shrink_arguments {
  bool is_wanted = false;
  std::size_t runs = 2'000;
};

/// Makes a seed that failed as small as it can be, and writes what is left to
/// `scenario.json` and `faults.json` in `folder`. Returns {seed, rule, message,
/// runs, minimal, faults, command}, where the command has `words` behind the
/// two files, or {seed, error: {code, message}}.
[[nodiscard]] boost::json::object
shrink_to(const std::filesystem::path& folder, const shrink_arguments& how,
          const host::simulation& what, std::uint64_t seed,
          const host::scenario_input& from,
          const std::vector<std::string>& words, const std::atomic<bool>& stop);

/// The same for people; empty: the summary has none.
[[nodiscard]] std::string shrunk_text(const boost::json::object& summary);

} // namespace convene::cli
