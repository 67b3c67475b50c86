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

/// Lets the process have as many descriptors as connections want, as far as the
/// system allows.
void allow_descriptors(std::size_t wanted);

} // namespace convene::cli
