#pragma once

#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/session_documents.hpp>

namespace convene::host {

/// The documents of a session that has ended, with the Trace, and in the result
/// the failures, of the events that the builder was given.
[[nodiscard]] session_documents make_documents(const session_result& from,
                                               const trace_builder& events);

} // namespace convene::host
