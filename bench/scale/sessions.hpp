#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace convene::bench {

/// Prints what a turn costs from one session to `most`.
int sessions(std::uint64_t most, std::uint64_t turns);

/// Prints how many turns a second 1,000 sessions make on so many threads, and
/// the laws of Amdahl and USL that fit best. With a folder, they have a log.
int sessions_on_threads(const std::vector<std::size_t>& threads,
                        std::uint64_t turns, const std::filesystem::path& log);

} // namespace convene::bench
