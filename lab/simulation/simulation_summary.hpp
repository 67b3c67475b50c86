#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/simulation.hpp>

#include <vector>

namespace convene::host {

/// What a simulation comes to: {seeds: {first, last, run}, completed,
/// cancelled, failed, outcomes: {completed: {CONDITION: SEEDS}, cancelled:
/// {...}}, properties: [{name, failed, share}], measures: {NAME: {min,
/// median, p90, p99, max, histogram: [{from, to, seeds}]}}, unfinished,
/// methods, digest, failures: [{seed, findings_total, findings: [{rule, line,
/// message}]}]}, and `faults`, as `summarise_faults` has it. A quantile is
/// {value, low, high}. The user's own measures have mean, likewise, and
/// unmeasured, a number of seeds, instead of histogram.
/// `digest` is the SHA-256 of the digests of the seeds, in their order. The
/// same for the same outcomes.
[[nodiscard]] boost::json::object
summarise(const simulation& what, const std::vector<seed_outcome>& all);

} // namespace convene::host
