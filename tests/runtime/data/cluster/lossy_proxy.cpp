#include <poll.h>
#include <runtime/data/cluster/lossy_proxy.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace convene::tests {
namespace {

constexpr std::string_view socket_name = ".s.PGSQL.5432";

int open_socket(const std::filesystem::path& at, bool listens) {
  sockaddr_un where{.sun_family = AF_UNIX, .sun_path = {}};
  std::ranges::copy(at.native(), where.sun_path);
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto* const address = reinterpret_cast<const sockaddr*>(&where);
  const bool done = listens ? ::bind(made, address, sizeof where) == 0
                                && ::listen(made, 64) == 0
                            : ::connect(made, address, sizeof where) == 0;
  if (done)
    return made;
  ::close(made);
  return -1;
}

} // namespace

lossy_proxy::lossy_proxy(const std::string& server) {
  std::string made = "/tmp/convene-cut-XXXXXX";
  if (::mkdtemp(made.data()) == nullptr)
    throw std::runtime_error{"no folder for the proxy"};
  folder_ = made;
  const auto host = server.find("host=") + 5;
  const auto end = std::min(server.find('&', host), server.size());
  target_ = std::filesystem::path{server.substr(host, end - host)}
            / socket_name;
  url_ = server.substr(0, host) + made + server.substr(end);
  listener_ = open_socket(folder_ / socket_name, true);
  if (listener_ < 0)
    throw std::runtime_error{"the proxy cannot listen"};
  acceptor_ = std::jthread{[this] { accept_all(); }};
}

lossy_proxy::~lossy_proxy() {
  ends_ = true;
  cut();
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock{mutex_};
    for (const auto& one : links_)
      ::shutdown(one->server, SHUT_RDWR);
  }
  carriers_.clear();
  ::close(listener_);
  for (const auto& one : links_) {
    ::close(one->client);
    ::close(one->server);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void lossy_proxy::cut() {
  const std::lock_guard lock{mutex_};
  left_ = unlimited;
  for (const auto& one : links_)
    ::shutdown(one->client, SHUT_RDWR);
}

void lossy_proxy::accept_all() {
  while (!ends_) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
      return;
    const int server = open_socket(target_, false);
    if (server < 0) { // it is down
      ::close(client);
      continue;
    }
    const std::lock_guard lock{mutex_};
    auto one = std::make_shared<link>(link{client, server});
    links_.push_back(one);
    carriers_.emplace_back([this, one] { carry(one); });
  }
}

void lossy_proxy::carry(const std::shared_ptr<link>& one) {
  std::array<pollfd, 2> both{pollfd{one->client, POLLIN, 0},
                             pollfd{one->server, POLLIN, 0}};
  std::array<char, 4096> bytes{};
  while (::poll(both.data(), both.size(), -1) > 0) {
    for (const std::size_t from : {0U, 1U}) {
      if (both[from].revents == 0)
        continue;
      auto size = ::read(both[from].fd, bytes.data(), bytes.size());
      const bool is_answer = from == 1;
      if (size <= 0) {
        if (is_answer) {
          ::shutdown(one->client, SHUT_RDWR);
          return;
        }
        // The client is cut off: its statement ends when the server is done.
        both[0].fd = -1;
        continue;
      }
      if (is_answer && left_ != unlimited && (left_ -= size) < 0) {
        left_ = unlimited;
        ::shutdown(one->client, SHUT_RDWR);
        both[0].fd = -1;
        continue;
      }
      static_cast<void>(
        ::send(both[1 - from].fd < 0 ? one->client : both[1 - from].fd,
               bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL));
    }
  }
}

} // namespace convene::tests
