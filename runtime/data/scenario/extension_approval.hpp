#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::host {

/// Whether the Extension waits for a decision.
[[nodiscard]] bool waits_for_approval(const session::spec& scenario,
                                      const protocol::extension& what);

/// Settles an Extension: adds the decision to its Confirm, which is made if
/// there is none.
void settle(session::spec& scenario, const protocol::extension& about,
            protocol::confirm_decision decision, protocol::uuid_source& ids,
            protocol::timestamp_ms now);

/// Puts Confirms into the scenario by which the program approves its
/// Extensions, as it does a draft plan; not where the duty `security` asks for
/// another approver.
void approve_extensions(session::spec& scenario, protocol::uuid_source& ids,
                        protocol::timestamp_ms now);

} // namespace convene::host
