#include <attack/sandbox/listener.hpp>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

namespace convene::test {
namespace {

void open_listener(int file, const auto& at) {
  REQUIRE(bind(file, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(listen(file, 8) == 0);
}

} // namespace

listener::listener(const std::string& path)
  : socket_{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)} {
  sockaddr_un at{.sun_family = AF_UNIX, .sun_path = {}};
  REQUIRE(path.size() < sizeof at.sun_path);
  std::memcpy(at.sun_path, path.data(), path.size());
  open_listener(socket_.get(), at);
}

listener::listener()
  : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)} {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  open_listener(socket_.get(), at);
  socklen_t size = sizeof at;
  getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&at), &size);
  port = ntohs(at.sin_port);
}

bool listener::was_reached() const {
  return host::descriptor{accept(socket_.get(), nullptr, nullptr)}.get() >= 0;
}

host::descriptor listener::wait() const {
  constexpr int some_time_ms = 50;
  pollfd one{socket_.get(), POLLIN, 0};
  poll(&one, 1, some_time_ms);
  return host::descriptor{accept(socket_.get(), nullptr, nullptr)};
}

} // namespace convene::test
