#include <convene/runtime/http/parting_threads.hpp>

#include <utility>

namespace convene::host {

parting_threads& parting_threads::all() {
  static parting_threads instance;
  return instance;
}

parting_threads::~parting_threads() {
  for (auto& each : threads_)
    if (each.thread.get_id() == std::this_thread::get_id())
      each.thread.detach(); // it ends the program
}

void parting_threads::take(std::jthread which, std::weak_ptr<const void> held) {
  const std::lock_guard lock{mutex_};
  std::erase_if(threads_, [](const auto& each) { return each.held.expired(); });
  threads_.push_back({std::move(which), std::move(held)});
}

} // namespace convene::host
