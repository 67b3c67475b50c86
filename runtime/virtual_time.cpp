#include <caf/actor_system.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <convene/runtime/virtual_time.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace convene::host {
namespace {

/// Steps between two chances for others to take the lock.
constexpr int steps_at_once = 1024;

/// Whose actors this thread is running; null: nobody's.
thread_local const virtual_time* running = nullptr;

thread_local bool is_over = false; // of this thread's thread-local objects

struct end_of_thread {
  ~end_of_thread() {
    is_over = true;
  }
};

/// From now on the end of this thread is noticed.
void watch_thread() {
  if (is_over)
    return;
  static thread_local const end_of_thread watched;
  static_cast<void>(&watched);
}

class running_scope {
public:
  explicit running_scope(const virtual_time* whose)
    : before_(std::exchange(running, whose)) {}
  running_scope(const running_scope&) = delete;
  running_scope& operator=(const running_scope&) = delete;
  ~running_scope() {
    running = before_;
  }

private:
  const virtual_time* before_;
};

} // namespace

virtual_time::virtual_time(caf::actor_system& system,
                           protocol::timestamp_ms start)
  : scheduler_(
    dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
    start_(start), now_(start) {
  watch_thread();
  note_time();
}

void virtual_time::note_time() {
  const auto passed = scheduler_.clock().now().time_since_epoch();
  now_
    = start_
      + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

bool virtual_time::trigger_timeout() {
  const bool is_any = scheduler_.trigger_timeout();
  note_time();
  return is_any;
}

bool virtual_time::is_thread_ending() noexcept {
  return is_over;
}

bool virtual_time::runs_caller() const noexcept {
  return running == this;
}

bool virtual_time::run_until(const std::function<bool()>& done) {
  watch_thread();
  const running_scope here{this};
  for (;;) {
    auto still = lock();
    for (int i = 0; i < steps_at_once; ++i) {
      if (done())
        return true;
      if (scheduler_.try_run_once())
        continue;
      if (working_ != 0)
        wait_outside(still);
      else if (!trigger_timeout())
        return false;
    }
  }
}

void virtual_time::run_until_time(protocol::timestamp_ms until) {
  constexpr std::chrono::milliseconds longest = std::chrono::years{200};
  const auto latest = start_ + longest.count();
  watch_thread();
  const running_scope here{this};
  for (;;) {
    const auto still = lock();
    if (scheduler_.try_run_once())
      continue;
    if (working_ != 0)
      return;
    const auto last = std::min(until, latest);
    const auto left = std::chrono::milliseconds{last > now() ? last - now()
                                                             : 0};
    auto& clock = scheduler_.clock();
    if (clock.has_pending_timeout()
        && clock.schedule().begin()->first <= clock.now() + left) {
      static_cast<void>(trigger_timeout());
      continue;
    }
    if (left.count() > 0)
      clock.advance_time(left);
    note_time();
    return;
  }
}

void virtual_time::enter(const std::function<void()>& what) {
  const auto still = lock();
  what();
  has_news_ = true;
  entered_.notify_all();
}

void virtual_time::begin_work() {
  const auto still = lock();
  ++working_;
  quiet_since_.reset();
}

void virtual_time::end_work() {
  const auto still = lock();
  --working_;
}

/// Lets others in. Their answers take no time, or two runs would differ; that
/// none of them ever comes is known by the real time that passes.
void virtual_time::wait_outside(held& still) {
  constexpr std::chrono::milliseconds longest{5};
  if (!quiet_since_)
    quiet_since_ = std::chrono::steady_clock::now();
  entered_.wait_for(still, longest, [this] { return has_news_; });
  const bool had_news = std::exchange(has_news_, false);
  const auto& clock = scheduler_.clock();
  const auto quiet_for = quiet_since_
                           ? std::chrono::steady_clock::now() - *quiet_since_
                           : std::chrono::steady_clock::duration{};
  if (had_news)
    quiet_since_.reset();
  else if (clock.has_pending_timeout()
           && clock.now() + quiet_for >= clock.schedule().begin()->first) {
    static_cast<void>(trigger_timeout());
    quiet_since_.reset();
  }
}

} // namespace convene::host
