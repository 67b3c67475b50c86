#pragma once

#include <convene/runtime/outside/participants/people.hpp>
#include <convene/runtime/outside/participants/turn_port.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Whether one of the patterns of an `approve` is of this name.
[[nodiscard]] bool is_for_approval(const std::vector<std::string>& patterns,
                                   std::string_view name);

/// Has a person approve `call` of the participant `asked.participant` before it
/// is carried out. The question is an action of its own, so that its answer is
/// on the log and counts again when the turn is repeated; it is for this call
/// alone. Then `carry_out` is called if it was approved; else `then` gets why
/// it is not: `not_approved` with the person's reason, or what became of the
/// question. Both on any thread, at most one of them, once.
///
/// Asked is the session's first participant of kind human, else
/// `protocol::any_approver`, which is no participant.
void ask_approval(const turn_port& port, const std::shared_ptr<people>& where,
                  const actors::turn_request& asked,
                  const protocol::action& call, std::function<void()> carry_out,
                  actors::when_acted then);

} // namespace convene::host
