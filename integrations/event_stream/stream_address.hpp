#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// A stream of a NATS server.
struct stream_address {
  bool is_secure = false; ///< TLS
  std::string host;       ///< a name or an address, without brackets
  std::uint16_t port = 4222;
  std::string stream;

  /// "nats://127.0.0.1:4222", or tls.
  [[nodiscard]] std::string server() const;

  friend bool operator==(const stream_address&, const stream_address&)
    = default;
};

/// Reads "nats://HOST[:PORT]/STREAM" or "tls://...". Rule `events_to`; no
/// message repeats a user's name or password, which are refused here.
[[nodiscard]] protocol::result<stream_address>
read_stream_address(std::string_view url);

} // namespace convene::host
