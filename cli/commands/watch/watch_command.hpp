#pragma once

#include <convene/cli/common/options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convene::cli {

/// The options of `convene watch`, as they were given.
struct watch_arguments {
  std::string files; ///< a folder; empty: none
  std::vector<std::string> exclude;
  std::string git;  ///< a folder of a repository; empty: none
  std::string drop; ///< a folder; empty: none
  std::string log;
  std::string source = "convene-watch";
  std::uint64_t poll_ms = 1'000;
  bool once = false;
};

/// Writes what happens outside to the log until it is interrupted, or once.
/// Returns the exit code.
[[nodiscard]] int watch_outside(const watch_arguments& arguments,
                                const common_options& common);

} // namespace convene::cli
