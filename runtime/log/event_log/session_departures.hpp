#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/log_options.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
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

  /// The reader gets to the next event, and has read all before this segment.
  void reached(std::uint32_t segment) {
    ++reading_;
    reached_.store(segment, std::memory_order_relaxed);
  }

  /// The reader has shown all that it got to.
  void paused() {
    read_.store(reading_, std::memory_order_relaxed);
  }

  /// From now on called when sessions have left, on the log's thread, which
  /// must not wait; to be set before anything more is written.
  void call_when_left(std::function<void()> call);

  /// Those that were removed since the last call, and those put back.
  [[nodiscard]] std::vector<protocol::uuid> take();

  /// For a session whose end the reader has not seen yet.
  void put_back(const protocol::uuid& session);

  void saw(std::uint32_t /*segment*/, std::string_view /*line*/) override {
    written_.fetch_add(1, std::memory_order_relaxed);
  }
  void opened() override {}
  void removed(std::uint32_t /*through*/) override {}
  void left(const std::vector<protocol::uuid>& sessions) override;
  [[nodiscard]] std::uint32_t needed_from() const override {
    const bool has_all = read_.load(std::memory_order_relaxed)
                         == written_.load(std::memory_order_relaxed);
    return has_all ? std::numeric_limits<std::uint32_t>::max()
                   : reached_.load(std::memory_order_relaxed);
  }

private:
  void add(const std::vector<protocol::uuid>& sessions);

  std::atomic<std::uint32_t> reached_
    = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t reading_ = 0; ///< events; the reader's own
  std::atomic<std::uint64_t> read_ = 0;
  std::atomic<std::uint64_t> written_ = 0;
  std::mutex mutex_; ///< guards the two
  std::vector<protocol::uuid> left_;
  std::function<void()> when_left_;
  std::atomic<bool> has_some_ = false;
};

} // namespace convene::host
