#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/outside/outside.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// How behaviours that reach outside are checked and made, type by type; for
// sources in this folder only.

namespace convene::host {

class shared_outside;

/// A behaviour's entry in a scenario.
struct outside_entry {
  const protocol::json::value& config;
  std::string_view pointer; ///< where it is
  /// The scenario's MCP servers; null: it has none.
  const protocol::json::object* mcp_servers = nullptr;
};

/// One type of behaviour.
struct outside_type {
  std::string_view name;
  /// Adds what the entry needs; an error if its settings are none, or something
  /// is not there.
  protocol::result<void> (*add)(const outside_entry&, const outside_options&,
                                std::vector<need>&);
  protocol::result<std::unique_ptr<actors::behaviour>> (*make)(
    const outside_entry&, shared_outside&, const actors::behaviour_setup&);
};

/// Null: there is none of this name.
[[nodiscard]] const outside_type* find_outside_type(std::string_view name);

/// An `activation_refused` at an entry.
[[nodiscard]] tl::unexpected<protocol::error>
refused(const outside_entry& at, std::string message, std::string rule);

/// Adds that a program needs its file and these variables. A scenario names no
/// variable that decides what is executed.
[[nodiscard]] protocol::result<void>
add_program(const outside_entry& at, const outside_options& how,
            const std::vector<std::string>& command,
            const std::vector<std::string>& variables,
            const std::string& working_folder, std::vector<need>& to);

} // namespace convene::host
