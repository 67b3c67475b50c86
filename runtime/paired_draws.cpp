#include <convene/runtime/engine.hpp>
#include <convene/runtime/paired_draws.hpp>

#include <utility>

namespace convene::host {

void runtime_access::draw_by_task(runtime& which,
                                  std::shared_ptr<actors::task_places> places) {
  const std::lock_guard held{which.implementation_->mutex};
  which.implementation_->by_task = std::move(places);
}

void draw_by_task(runtime& which, std::shared_ptr<actors::task_places> places) {
  runtime_access::draw_by_task(which, std::move(places));
}

} // namespace convene::host
