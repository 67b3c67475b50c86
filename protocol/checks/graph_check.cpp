#include <convene/protocol/checks/graph_check.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view graph_rule = "graph_matches";

struct update_row {
  std::string_view type;
  std::string_view module;
  std::string_view kind; ///< empty: it follows from the change
};

constexpr std::array<update_row, 12> updates{{
  {"graph_opened", "collab", "bulk"},
  {"workspace_opened", "collab", "bulk"},
  {"plan_created", "plan", "node_add"},
  {"step_added", "plan", "node_add"},
  {"confirm_added", "confirm", "node_add"},
  {"decision_added", "confirm", "node_add"},
  {"handoff_added", "collab", "edge_add"},
  {"resource_written", "collab", ""},
  {"claim_taken", "collab", ""},
  {"claim_handed_over", "collab", ""},
  {"claim_released", "collab", ""},
  {"session_recorded", "trace", "bulk"},
}};

std::string_view kind_of(const update_row& row, std::int64_t nodes,
                         std::int64_t edges) {
  if (!row.kind.empty())
    return row.kind;
  if (row.type == "resource_written")
    return nodes > 0 ? "node_add" : nodes < 0 ? "node_delete" : "node_update";
  if (nodes != 0)
    return "bulk";
  return edges > 0 ? "edge_add" : edges < 0 ? "edge_delete" : "edge_update";
}

void expect_text(const checked_event& e, std::string_view member,
                 std::string_view what) {
  if (!what.empty() && text_of(e.whole, member) != what)
    e.report(graph_rule, std::string{member} + " is "
                           + quote(text_of(e.whole, member)) + ", expected "
                           + quote(what));
}

void expect_number(const checked_event& e, const json::object& in,
                   std::string_view member, std::int64_t what) {
  const auto is = integer_of(in, member);
  if (is && *is != what)
    e.report(graph_rule, std::string{member} + " is " + std::to_string(*is)
                           + ", expected " + std::to_string(what));
}

std::int64_t size_of(const auto& list) {
  return static_cast<std::int64_t>(list.size());
}

} // namespace

void graph_check::feed(const checked_event& e) {
  if (e.is("MAPSessionStarted")
      && integer_of(e.payload, "rules").value_or(1)
           >= graph_fold::rules_with_sums) {
    of_ = std::make_unique<folded>();
    of_->has_resources
      = !array_of(object_of(e.payload, "spec"), "workspace").empty();
  }
  if (of_ == nullptr)
    return;
  check_order(e);
  auto nodes = size_of(of_->graph.nodes());
  auto edges = size_of(of_->graph.edges());
  if (auto done = of_->fold.feed(e.whole); !done) {
    e.report(graph_rule, done.error().message);
    of_.reset();
    return;
  }
  const auto* const row = std::ranges::find(updates, e.type, &update_row::type);
  if (row == updates.end())
    return;
  const auto nodes_now = size_of(of_->graph.nodes());
  const auto edges_now = size_of(of_->graph.edges());
  if (e.is("graph_opened")) {
    // It counts what MAPSessionStarted brought.
    nodes = edges = 0;
    expect_number(e, e.payload, "nodes", nodes_now);
    expect_number(e, e.payload, "edges", edges_now);
  }
  if (e.is("workspace_opened"))
    expect_number(e, e.payload, "resources", nodes_now - nodes);
  expect_text(e, "graph_id", e.session.context_id);
  expect_text(e, "source_module", row->module);
  expect_text(e, "update_kind",
              kind_of(*row, nodes_now - nodes, edges_now - edges));
  expect_number(e, e.whole, "node_delta", nodes_now - nodes);
  expect_number(e, e.whole, "edge_delta", edges_now - edges);
}

void graph_check::check_order(const checked_event& e) {
  const bool updates_graph = text_of(e.whole, "event_family") == "graph_update";
  const auto expect = [&](bool there, std::string_view first) {
    if (!there)
      e.report(graph_rule, std::string{first} + " is missing before "
                             + std::string{e.type});
  };
  if (e.is("graph_opened")) {
    if (std::exchange(of_->opened, true))
      e.report(graph_rule, "the graph was opened before");
    return;
  }
  if (updates_graph || e.goes_on()) {
    expect(of_->opened, "graph_opened");
    of_->opened = true;
    if (e.is("workspace_opened") != of_->has_resources
        && (of_->has_resources || e.is("workspace_opened")))
      e.report(graph_rule,
               of_->has_resources
                 ? "workspace_opened is missing before " + std::string{e.type}
                 : "the workspace was opened before, or the scenario has no "
                   "resources");
    of_->has_resources = false;
  }
  if (e.is("session_recorded"))
    of_->recorded = true;
  else if (e.is("MAPSessionCompleted"))
    expect(of_->recorded, "session_recorded");
  else if (e.is("MAPTurnDispatched") || e.is("MAPBroadcastReceived"))
    of_->recorded = false;
}

} // namespace convene::protocol
