#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/mcp/server.hpp>
#include <convene/runtime/outside/participants/tool_box.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The MCP servers of a run, by name. They end when the last one goes that uses
/// them.
using mcp_servers
  = std::map<std::string, std::shared_ptr<mcp_server>, std::less<>>;

/// Tools of MCP servers, named SERVER/TOOL, as far as patterns allow them:
/// "files/read_file", or "files/*" and "files/read_*". Thread-safe.
class mcp_tools final : public tool_box {
public:
  /// Refuses, as `invalid_document` at `pointer`, a pattern that is none or
  /// names a server that is not there.
  [[nodiscard]] static protocol::result<std::shared_ptr<mcp_tools>>
  make(mcp_servers servers, std::vector<std::string> patterns,
       std::string_view pointer);

  /// Errors: `unsupported`, with the server's failure as its rule, and
  /// `no_such_tool` for a name without `*` that its server does not have.
  void list(when_listed then) override;

  /// Fails as `tool_not_allowed` where no pattern allows the tool; else see
  /// `mcp_server::call`.
  actors::cancel_function
  call(std::string_view name, const protocol::json::object& arguments,
       const actors::attempt& which, actors::when_acted then) override;

private:
  mcp_tools(mcp_servers servers, std::vector<std::string> patterns)
    : servers_{std::move(servers)}, patterns_{std::move(patterns)} {
    // nop
  }

  const mcp_servers servers_;
  const std::vector<std::string> patterns_;
};

} // namespace convene::host
