#include <convene/integrations/drift/folder_watch.hpp>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using std::chrono::milliseconds;

/// As often if the system does not notify.
constexpr milliseconds poll_otherwise{1'000};
/// A program that saves a file makes several changes in a row.
constexpr milliseconds quiet_for{200};
constexpr milliseconds quiet_at_last{2'000};

constexpr std::uint32_t watched = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE
                                  | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
                                  | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
                                  | IN_DONT_FOLLOW;

} // namespace

folder_watch::folder_watch(std::filesystem::path root,
                           std::optional<milliseconds> poll)
  : root_{std::move(root)}, poll_{poll.value_or(poll_otherwise)} {
  stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_ == -1)
    throw std::system_error(errno, std::generic_category(), "watching files");
  if (!poll)
    changes_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

folder_watch::~folder_watch() {
  give_up();
  ::close(stop_);
}

void folder_watch::give_up() {
  if (changes_ != -1)
    ::close(std::exchange(changes_, -1));
  folders_.clear();
}

void folder_watch::cover(const std::set<std::string>& folders) {
  for (const auto& folder : folders) {
    if (changes_ == -1)
      return;
    const auto path = folder.empty() ? root_ : root_ / folder;
    const int number = ::inotify_add_watch(changes_, path.c_str(), watched);
    if (number != -1)
      folders_.insert_or_assign(number, folder);
    else if (errno == ENOSPC || errno == ENOMEM)
      give_up();
  }
}

bool folder_watch::sleep(milliseconds longest) const {
  pollfd ready[] = {{stop_, POLLIN, 0}, {changes_, POLLIN, 0}};
  ::poll(ready, changes_ == -1 ? 1 : 2, static_cast<int>(longest.count()));
  return changes_ != -1 && (ready[1].revents & POLLIN) != 0;
}

std::optional<folder_watch::changes> folder_watch::wait() {
  changes made;
  while (!stopped_ && !made.all && made.paths.empty()) {
    if (changes_ == -1) {
      sleep(poll_);
      made.all = true;
      continue;
    }
    if (!sleep(milliseconds{-1}))
      continue;
    const auto last = std::chrono::steady_clock::now() + quiet_at_last;
    do
      read_into(made);
    while (!stopped_ && std::chrono::steady_clock::now() < last
           && sleep(quiet_for));
  }
  return stopped_ ? std::nullopt : std::optional{std::move(made)};
}

void folder_watch::read_into(changes& to) {
  alignas(inotify_event) std::array<char, 1 << 14> buffer;
  for (;;) {
    const auto count = ::read(changes_, buffer.data(), buffer.size());
    if (count <= 0)
      return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event head{};
      std::memcpy(&head, buffer.data() + at, sizeof head);
      at += sizeof head;
      const std::string_view padded{buffer.data() + at, head.len};
      note(to, head.wd, head.mask, padded.substr(0, padded.find('\0')));
      at += head.len;
    }
  }
}

void folder_watch::note(changes& to, int watch, std::uint32_t what,
                        std::string_view name) {
  const auto folder = folders_.find(watch);
  if ((what & IN_Q_OVERFLOW) != 0) {
    ++overflows_;
    to.all = true;
  } else if ((what & IN_IGNORED) != 0) {
    if (folder != folders_.end())
      folders_.erase(folder);
  } else if ((what & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF)) != 0
             || folder == folders_.end()) {
    to.all = true; // other files are there, or none
  } else if (to.paths.size() < paths_max) {
    to.paths.insert((folder->second.empty() ? "" : folder->second + '/')
                    + std::string{name});
  } else if (!to.all) {
    ++overflows_;
    to.all = true;
  }
}

void folder_watch::stop() noexcept {
  stopped_ = true;
  ::eventfd_write(stop_, 1);
}

} // namespace convene::host
