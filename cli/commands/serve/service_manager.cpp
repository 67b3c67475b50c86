#include <convene/cli/commands/serve/service_manager.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace convene::cli {

void tell_service_manager(std::string_view state) {
  const char* const named = std::getenv("NOTIFY_SOCKET");
  const std::string_view path = named == nullptr ? "" : named;
  sockaddr_un to{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.empty() || path.size() >= sizeof to.sun_path)
    return;
  std::ranges::copy(path, to.sun_path);
  if (path.front() == '@') // an abstract address
    to.sun_path[0] = '\0';
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0)
    return;
  const auto size = offsetof(sockaddr_un, sun_path) + path.size();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the API's
  const auto* const address = reinterpret_cast<const sockaddr*>(&to);
  static_cast<void>(::sendto(socket, state.data(), state.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL, address,
                             static_cast<socklen_t>(size)));
  ::close(socket);
}

} // namespace convene::cli
