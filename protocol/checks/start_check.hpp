#pragma once

#include <convene/protocol/checks/session_facts.hpp>

namespace convene::protocol {

/// The rule about how a session begins:
/// - spec_matches: MAPSessionStarted and MAPRolesAssigned say what the scenario
///   in MAPSessionStarted says
class start_check {
public:
  void feed(const checked_event& e);

private:
  static void check_start(const checked_event& e);
  void check_roles(const checked_event& e) const;

  void check_initiator(const checked_event& e) const;

  json::array participants_; ///< of the scenario
  json::object role_names_;  ///< of the scenario, by role_id and name
  std::string initiator_role_;
  std::optional<std::int64_t> count_;
};

} // namespace convene::protocol
