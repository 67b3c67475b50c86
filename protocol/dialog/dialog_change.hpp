#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/dialog.hpp>
#include <convene/protocol/lifecycle/event.hpp>
#include <convene/protocol/lifecycle/object_lookup.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Dialogs as they go on after they were written, one change at a time.

namespace convene::protocol {

/// What is said in a dialog.
struct new_message {
  message_role role = message_role::user;
  std::string content;
  timestamp_ms at = 0;
  std::string_view source; ///< by which way it came, for the events: "cli"
  /// The earlier message, from 0, in which the user asked for what this one
  /// changes; unset: it changes nothing that was asked for.
  std::optional<std::size_t> changes;
};

/// The dialog after a change that was accepted, and the change's events.
struct changed_dialog {
  dialog after;
  lifecycle_events events;
};

/// The dialog with one message more. What a user says is an intent, so it has
/// the event user_message_received, and modification_requested if it changes an
/// earlier one. An intent has one id, however often it is referred to.
///
/// Refused with the rules of `add_message` and of `check_change`; besides
/// `message_empty`, `message_order` for a message older than the dialog, and
/// `changes_user_message` if `changes` is not a message of the user, or the new
/// message is not.
[[nodiscard]] result<changed_dialog> append_message(const dialog& before,
                                                    const new_message& message,
                                                    const object_lookup& known);

/// The dialog in another status; one that is final comes with the time.
/// Refused with the rules of `check_change`, and with `message_order` for a
/// time before its last message.
[[nodiscard]] result<changed_dialog>
move_dialog(const dialog& before, dialog_status to, timestamp_ms at,
            const object_lookup& known);

} // namespace convene::protocol
