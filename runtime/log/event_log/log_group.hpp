#pragma once

#include <convene/runtime/log/event_log/marks.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace convene::host {

/// Lines that are written together, with room for the `log_group` line behind
/// them. Who has lines takes room under a lock and fills it without one, so
/// that threads do not wait for each other's copies.
class log_group {
public:
  /// With room for `most` bytes of lines.
  explicit log_group(std::size_t most)
    : room_{most}, bytes_{std::make_unique_for_overwrite<char[]>(
                     most + group_line_bytes_max)} {
    // nop
  }

  /// Of these lines alone.
  explicit log_group(std::string_view lines) : log_group{lines.size()} {
    fill(take(lines.size()), lines);
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return taken_;
  }

  /// The most bytes of lines it was made for.
  [[nodiscard]] std::size_t room() const noexcept {
    return room_;
  }

  /// Room for so many bytes, which are there. One caller at a time.
  [[nodiscard]] char* take(std::size_t bytes) noexcept {
    return bytes_.get() + std::exchange(taken_, taken_ + bytes);
  }

  /// Copies lines to the room taken for them. From any thread.
  void fill(char* into, std::string_view lines) noexcept {
    std::memcpy(into, lines.data(), lines.size());
    filled_.fetch_add(lines.size(), std::memory_order_release);
  }

  /// Whether all that was taken is filled, and may be read.
  [[nodiscard]] bool is_filled() const noexcept {
    return filled_.load(std::memory_order_acquire) == taken_;
  }

  /// The lines, once they are filled.
  [[nodiscard]] std::string_view lines() const noexcept {
    return {bytes_.get(), taken_};
  }

  /// For other lines.
  void clear() noexcept {
    taken_ = 0;
    filled_.store(0, std::memory_order_relaxed);
  }

private:
  std::size_t room_;
  std::size_t taken_ = 0; // at first for lines, then for the line behind them
  std::unique_ptr<char[]> bytes_;
  alignas(64) std::atomic<std::size_t> filled_{0}; // apart from what is locked
};

} // namespace convene::host
