#pragma once

#include <convene/runtime/log/files/descriptor.hpp>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>

// How the process's descriptors are divided. Connections, programs and tunnels
// are bounded by shares of the limit; logs, blobs and other files of the data
// folder can use some descriptors that nothing else gets.

namespace convene::host {

/// How many descriptors there are for all but `open_reserved`.
[[nodiscard]] std::size_t descriptor_limit();

/// Raises the limit to `wanted` where the system allows it, less a reserve for
/// `open_reserved`. To be called before threads start; returns the new limit.
std::size_t allow_descriptors(std::size_t wanted);

/// Like open(2). If no descriptor is left, takes one of the reserve: up to 64
/// beyond the limit. Thread-safe. An invalid descriptor: `errno` has the
/// reason.
[[nodiscard]] descriptor open_reserved(const std::filesystem::path& file,
                                       int flags, mode_t mode = 0);

} // namespace convene::host
