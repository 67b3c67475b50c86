#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/session/spec/spec.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace convene::cli {

/// How a person is asked about a plan before the session begins.
struct approval_terminal {
  std::function<void(std::string_view)> say;
  /// Shows the prompt once the next line can be typed, whatever its length, and
  /// returns that line; nothing: the input has ended.
  std::function<std::optional<std::string>(const std::string& prompt)>
    read_line;
  /// Discards what was typed before a question was shown; may be empty.
  std::function<void()> discard = {};
};

/// The terminal of the program. Reads no more than the lines that it returns,
/// so that the session's people get the rest.
[[nodiscard]] approval_terminal standard_approval_terminal(bool json);

/// Has a person approve the scenario's plan and its Extensions, as far as they
/// need approval, and puts Confirms into it that say who did. Approvals that
/// the scenario itself brings do not count, and are left out. `now` is for
/// their times. Errors: `not_allowed` with the rule plan_rejected or own_plan,
/// extension_rejected or own_extension, since nobody confirms what they made:
/// the person is the first participant of kind human who has not created it, or
/// "human" if there is none.
[[nodiscard]] protocol::result<void>
require_approval(session::spec& scenario, const approval_terminal& by,
                 protocol::uuid_source& ids, protocol::timestamp_ms now);

} // namespace convene::cli
