#include <arpa/inet.h>
#include <convene/integrations/nats/connect_watch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>

namespace convene::host {
namespace {

constexpr std::chrono::milliseconds again{200};

/// Calls `each` with the file descriptor and the inode of every socket.
template <class Each>
void visit_sockets(Each&& each) {
  namespace fs = std::filesystem;
  std::error_code failed;
  for (fs::directory_iterator at{"/proc/self/fd", failed}, end;
       !failed && at != end; at.increment(failed)) {
    const auto name = at->path().filename().string();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    struct stat found {};
    if (::fstat(number, &found) == 0 && S_ISSOCK(found.st_mode))
      each(number, std::uint64_t{found.st_ino});
  }
}

/// The port of its TCP peer, if it has one.
std::optional<std::uint16_t> peer_port(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0)
    return std::nullopt;
  if (peer.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in&>(peer).sin_port);
  if (peer.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6&>(peer).sin6_port);
  return std::nullopt;
}

} // namespace

connect_watch::connect_watch(std::uint16_t port,
                             std::chrono::milliseconds longest)
  : port_{port} {
  visit_sockets([this](int, std::uint64_t inode) { known_.insert(inode); });
  thread_ = std::jthread{[this, longest](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock held{mutex};
    std::condition_variable_any ended;
    for (auto pause = longest;; pause = again) {
      ended.wait_for(held, stop, pause, [] { return false; });
      if (stop.stop_requested())
        return;
      shut_down_new();
    }
  }};
}

void connect_watch::shut_down_new() const {
  visit_sockets([this](int socket, std::uint64_t inode) {
    if (!known_.contains(inode) && peer_port(socket) == port_)
      ::shutdown(socket, SHUT_RDWR);
  });
}

} // namespace convene::host
