#pragma once

#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/runtime/outside/http/parting_calls.hpp>
#include <convene/runtime/outside/mcp/server.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convene::host {

class mcp_http_link;

/// An MCP server that is reached by Streamable HTTP: connected when it is first
/// needed, and again when the connection was of no use. Its session ends with
/// it. Further failures of its requests: those of `mcp_http_link`.
class mcp_endpoint final : public mcp_server {
public:
  /// `headers` are sent with each request besides MCP's own. `partings` are
  /// told of the session's end.
  mcp_endpoint(std::string name, std::string url,
               std::vector<http_header> headers, std::int64_t timeout_ms,
               std::shared_ptr<http_client> by,
               std::shared_ptr<parting_calls> partings);
  ~mcp_endpoint() override;

private:
  void post(std::function<void()> job) override;
  std::shared_ptr<mcp_connection>
  current(mcp_connection::failure& why) override;

  const std::string url_;
  const std::vector<http_header> headers_;
  const std::shared_ptr<http_client> by_;
  const std::shared_ptr<parting_calls> partings_;
  std::shared_ptr<mcp_http_link> link_; // used on the loop's thread alone
};

} // namespace convene::host
