#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/audit/findings.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// What is wrong with a single agent's events, or with what a server keeps.
struct agent_verdict {
  std::uint64_t events = 0;
  std::size_t runs = 0;        ///< of workflows
  std::size_t runs_judged = 0; ///< by their workflows
  std::size_t findings_total = 0;
  std::vector<placed_finding> findings; ///< the first ones

  void note(placed_finding what);
};

/// What is wrong with an event by its schema; empty: nothing.
[[nodiscard]] std::string event_fault(const protocol::json::value& event);

/// Whether the file is the event log of a single agent's run.
[[nodiscard]] bool is_agent_log(const std::filesystem::path& file);

/// Checks the events of one run: each by its schema (rule `event_schema`), and
/// their order (session/single_agent/agent_order.hpp).
[[nodiscard]] protocol::result<agent_verdict>
check_agent_log(const std::filesystem::path& file, bool allow_unfinished);

/// The same for the run in a folder, and whether the folder has what its
/// session's log makes.
[[nodiscard]] protocol::result<agent_verdict>
check_agent_folder(const std::filesystem::path& folder, bool allow_unfinished);

} // namespace convene::host
