#pragma once

#include <cstdint>
#include <functional>
#include <string>

struct sockaddr;

namespace convene::host {

/// Whom a call is about to connect to.
struct http_peer {
  std::string host; ///< of the URL, lower case; IPv6 in brackets
  std::uint16_t port = 0;
  std::string address;    ///< as text, what `host` was resolved to
  bool is_public = false; ///< see below
};

/// Whether a call may connect. Called on the loop thread with the very address
/// that is connected to; must not block.
using address_policy = std::function<bool(const http_peer&)>;

/// Whether the address is one of the public internet: not loopback, private,
/// shared (100.64/10), link-local, multicast, reserved, unspecified, or an IPv4
/// address in IPv6 clothes.
[[nodiscard]] bool is_public_address(const sockaddr& what) noexcept;

/// The address as text; empty if it is neither IPv4 nor IPv6.
[[nodiscard]] std::string address_text(const sockaddr& what);

} // namespace convene::host
