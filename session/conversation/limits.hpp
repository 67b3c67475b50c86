#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace convene::session {

// The bounds of conversations. An input that reaches one is refused with
// errc::limit_reached and its name as the rule, except for the last three; the
// host can always close.

/// The turns that are taken between opening and closing one.
inline constexpr std::size_t conversation_turns_max = 1'000;
/// The bytes of one turn as JSON, and likewise of an outcome.
inline constexpr std::size_t turn_bytes_max = 65'536;
/// How deep a turn nests, itself included, and likewise an outcome and a
/// schema: `parse_json` takes eight levels more, for the event, its payload and
/// the bodies in which events and snapshots of runs are served.
inline constexpr std::size_t turn_depth_max = 120;
/// The bytes of the schema, all turns and the outcome of one conversation.
inline constexpr std::size_t conversation_bytes_max = 4'194'304;
/// The time that a conversation may be given: 366 days.
inline constexpr std::int64_t conversation_timeout_max_ms = 31'622'400'000;
/// The conversations of one run, open and closed.
inline constexpr std::size_t conversations_max = 1'000;
/// The bytes of the schemas, turns and outcomes of all of them.
inline constexpr std::size_t run_conversations_bytes_max = 67'108'864;
/// The bytes of a reason for a cancellation; longer ones are cut.
inline constexpr std::size_t cancel_reason_max = 1'024;
/// The last number that the events of an input may begin with: it makes three.
/// Rule `sequence`.
inline constexpr std::int64_t sequence_max
  = std::numeric_limits<std::int64_t>::max() - 3;
/// Likewise of an opening and of an exchange: all conversations of a run can
/// still be closed then.
inline constexpr std::int64_t turn_sequence_max
  = sequence_max - 3 * static_cast<std::int64_t>(conversations_max);

} // namespace convene::session
