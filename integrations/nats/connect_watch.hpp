#pragma once

#include <chrono>
#include <cstdint>
#include <thread>
#include <unordered_set>

// For sources in this folder only.

namespace convene::host {

/// Bounds the time of `natsConnection_Connect`, on the thread that makes it:
/// libnats 3.4.1 has no bound for the answer to its first PING, and spins until
/// a mute server closes the connection. After `longest` the sockets of this
/// process are shut down that were made since and whose peer has this port.
class connect_watch {
public:
  connect_watch(std::uint16_t port, std::chrono::milliseconds longest);

private:
  void shut_down_new() const;

  std::uint16_t port_;
  std::unordered_set<std::uint64_t> known_; ///< sockets, by their inodes
  std::jthread thread_;
};

} // namespace convene::host
