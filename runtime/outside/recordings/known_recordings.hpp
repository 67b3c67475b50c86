#pragma once

#include <convene/runtime/outside/recordings/recorded.hpp>
#include <convene/runtime/outside/recordings/recording.hpp>

#include <cstddef>

// For sources in this folder only.

namespace convene::host {

/// Bytes of answers that are kept of all logs together.
inline constexpr std::size_t known_recordings_bytes_max = 4
                                                          * recording_bytes_max;

/// The recordings of these participants at least: those that are kept, unless
/// the log has changed, else read. Beyond the bound those are given up that
/// were wanted longest ago. Thread-safe; threads wait for each other.
[[nodiscard]] protocol::result<std::shared_ptr<const recordings>>
known_recordings(const recorded_settings& from,
                 const std::set<std::string, std::less<>>& participants);

} // namespace convene::host
