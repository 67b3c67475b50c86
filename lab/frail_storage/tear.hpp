#pragma once

#include <cstddef>
#include <random>
#include <set>
#include <string>

namespace convene::host {

/// A disk writes these whole or not at all.
inline constexpr std::size_t sector = 512;

/// The n-th sector of these bytes, filled up with zeros.
[[nodiscard]] std::string sector_of(const std::string& bytes,
                                    std::size_t number);

/// What a power cut in the middle of a write leaves, given to a log: any subset
/// of the sectors of `after` that differ from `before`, at any size in between.
[[nodiscard]] std::string
tear(const std::string& before, const std::string& after,
     const std::set<std::size_t>& dirty, std::mt19937_64& random);

} // namespace convene::host
