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

class mcp_tools;
class shared_outside;
struct llm_settings;

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

/// Adds the host of a URL, and returns it.
[[nodiscard]] protocol::result<endpoint>
add_url(const outside_entry& at, const std::string& url, std::vector<need>& to);

/// Adds the variable that `member` names, whose value is a key for the host,
/// unless there is none.
[[nodiscard]] protocol::result<void>
add_key(const outside_entry& from, const outside_options& how,
        std::string_view member, const std::string& name, const endpoint& where,
        std::vector<need>& to);

/// The key in a variable, for the host of the URL alone.
[[nodiscard]] std::string key_in(const std::string& name,
                                 const std::string& url, shared_outside& by);

/// Adds what an MCP server of the scenario needs.
[[nodiscard]] protocol::result<void>
add_server(const outside_entry& at, const outside_options& how,
           std::string_view name, std::vector<need>& to);

/// Refuses a participant whose calls a person approves where none is asked.
[[nodiscard]] protocol::result<void>
add_approval(const outside_entry& from, const outside_options& how,
             const std::vector<std::string>& approve);

/// The server whose tools a pattern like "files/*" means.
[[nodiscard]] std::string server_of(std::string_view pattern);

/// The tools that patterns mean; `member` has the patterns.
[[nodiscard]] protocol::result<std::shared_ptr<mcp_tools>>
tools_for(const outside_entry& from, shared_outside& by,
          const actors::behaviour_setup& whose,
          std::vector<std::string> patterns, std::string_view member);

/// Adds that a program needs its file and these variables. A scenario names no
/// variable that decides what is executed.
[[nodiscard]] protocol::result<void>
add_program(const outside_entry& at, const outside_options& how,
            const std::vector<std::string>& command,
            const std::vector<std::string>& variables,
            const std::string& working_folder, std::vector<need>& to);

/// Adds what a model, its tools and its fallbacks need.
[[nodiscard]] protocol::result<void>
add_llm(const outside_entry& from, const outside_options& how,
        const llm_settings& settings, std::vector<need>& to);

[[nodiscard]] protocol::result<std::unique_ptr<actors::behaviour>>
make_llm(const outside_entry& from, shared_outside& by,
         const actors::behaviour_setup& whose, llm_settings&& settings);

} // namespace convene::host
