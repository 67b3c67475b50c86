#pragma once

#include <convene/runtime/data/scenario/sources.hpp>

#include <cstddef>

namespace convene::host {

inline constexpr std::size_t includes_max = 16;

/// Reads the files that the member `include` names and removes that member. A
/// file has members of a scenario; the scenario's own count where both have
/// one, objects are joined, and an earlier file goes before a later one. Files
/// elsewhere than in or below the folder are refused unless they are allowed,
/// and so are files that include others. What they name is relative to the
/// scenario's folder. Rules: include, includes_max, include_bytes_max (64 MiB
/// in all), names_file (the scenario is no file), and those of named documents.
[[nodiscard]] protocol::result<void> include_files(scenario_sources& sources);

} // namespace convene::host
