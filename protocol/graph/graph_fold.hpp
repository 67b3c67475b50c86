#pragma once

#include <convene/protocol/graph/graph.hpp>

#include <functional>
#include <map>

namespace convene::protocol {

/// Folds the events of a log, in their order, into the graph: what a session
/// started with (its Context, Roles, Collab and Plan), what it added (steps,
/// Confirms, resources), how each stands now, who handed a turn to whom, which
/// step produced which resource, and who holds which. Sessions may alternate.
///
/// Takes events as `convene check` accepts them; what an event refers to and is
/// not in the graph is an error, rule `node_missing`. Events of other types,
/// and of sessions that did not start in this log, change nothing.
class graph_fold {
public:
  /// `to` must outlive this.
  explicit graph_fold(project_graph& to) : to_{to} {}

  [[nodiscard]] result<void> feed(const json::object& event);

private:
  struct session {
    graph_key collab;
    std::string context;
    std::string plan; ///< empty: it has none
    std::map<std::int64_t, std::string> step_of_turn;
  };
  using reader = result<void> (graph_fold::*)(session&, const json::object&);

  static reader reader_of(std::string_view type);

  result<void> start(const std::string& id, const json::object& payload);
  result<void> end(session& of, const json::object& payload);
  result<void> input(session& of, const json::object& payload);
  result<void> dispatch(session& of, const json::object& payload);
  result<void> create_plan(session& of, const json::object& payload);
  result<void> change_stage(session& of, const json::object& payload);
  result<void> create_confirm(session& of, const json::object& payload);
  result<void> hand_off(session& of, const json::object& payload);
  result<void> write(session& of, const json::object& payload);
  result<void> claim(session& of, const json::object& payload);
  result<void> release(session& of, const json::object& payload);
  result<void> add_step(session& of, const json::object& payload);

  project_graph& to_;
  std::map<std::string, session, std::less<>> sessions_;
};

/// The node of a shared resource of a session. Whatever is written there as
/// `resource_type` and `resource_id` names it.
[[nodiscard]] graph_key resource_key(std::string_view collab_id,
                                     const json::object& from);

/// Adds the resources of a session's workspace, each with its version, or
/// refuses one that is there with another.
[[nodiscard]] result<void> add_workspace(project_graph& to,
                                         std::string_view collab_id,
                                         const json::array& resources);

} // namespace convene::protocol
