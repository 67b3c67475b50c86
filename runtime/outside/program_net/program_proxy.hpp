#pragma once

#include <convene/runtime/log/files/descriptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct sockaddr;

namespace convene::host {

/// What sandboxed programs may reach. Called on any thread.
struct proxy_rules {
  /// By name, lower case, IPv6 without brackets.
  std::function<bool(const std::string& host, std::uint16_t port)> may_reach;
  /// By the very address that is connected to.
  std::function<bool(const sockaddr& address)> may_connect;
};

/// Whether programs that may reach a host may connect to this address of it:
/// a public or private one, but none of this machine, whatever its interface,
/// and no link-local, multicast or reserved one.
[[nodiscard]] bool is_beyond_this_machine(const sockaddr& address);

/// An HTTP proxy at this listener: CONNECT, and requests for http:// URLs. It
/// carries at most 64 connections at a time, and all proxies of the process
/// `proxy_connections_max`; others wait. A request for what is not allowed is
/// answered 403. Runs on threads of its own until the last copy
/// of what is returned goes, which ends its connections. Null: there is no room
/// for it.
[[nodiscard]] std::shared_ptr<void> serve_proxy(descriptor listener,
                                                proxy_rules rules);

} // namespace convene::host
