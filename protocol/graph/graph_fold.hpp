#pragma once

#include <convene/protocol/graph/graph.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>

namespace convene::protocol {

/// Folds the events of a log, in their order, into the graph: what a session
/// started with (its Context, Roles, Collab, Plan and Confirm, its Extensions,
/// Core and Network), what it added (steps, Confirms, resources, its Dialog and
/// Trace), how each stands now, who handed a turn to whom, which step produced
/// which resource, and who holds which. Sessions may alternate.
///
/// Only the session's start and end, its suspensions, who is lost and back, and
/// events of the families graph_update and pipeline_stage change anything. Each
/// graph_update after MAPSessionStarted adds what its `node_delta` and
/// `edge_delta` say; graph_opened and workspace_opened together count what came
/// before them. Logs of rules before 5 have no such sums, and their handoffs,
/// and the steps that wrote something, are taken from other events.
///
/// Takes events as `convene check` accepts them; what an event refers to and is
/// not in the graph is an error, rule `node_missing`. Events of sessions that
/// did not start in this log change nothing.
class graph_fold {
public:
  /// The first rules of which each graph_update says what it adds.
  static constexpr std::int64_t rules_with_sums = 5;

  /// Messages and segments: nodes as others, or only counted.
  enum class parts : std::uint8_t { kept, counted };

  /// `to` must outlive this.
  explicit graph_fold(project_graph& to, parts of_records = parts::kept)
    : to_{to}, of_records_{of_records} {}

  [[nodiscard]] result<void> feed(const json::object& event);

  /// Whether any session started.
  [[nodiscard]] bool has_sessions() const noexcept {
    return !sessions_.empty();
  }

private:
  struct session {
    graph_key collab;
    std::string context;
    std::string plan;                                 ///< empty: it has none
    bool has_sums = true;                             ///< rules 5 and later
    std::map<std::int64_t, std::string> step_of_turn; ///< without sums
    bool is_suspended = false;
    graph_key dialog{};
    graph_key trace{};
    json::array resources; ///< until workspace_opened
    json::object roster;   ///< the Collab, of a session with modules
    json::object network;  ///< as it was given; empty: there is none
    std::set<std::string, std::less<>> lost{}; ///< participants
    std::int64_t messages = 0;
    std::int64_t segments = 0;
  };
  using reader = result<void> (graph_fold::*)(session&, const json::object&);

  static reader reader_of(std::string_view type);

  result<void> start(const std::string& id, const json::object& payload);
  result<void> end(session& of, const json::object& payload);
  result<void> open_workspace(session& of, const json::object& payload);
  result<void> input(session& of, const json::object& payload);
  result<void> suspend(session& of, bool suspends);
  result<void> dispatch(session& of, const json::object& payload);
  result<void> create_plan(session& of, const json::object& payload);
  result<void> change_stage(session& of, const json::object& payload);
  result<void> create_confirm(session& of, const json::object& payload);
  result<void> hand_off(session& of, const json::object& payload);
  result<void> write(session& of, const json::object& payload);
  result<void> claim(session& of, const json::object& payload);
  result<void> release(session& of, const json::object& payload);
  result<void> add_step(session& of, const json::object& payload);
  result<void> add_given(session& of, const json::object& confirm);
  result<void> add_modules(session& of, const json::object& spec);
  result<void> change_network(const session& of);
  result<void> remove_resource(const graph_key& key);
  result<void> add_confirm(session& of, const json::object& payload);
  result<void> add_decision(session& of, const json::object& payload);
  result<void> add_handoff(session& of, const json::object& payload);
  result<void> record(session& of, const json::object& payload);

  project_graph& to_;
  parts of_records_;
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
