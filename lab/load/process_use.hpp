#pragma once

#include <cstdint>

namespace convene::host {

/// Resident memory of this process; 0 if the system does not say.
[[nodiscard]] std::uint64_t resident_bytes();

/// Processor time that this process, or the calling thread, has used.
[[nodiscard]] double process_cpu_seconds();
[[nodiscard]] double thread_cpu_seconds();

} // namespace convene::host
