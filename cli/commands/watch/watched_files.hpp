#pragma once

#include <convene/integrations/drift/folder_watch.hpp>
#include <convene/integrations/intake/file_reporter.hpp>
#include <convene/integrations/intake/rising_time.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/events/integration_events.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace convene::cli {

/// What became of a file, and when that was seen.
struct file_change {
  std::string path;
  protocol::change_type how = protocol::change_type::modified;
  protocol::timestamp_ms at = 0;
};

/// Watches the files below a folder, on a thread of its own. What is seen waits
/// in a bounded list; while it is full, nothing is looked at, and afterwards
/// everything that changed meanwhile. A folder that cannot be read is tried
/// again.
class watched_files {
public:
  static constexpr std::size_t waiting_max = 10'000;

  /// `time` must outlive it.
  watched_files(host::file_reporter reporter, const std::string& folder,
                host::rising_time& time);
  watched_files(const watched_files&) = delete;
  watched_files& operator=(const watched_files&) = delete;
  ~watched_files();

  /// What was seen since the last call; if that is nothing, why.
  [[nodiscard]] protocol::result<std::vector<file_change>> take();

  [[nodiscard]] std::uint64_t overflows() const;

private:
  void run();
  void note(const std::string& path, protocol::change_type how);

  host::file_reporter reporter_;
  host::folder_watch watch_;
  host::rising_time& time_;
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::vector<file_change> seen_;
  protocol::result<void> failed_;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace convene::cli
