#pragma once

#include <convene/protocol/documents/trace_context.hpp>
#include <convene/runtime/outside/mcp/connection.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace convene::host {

/// An MCP server that is shared by all that need it, whatever its transport.
/// Thread-safe; hold it by std::shared_ptr.
class mcp_server : public std::enable_shared_from_this<mcp_server> {
public:
  mcp_server(const mcp_server&) = delete;
  mcp_server& operator=(const mcp_server&) = delete;
  virtual ~mcp_server() = default;

  [[nodiscard]] const std::string& name() const noexcept {
    return name_;
  }

  /// As `mcp_connection::list`. `then` is called on the loop's thread.
  void list(mcp_connection::when_listed then);

  /// Calls a tool by its own name. The output is as in `tool_box::call`; its
  /// failures besides those of a connection are those of its transport. Returns
  /// what cancels it. `trace` is in the request's `_meta`, unless it is empty.
  std::function<void()> call(std::string tool, protocol::json::object arguments,
                             std::int64_t timeout_ms,
                             std::function<void(protocol::action_result)> then,
                             const protocol::trace_context& trace = {});

protected:
  /// `timeout_ms`: of each request, and of its beginning.
  mcp_server(std::string name, std::int64_t timeout_ms)
    : name_{std::move(name)}, timeout_ms_{timeout_ms} {
    // nop
  }

  [[nodiscard]] std::int64_t timeout_ms() const noexcept {
    return timeout_ms_;
  }

  /// Runs a job on the loop's thread, where connections are used.
  virtual void post(std::function<void()> job) = 0;

  /// The connection that requests go to, on the loop's thread; null: there is
  /// none, for the reason that is put into `why`.
  virtual std::shared_ptr<mcp_connection> current(mcp_connection::failure& why)
    = 0;

  /// A request was answered. Called on the loop's thread.
  virtual void note_answer() {
    // nop
  }

private:
  const std::string name_;
  const std::int64_t timeout_ms_;
};

} // namespace convene::host
