#include <convene/bindings/c/running_work.hpp>

#include <set>

namespace convene::c_api {
namespace {

/// What runs now. Never destroyed: work may outlive `main`.
struct work_list {
  std::mutex mutex;
  std::set<std::atomic<bool>*> running; ///< guarded by mutex
};

work_list& all_work() {
  static auto* const list = new work_list;
  return *list;
}

} // namespace

running_work::running_work(std::optional<std::chrono::milliseconds> limit) {
  auto& all = all_work();
  {
    const std::lock_guard held{all.mutex};
    all.running.insert(&stop_);
  }
  if (limit)
    timer_ = std::jthread{[this, until = *limit](const std::stop_token& done) {
      std::unique_lock held{mutex_};
      ended_.wait_for(held, done, until, [] { return false; });
      stop_ = stop_ || !done.stop_requested();
    }};
}

running_work::~running_work() {
  auto& all = all_work();
  const std::lock_guard held{all.mutex};
  all.running.erase(&stop_);
}

void running_work::interrupt_all() {
  auto& all = all_work();
  const std::lock_guard held{all.mutex};
  for (auto* const stop : all.running)
    *stop = true;
}

} // namespace convene::c_api
