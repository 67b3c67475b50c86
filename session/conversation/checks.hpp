#pragma once

#include <convene/session/conversation/input.hpp>

#include <cstddef>
#include <string_view>

namespace convene::session {

/// A refusal with a place and a rule.
[[nodiscard]] conversation_refusal
refuse_input(protocol::interrupt_error code, std::string rule,
             std::string message, std::string pointer = {},
             protocol::errc kind = protocol::errc::invalid_document);

/// Why events cannot be numbered from `next` on, if so: they come after `last`,
/// and begin with `most` at most; rule `sequence`.
[[nodiscard]] std::optional<conversation_refusal>
check_number(std::int64_t next, std::int64_t last, std::int64_t most);

/// The bytes of a turn as JSON.
[[nodiscard]] std::size_t bytes_of(const protocol::conversation_turn& turn);

/// What an opening goes by in its run.
struct opening_ids {
  std::string key;
  std::string conversation_id;
};

/// Those that the opening gives, or else those of its run and node; rule
/// `conversation_id` for what cannot be one.
[[nodiscard]] protocol::result<opening_ids>
ids_of(const open_conversation& input, const std::string& run_id);

/// Refuses a value of an event's payload that no reader of the log would take:
/// rule `turn_depth_max`, `utf8`, or `number_range` for one that is not finite.
[[nodiscard]] std::optional<conversation_refusal>
check_readable(const boost::json::value& what, std::string pointer);

/// Whether the turn's message id is that of another message that a host makes:
/// it begins with `run_id`, if there is one, with the conversation's id or that
/// of its run, and a colon, and is not this turn's.
[[nodiscard]] bool takes_reserved_id(const protocol::conversation_turn& turn,
                                     std::string_view conversation_id,
                                     std::string_view run_id = {});

/// Where a turn is to stand.
struct turn_place {
  std::string_view run_id;
  std::string_view conversation_id;
  std::int64_t index = 0;
  std::string_view pointer; ///< of the turn in the input
};

/// What holds for the first turn and for any other from outside: its members,
/// its index, its group, its message id and its bounds.
[[nodiscard]] std::optional<conversation_refusal>
check_turn_at(const protocol::conversation_turn& turn, const turn_place& at);

} // namespace convene::session
