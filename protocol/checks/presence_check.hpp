#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <set>

namespace convene::protocol {

/// The rules about who can be asked, and when:
/// - inputs_known: the kind of an input exists, and its sender may send it
/// - presence_matches: only present participants are lost, only lost ones
///   return, and only a suspended session is resumed
/// - nobody_asked_in_vain: nobody is asked or answers while lost or while the
///   session is suspended or cancelled, and nobody is asked during an open turn
/// - duties_alternate: the members of a pair alternate as driver and navigator
/// - max_turns_kept: no more turns than the scenario allows
class presence_check {
public:
  void feed(const checked_event& e);

private:
  using names = std::set<std::string, std::less<>>;

  void check_duty(const checked_event& e);
  void take_input(const checked_event& e);
  void check_asked(const checked_event& e, std::string_view who) const;

  names lost_;
  names busy_;
  names answered_; ///< questions, by request_id
  std::string duty_;
  bool may_repeat_ = true; ///< the duty: the turn was taken back
  bool suspended_ = false;
  bool cancelled_ = false;
};

} // namespace convene::protocol
