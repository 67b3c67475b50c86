#pragma once

#include <convene/runtime/runtime.hpp>

#include <functional>
#include <string>
#include <string_view>

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

/// Starts a session that begins with these events, complete lines, which it
/// could have logged itself: they are logged at once or not at all, and then
/// the session continues as one that was found on the log. `with` has its
/// functions and conditions. Refuses an id that is on the log (`session_id`),
/// events that the session would not have produced (`replay_diverged`), and
/// what `runtime::start` refuses; nothing is logged then. If the observer
/// throws when it is shown them, they stay on the log and the session ends with
/// that error.
[[nodiscard]] result<session_handle>
start_recorded(runtime& in, const std::string& session_id,
               std::string_view lines, const recovery_options& with);

} // namespace convene::host
