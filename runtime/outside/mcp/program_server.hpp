#pragma once

#include <convene/runtime/outside/mcp/server.hpp>
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
/// like that from then on. Further failures: `server_died`.
class mcp_program final : public mcp_server {
public:
  static constexpr unsigned deaths_max = 3;
  /// How long it has to end by itself once its input is closed.
  static constexpr std::int64_t close_ms = 2000;

  /// `what` is what `program_for` made, confined or not. `timeout_ms`: of each
  /// request, and of its beginning.
  mcp_program(std::string name, program what, std::int64_t timeout_ms,
              std::shared_ptr<processes> on);
  ~mcp_program() override;

private:
  /// One run of the program. Used on the loop's thread.
  struct run {
    std::shared_ptr<line_program> program;
    std::unique_ptr<mcp_connection> connection;
  };

  void post(std::function<void()> job) override;
  std::shared_ptr<mcp_connection>
  current(mcp_connection::failure& why) override;
  void note_answer() override {
    deaths_ = 0;
  }

  [[nodiscard]] std::weak_ptr<mcp_program> weak_self() {
    return std::static_pointer_cast<mcp_program>(shared_from_this());
  }
  std::shared_ptr<run> start();
  void start_program(const std::shared_ptr<run>& of);
  void take_end(const std::shared_ptr<run>& of, const program_end& how);

  const program what_;
  const std::shared_ptr<processes> on_;
  // Used on the loop's thread alone:
  std::shared_ptr<run> run_;
  bool is_older_ = false;
  unsigned deaths_ = 0;
  mcp_connection::failure last_death_;
};

} // namespace convene::host
