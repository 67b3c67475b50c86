#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/participants/late_behaviour.hpp>
#include <convene/runtime/outside/participants/people.hpp>
#include <convene/runtime/outside/participants/tool_box.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// {"type": "mcp", ...}; see docs/agents/mcp.md.
struct mcp_settings {
  std::string server; ///< a member of the scenario's `mcp_servers`
  std::string tool;   ///< as the server calls it
  /// What the tool gets. A text "${task}", "${content}" (the dialog's last
  /// entry) or "${resource:TYPE/ID}" anywhere in it stands for a value of the
  /// request.
  protocol::json::object arguments;
  std::int64_t timeout_ms = 300'000; ///< of one attempt
  bool repeatable = false;
  std::int64_t retries = 0;
  std::vector<std::string> approve; ///< patterns; a person approves its calls
};

/// Reads the settings; `pointer` is their place, for errors.
[[nodiscard]] protocol::result<mcp_settings>
read_mcp_settings(const protocol::json::value& from, std::string_view pointer);

/// A tool of an MCP server answers. Each request is one action of kind `mcp`.
/// The text of its answer becomes the reply's content, its structured content
/// the reply's result; the tool's own error a failed reply, `tool_error`.
class mcp_behaviour final : public late_behaviour {
public:
  /// `tools` allows the tool, named SERVER/TOOL. `approvers` approve its calls,
  /// if they are to be.
  mcp_behaviour(mcp_settings how, std::shared_ptr<tool_box> tools,
                std::shared_ptr<people> approvers = {});

  void begin(actors::turn_request asked) override;

private:
  mcp_settings how_;
  std::shared_ptr<tool_box> tools_;
  std::shared_ptr<people> approvers_;
};

/// `arguments` with the values that a request gives; `no_such_resource`.
[[nodiscard]] protocol::result<protocol::json::object>
filled_arguments(const protocol::json::object& arguments,
                 const actors::turn_request& asked);

/// The reply that a tool's answer is.
[[nodiscard]] protocol::reply reply_of_tool(const protocol::action_result& how);

} // namespace convene::host
