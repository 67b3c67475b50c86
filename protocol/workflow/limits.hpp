#pragma once

#include <cstddef>
#include <cstdint>

namespace convene::protocol {

// The bounds of a workflow's definition. A bound that is reached is refused
// with errc::limit_reached and its name as the rule.

inline constexpr std::size_t workflow_bytes_max = 1'048'576;
inline constexpr std::size_t workflow_nodes_max = 1'000;
inline constexpr std::size_t workflow_edges_max = 10'000;
inline constexpr std::size_t workflow_variables_max = 1'000;
inline constexpr std::size_t workflow_channels_max = 100;
/// Those of reducer `message`: a turn may be written to each.
inline constexpr std::size_t workflow_message_channels_max = 10;
/// How deep a definition nests, with room for the event that carries a part.
inline constexpr std::size_t workflow_depth_max = 100;
/// What a delay, a gate, a session or a whole run may be given: 366 days.
inline constexpr std::int64_t workflow_time_max_ms = 31'622'400'000;
inline constexpr std::int64_t workflow_retries_max = 10;
/// The turns that a conversation may take by itself.
inline constexpr std::int64_t workflow_turns_max = 1'000;
/// The entries that a channel may be told to keep, and that it keeps at most.
inline constexpr std::int64_t channel_entries_max = 10'000;

} // namespace convene::protocol
