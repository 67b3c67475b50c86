#pragma once

#include <convene/actors/ports/ports.hpp>

#include <functional>
#include <mutex>

namespace caf {
class actor_system;
namespace scheduler {
class test_coordinator;
}
} // namespace caf

namespace convene::host {

/// Time that passes only while every actor waits. Needs an actor system with
/// CAF's testing scheduler, which has no threads: actors run in whoever calls
/// `run_until`, one at a time.
class virtual_time final : public actors::time_source {
public:
  virtual_time(caf::actor_system& system, protocol::timestamp_ms start);

  [[nodiscard]] protocol::timestamp_ms now() const override;

  /// Recursive, for what actors call may come back here.
  using held = std::unique_lock<std::recursive_mutex>;

  /// Hold it whenever something outside the actors sends to them.
  [[nodiscard]] held lock() {
    return std::unique_lock{mutex_};
  }

  /// Runs actors and moves time on until `done` says so. False if nothing is
  /// left that could happen.
  bool run_until(const std::function<bool()>& done);

private:
  caf::scheduler::test_coordinator& scheduler_;
  protocol::timestamp_ms start_;
  std::recursive_mutex mutex_;
};

} // namespace convene::host
