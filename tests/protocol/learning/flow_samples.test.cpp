#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/learning/flow_samples.hpp>

#include <string>
#include <vector>

using namespace convene::protocol;

namespace {

using lines = std::vector<std::string>;
constexpr const char* session_id = "650e8400-e29b-41d4-a716-446655443002";
constexpr const char* plan_id = "de1b1471-320a-48ea-b7a7-88d106762832";
constexpr const char* step_id = "68b4aef7-3eaa-4e17-9d8a-4eace693ae2d";

/// The n-th event at second n; `more` are members beside the payload.
struct writer {
  int count = 0;

  std::string operator()(const std::string& type, const std::string& payload,
                         const std::string& more = {}) {
    const auto n = std::to_string(10 + ++count);
    return R"({"event_id": "00000000-0000-4000-8000-0000000000)" + n
           + R"(", "event_type": ")" + type
           + R"(", "timestamp": "2026-01-01T00:00:)" + n + R"(.000Z", )" + more
           + R"("payload": {)" + payload + "}}";
  }

  std::string map(const std::string& type, const std::string& payload) {
    return (*this)(type, payload,
                   R"("session_id": ")" + std::string{session_id} + "\", ");
  }
};

std::string family(const std::string& name, const std::string& more = {}) {
  return R"("event_family": ")" + name + "\", " + more;
}

std::vector<json::object> samples_of(const lines& events, bool scrub = false) {
  flow_samples flow{scrub};
  std::vector<json::object> all;
  const auto take = [&](std::vector<json::object> made) {
    all.insert(all.end(), made.begin(), made.end());
  };
  for (const auto& each : events) {
    INFO(each);
    const auto event = parse_json(each);
    REQUIRE(event);
    take(flow.feed(event->as_object()));
  }
  take(flow.finish());
  return all;
}

/// The text, number or word at a path of dots; nothing: empty.
std::string at(const json::value& in, const std::string& pointer) {
  boost::system::error_code none;
  const auto* found = in.find_pointer(pointer, none);
  if (found == nullptr)
    return {};
  return found->is_string() ? std::string{found->as_string()}
                            : json::serialize(*found);
}

std::string at(const json::object& in, const std::string& pointer) {
  return at(json::value(in), pointer);
}

lines points_of(const std::vector<json::object>& samples) {
  lines all;
  for (const auto& each : samples)
    all.push_back(at(each, "/meta/collection_point") + " ("
                  + at(each, "/sample_family") + ")");
  return all;
}

std::string started(writer& log, const std::string& confirm = "") {
  return log.map(
    "MAPSessionStarted",
    R"("mode": "pair", "participant_count": 2, "purpose": "Make it quick",
       "context_id": "47eaa099-2cb6-416d-86dc-283cf0480ff9",
       "spec": {"context": {"constraints": {"language": "C++", "days": 2}},
                "plan": {"plan_id": ")"
      + std::string{plan_id}
      + R"(", "title": "Speed", "objective": "Half the time",
                         "steps": [{}, {}]})"
      + confirm + "}");
}

} // namespace

TEST_CASE("a session's purpose and plan are an intent and what became of it") {
  writer log;
  const auto made = samples_of({started(log)});
  REQUIRE(points_of(made)
          == lines{"intent_resolution (intent_resolution)",
                   "plan_generation (intent_resolution)"});
  CHECK(at(made[0], "/input/raw_request_summary") == "Make it quick");
  CHECK(at(made[0], "/input/constraints_summary") == "language, days");
  CHECK(at(made[0], "/output/final_intent_summary") == "Half the time");
  CHECK(at(made[0], "/output/plan_id").empty());
  CHECK(at(made[1], "/output/plan_id") == plan_id);
  CHECK(at(made[1], "/output/plan_step_count") == "2");
  CHECK(at(made[1], "/state/existing_plan_count") == "0");
  CHECK(at(made[1], "/meta/source_flow_id") == session_id);
  CHECK(at(made[1], "/meta/source_event_ids")
        == R"(["00000000-0000-4000-8000-000000000011"])");
  CHECK(at(made[1], "/meta/project_id")
        == "47eaa099-2cb6-416d-86dc-283cf0480ff9");
  CHECK(at(made[0], "/sample_id") != at(made[1], "/sample_id"));
}

