#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>

namespace convene::host {

/// Whether reading a log ended at damage, with what is before it read: an
/// answer, and no reason to give none.
[[nodiscard]] inline bool is_log_damage(const protocol::error& what) {
  return what.rule == "log_damaged" || what.rule == "log_opened_missing"
         || what.rule == session_end_missing;
}

} // namespace convene::host
