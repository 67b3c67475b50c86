#include <convene/cli/commands/serve/service_manager.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <utility>

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

std::jthread keep_watchdog(std::function<bool()> is_well) {
  const char* const asked = std::getenv("WATCHDOG_USEC");
  const std::string_view digits = asked == nullptr ? "" : asked;
  std::int64_t limit = 0;
  const auto read = std::from_chars(digits.data(),
                                    digits.data() + digits.size(), limit);
  if (read.ec != std::errc{} || limit <= 0)
    return {};
  return std::jthread{[is_well = std::move(is_well),
                       pause = std::chrono::microseconds{limit / 3}](
                        const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock{mutex};
    do {
      if (is_well())
        tell_service_manager("WATCHDOG=1");
    } while (!stopped.wait_for(lock, stop, pause,
                               [&] { return stop.stop_requested(); }));
  }};
}

} // namespace convene::cli
