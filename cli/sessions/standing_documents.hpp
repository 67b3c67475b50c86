#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/runtime.hpp>

#include <string>

namespace convene::cli {

// The documents of a session that a signal has suspended, as they stand: they
// are in its folder until it goes on, without a `result.json`.

/// Writes them. They are no newer than the log.
[[nodiscard]] protocol::result<void>
write_standing(const session_result& so_far, const host::trace_builder& events,
               convene::runtime& runtime, const host::output_folder& out);

/// Removes those of a session that goes on.
void remove_standing(const host::output_folder& out,
                     const std::string& session_id);

} // namespace convene::cli
