// Forgeries of what events say of the project graph.

#include <convene/protocol/graph/graph_fold.hpp>
#include <forgeries/forgery.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

void erase_first(event_log& log, std::string_view type) {
  log.erase(log.begin() + (&first(log, type) - log.data()));
}

/// As many nodes more in an event's delta, each with its edge.
void grow(json::value& event, std::int64_t by) {
  for (const auto* member : {"node_delta", "edge_delta"})
    event.at(member).as_int64() += by;
}

auto sets(std::string_view type, std::string_view member, json::value to) {
  return [=](event_log& log) { payload_of(first(log, type))[member] = to; };
}

auto sets_in(std::string_view type, std::string_view part,
             std::string_view member, json::value to) {
  return [=](event_log& log) {
    payload_of(first(log, type)).at(part).as_object()[member] = to;
  };
}

const forgery graph_forgeries[]{
  {"a node is counted that is not there", "code-review",
   [](event_log& log) {
     first(log, "session_recorded").at("node_delta").as_int64() += 1;
   },
   "graph_matches"},
  {"an edge is counted that is not there", "code-review",
   [](event_log& log) {
     first(log, "session_recorded").at("edge_delta").as_int64() += 1;
   },
   "graph_matches"},
  {"an update is of another graph", "code-review",
   [](event_log& log) {
     first(log, "confirm_added").as_object()["graph_id"]
       = "00000000-0000-4000-8000-000000000077";
   },
   "graph_matches"},
  {"an update comes from another module", "code-review",
   [](event_log& log) {
     first(log, "session_recorded").as_object()["source_module"] = "dialog";
   },
   "graph_matches"},
  {"the graph is not opened", "code-review",
   [](event_log& log) { erase_first(log, "graph_opened"); }, "graph_matches"},
  {"the graph is opened with more than the scenario has", "code-review",
   sets("graph_opened", "nodes", 77), "graph_matches"},
  {"the workspace is not opened", "shared-files",
   [](event_log& log) { erase_first(log, "workspace_opened"); },
   "graph_matches"},
  {"the workspace is opened late", "shared-files",
   [](event_log& log) { std::swap(log[3], log[4]); }, "graph_matches"},
  {"the first handoff between two adds nothing", "support-desk",
   [](event_log& log) { erase_first(log, "handoff_added"); }, "graph_matches"},
  {"a handoff is added between others", "support-desk",
   [](event_log& log) {
     auto& pair = payload_of(first(log, "handoff_added"));
     std::swap(pair["from_participant"], pair["to_participant"]);
     std::swap(pair["from_role"], pair["to_role"]);
   },
   "graph_matches"},
  {"a Confirm is none by the protocol", "code-review",
   sets_in("confirm_added", "confirm", "target_type", "somebody"),
   "graph_matches"},
  {"a Confirm was requested at another time", "code-review",
   sets_in("confirm_added", "confirm", "requested_at",
           "2020-01-01T00:00:00.000Z"),
   "graph_matches"},
  {"a Confirm is about something else", "code-review",
   sets_in("confirm_added", "confirm", "target_id",
           "00000000-0000-4000-8000-000000000077"),
   "graph_matches"},
  {"a decision was taken at another time", "code-review",
   sets_in("decision_added", "decision", "decided_at",
           "2020-01-01T00:00:00.000Z"),
   "graph_matches"},
  {"a Confirm is resolved without a decision", "code-review",
   [](event_log& log) { erase_first(log, "decision_added"); }, "graph_matches"},
  {"a session ends without its record", "code-review",
   [](event_log& log) { erase_first(log, "session_recorded"); },
   "graph_matches"},
  {"the record is of another Trace", "code-review",
   sets("session_recorded", "trace_id", "00000000-0000-4000-8000-000000000077"),
   "graph_matches"},
  {"the record has a segment more", "code-review",
   [](event_log& log) {
     auto& record = first(log, "session_recorded");
     payload_of(record).at("segments").as_int64() += 1;
     grow(record, 1);
   },
   "graph_matches"},
  {"the record has more messages than a graph takes", "code-review",
   [](event_log& log) {
     auto& record = first(log, "session_recorded");
     auto& messages = payload_of(record).at("messages").as_int64();
     grow(record, 990'000 - messages);
     messages = 990'000;
   },
   "graph_matches"},
};

} // namespace

TEST_CASE("each forgery of the graph is told by its rule") {
  check_each(graph_forgeries);
}

TEST_CASE("a fold that counts parts has as many as one that keeps them") {
  using fold = protocol::graph_fold;
  for (const auto* name : {"code-review", "refactoring-swarm"}) {
    CAPTURE(name);
    protocol::project_graph kept;
    protocol::project_graph counted;
    fold keeps{kept};
    fold counts{counted, fold::parts::counted};
    for (const auto& event : example_log(name)) {
      REQUIRE(keeps.feed(event.as_object()));
      REQUIRE(counts.feed(event.as_object()));
      CHECK(kept.node_count() == counted.node_count());
      CHECK(kept.edge_count() == counted.edge_count());
    }
    CHECK(kept.nodes().size() > counted.nodes().size());
  }
}
