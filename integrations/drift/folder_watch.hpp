#pragma once

#include <convene/runtime/log/files/change_notices.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace convene::host {

/// Waits for changes of files in folders: notified by the system (inotify), or
/// by the clock, where it does not notify or is not to.
class folder_watch {
public:
  /// The changed paths that are kept; more mean that everything is to be looked
  /// at.
  static constexpr std::size_t paths_max = 4'096;

  /// What may have changed.
  struct changes {
    bool all = false; ///< more than `paths` says
    std::set<std::string> paths;
  };

  /// With `poll`, looks by the clock alone, that often.
  folder_watch(std::filesystem::path root,
               std::optional<std::chrono::milliseconds> poll);

  /// Watches these folders below the root as well; those that do not exist are
  /// passed over. If the system cannot, the clock it is.
  void cover(const std::set<std::string>& folders);

  /// Returns once something changed and nothing more has for a moment. Nothing:
  /// it was stopped. For one thread at a time.
  [[nodiscard]] std::optional<changes> wait();

  /// Ends waiting permanently. Callable from any thread.
  void stop() noexcept {
    notices_.stop();
  }

  [[nodiscard]] bool polls() const noexcept {
    return !notices_.notified();
  }
  /// How often there were more changes than can be kept. Callable from any
  /// thread.
  [[nodiscard]] std::uint64_t overflows() const noexcept {
    return overflows_;
  }

private:
  void note(changes& to, int watch, std::uint32_t what, std::string_view name);

  std::filesystem::path root_;
  std::chrono::milliseconds poll_;
  std::map<int, std::string> folders_; // by their numbers
  std::atomic<std::uint64_t> overflows_{0};
  change_notices notices_;
};

} // namespace convene::host
