#pragma once

#include <system_error>

namespace convene::host {

/// Whether the system failed (a disk that is full or broken, no more files or
/// memory), and not the place that it was given: there is no sense in naming
/// another one.
[[nodiscard]] bool is_system_fault(const std::error_code& why);

} // namespace convene::host
