#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// What a client asks a proxy for.
struct proxy_request {
  std::string host; ///< lower case, IPv6 without brackets
  std::uint16_t port = 0;
  bool is_tunnel = false; ///< CONNECT
  std::string head;       ///< for the server; empty for a tunnel
};

/// Reads a request's head, up to and with the empty line. The head for the
/// server has no headers that are for the proxy, and closes its connection
/// after the answer.
[[nodiscard]] protocol::result<proxy_request>
read_proxy_request(std::string_view head);

} // namespace convene::host
