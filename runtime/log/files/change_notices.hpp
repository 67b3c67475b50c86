#pragma once

#include <convene/runtime/log/files/descriptor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace convene::host {

/// What the system notifies of changes in folders (inotify), waited for by one
/// thread until another one stops it. Where the system does not notify, only
/// the clock ends a wait.
class change_notices {
public:
  /// A notice: the folder's number, what happened (IN_...), and the file's name
  /// in the folder.
  using visitor = std::function<void(int folder, std::uint32_t what,
                                     std::string_view name)>;

  /// `notified`: false leaves it to the clock. Throws `std::system_error` if
  /// there are no descriptors left.
  explicit change_notices(bool notified = true);

  /// Whether the system notifies.
  [[nodiscard]] bool notified() const noexcept {
    return static_cast<bool>(changes_);
  }

  /// Has the system notify of what happens (IN_...) in a folder, too. Returns
  /// the folder's number; nothing: it does not, and `errno` says why.
  std::optional<int> add(const std::filesystem::path& folder,
                         std::uint32_t what);

  /// Leaves it to the clock.
  void give_up() noexcept {
    changes_.reset();
  }

  /// Waits for a notice, for `longest` (negative: for ever) or until it is
  /// stopped. Returns whether there is a notice.
  bool wait(std::chrono::milliseconds longest) const;

  /// Takes all notices that are there.
  void take(const visitor& see);

  /// Ends waiting permanently. Callable from any thread.
  void stop() noexcept;

  /// Callable from any thread.
  [[nodiscard]] bool stopped() const noexcept {
    return stopped_;
  }

private:
  descriptor stop_;    // readable once stopped
  descriptor changes_; // readable when there is a notice; none: by the clock
  std::atomic<bool> stopped_{false};
};

} // namespace convene::host
