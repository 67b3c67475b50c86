#include <convene/runtime/engine.hpp>
#include <convene/runtime/started_sessions.hpp>

#include <utility>

namespace convene::host {

void runtime_access::watch_starts(runtime& which, start_watch by) {
  which.implementation_->starts = std::move(by);
}

void watch_starts(runtime& which, start_watch by) {
  runtime_access::watch_starts(which, std::move(by));
}

} // namespace convene::host
