#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace convene::protocol {

/// The rules about handoffs in one session's log, event by event:
/// - handoff_matches_turn: a turn that closes as handed_off is followed by its
///   MAPHandoffInitiated, which names the turn, or the orchestrator's decision
///   that caused it
/// - one_handoff_per_turn: no turn and no decision has two
/// - handoff_linked: a turn with a handoff_id goes to the handoff's receiver
///   and inherits from the giver's turn; no two turns have the same
///   handoff_id, and a receiver gets no other turn while a handoff waits
/// - handoff_depth: a turn results from no more consecutive handoffs than the
///   scenario allows
class handoff_check {
public:
  void feed(const checked_event& e);

private:
  using texts = std::set<std::string, std::less<>>;

  struct held_turn {
    std::string giver;
    std::int64_t number = 0;
    std::int64_t depth = 0;
    std::string task = {};
    std::string step_id = {};
    std::optional<resource_names> resources = std::nullopt; ///< absent: any
  };
  /// A handoff whose turn has not begun.
  struct link {
    std::string receiver;
    std::string giver_role;
    std::int64_t depth = 0;
    std::string task;
    std::string step_id;
    std::optional<resource_names> resources;
  };

  void dispatch(const checked_event& e);
  void check_linked(const checked_event& e, const link& from) const;
  void complete(const indexed_members& payload);
  void hand_off(const checked_event& e);
  void take_input(const json::object& payload);
  void end(const report_finding& report) const;

  std::int64_t depth_max_ = 8;
  std::map<std::string, held_turn, std::less<>> open_; ///< by token
  std::map<std::string, held_turn, std::less<>>
    giving_; ///< closed as handed_off
  std::map<std::string, std::string, std::less<>> decisions_; ///< the latest
  using links = std::map<std::string, link, std::less<>>;
  void drop_all();
  void forget(links::iterator which);

  std::map<std::string, std::size_t, std::less<>> waited_for_; ///< links to
  links links_;     ///< by handoff_id
  texts given_;     ///< tokens of givers
  texts rewritten_; ///< steps: their turns have the task as it is now
};

} // namespace convene::protocol
