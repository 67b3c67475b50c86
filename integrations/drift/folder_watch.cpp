#include <convene/integrations/drift/folder_watch.hpp>
#include <sys/inotify.h>

#include <cerrno>
#include <string_view>
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
  : root_{std::move(root)}, poll_{poll.value_or(poll_otherwise)}, notices_{
                                                                    !poll} {
  // nop
}

void folder_watch::cover(const std::set<std::string>& folders) {
  for (const auto& folder : folders) {
    if (polls())
      return;
    const auto path = folder.empty() ? root_ : root_ / folder;
    if (const auto number = notices_.add(path, watched)) {
      folders_.insert_or_assign(*number, folder);
    } else if (errno == ENOSPC || errno == ENOMEM) {
      notices_.give_up();
      folders_.clear();
    }
  }
}

std::optional<folder_watch::changes> folder_watch::wait() {
  changes made;
  while (!notices_.stopped() && !made.all && made.paths.empty()) {
    if (polls()) {
      notices_.wait(poll_);
      made.all = true;
      continue;
    }
    if (!notices_.wait(milliseconds{-1}))
      continue;
    const auto last = std::chrono::steady_clock::now() + quiet_at_last;
    do
      notices_.take([&](int watch, std::uint32_t what, std::string_view name) {
        note(made, watch, what, name);
      });
    while (!notices_.stopped() && std::chrono::steady_clock::now() < last
           && notices_.wait(quiet_for));
  }
  return notices_.stopped() ? std::nullopt : std::optional{std::move(made)};
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

} // namespace convene::host
