#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class dialog_status : std::uint8_t {
  active,
  paused,
  completed,
  cancelled
};
CONVENE_WORDS(dialog_status, "active", "paused", "completed", "cancelled");

enum class message_role : std::uint8_t { user, assistant, system, agent };
CONVENE_WORDS(message_role, "user", "assistant", "system", "agent");

/// One message of a dialog.
struct dialog_message {
  message_role role = message_role::user;
  std::string content;
  std::string timestamp; ///< date-time
  std::optional<base_event> event;

  bool operator==(const dialog_message&) const = default;
};

/// A conversation (mplp-dialog.schema.json).
struct dialog {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string dialog_id;  ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::optional<std::string> thread_id;
  dialog_status status = dialog_status::active;
  std::vector<dialog_message> messages;
  std::optional<std::string> started_at;
  std::optional<std::string> ended_at;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const dialog&) const = default;
};

} // namespace convene::protocol
