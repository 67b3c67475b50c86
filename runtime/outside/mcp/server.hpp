#pragma once

#include <convene/protocol/documents/trace_context.hpp>
#include <convene/runtime/outside/mcp/connection.hpp>
#include <convene/runtime/outside/processes/processes.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace convene::host {

/// A program that is an MCP server: started when it is first needed, shared by
/// all that need it, and started again after it died, `deaths_max` times in a
/// row without an answer in between. One that dies when it is asked for its era
/// is started once more and initialized. A server that was initialized begins
/// like that from then on. Thread-safe; hold it by std::shared_ptr.
class mcp_server : public std::enable_shared_from_this<mcp_server> {
public:
  static constexpr unsigned deaths_max = 3;
  /// How long it has to end by itself once its input is closed.
  static constexpr std::int64_t close_ms = 2000;

  /// `what` is what `program_for` made, confined or not. `timeout_ms`: of each
  /// request, and of its beginning.
  mcp_server(std::string name, program what, std::int64_t timeout_ms,
             std::shared_ptr<processes> on);
  ~mcp_server();

  [[nodiscard]] const std::string& name() const noexcept {
    return name_;
  }

  /// As `mcp_connection::list`. `then` is called on the loop's thread.
  void list(mcp_connection::when_listed then);

  /// Calls a tool by its own name. The output is as in `tool_box::call`; its
  /// failures besides those of a connection: `server_died`. Returns what
  /// cancels it. `trace` is in the request's `_meta`, unless it is empty.
  std::function<void()> call(std::string tool, protocol::json::object arguments,
                             std::int64_t timeout_ms,
                             std::function<void(protocol::action_result)> then,
                             const protocol::trace_context& trace = {});

private:
  /// One run of the program. Used on the loop's thread.
  struct run {
    std::shared_ptr<line_program> program;
    std::unique_ptr<mcp_connection> connection;
  };

  std::shared_ptr<run> current();
  std::shared_ptr<run> start();
  void start_program(const std::shared_ptr<run>& of);
  void take_end(const std::shared_ptr<run>& of, const program_end& how);

  const std::string name_;
  const program what_;
  const std::int64_t timeout_ms_;
  const std::shared_ptr<processes> on_;
  // Used on the loop's thread alone:
  std::shared_ptr<run> run_;
  bool is_older_ = false;
  unsigned deaths_ = 0;
  mcp_connection::failure last_death_;
};

} // namespace convene::host
