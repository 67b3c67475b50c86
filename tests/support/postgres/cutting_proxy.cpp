#include <poll.h>
#include <support/postgres/cutting_proxy.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace convene::tests {
namespace {

constexpr int between_looks = 20; // ms
/// A whole statement.
constexpr std::string_view commit{"COMMIT\0", 7};

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un made{};
  made.sun_family = AF_UNIX;
  std::strncpy(made.sun_path, path.c_str(), sizeof made.sun_path - 1);
  return made;
}

int open_socket(const std::filesystem::path& path, bool listening) {
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto at = address_of(path);
  const auto* const where = reinterpret_cast<const sockaddr*>(&at);
  if (made < 0
      || (listening
            ? ::bind(made, where, sizeof at) != 0 || ::listen(made, 8) != 0
            : ::connect(made, where, sizeof at) != 0))
    throw std::runtime_error{"no socket at " + path.string()};
  return made;
}

/// False: it has ended.
bool pass(int from, int to, std::string& what) {
  std::array<char, 65'536> some{};
  const auto got = ::recv(from, some.data(), some.size(), 0);
  if (got <= 0)
    return false;
  what.assign(some.data(), static_cast<std::size_t>(got));
  return to < 0 || ::send(to, what.data(), what.size(), MSG_NOSIGNAL) == got;
}

} // namespace

cutting_proxy::cutting_proxy(const postgres_server& before)
  : server_{before.socket()} {
  std::string made = "/tmp/convene-pg-XXXXXX";
  if (::mkdtemp(made.data()) == nullptr)
    throw std::runtime_error{"no folder for a proxy"};
  folder_ = made;
  listening_ = open_socket(folder_ / ".s.PGSQL.5432", true);
  thread_ = std::thread{[this] {
    while (!ending_) {
      pollfd ready{.fd = listening_, .events = POLLIN};
      if (::poll(&ready, 1, between_looks) > 0)
        serve(::accept(listening_, nullptr, nullptr));
    }
    ::close(listening_);
  }};
}

cutting_proxy::~cutting_proxy() {
  ending_ = true;
  thread_.join();
  std::filesystem::remove_all(folder_);
}

std::string cutting_proxy::url(const std::string& database) const {
  return "postgres:///" + database + "?host=" + folder_.string()
         + "&user=convene";
}

void cutting_proxy::serve(int client) {
  const int server = open_socket(server_, false);
  std::string bytes;
  for (bool open = true; open && !ending_;) {
    std::array<pollfd, 2> both{pollfd{.fd = client, .events = POLLIN},
                               pollfd{.fd = server, .events = POLLIN}};
    if (::poll(both.data(), both.size(), between_looks) <= 0)
      continue;
    if (both[0].revents != 0) {
      open = pass(client, server, bytes);
      if (open && cut_ && bytes.find(commit) != bytes.npos) {
        open = false;
        pass(server, -1, bytes);
        cut_ = false;
        if (and_close_)
          ending_ = true;
      }
    }
    if (open && both[1].revents != 0)
      open = pass(server, client, bytes);
  }
  ::close(client);
  ::close(server);
}

} // namespace convene::tests
