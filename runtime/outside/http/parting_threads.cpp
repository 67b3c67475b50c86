#include <convene/runtime/outside/http/parting_threads.hpp>

#include <utility>

namespace convene::host {

parting_threads& parting_threads::all() {
  // Never destroyed: an owner that is late goes when the program has waited.
  static auto& instance = *new parting_threads;
  struct program_end {
    ~program_end() {
      instance.wait();
    }
  };
  static const program_end waits;
  return instance;
}

parting_threads::~parting_threads() {
  wait();
}

void parting_threads::wait() {
  std::vector<parting_thread> all;
  {
    const std::lock_guard lock{mutex_};
    all.swap(threads_);
  }
  for (auto& each : all)
    if (each.thread.get_id() == std::this_thread::get_id())
      each.thread.detach(); // it ends the program
}

void parting_threads::take(std::jthread which, std::weak_ptr<const void> held) {
  const std::lock_guard lock{mutex_};
  std::erase_if(threads_, [](const auto& each) { return each.held.expired(); });
  threads_.push_back({std::move(which), std::move(held)});
}

} // namespace convene::host
