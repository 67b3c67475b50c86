#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>
#include <convene/runtime/setup.hpp>

#include <map>
#include <string>

namespace convene::host {

/// A session's result as the documents to write. `events` has seen all of the
/// session's events; the Trace is taken from it.
[[nodiscard]] CONVENE_API session_documents
make_documents(const session_result& from, trace_builder& events);

/// What `result.json` has, without the paths of the documents.
[[nodiscard]] CONVENE_API protocol::json::object
make_summary(const session_result& from, const turn_failures& failures);

/// {tokens, cost_microusd, by_participant: {ID: {tokens, cost_microusd}}}.
[[nodiscard]] CONVENE_API protocol::json::object
usage_summary(const protocol::usage& all,
              const std::map<std::string, protocol::usage>& by_participant);

} // namespace convene::host
