#include <convene/lab/load/waiting_target.hpp>
#include <sys/prctl.h>

#include <utility>

namespace convene::host {

using std::chrono::steady_clock;

waiting_target::waiting_target() : begin_{steady_clock::now()} {}

load_time waiting_target::now() {
  return steady_clock::now() - begin_;
}

std::vector<load_ending> waiting_target::take() {
  const std::lock_guard held{mutex_};
  return std::exchange(endings_, {});
}

void waiting_target::wait_until(load_time when) {
  constexpr std::chrono::microseconds awake{200};
  // The kernel may otherwise wake it 50 microseconds late.
  thread_local const int is_exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(is_exact);
  std::unique_lock held{mutex_};
  told_.wait_until(held, begin_ + when - awake,
                   [this] { return !endings_.empty(); });
  while (endings_.empty() && steady_clock::now() - begin_ < when) {
    held.unlock(); // whoever has something to tell is not kept waiting
    held.lock();
  }
}

void waiting_target::tell(load_ending what) {
  const std::lock_guard held{mutex_};
  endings_.push_back(std::move(what));
  told_.notify_one();
}

} // namespace convene::host
