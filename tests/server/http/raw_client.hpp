#pragma once

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace convene::tests {

/// A connection to 127.0.0.1 that sends and takes any bytes.
class raw_client {
public:
  explicit raw_client(std::uint16_t port, int receive_bytes = 0,
                      const char* from = "127.0.0.1") {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_bytes != 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes,
                   sizeof receive_bytes);
    const auto own = place_of(from, 0);
    REQUIRE(::bind(socket_, &own, sizeof own) == 0);
    const auto place = place_of("127.0.0.1", port);
    REQUIRE(::connect(socket_, &place, sizeof place) == 0);
  }
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;
  raw_client(raw_client&& other) noexcept
    : socket_{std::exchange(other.socket_, -1)}, rest_{std::move(other.rest_)} {
  }
  raw_client& operator=(raw_client&&) = delete;
  ~raw_client() {
    hang_up();
  }

  /// False: the server ended the connection before it took them all.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(),
                               MSG_NOSIGNAL);
      if (sent <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void stop_sending() const {
    ::shutdown(socket_, SHUT_WR);
  }

  void hang_up() {
    if (socket_ != -1)
      ::close(std::exchange(socket_, -1));
  }

  /// Ends the connection with a reset.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    hang_up();
  }

  /// Waits for some bytes; false: there are no more.
  bool receive() {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, 120'000) != 1)
      FAIL("nothing came for two minutes");
    char bytes[16'384];
    const auto got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0)
      return false;
    rest_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  /// All that comes until the server ends the connection.
  [[nodiscard]] std::string all() {
    while (receive()) {
    }
    return std::exchange(rest_, {});
  }

  /// What comes up to and with `end`; shorter if the connection ends before.
  [[nodiscard]] std::string until(std::string_view end) {
    for (;;) {
      if (const auto at = rest_.find(end); at != rest_.npos) {
        auto out = rest_.substr(0, at + end.size());
        rest_.erase(0, at + end.size());
        return out;
      }
      if (!receive())
        return std::exchange(rest_, {});
    }
  }

  /// The next answer that has a length.
  [[nodiscard]] std::string answer() {
    auto head = until("\r\n\r\n");
    const auto at = head.find("Content-Length: ");
    if (at == head.npos)
      return head;
    const std::size_t length = std::stoul(head.substr(at + 16));
    while (rest_.size() < length && receive()) {
    }
    head += rest_.substr(0, length);
    rest_.erase(0, length);
    return head;
  }

private:
  static sockaddr place_of(const char* address, std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    ::inet_pton(AF_INET, address, &to.sin_addr);
    sockaddr place{};
    std::memcpy(&place, &to, sizeof place);
    return place;
  }

  int socket_ = -1;
  std::string rest_;
};

/// The number in an answer's first line; 0: it is none.
inline unsigned status_of(std::string_view answer) {
  if (!answer.starts_with("HTTP/1.1 ") || answer.size() < 12)
    return 0;
  return static_cast<unsigned>(std::stoul(std::string{answer.substr(9, 3)}));
}

} // namespace convene::tests
