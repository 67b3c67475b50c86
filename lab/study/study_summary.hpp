#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/study/study.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace convene::host {

/// What is better, of a measure's values.
enum class preference : std::uint8_t { lower, higher, none };

/// A measure that the points of a study are compared by.
struct compared_measure {
  std::string name;
  preference better = preference::none;
  bool is_own = false; ///< of the user
};

/// The measures, in the order in which they are told: `completed`,
/// `completion_ms`, those of a simulation, then the study's own.
[[nodiscard]] std::vector<compared_measure>
compared_measures(const study& what);

/// What the finished points of a study come to: {seeds: {first, last},
/// points_total, better: {NAME: lower, higher or neither}, baseline, runs,
/// failed, points: [{point, vary, completed, cancelled, failed, outcomes,
/// measures: {NAME: {mean, median, min, max,
/// ...}}, against_baseline: {NAME: {pairs, lower, equal, higher, median,
/// mean, verdict}}, unfinished, properties, digest, failures}], methods,
/// digest}. Points
/// are numbered from 1, as is `baseline`; they are compared with it if it is
/// finished. A difference that is infinite is "infinity" or "-infinity". The
/// same for the same results.
[[nodiscard]] boost::json::object
summarise(const study& what, const std::vector<point_result>& all,
          std::size_t baseline);

} // namespace convene::host
