#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/server/http/request.hpp>
#include <convene/server/mcp/mcp_limits.hpp>
#include <convene/server/mcp/rpc_message.hpp>
#include <convene/server/mcp/session_resources.hpp>
#include <convene/server/mcp/tool_book.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace convene::server {

/// An MCP server without a transport: the methods of both eras. It keeps
/// nothing of its clients. Thread-safe.
class mcp_service {
public:
  struct options {
    std::string version; ///< of the program
    std::shared_ptr<const session_access> sessions;
    std::vector<mcp_tool> tools;
    mcp_limits limits = {};
  };

  [[nodiscard]] static protocol::result<std::shared_ptr<mcp_service>>
  open(options how);

  mcp_service(const mcp_service&) = delete;
  mcp_service& operator=(const mcp_service&) = delete;
  /// Stops.
  ~mcp_service();

  /// Answers a request: at once, or on another thread. `stop`: the client does
  /// not wait any more. `then` is called once with the answer's result.
  using outcome = tl::expected<boost::json::object, rpc_fault>;
  void answer(rpc_message asked, const caller& by, std::stop_token stop,
              std::function<void(outcome)> then);

  [[nodiscard]] const mcp_limits& limits() const noexcept {
    return how_.limits;
  }

  /// Cuts all waits short, waits for the calls that are under way, and takes no
  /// more.
  void stop();

private:
  mcp_service(options how, tool_book tools);

  [[nodiscard]] outcome answer_at_once(const rpc_message& asked,
                                       bool is_self_contained) const;
  [[nodiscard]] outcome answer_slowly(const rpc_message& asked,
                                      const caller& by,
                                      const std::stop_token& stop) const;
  [[nodiscard]] outcome initialize(const rpc_message& asked) const;
  [[nodiscard]] outcome discover() const;
  [[nodiscard]] boost::json::object info() const;
  [[nodiscard]] outcome finish(outcome what, const std::string& method,
                               bool is_self_contained) const;

  const options how_;
  const tool_book tools_;
  const session_resources resources_;
  std::stop_source stopping_;
  std::atomic<std::size_t> calls_ = 0; ///< under way
  host::blocking_pool pool_;           ///< goes first
};

} // namespace convene::server
