#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <vector>

namespace convene::protocol {

/// The rule about sessions that an orchestrator leads:
/// - orchestrator_decides: each turn, broadcast and handoff of its own, and the
///   end, is what it has just decided
class decision_check {
public:
  void feed(const checked_event& e);

private:
  void decide(const checked_event& e);
  void check_end(const checked_event& e) const;
  /// Whether one of the kinds is decided and fits; then it is used up.
  template <class Fits>
  bool take(std::initializer_list<std::string_view> kinds, Fits fits);

  struct item {
    std::string kind;
    json::object what;
  };

  std::string decider_;
  std::vector<item> decided_; ///< by the input before, not yet done
};

} // namespace convene::protocol
