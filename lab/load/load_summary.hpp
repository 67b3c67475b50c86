#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/lab/load/load_run.hpp>
#include <convene/protocol/base/error.hpp>

#include <filesystem>

namespace convene::host {

/// What a load came to, as `--json` prints it (docs/load.md). `load` describes
/// the load itself. `good` is whether it is valid, was not cut short, and all
/// assertions hold.
[[nodiscard]] boost::json::object summarise(boost::json::object load,
                                            const load_plan& what,
                                            const load_outcome& outcome);

/// Reads the summary of an earlier load, which is to be the same as `load`
/// describes. Refuses a file that is no summary (`baseline_invalid`), or one of
/// another load (`baseline_differs`).
[[nodiscard]] protocol::result<boost::json::value>
read_baseline(const std::filesystem::path& file,
              const boost::json::object& load);

/// Adds how a summary differs from an earlier one: {tolerance, worse:
/// [{figure, before, now}]}. What is worse by more than the tolerance (0.2 is
/// 20 %) makes it not good.
void compare_with_baseline(boost::json::object& summary,
                           const boost::json::value& earlier, double tolerance);

} // namespace convene::host
