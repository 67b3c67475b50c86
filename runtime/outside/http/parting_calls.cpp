#include <convene/runtime/outside/http/parting_calls.hpp>

namespace convene::host {

std::shared_ptr<void> parting_calls::begin() {
  {
    const std::lock_guard held{mutex_};
    ++open_;
  }
  return {static_cast<void*>(this), [self = shared_from_this()](void*) {
            const std::lock_guard held{self->mutex_};
            --self->open_;
            self->changed_.notify_all();
          }};
}

void parting_calls::wait(std::chrono::milliseconds longest) {
  std::unique_lock held{mutex_};
  changed_.wait_for(held, longest, [this] { return open_ == 0; });
}

} // namespace convene::host
