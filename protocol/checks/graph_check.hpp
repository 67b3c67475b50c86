#pragma once

#include <convene/protocol/checks/session_facts.hpp>
#include <convene/protocol/graph/graph_fold.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace convene::protocol {

/// The rule about a session's events of the family graph_update, for logs of
/// rules 5 and later that have the scenario:
/// - graph_matches: they are of the session's graph, from the module that makes
///   them, and count the nodes and edges by which it grows or shrinks with
///   them; graph_opened is the third event, workspace_opened the fourth if the
///   scenario has resources; handoff_added follows the first handoff between
///   two, a Confirm is resolved by a decision, and session_recorded, with the
///   Trace's id and segments, is the last
class graph_check {
public:
  void feed(const checked_event& e);

private:
  using participants = std::pair<std::string, std::string>; ///< from, to

  struct folded {
    project_graph graph;
    graph_fold fold{graph, graph_fold::parts::counted};
    bool has_resources = false; ///< the scenario
    bool recorded = false;      ///< and nothing was said or done since
    std::size_t events = 0;
    std::size_t segments = 0;
    std::set<participants> handoffs;     ///< whoever handed a turn to whom
    std::optional<participants> handoff; ///< the next event adds it
  };

  void check_order(const checked_event& e);
  void check_due(const checked_event& e);

  std::unique_ptr<folded> of_; ///< from the start, as long as it can be folded
};

} // namespace convene::protocol
