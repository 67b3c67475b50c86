#pragma once

#include <convene/cli/commands/inbox/inbox_arguments.hpp>
#include <convene/cli/commands/run/trace_arguments.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/sessions/learning_output.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convene::cli {

/// The options of `convene run`, as they were given.
struct run_arguments {
  std::string path;
  std::string out; ///< empty: convene-out/<session id>
  std::string durability = "group";
  host::log_upkeep upkeep;
  std::string profile = "map";
  std::string approval = "auto";
  std::string decisions; ///< file; empty: none
  std::optional<std::uint64_t> seed;
  std::uint32_t instances = 1;
  std::vector<std::string> roles;     ///< agent_role=participant,...
  std::vector<std::string> overrides; ///< key=value
  std::string documents = "ended";
  std::string fail_on; ///< empty: only what ends a session
  std::string store;   ///< empty: none
  learning_arguments learning;
  std::string validation = "boundary";
  bool revalidate = false;
  bool strict = false;
  bool dry_run = false;
  outside_arguments outside;
  trace_arguments trace;
  std::vector<std::string> urls; ///< servers that run it; empty: this process
  std::string cluster;           ///< its database; empty: none
  node_wish where;
  inbox_arguments server; ///< for its key

  [[nodiscard]] bool is_remote() const noexcept {
    return !urls.empty() || !cluster.empty();
  }
};

/// Declares the options of `convene run`.
void add_arguments(const command_line& command, run_arguments& arguments);

/// Refuses, by name, what this version cannot do.
[[nodiscard]] protocol::result<void>
check_supported(const run_arguments& arguments);

/// The pairs of `--roles`. Refuses a role that is assigned twice.
[[nodiscard]] protocol::result<std::map<std::string, std::string>>
assignments(const run_arguments& arguments);

} // namespace convene::cli
