#pragma once

#include <convene/protocol/checks/session_facts.hpp>
#include <convene/protocol/graph/graph_fold.hpp>

#include <memory>

namespace convene::protocol {

/// The rule about a session's events of the family graph_update, for logs of
/// rules 5 and later:
/// - graph_matches: they are of the session's graph, from the module that makes
///   them, and count the nodes and edges by which it grows or shrinks with
///   them; graph_opened is the first, workspace_opened follows if the scenario
///   has resources, and session_recorded is the last
class graph_check {
public:
  void feed(const checked_event& e);

private:
  struct folded {
    project_graph graph;
    graph_fold fold{graph};
    bool opened = false;
    bool has_resources = false; ///< and workspace_opened is still to come
    bool recorded = false;      ///< and nothing was said or done since
  };

  void check_order(const checked_event& e);

  std::unique_ptr<folded> of_; ///< from the start, as long as it can be folded
};

} // namespace convene::protocol
