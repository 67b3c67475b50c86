#pragma once

#include <convene/runtime/runtime.hpp>

#include <functional>

namespace convene::host {

/// For a server, which serves every session of its runtime.
struct start_watch {
  /// Makes an observer for a session that is about to start; it is called
  /// before the session's own.
  std::function<observer()> observe;
  /// Called once the session runs, by the thread that started it.
  std::function<void(const session_handle&)> started;
};

/// Sets who watches the sessions that `which` starts; before it starts any.
void watch_starts(runtime& which, start_watch by);

} // namespace convene::host
