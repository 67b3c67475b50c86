#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>

#include <span>
#include <string_view>

namespace convene::session {

/// How many handoffs in a row may lead to a turn.
[[nodiscard]] std::int64_t depth_max(const spec& of);

/// The receiver that `giver` means by `to`, a participant id or else a role: of
/// several, the first that is free, else the first that can act.
/// errc::not_allowed with the rule handoff_receiver_unknown,
/// handoff_receiver_lost, handoff_receiver_unfit (it takes no turns) or
/// handoff_to_self.
[[nodiscard]] protocol::result<participant_index>
find_receiver(const spec& of, const roster& who,
              std::span<const participant_state> participants,
              participant_index giver, std::string_view to);

} // namespace convene::session
