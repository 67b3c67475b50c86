#include <convene/runtime/log/event_log/read_watch.hpp>

#include <utility>

namespace convene::host {
namespace {

thread_local const read_watch::report* watching = nullptr;

} // namespace

read_watch::read_watch(report told)
  : told_{std::move(told)}, before_{std::exchange(watching, &told_)} {
  // nop
}

read_watch::~read_watch() {
  watching = before_;
}

const read_watch::report* read_watch::current() noexcept {
  return watching;
}

} // namespace convene::host