TEST_CASE("a plan is generated once, however many events tell of it") {
  writer log;
  const std::string plan = R"("plan": {"plan_id": ")" + std::string{plan_id}
                           + R"(", "title": "Speed", "steps": []})";
  const auto made = samples_of(
    {started(log), log("plan_created", plan, family("graph_update")),
     log("plan_created", R"("node_id": ")" + std::string{plan_id} + '"',
         family("graph_update"))});
  CHECK(points_of(made).size() == 2);
}

TEST_CASE("a turn that ends is an outcome of its step, with its error") {
  writer log;
  const auto made = samples_of(
    {started(log),
     log.map("MAPTurnDispatched",
             R"("turn_number": 1, "token_id": "t1", "step_id": ")"
               + std::string{step_id} + '"'),
     log.map("MAPTurnCompleted",
             R"("turn_number": 1, "token_id": "t1", "role_id": "coder",
                "status": "failed", "duration_ms": 12,
                "error": {"code": "gone", "message": "It went away"})"),
     log("step_status_changed",
         R"("resource_type": "step", "to_status": "failed", "reason": "gone")",
         family("pipeline_stage",
                R"("stage_status": "failed", "pipeline_id": ")"
                  + std::string{plan_id} + R"(", "stage_id": ")" + step_id
                  + "\", "))});
  REQUIRE(points_of(made).size() == 4);
  CHECK(points_of(made)[2] == "execution_completion (pipeline_outcome)");
  CHECK(at(made[2], "/input/pipeline_id") == plan_id);
  CHECK(at(made[2], "/input/stage_id") == step_id);
  CHECK(at(made[2], "/input/stage_config")
        == R"({"stage":"turn","turn_number":1,"role_id":"coder"})");
  CHECK(at(made[2], "/output")
        == R"({"status":"failed","duration_ms":12,)"
           R"("error_info":{"code":"gone","message":"It went away"}})");
  CHECK(points_of(made)[3] == "pipeline_failure (pipeline_outcome)");
  CHECK(at(made[3], "/input/stage_id") == step_id);
}

TEST_CASE("an execution gives a sample when it ends, and inputs give none") {
  writer log;
  const auto act = [&](const std::string& type, const std::string& status) {
    return log(
      type, R"("attempt": 2, "duration_ms": 5)",
      family("runtime_execution",
             R"("executor_kind": "llm", "execution_id": "e", "status": ")"
               + status + "\", "));
  };
  const auto made = samples_of({act("action_started", "running"),
                                act("action_ended", "cancelled"),
                                act("session_input", "completed"),
                                act("step_execution_ended", "completed")});
  REQUIRE(points_of(made) == lines{"execution_completion (pipeline_outcome)"});
  CHECK(at(made[0], "/input/stage_config")
        == R"({"stage":"execution","executor_kind":"llm","attempt":2})");
  CHECK(at(made[0], "/output") == R"({"status":"cancelled","duration_ms":5})");
}

TEST_CASE("only what a person decided has a label of a person") {
  writer log;
  const auto resolved = [&](const std::string& to, const std::string& reason) {
    return log(
      "confirm_resolved",
      R"("resource_type": "confirm", "resource_id": "c", "target_id": ")"
        + std::string{plan_id} + R"(", "from_status": "pending",
                  "to_status": ")"
        + to + R"(", "reason": ")" + reason + '"',
      family("pipeline_stage", R"("stage_status": "completed", )"));
  };
  const auto made = samples_of(
    {started(log, R"(, "confirm": {"confirm_id": "c0", "target_type": "plan",
                      "target_id": "p", "decisions": [
                        {"status": "rejected", "decided_by_role": "lead"},
                        {"status": "approved", "decided_by_role": "lead",
                         "reason": "now it fits"}]})"),
     resolved("approved", "automatic approval"),
     resolved("rejected", "too big"), resolved("pending", "asked")});
  lines found;
  for (const auto& each : made)
    if (at(each, "/sample_family") == "confirm_decision")
      found.push_back(at(each, "/output/decision") + ' '
                      + at(each, "/meta/human_feedback_label") + ' '
                      + at(each, "/output/reasoning") + ' '
                      + at(each, "/input/target_type") + ' '
                      + at(each, "/output/decided_by_role"));
  CHECK(found
        == lines{"rejected rejected  plan lead",
                 "approved approved now it fits plan lead",
                 "approved not_reviewed automatic approval plan convene",
                 "rejected rejected too big plan "});
  CHECK(at(made[2], "/sample_id") != at(made[3], "/sample_id"));
}

