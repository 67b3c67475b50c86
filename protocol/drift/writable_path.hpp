#pragma once

#include <string_view>

namespace convene::protocol {

/// Why no content that comes from participants may be written to a path below a
/// project's folder, as `why_not_below` has it; `why` is for a sentence that
/// begins with the path. Empty: it may. Every name counts as each file system
/// would read it, also one that ignores case, invisible characters, dots and
/// spaces at the end, or that has streams and short names.
///
/// Refused are what leads out of the folder; what belongs to a version control
/// system, whose settings and hooks are executed; convene's own names; devices;
/// backslashes and control characters.
[[nodiscard]] std::string_view why_not_written(std::string_view path);

} // namespace convene::protocol
