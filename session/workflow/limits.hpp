#pragma once

#include <cstddef>
#include <cstdint>

namespace convene::session {

// The bounds of runs. A bound that an input reaches is refused with
// errc::limit_reached and its name as the rule; a node that reaches one fails
// with the name as its code.

/// The nodes that a run may start, unless the host or `recursionLimit` says
/// less.
inline constexpr std::int64_t node_executions_max = 100;
/// The bytes of a run's inputs, configurable, tags and metadata together.
inline constexpr std::size_t run_inputs_bytes_max = 1'048'576;
/// The bytes of an answer that is no turn of a conversation.
inline constexpr std::size_t answer_bytes_max = 65'536;
/// The bytes of one node's outputs, of one write to a channel, and of what a
/// session results in.
inline constexpr std::size_t node_outputs_bytes_max = 1'048'576;
/// The bytes of all outputs and writes of a run.
inline constexpr std::size_t run_bytes_max = 67'108'864;
/// The bytes of a reason that is given for something; longer ones are cut.
inline constexpr std::size_t run_reason_max = 1'024;
/// The tags of a run.
inline constexpr std::size_t run_tags_max = 100;

} // namespace convene::session
