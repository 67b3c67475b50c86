#pragma once

#include <boost/json/object.hpp>
#include <convene/runtime/simulation/simulation.hpp>

#include <vector>

namespace convene::host {

/// What a simulation comes to: {seeds: {first, last, run}, completed,
/// cancelled, failed, outcomes: {completed: {<condition>: <seeds>}, cancelled:
/// {...}}, properties: [{name, failed}], measures: {<name>: {min, median, p90,
/// p99, max}}, unfinished, methods, digest, failures: [{seed, findings_total,
/// findings: [{rule, line, message}]}]}. A quantile is {value, low, high}.
/// `digest` is the SHA-256 of the digests of the seeds, in their order. The
/// same for the same outcomes.
[[nodiscard]] boost::json::object
summarise(const simulation& what, const std::vector<seed_outcome>& all);

} // namespace convene::host
