#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/session/spec/spec.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// The caller's trace, as it was given.
struct trace_arguments {
  std::string traceparent; ///< empty: the environment's, if there is one
  std::string tracestate;
};

/// Declares --traceparent and --tracestate.
void add_trace(const command_line& command, trace_arguments& arguments);

/// Makes the scenario a part of the caller's trace: that of the options, else
/// the scenario's own, else that of the environment variables TRACEPARENT and
/// TRACESTATE, which a run with a seed does not look at. Options that are not
/// valid are refused; a variable that is not is noted and ignored.
[[nodiscard]] protocol::result<void>
join_trace(session::spec& scenario, const trace_arguments& arguments,
           bool has_seed, std::vector<host::source_note>& notes);

} // namespace convene::cli
