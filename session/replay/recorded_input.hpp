#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/session/machine/input.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace convene::session {

/// From a participant's id to its position, or `no_participant`.
using participant_finder = std::function<participant_index(std::string_view)>;

/// The input behind an event of a session's log, given that no input before it
/// explains the event (docs/events.md, section 4). An event that carries no
/// input was caused by a tick. Fails if the event claims to carry an input that
/// cannot be read.
[[nodiscard]] protocol::result<input>
recorded_input(const protocol::json::object& event,
               const participant_finder& find);

/// Whether the event, given that no input before it explains it, was caused by
/// an answer later on the log: a reply's writes, and the ends of actions that
/// were still under way, precede the event that closes its request.
[[nodiscard]] bool waits_for_reply(const protocol::json::object& event);

/// Whether the event carries the reply that closed a turn or broadcast.
[[nodiscard]] bool carries_reply(const protocol::json::object& event);

/// Whether the event carries the answer that closed a request of any kind, even
/// if it does not say what that was.
[[nodiscard]] bool carries_answer(const protocol::json::object& event);

/// A session's key, as MAPSessionStarted writes it: 32 hexadecimal digits.
[[nodiscard]] std::optional<protocol::uuid>
parse_session_key(std::string_view digits);

} // namespace convene::session
