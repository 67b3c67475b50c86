#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/options/options.hpp>

#include <string_view>

namespace convene::session {

/// Counts what an attempt that has ended used, and logs it: what it was, what
/// the session has used by then, and what is left of its budgets; then each
/// budget that this attempt used up. Does nothing if it used nothing. `model`
/// is empty unless it was a model's.
void account(journal& log, const budget& most, participant_index who,
             const protocol::action_attempt& attempt, std::string_view model,
             const protocol::usage& used);

} // namespace convene::session
