#pragma once

#include <functional>
#include <optional>
#include <string>

namespace convene::session {
class machine;
struct verdict;
} // namespace convene::session

namespace convene::actors {

/// A condition of the application: inspects the session's current state and
/// returns in words what it observed if the condition holds, otherwise nothing.
/// Called in the session's actor after everything that happens in the session;
/// must not block. If it throws, the session ends (`custom_failed`).
using condition_function
  = std::function<std::optional<std::string>(const session::machine&)>;

/// One of a session's `custom` conditions, and its last verdict.
struct custom_condition {
  std::string name;
  condition_function holds;
  std::optional<std::string> last; ///< what was observed; unset: does not hold
  bool is_known = true; ///< whether `last` is; if not, report the next anyway
};

/// Evaluates the condition; returns a verdict if it differs from the last.
[[nodiscard]] std::optional<session::verdict>
judge(custom_condition& what, const session::machine& now);

} // namespace convene::actors
