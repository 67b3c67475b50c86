#pragma once

#include <convene/protocol/checks/workspace_check.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace convene::protocol {

/// The rules about handoffs in one session's log, event by event:
/// - handoff_matches_turn: a turn that closes as handed_off has its
///   MAPHandoffInitiated after it, and that names the turn, or else the
///   orchestrator's decision that it stands for
/// - one_handoff_per_turn: no turn and no decision has two
/// - handoff_linked: a turn with handoff_id goes to whom the handoff was for,
///   and no other turn has the same
/// - handoff_depth: no more handoffs in a row lead to a turn than the scenario
///   allows
class handoff_check {
public:
  void feed(std::string_view type, const json::object& payload,
            const report_finding& report);

private:
  using texts = std::set<std::string, std::less<>>;

  struct held_turn {
    std::string giver;
    std::int64_t number = 0;
    std::int64_t depth = 0;
  };
  /// A handoff whose turn has not begun.
  struct link {
    std::string receiver;
    std::int64_t depth = 0;
  };

  void dispatch(const json::object& payload, const report_finding& report);
  void complete(const json::object& payload);
  void hand_off(const json::object& payload, const report_finding& report);
  void end(const report_finding& report) const;

  std::int64_t depth_max_ = 8;
  std::map<std::string, held_turn, std::less<>> open_; ///< by token
  std::map<std::string, held_turn, std::less<>>
    giving_; ///< closed as handed_off
  std::map<std::string, std::string, std::less<>> decisions_; ///< the latest
  std::map<std::string, link, std::less<>> links_;            ///< by handoff_id
  texts given_; ///< tokens of givers
};

} // namespace convene::protocol
