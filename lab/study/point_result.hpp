#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/study/paired.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// What became of a point's seeds, in their order.
struct point_result {
  /// For each seed a letter: c completed, x cancelled, f failed to end.
  std::string ends;
  /// By name, one value for each seed; of a seed that failed to end, 0.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> measures;
  /// The user's own, likewise, in millionths; unset where a seed has none.
  std::map<std::string, seed_values, std::less<>> own_measures;
  boost::json::object outcomes;  ///< as in a simulation's summary
  boost::json::array properties; ///< as in a simulation's summary
  std::size_t failed = 0;        ///< seeds that broke a rule
  boost::json::array failures;   ///< as in a simulation's summary
  std::string digest;            ///< as in a simulation's summary

  bool operator==(const point_result&) const = default;

  /// The values of a measure, or of `completed` (0 or 1) and `completion_ms`;
  /// of the user's own in millionths.
  [[nodiscard]] seed_values values_of(std::string_view measure) const;
  [[nodiscard]] std::size_t count(char end) const;
};

/// What a simulation of the point came to.
[[nodiscard]] point_result result_of(const simulation& what,
                                     const std::vector<seed_outcome>& all);

/// The JSON form, with these members.
[[nodiscard]] boost::json::object encode(const point_result& what);

/// Reads it; refuses one that is not of `seeds` seeds.
[[nodiscard]] protocol::result<point_result>
decode_point(const boost::json::object& from, std::uint64_t seeds);

} // namespace convene::host
