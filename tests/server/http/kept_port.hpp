#pragma once

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace convene::tests {

/// A free port of 127.0.0.1 that stays a server's own while it is not there:
/// bound, but not listened on, it is given to nobody who asks for any port, and
/// a server that reuses addresses can have it.
class kept_port {
public:
  kept_port() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    const int yes = 1;
    REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes)
            == 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    ::inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
    sockaddr place{};
    std::memcpy(&place, &at, sizeof place);
    socklen_t length = sizeof place;
    REQUIRE(::bind(socket_, &place, length) == 0);
    REQUIRE(::getsockname(socket_, &place, &length) == 0);
    std::memcpy(&at, &place, sizeof at);
    number_ = ntohs(at.sin_port);
  }
  kept_port(const kept_port&) = delete;
  kept_port& operator=(const kept_port&) = delete;
  ~kept_port() {
    ::close(socket_);
  }

  [[nodiscard]] std::uint16_t number() const {
    return number_;
  }

private:
  int socket_;
  std::uint16_t number_ = 0;
};

} // namespace convene::tests
