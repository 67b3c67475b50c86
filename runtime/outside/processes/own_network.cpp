#include <arpa/inet.h>
#include <convene/runtime/outside/processes/own_network.hpp>
#include <convene/runtime/outside/processes/program.hpp>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace convene::host {
namespace {

bool write_text(const char* file, const char* text) noexcept {
  const int to = open(file, O_WRONLY | O_CLOEXEC);
  if (to < 0)
    return false;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const bool is_done = write(to, text, std::strlen(text)) == size;
  close(to);
  return is_done;
}

bool enter_network(const launch& what) noexcept {
  if (what.user_map == nullptr)
    return unshare(CLONE_NEWNET) == 0;
  return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0
         && write_text("/proc/self/setgroups", "deny")
         && write_text("/proc/self/uid_map", what.user_map)
         && write_text("/proc/self/gid_map", what.group_map);
}

bool start_loopback(int by) noexcept {
  ifreq which{};
  which.ifr_name[0] = 'l';
  which.ifr_name[1] = 'o';
  if (ioctl(by, SIOCGIFFLAGS, &which) != 0)
    return false;
  which.ifr_flags = static_cast<short>(which.ifr_flags | IFF_UP);
  return ioctl(by, SIOCSIFFLAGS, &which) == 0;
}

} // namespace

int make_network(const launch& what) noexcept {
  if (!enter_network(what))
    return -1;
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                          0);
  if (made < 0)
    return -1;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(network_door_port);
  constexpr int waiting_max = 64;
  if (start_loopback(made)
      && bind(made, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0
      && listen(made, waiting_max) == 0)
    return made;
  close(made);
  return -1;
}

} // namespace convene::host
