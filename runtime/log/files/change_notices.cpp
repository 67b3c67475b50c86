#include <convene/runtime/log/files/change_notices.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <system_error>

namespace convene::host {

change_notices::change_notices(bool notified)
  : stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  if (!stop_)
    throw std::system_error(last_error(), "waiting for changes of files");
  if (notified)
    changes_ = descriptor{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
}

std::optional<int> change_notices::add(const std::filesystem::path& folder,
                                       std::uint32_t what) {
  const int number = ::inotify_add_watch(changes_.get(), folder.c_str(), what);
  return number == -1 ? std::nullopt : std::optional{number};
}

bool change_notices::wait(std::chrono::milliseconds longest) const {
  pollfd ready[] = {{stop_.get(), POLLIN, 0}, {changes_.get(), POLLIN, 0}};
  ::poll(ready, changes_ ? 2 : 1, static_cast<int>(longest.count()));
  return changes_ && (ready[1].revents & POLLIN) != 0;
}

void change_notices::take(const visitor& see) {
  alignas(inotify_event) std::array<char, 1 << 14> buffer;
  for (;;) {
    const auto count = ::read(changes_.get(), buffer.data(), buffer.size());
    if (count <= 0)
      return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event head{};
      std::memcpy(&head, buffer.data() + at, sizeof head);
      at += sizeof head;
      const std::string_view padded{buffer.data() + at, head.len};
      see(head.wd, head.mask, padded.substr(0, padded.find('\0')));
      at += head.len;
    }
  }
}

void change_notices::stop() noexcept {
  stopped_ = true;
  ::eventfd_write(stop_.get(), 1);
}

} // namespace convene::host
