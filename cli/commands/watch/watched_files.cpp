#include <convene/cli/commands/watch/watched_files.hpp>
#include <convene/cli/common/now.hpp>

#include <chrono>
#include <set>
#include <utility>

namespace convene::cli {

using namespace convene::protocol;

namespace {

constexpr std::chrono::seconds try_again_after{1};

} // namespace

watched_files::watched_files(host::file_reporter reporter,
                             const std::string& folder, host::rising_time& time)
  : reporter_{std::move(reporter)}, watch_{folder, std::nullopt}, time_{time},
    thread_{[this] { run(); }} {
  // nop
}

watched_files::~watched_files() {
  {
    const std::lock_guard held{mutex_};
    stopping_ = true;
  }
  room_.notify_all();
  watch_.stop();
  thread_.join();
}

result<std::vector<file_change>> watched_files::take() {
  const std::lock_guard held{mutex_};
  if (!failed_ && seen_.empty())
    return fail(failed_.error());
  room_.notify_all();
  return std::exchange(seen_, {});
}

std::uint64_t watched_files::overflows() const {
  return watch_.overflows();
}

void watched_files::note(const std::string& path, change_type how) {
  std::unique_lock held{mutex_};
  room_.wait(held, [this] { return stopping_ || seen_.size() < waiting_max; });
  if (!stopping_)
    seen_.push_back({path, how, time_.of_file(path, now_ms())});
}

void watched_files::run() {
  const auto tell = [this](const std::string& path, change_type how) {
    note(path, how);
  };
  // Something may have changed before the folders were covered.
  result<void> done;
  const auto look_and_cover = [&] {
    std::set<std::string> covered;
    do {
      covered = reporter_.folders();
      watch_.cover(covered);
      done = reporter_.look_at_all(tell);
    } while (done && reporter_.folders() != covered);
  };
  for (look_and_cover();;) {
    {
      std::unique_lock held{mutex_};
      failed_ = done;
      if (!done && room_.wait_for(held, try_again_after, [this] {
            return stopping_;
          }))
        return;
    }
    const auto changes = done ? watch_.wait()
                              : host::folder_watch::changes{.all = true};
    if (!changes)
      return;
    if (changes->all)
      look_and_cover();
    else
      for (const auto& path : changes->paths)
        reporter_.look_at(path, tell);
  }
}

} // namespace convene::cli
