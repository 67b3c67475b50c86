#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/conversation/interrupt_error.hpp>
#include <convene/protocol/conversation/resume.hpp>
#include <convene/protocol/conversation/run_event.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene::session {

/// A node of a run opens a conversation.
struct open_conversation {
  std::string node_id;
  std::int64_t attempt = 0;         ///< of the node
  std::int64_t interrupt_count = 0; ///< interrupts of the node before this one
  /// Absent: `run:node:attempt`. A fork keeps its source's.
  std::optional<std::string> conversation_id;
  /// Absent: `run:node:interrupt_count`. A fork finds what was answered in its
  /// source by the source's.
  std::optional<std::string> key;
  std::optional<std::string> agent_id;
  std::optional<std::string> title;
  /// Turn 0; absent: one that the host makes of `prompt`, in the name of the
  /// agent if there is one.
  std::optional<protocol::conversation_turn> initial_turn;
  protocol::any_value prompt;
  std::optional<boost::json::object> schema; ///< of what turns say
  std::vector<protocol::conversation_capability> capabilities;
  std::int64_t timeout_ms = 0;             ///< from the opening; 0: no limit
  std::optional<std::string> causation_id; ///< the event that led here
};

/// An answer ends the conversation.
struct close_conversation {
  protocol::close_resume answer;
  /// Who gave it, as the host knows; absent: nobody in particular.
  std::optional<std::string> resolved_by;
};

/// Whatever waits for the conversation is given up.
struct cancel_conversation {
  std::string reason; ///< for people; may be empty
};

/// Nothing but that time has passed.
struct check_deadline {};

using conversation_input
  = std::variant<open_conversation, protocol::exchange_resume,
                 close_conversation, cancel_conversation, check_deadline>;

/// What an input that was taken did.
struct conversation_answer {
  protocol::conversation_operation operation{};
  std::string conversation_id;
  std::int64_t turn_index = 0;
  std::string message_id;

  bool operator==(const conversation_answer&) const = default;
};

/// Why an input was not taken: the protocol's code, and what exactly is wrong.
/// Pointers lead into the resume value, or into the data of an opening.
struct conversation_refusal {
  protocol::interrupt_error code{};
  protocol::error what;

  bool operator==(const conversation_refusal&) const = default;
};

/// What follows from an input. There may be events with a refusal: what was
/// due by then happened first.
struct conversation_effects {
  std::vector<protocol::run_event> events; ///< to be appended whole, or not
  std::optional<conversation_answer> answer;
  std::optional<conversation_refusal> refusal;
  bool is_duplicate = false; ///< the answer is that of an earlier input
};

} // namespace convene::session
