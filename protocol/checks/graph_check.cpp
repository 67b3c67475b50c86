#include <convene/protocol/checks/graph_check.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/trace_ids.hpp>

#include <algorithm>
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

void expect_text(const checked_event& e, const json::object& in,
                 std::string_view member, std::string_view what) {
  if (!what.empty() && text_of(in, member) != what)
    e.report(graph_rule, std::string{member} + " is "
                           + quote(text_of(in, member)) + ", expected "
                           + quote(what));
}

bool expect_number(const checked_event& e, const json::object& in,
                   std::string_view member, std::int64_t what) {
  const auto is = integer_of(in, member);
  if (!is || *is == what)
    return true;
  e.report(graph_rule, std::string{member} + " is " + std::to_string(*is)
                         + ", expected " + std::to_string(what));
  return false;
}

std::int64_t size_of(std::size_t number) {
  return static_cast<std::int64_t>(number);
}

/// A Confirm or a decision is what the schema says, and of this event's time.
template <class Part>
void check_part(const checked_event& e, std::string_view name,
                std::string_view since) {
  const auto& part = object_of(e.payload, name);
  if (auto read = decode<Part>(part, ""); !read)
    e.report(graph_rule, std::string{name} + ": " + to_string(read.error()));
  const auto at = parse_timestamp(text_of(part, since));
  if (at && e.at && *at != *e.at)
    e.report(graph_rule, std::string{name} + "." + std::string{since}
                           + " is another time than the event's");
}

} // namespace

void graph_check::feed(const checked_event& e) {
  if (e.is("MAPSessionStarted")
      && integer_of(e.payload, "rules").value_or(1)
           >= graph_fold::rules_with_sums
      && object_of(e.payload, "spec").contains("context")) {
    of_ = std::make_unique<folded>();
    of_->has_resources
      = !array_of(object_of(e.payload, "spec"), "workspace").empty();
  }
  if (of_ == nullptr)
    return;
  check_order(e);
  check_due(e);
  auto nodes = size_of(of_->graph.node_count());
  auto edges = size_of(of_->graph.edge_count());
  if (auto done = of_->fold.feed(e.whole); !done) {
    e.report(graph_rule, done.error().message);
    of_.reset();
    return;
  }
  const auto* const row = std::ranges::find(updates, e.type, &update_row::type);
  if (row == updates.end())
    return;
  const auto nodes_now = size_of(of_->graph.node_count());
  const auto edges_now = size_of(of_->graph.edge_count());
  if (e.is("graph_opened")) {
    // It counts what MAPSessionStarted brought.
    nodes = edges = 0;
    expect_number(e, e.payload, "nodes", nodes_now);
    expect_number(e, e.payload, "edges", edges_now);
  }
  if (e.is("workspace_opened"))
    expect_number(e, e.payload, "resources", nodes_now - nodes);
  expect_text(e, e.whole, "graph_id", e.session.context_id);
  expect_text(e, e.whole, "source_module", row->module);
  expect_text(e, e.whole, "update_kind",
              kind_of(*row, nodes_now - nodes, edges_now - edges));
  // What is wrong once would be wrong all the way.
  if (!expect_number(e, e.whole, "node_delta", nodes_now - nodes)
      || !expect_number(e, e.whole, "edge_delta", edges_now - edges))
    of_.reset();
}

/// Where in the log an update may be.
void graph_check::check_order(const checked_event& e) {
  const auto is_due = [&](std::string_view type, bool due) {
    if (e.is(type) != due)
      e.report(graph_rule, due ? std::string{type} + " is missing before "
                                   + std::string{e.type}
                               : std::string{type} + " is not due here");
  };
  const auto place = of_->events++;
  is_due("graph_opened", place == 2);
  is_due("workspace_opened", place == 3 && of_->has_resources);
  if (e.is("session_recorded"))
    of_->recorded = true;
  else if (e.is("MAPSessionCompleted") && !of_->recorded)
    e.report(graph_rule, "session_recorded is missing before it");
  else if (e.is("MAPTurnDispatched") || e.is("MAPBroadcastReceived")) {
    of_->recorded = false;
    ++of_->segments;
  }
}

/// What an event before has made necessary, and what it says of it.
void graph_check::check_due(const checked_event& e) {
  const auto pair = [&] {
    return std::pair{std::string{text_of(e.payload, "from_participant")},
                     std::string{text_of(e.payload, "to_participant")}};
  };
  if (const auto due = std::exchange(of_->handoff, std::nullopt);
      e.is("handoff_added") ? due != pair() : due.has_value())
    e.report(graph_rule, due ? "handoff_added is missing after the first "
                               "handoff from "
                                 + due->first + " to " + due->second
                             : "no handoff is due that is the first between "
                               "these two");
  if (e.is("MAPHandoffInitiated") && of_->handoffs.insert(pair()).second)
    of_->handoff = pair();
  if (e.is("confirm_added"))
    check_part<confirm>(e, "confirm", "requested_at");
  if (e.is("decision_added"))
    check_part<confirm_decision>(e, "decision", "decided_at");
  if (e.is("confirm_resolved")
      && of_->graph
           .targets(graph_edge_kind::contains,
                    {graph_node_kind::confirm,
                     std::string{text_of(e.payload, "resource_id")}})
           .empty())
    e.report(graph_rule, "the Confirm is resolved without a decision");
  if (!e.is("session_recorded"))
    return;
  const trace_ids ids{text_of(e.whole, "session_id")};
  expect_text(e, e.payload, "trace_id", to_string(ids.trace()));
  expect_number(e, e.payload, "segments",
                size_of(std::min(of_->segments, trace_segments_max)));
}

} // namespace convene::protocol
