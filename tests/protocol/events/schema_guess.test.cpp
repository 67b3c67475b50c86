#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/events/schema_guess.hpp>

using convene::protocol::guess_schema;

TEST_CASE("what a document is for shows in the members it has") {
  const auto [text, schema] = GENERATE(table<const char*, const char*>({
    {R"({"collab_id": 1, "context_id": 2})", "mplp-collab"},
    {R"({"meta": {}, "context_id": 2, "participants": []})", "mplp-collab"},
    {R"({"context_id": 2})", "mplp-context"},
    {R"({"plan_id": 1, "context_id": 2})", "mplp-plan"},
    {R"({"trace_id": 1, "context_id": 2, "plan_id": 3})", "mplp-trace"},
    {R"({"confirm_id": 1, "target_id": 2})", "mplp-confirm"},
    {R"({"role_id": 1})", "mplp-role"},
    {R"({"dialog_id": 1, "context_id": 2})", "mplp-dialog"},
    {R"({"convene": "1"})", "convene-scenario"},
    {R"({"collab": {"collab_id": 1}})", "convene-scenario"},
    {R"({"event_type": "x", "session_id": 1})", "convene-native-event"},
    {R"({"event_type": "MAPx", "session_id": 1})", "mplp-map-event"},
    {R"({"event_type": "MAPx", "session_id": 1, "event_family": "y"})",
     "convene-native-event"},
    {R"({"event_type": "x", "session_id": 1, "event_family": "intent"})",
     "mplp-event-core"},
    {R"({"event_type": "step_added", "session_id": 1,
         "event_family": "graph_update"})",
     "convene-native-event"},
    {R"({"event_type": "x", "sa_id": 1, "plan_id": 2})", "mplp-sa-event"},
    {R"({"event_type": "x", "event_family": "graph_update"})",
     "mplp-graph-update-event"},
    {R"({"event_type": "x", "event_family": 7})", ""},
    {R"({"sample_id": 1, "success_flag": true})", "learning-sample"},
    {R"({"sample_id": 1, "sample_family": "intent_resolution"})",
     "mplp-learning-sample-intent"},
    {R"({"sample_id": 1, "sample_family": "delta_impact"})",
     "mplp-learning-sample-delta"},
    {R"({"sample_id": 1, "sample_family": 7})", "mplp-learning-sample-core"},
    {R"({"session_id": "s", "stop_reason": {}})", "convene-result"},
    {R"({"session_id": "s", "resources": []})", "convene-workspace"},
    {R"({"instances": 1, "virtual_time": false})", "convene-run"},
    {R"({"participants": [], "steps": []})", ""},
    {"{}", ""},
    {"[]", ""},
    {"null", ""},
  }));
  INFO(text);
  CHECK(guess_schema(boost::json::parse(text)) == schema);
}
