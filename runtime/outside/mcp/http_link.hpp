#pragma once

#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/runtime/outside/http/sse_reader.hpp>
#include <convene/runtime/outside/mcp/connection.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// For sources in this folder only.

namespace convene::host {

/// Where a server is reached by HTTP, and with which headers besides MCP's own.
struct mcp_address {
  std::string url;
  std::vector<http_header> headers;
};

/// A connection to an MCP server by Streamable HTTP: each message is a POST,
/// and its answer a JSON body or a stream of events. What a request fails with
/// besides a connection's failures: the codes of `http_answer`, and
/// `connection_lost` for a stream that ends without an answer. Used on the
/// client's loop thread; hold it by std::shared_ptr.
class mcp_http_link : public std::enable_shared_from_this<mcp_http_link> {
public:
  static constexpr std::size_t message_bytes_max = std::size_t{16} << 20;
  static constexpr std::size_t stream_bytes_max = std::size_t{64} << 20;
  static constexpr std::int64_t retry_ms_max = 60'000;
  static constexpr unsigned resumes_max = 100; ///< of one request's stream
  static constexpr unsigned moves_max = 3;     ///< redirects within the origin

  /// Begins a connection.
  [[nodiscard]] static std::shared_ptr<mcp_http_link>
  open(std::string name, mcp_address where, std::shared_ptr<http_client> by,
       std::int64_t timeout_ms, bool is_older);

  [[nodiscard]] mcp_connection& connection() noexcept {
    return *connection_;
  }
  /// Whether the server was found to be of the older era.
  [[nodiscard]] bool is_older() const noexcept {
    return is_older_;
  }

  /// Ends it: requests fail, and the server's session is deleted. `parting` is
  /// kept until that is done.
  void leave(std::shared_ptr<void> parting);

private:
  struct message;
  struct exchange;

  mcp_http_link(mcp_address where, std::shared_ptr<http_client> by)
    : where_{std::move(where)}, by_{std::move(by)} {
    // nop
  }

  bool send(const mcp_outgoing& what);
  void drop(std::int64_t id);
  void post(message what);
  void begin(const std::shared_ptr<exchange>& what, http_request request);
  void resume(const std::shared_ptr<exchange>& what);
  [[nodiscard]] http_request request_for(const exchange& what) const;
  bool take_data(exchange& what, std::string_view data);
  void take_end(const std::shared_ptr<exchange>& what, http_answer how);
  void take_failure(const std::shared_ptr<exchange>& what, http_answer how);
  void take_body(const exchange& what, std::string_view body);
  bool move(const std::shared_ptr<exchange>& what, int status);
  void release();

  mcp_address where_;
  std::shared_ptr<http_client> by_;
  std::unique_ptr<mcp_connection> connection_;
  std::string session_;
  std::string version_; // of the last message
  std::map<std::uint64_t, std::shared_ptr<exchange>> exchanges_;
  std::uint64_t last_exchange_ = 0;
  /// A server may refuse what overtakes the end of its initialization.
  bool is_holding_ = false;
  std::deque<message> waiting_;
  unsigned moves_ = 0;
  bool is_older_ = false;
};

} // namespace convene::host
