#pragma once

#include <convene/protocol/base/timestamp.hpp>

#include <algorithm>
#include <mutex>
#include <set>
#include <string>

namespace convene::host {

/// The time of what this program sees itself: it never goes back, even if the
/// clock is set back, and two changes of one file have two times. Each call
/// gets what the clock says. For several threads.
class rising_time {
public:
  /// Not before any time that was told.
  [[nodiscard]] protocol::timestamp_ms now(protocol::timestamp_ms clock) {
    const std::lock_guard held{mutex_};
    return reach(clock);
  }

  /// After all that were told.
  [[nodiscard]] protocol::timestamp_ms next(protocol::timestamp_ms clock) {
    const std::lock_guard held{mutex_};
    return reach(std::max(clock, last_ + 1));
  }

  /// As `now`, and after the last time of this file.
  [[nodiscard]] protocol::timestamp_ms of_file(const std::string& path,
                                               protocol::timestamp_ms clock) {
    const std::lock_guard held{mutex_};
    reach(clock);
    if (files_.contains(path))
      reach(last_ + 1);
    files_.insert(path);
    return last_;
  }

private:
  protocol::timestamp_ms reach(protocol::timestamp_ms time) {
    if (time > last_) {
      last_ = time;
      files_.clear();
    }
    return last_;
  }

  std::mutex mutex_;
  protocol::timestamp_ms last_ = 0;
  std::set<std::string> files_; ///< with a change at `last_`
};

} // namespace convene::host
