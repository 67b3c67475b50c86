#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/log_options.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

namespace convene::host {

/// The sessions whose beginnings a log has removed, for a reader of this
/// process that shows sessions and has to forget them, too. Thread-safe.
class session_departures final : public log_companion {
public:
  /// Nothing is removed before `reached` is called.
  void await_reader() {
    reached_ = 0;
  }

  /// The reader has read everything before this segment.
  void reached(std::uint32_t segment) {
    reached_.store(segment, std::memory_order_relaxed);
  }

  /// Those that were removed since the last call, and those put back.
  [[nodiscard]] std::vector<protocol::uuid> take();

  /// For a session whose end the reader has not seen yet.
  void put_back(const protocol::uuid& session);

  void saw(std::uint32_t /*segment*/, std::string_view /*line*/) override {}
  void opened() override {}
  void removed(std::uint32_t /*through*/) override {}
  void left(const std::vector<protocol::uuid>& sessions) override;
  [[nodiscard]] std::uint32_t needed_from() const override {
    return reached_.load(std::memory_order_relaxed);
  }

private:
  std::atomic<std::uint32_t> reached_
    = std::numeric_limits<std::uint32_t>::max();
  std::mutex mutex_;
  std::vector<protocol::uuid> left_; ///< guarded by it
  std::atomic<bool> has_some_ = false;
};

} // namespace convene::host
