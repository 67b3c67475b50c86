#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Most choices of a variation, and points of a study.
inline constexpr std::size_t points_max = 10'000;

/// One of the things that a variation may be.
struct choice {
  boost::json::value value; ///< by which it is told: a value, or a name
  std::vector<std::string> overrides; ///< of the scenario, key=value

  bool operator==(const choice&) const = default;
};

/// Any number between two.
struct number_range {
  double low = 0;
  double high = 0;

  bool operator==(const number_range&) const = default;
};

/// What differs between the points of a study: choices, or a range.
struct variation {
  std::string name; ///< the key of the scenario's member, or of the file
  std::vector<choice> choices;
  /// Instead of choices: only samples take numbers from it.
  std::optional<number_range> range;

  bool operator==(const variation&) const = default;
};

/// Reads `key=v1,v2,...`: values are JSON, else texts; `1..5` is the whole
/// numbers from 1 to 5, and `0.1..0.5`, which has to stand alone, a range.
/// Errors: `vary`, `points_max`, those of `parse_override`.
[[nodiscard]] protocol::result<variation>
parse_variation(std::string_view text);

/// Reads choices that set several members each:
///
///     [{"name": "pair", "set": {"collab.mode": "pair", ...}}, ...]
///
/// The variation is named after the file. Errors name the file and the pointer
/// (rule `vary_with`, `points_max`).
[[nodiscard]] protocol::result<variation>
read_variation(const std::filesystem::path& file);

/// The choice that sets one member.
[[nodiscard]] choice choice_of(std::string_view key, boost::json::value value);

} // namespace convene::host
