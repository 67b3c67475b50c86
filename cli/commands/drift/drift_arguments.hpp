#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convene::cli {

/// What `convene drift` was asked for.
struct drift_arguments {
  std::string path;
  std::string files;
  std::vector<std::string> exclude;
  std::string record;
  std::string reconcile;
  std::string log;
  std::string events;
  std::uint64_t poll_ms = 0; ///< 0: notified by the system
  bool added = false;
  bool watch = false;
  bool git = false;
  std::string since;
};

/// Declares `--exclude PATTERN`, which may be given again.
void add_exclude(const command_line& command, std::vector<std::string>& into);

/// Declares the options. `into` must outlive the parsing.
void declare(const command_line& command, drift_arguments& into);

/// A folder alone that is no run's but a Git working tree means the tree.
[[nodiscard]] drift_arguments as_meant(drift_arguments arguments);

/// Refuses options that do not go together.
[[nodiscard]] protocol::result<void> check(const drift_arguments& arguments);

} // namespace convene::cli
