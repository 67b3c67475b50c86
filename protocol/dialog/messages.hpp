#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/dialog.hpp>

#include <string>

namespace convene::protocol {

/// The limits of one message and of the number of messages in a dialog.
inline constexpr std::size_t message_bytes_max = 16U << 20;
inline constexpr std::size_t dialog_messages_max = 1'000'000;

/// The initial content of a new dialog.
struct dialog_start {
  std::string dialog_id;  ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::optional<std::string> thread_id;
  std::string system_prompt; ///< the first message, unless it is empty
  timestamp_ms at = 0;
};

/// An active dialog, with its system prompt (MPLP lifecycles.md 7).
[[nodiscard]] dialog start_dialog(const dialog_start& with);

/// Appends a message. Refused, and nothing changes: errc::not_allowed with rule
/// `dialog_active` unless the dialog is active, and `message_order` for a
/// timestamp before the last message's; errc::invalid_document for one that is
/// not a date-time or for text that is not UTF-8; errc::limit_reached with rule
/// `message_bytes_max` or `dialog_messages_max`.
[[nodiscard]] result<void> add_message(dialog& to, dialog_message message);

} // namespace convene::protocol
