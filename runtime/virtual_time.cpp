#include <caf/actor_system.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <convene/runtime/virtual_time.hpp>

#include <chrono>

namespace convene::host {
namespace {

/// Steps between two chances for others to take the lock.
constexpr int steps_at_once = 1024;

} // namespace

virtual_time::virtual_time(caf::actor_system& system,
                           protocol::timestamp_ms start)
  : scheduler_(
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
    start_(start) {
  // nop
}

protocol::timestamp_ms virtual_time::now() const {
  const auto passed = scheduler_.clock().now().time_since_epoch();
  return start_
         + std::chrono::duration_cast<std::chrono::milliseconds>(passed)
             .count();
}

bool virtual_time::run_until(const std::function<bool()>& done) {
  for (;;) {
    const auto still = lock();
    for (int i = 0; i < steps_at_once; ++i) {
      if (done())
        return true;
      if (!scheduler_.try_run_once() && !scheduler_.trigger_timeout())
        return false;
    }
  }
}

} // namespace convene::host
