#pragma once

#include <convene/session/machine/machine.hpp>

#include <functional>
#include <optional>
#include <string>

namespace convene::actors {

/// A condition of the application: looks at the session as it stands and says
/// in words what it observed if the condition holds, nothing if it does not.
/// Called in the session's actor after everything that happens in the session:
/// must not block. One that throws ends the session (`custom_failed`).
using condition_function
  = std::function<std::optional<std::string>(const session::machine&)>;

/// One of a session's conditions `custom`, and what was last said of it.
struct custom_condition {
  std::string name;
  condition_function holds;
  std::optional<std::string> last; ///< what was observed; nothing: not held
  bool is_known = true; ///< whether `last` is; if not, the next is told anyway
};

/// Asks the function; a verdict if it says something else than before.
[[nodiscard]] std::optional<session::verdict>
judge(custom_condition& what, const session::machine& now);

} // namespace convene::actors
