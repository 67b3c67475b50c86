#pragma once

#include <convene/actors/ports/ports.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

namespace caf {
class actor_system;
namespace scheduler {
class test_coordinator;
}
} // namespace caf

namespace convene::host {

/// Time that passes only while every actor waits. While somebody works outside
/// of the actors it stands still, until nothing has come from there for as long
/// as it would take to the next timeout. Needs an actor system with
/// CAF's testing scheduler, which has no threads: actors run in the caller of
/// `run_until`, one at a time.
class virtual_time final : public actors::time_source,
                           public actors::outside_door {
public:
  virtual_time(caf::actor_system& system, protocol::timestamp_ms start);

  /// From any thread, without the lock.
  [[nodiscard]] protocol::timestamp_ms now() const override {
    return now_;
  }

  /// Recursive, because what actors call may call back here.
  using held = std::unique_lock<std::recursive_mutex>;

  /// Must be held whenever something outside the actors sends to them.
  [[nodiscard]] held lock() {
    return std::unique_lock{mutex_};
  }

  void enter(const std::function<void()>& what) override;
  void begin_work() override;
  void end_work() override;

  /// Runs actors and advances time until `done` returns true. False if nothing
  /// is left that could happen.
  bool run_until(const std::function<bool()>& done);

  /// Runs actors until nothing is left to do before `until`, and sets the time
  /// to it; it stops earlier while work is open outside, and 200 years after
  /// the start, since CAF's clock ends some decades later. Time never goes
  /// back.
  void run_until_time(protocol::timestamp_ms until);

  /// Whether the caller is called by one of these.
  [[nodiscard]] bool runs_caller() const noexcept;

  /// Whether the caller's thread has destroyed its thread-local objects, on
  /// which actors rely, if it is one that has made or run a virtual time.
  [[nodiscard]] static bool is_thread_ending() noexcept;

private:
  void wait_outside(held& still);
  [[nodiscard]] bool trigger_timeout();
  void note_time(); ///< after each change of CAF's clock

  caf::scheduler::test_coordinator& scheduler_;
  protocol::timestamp_ms start_;
  std::atomic<protocol::timestamp_ms> now_; ///< written under the mutex

  std::recursive_mutex mutex_;
  std::condition_variable_any entered_;
  std::size_t working_ = 0; ///< guarded by mutex, like the rest
  bool has_news_ = false;
  /// Since when nothing came of those who work outside.
  std::optional<std::chrono::steady_clock::time_point> quiet_since_;
};

} // namespace convene::host