TEST_CASE("a graph update is significant if it is large or removes nodes") {
  writer log;
  const auto update = [&](const std::string& kind, int nodes, int edges) {
    return log("x", "",
               family("graph_update", R"("source_module": "plan",
                      "update_kind": ")" + kind
                                        + R"(", "node_delta": )"
                                        + std::to_string(nodes)
                                        + R"(, "edge_delta": )"
                                        + std::to_string(edges) + ", "));
  };
  const auto made
    = samples_of({update("node_add", 2, 2), update("bulk", 2, 3),
                  update("edge_delete", 0, -1), update("node_delete", -1, 0)});
  REQUIRE(points_of(made) == lines(2, "graph_update (graph_evolution)"));
  CHECK(at(made[0], "/state")
        == R"({"node_count_before":2,"edge_count_before":2})");
  CHECK(at(made[0], "/input")
        == R"({"trigger_event_id":"00000000-0000-4000-8000-000000000012",)"
           R"("change_type":"bulk"})");
  CHECK(at(made[0], "/output/nodes_added") == "2");
  CHECK(at(made[0], "/output/edges_added") == "3");
  CHECK(at(made[0], "/output/topology_change_score").starts_with("5.56"));
  CHECK(at(made[1], "/input/change_type") == "node_delete");
  CHECK(at(made[1], "/state")
        == R"({"node_count_before":4,"edge_count_before":4})");
}

TEST_CASE("a wished-for change is a sample once its effect is known") {
  writer log;
  const auto update = [&](const std::string& module) {
    return log("x", "",
               family("graph_update",
                      R"("update_kind": "node_add", "node_delta": 1,
                         "edge_delta": 0, "source_module": ")"
                        + module + "\", "));
  };
  const auto made = samples_of(
    {log("user_message_received", R"("intent_id": "i1", "raw_text": "A list")",
         family("intent")),
     log("modification_requested",
         R"("intent_id": "i2", "original_intent_id": "i1",
            "delta_type": "modify", "changes": "Sort it")",
         family("delta_intent")),
     update("plan"), update("context"),
     log("rollback_executed", "", family("compensation_plan")),
     log("modification_requested", R"("delta_type": "add", "changes": "Count")",
         family("delta_intent")),
     log("impact_assessed",
         R"("impact_id": "m", "risk_level": "high",
            "affected_resources": ["a", "b"])",
         family("impact_analysis"))});
  REQUIRE(points_of(made)
          == lines{"intent_resolution (intent_resolution)",
                   "plan_revision (delta_impact)",
                   "impact_analysis_completion (delta_impact)",
                   "plan_revision (delta_impact)"});
  CHECK(at(made[0], "/input/raw_request_summary") == "A list");
  CHECK(at(made[0], "/input/dialog_turns_count") == "1");
  CHECK(at(made[1], "/input/intent_id") == "i1");
  CHECK(at(made[1], "/input/delta_type") == "refinement");
  CHECK(at(made[1], "/output/impact_scope") == "system");
  CHECK(at(made[1], "/output/rollback_used") == "true");
  CHECK(at(made[1], "/state/affected_artifact_count") == "2");
  CHECK(made[1].at("meta").at("source_event_ids").as_array().size() == 4);
  CHECK(at(made[2], "/state/risk_level") == "high");
  CHECK(at(made[2], "/input/change_summary") == "Count");
  CHECK(at(made[2], "/output/impact_scope") == "module");
  CHECK(at(made[3], "/output/impact_scope") == "local");
  CHECK(at(made[3], "/input/delta_type") == "expansion");
}

TEST_CASE("an event that is gone is not looked at again") {
  const auto type = GENERATE(as<std::string>{}, "pivot", "correction", "remove",
                             "something else");
  writer log;
  auto event = parse_json(log("modification_requested",
                              R"("delta_type": ")" + type + '"',
                              family("delta_intent")));
  REQUIRE(event);
  flow_samples flow{false};
  CHECK(flow.feed(event->as_object()).empty());
  event->at("payload").at("delta_type").as_string().assign("other");
  const auto made = flow.finish();
  REQUIRE(made.size() == 1);
  CHECK(at(made[0], "/input/delta_type")
        == (type == "remove"           ? "reduction"
            : type == "something else" ? ""
                                       : type));
}

