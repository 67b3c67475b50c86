#pragma once

#include <convene/protocol/checks/session_facts.hpp>

namespace convene::protocol {

/// The rules about the participants that a session's events name:
/// - participants_known: each is in MAPRolesAssigned
/// - roles_match: each has the role that MAPRolesAssigned assigns
void check_people(const checked_event& e);

} // namespace convene::protocol
