#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene::cli {

/// Where a server listens.
struct listen_address {
  std::string address;
  std::uint16_t port = 0;
};

/// `ADDRESS:PORT`, of IPv6 `[ADDRESS]:PORT`.
[[nodiscard]] protocol::result<listen_address>
read_listen_address(std::string_view text);

/// Lowers `connections_max` to what the process's descriptors allow, with a
/// note to the user if that is few: a third of them are for connections.
void fit_connections(std::size_t& connections_max);

} // namespace convene::cli