TEST_CASE("a step that is added, rewritten or dropped revises the plan") {
  writer log;
  const auto write = [&](const std::string& op) {
    return log("resource_written",
               R"("resource_type": "plan_step", "op": ")" + op
                 + R"(", "value": {"description": "Look again"})",
               family("graph_update", R"("update_kind": "node_update", )"));
  };
  const auto made = samples_of(
    {started(log),
     log("step_added", R"("step": {"description": "Look"})",
         family("graph_update")),
     write("put"), write("delete"),
     log("resource_written", R"("resource_type": "file", "op": "put")",
         family("graph_update", R"("update_kind": "node_add", )"))});
  lines found;
  for (const auto& each : made)
    if (at(each, "/sample_family") == "delta_impact")
      found.push_back(at(each, "/input/delta_type") + ": "
                      + at(each, "/input/change_summary"));
  CHECK(found
        == lines{"expansion: Look", "refinement: Look again",
                 "reduction: Look again"});
}

TEST_CASE("a session that completed with a failed turn is a partial success") {
  const auto [turn, status, expected]
    = GENERATE(table<std::string, std::string, std::string>(
      {{"completed", "completed", "success"},
       {"timed_out", "completed", "partial"},
       {"failed", "completed", "partial"},
       {"completed", "cancelled", "failed"}}));
  writer log;
  const auto made
    = samples_of({started(log),
                  log.map("MAPTurnCompleted",
                          R"("turn_number": 1, "status": ")" + turn + '"'),
                  log.map("MAPSessionCompleted",
                          R"("status": ")" + status
                            + R"(", "participants_count": 2, "turns_total": 1,
                   "handoffs_count": 0, "duration_ms": 3)")});
  CHECK(points_of(made).back()
        == "map_session_completion (multi_agent_coordination)");
  CHECK(at(made.back(), "/input")
        == R"({"session_id":")" + std::string{session_id}
             + R"(","coordination_mode":"pair","participant_count":2})");
  CHECK(at(made.back(), "/output")
        == R"({"total_turns":1,"handoffs_count":0,"duration_ms":3,"outcome":")"
             + expected + "\"}");
}

TEST_CASE("scrubbed samples say nothing that people or models wrote") {
  writer log;
  const lines events{
    started(log, R"(, "confirm": {"confirm_id": "secret-c", "decisions": [
        {"status": "approved", "decided_by_role": "secret-lead",
         "reason": "secret reason"}]})"),
    log.map("MAPTurnCompleted",
            R"("turn_number": 1, "token_id": "secret-t", "role_id": "secret-r",
               "status": "failed", "error": {"code": "Secret!",
               "message": "secret message"})"),
    log("user_message_received",
        R"("intent_id": "secret-i", "raw_text": "secret wish")",
        family("intent")),
    log("step_added",
        R"("step": {"step_id": "secret-s", "description": "secret step"})",
        family("graph_update")),
    log("modification_requested", R"("changes": "secret change")",
        family("delta_intent")),
    log("impact_assessed", R"("recommendations": ["secret advice"])",
        family("impact_analysis"))};
  const auto open = samples_of(events);
  const auto scrubbed = samples_of(events, true);
  const auto text = [](const std::vector<json::object>& all) {
    std::string joined;
    for (const auto& each : all)
      joined += json::serialize(each);
    return joined;
  };
  CHECK(text(open).find("secret wish") != std::string::npos);
  CHECK(text(open).find("secret step") != std::string::npos);
  for (const auto* hidden : {"ecret", "quick", "Half", "language"}) {
    INFO(hidden);
    CHECK(text(scrubbed).find(hidden) == std::string::npos);
  }
  CHECK(points_of(scrubbed) == points_of(open));
}

TEST_CASE("a sample repeats the beginning of a text, in whole characters") {
  writer log;
  const std::string before(sample_text_bytes_max - 1, 'a');
  const auto made = samples_of(
    {log("user_message_received", R"("raw_text": ")" + before + R"(äb")",
         family("intent"))});
  CHECK(at(made[0], "/input/raw_request_summary") == before);
}

TEST_CASE("samples of a flow are bounded, and what is left out is counted") {
  flow_samples flow{false};
  const auto event = parse_json(R"({"event_type": "x",
    "event_id": "00000000-0000-4000-8000-000000000001",
    "event_family": "graph_update", "timestamp": "2026-01-01T00:00:00.000Z",
    "update_kind": "bulk", "node_delta": 9, "edge_delta": 0})");
  std::size_t made = 0;
  for (std::size_t i = 0; i < flow_samples_max + 3; ++i)
    made += flow.feed(event->as_object()).size();
  CHECK(made == flow_samples_max);
  CHECK(flow.left_out() == 3);
}
