#include <boost/json/parse.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <protocol/strict/samples.hpp>

using namespace convene::test;
using namespace convene::protocol;

// The rows of MPLP conflicts.md section 1 that are about form: what is given,
// and what some member of its strict form is. `exported` checks that each is
// valid and comes back as it was.

namespace {

const std::string meta
  = R"("meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"})";
const std::string v4 = "550e8400-e29b-41d4-a716-446655440000";

struct row {
  std::string what;
  std::string native;
  std::string pointer; ///< into the strict form
  std::string strict;  ///< JSON; empty: there is no such member
};

std::string role(const std::string& more) {
  return "{" + meta + R"(, "role_id": "role-)" + v4 + R"(", "name": "coder")"
         + more + "}";
}

std::string role_meta(const std::string& members) {
  return R"({"meta": {)" + members + R"(}, "role_id": ")" + v4
         + R"(", "name": "coder"})";
}

std::string confirm(const std::string& more) {
  return "{" + meta + R"(, "confirm_id": ")" + v4
         + R"(", "target_type": "plan", "target_id": "plan-1",
            "requested_by_role": "lead",
            "requested_at": "2025-12-07T00:00:00Z")"
         + more + "}";
}

std::string trace(const std::string& more) {
  return "{" + meta + R"(, "trace_id": ")" + v4 + R"(", "context_id": "ctx-1",
    "root_span": {"trace_id": ")"
         + v4 + "\"}" + more + "}";
}

std::string plan(const std::string& more) {
  return "{" + meta + R"(, "plan_id": "plan-1", "context_id": "ctx-1",
    "title": "t", "objective": "o", "status": "draft", "steps": [
      {"step_id": "step-1", "description": "d", "status": "pending"},
      {"step_id": "step-2", "description": "d", "status": "pending",
       "dependencies": ["step-1"]}])"
         + more + "}";
}

std::string event(const std::string& type, const std::string& more) {
  return R"({"event_id": ")" + v4 + R"(", "event_type": ")" + type
         + R"(", "timestamp": "2025-12-07T00:00:00Z", )" + more + "}";
}

const std::vector<row> rows{
  {"C-01 protocolVersion",
   role_meta(R"("protocolVersion": "1.0.0", "schema_version": "1.0.0")"),
   "/meta/protocol_version", R"("1.0.0")"},
  {"C-01, C-31 no schema_version", role_meta(R"("protocol_version": "1.0.0")"),
   "/meta/schema_version", R"("1.0.0")"},
  {"C-01 source", role_meta(R"("protocolVersion": "1.0.0", "source": "me")"),
   "/meta/created_by", R"("me")"},
  {"C-01 source, with an author",
   role_meta(R"("protocol_version": "1.0.0", "created_by": "you",
                "source": "me")"),
   "/meta/tags", R"(["source: me"])"},
  {"C-01 unknown members",
   role_meta(R"("protocol_version": "1.0.0", "team": "a",
                "tags": ["b", "team: a"], "priority": 3)"),
   "/meta/tags", R"(["b", "team: a", "priority: 3"])"},
  {"C-02 prefix", role(""), "/role_id", '"' + v4 + '"'},
  {"C-26 what the seed may leave out", role(""), "/capabilities", ""},
  {"C-02 names, references too", plan(""), "/steps/1/dependencies/0",
   "\"fec07dd1-4ac0-478f-b9e8-8ad5bb1e2db3\""},
  {"C-04 family",
   event("MAPSessionCompleted",
         R"("event_family": "GraphUpdateEvent",
                           "session_id": "s", "payload": {})"),
   "/payload/native/event_family", R"("GraphUpdateEvent")"},
  {"C-05 title of a family in a core event",
   event("tokens_used", R"("event_family": "CostAndBudgetEvent")"),
   "/event_family", R"("cost_budget")"},
  {"C-07 hand-off",
   event("MAPHandoffInitiated",
         R"("event_family": "CommunicationEvent",
                             "session_id": "s", "initiator_role": "a",
                             "payload": {"handoff_id": "h-1",
                                         "to_role": "role-b"})"),
   "/status", R"("pending")"},
  {"C-07 hand-off without an id",
   event("MAPHandoffInitiated", R"("session_id": "s")"), "/executor_kind",
   R"("agent")"},
  {"C-08 members beside the payload",
   event("MAPTurnDispatched", R"("session_id": "s", "role_id": "r",
                                 "turn_number": 1)"),
   "/payload/turn_number", "1"},
  {"C-09 result of a turn",
   event("MAPTurnCompleted", R"("session_id": "s", "payload":
         {"role_id": "r", "turn_number": 1, "status": "approved"})"),
   "/payload/result", R"({"status": "approved"})"},
  {"C-09 receiver",
   event("MAPBroadcastReceived",
         R"("session_id": "s", "payload":
                             {"receiver_role": "00ab", "broadcast_ref": "b"})"),
   "/payload/receiver_role", "\"36aed8fb-9e4c-4a72-bd57-46fadcd9b9c5\""},
  {"C-09 sender",
   event("MAPBroadcastSent",
         R"("session_id": "s", "initiator_role": "r",
                           "target_roles": ["a", "b"],
                           "payload": {"message_type": "task"})"),
   "/payload/target_count", "2"},
  {"C-17 a MAP event in a document",
   role(R"(, "events": [{"event_type": "MAPTurnDispatched",
            "event_family": "RuntimeExecutionEvent", "session_id": "s",
            "timestamp": "2025-12-07T00:00:00Z", "payload": {}}])"),
   "/events/0/event_type", R"("map.turn.dispatched")"},
  {"C-17 a core event in a document",
   role(R"(, "events": [{"event_id": "e", "event_family": "graph_update",
            "event_type": "plan_created",
            "timestamp": "2025-12-07T00:00:00Z"}])"),
   "/events/0/event_type", R"("plan.created")"},
  {"C-17 an underscore in a small event",
   role(R"(, "events": [{"event_id": "e", "source": "plan",
            "event_type": "plan.status_changed",
            "timestamp": "2025-12-07T00:00:00Z"}])"),
   "/events/0/event_type", R"("plan.status.changed")"},
  {"C-22 override", confirm(R"(, "status": "override")"), "/status",
   R"("approved")"},
  {"C-22 override, its reason",
   confirm(R"(, "status": "override", "reason": "hurry")"), "/reason",
   R"("override: hurry")"},
  {"C-22 override of a decision",
   confirm(R"(, "status": "approved", "decisions": [{"decision_id": "d",
            "status": "override", "decided_by_role": "lead",
            "decided_at": "2025-12-07T00:00:00Z"}])"),
   "/decisions/0/reason", R"("override")"},
  {"C-23 active", trace(R"(, "status": "active")"), "/status", R"("running")"},
  {"C-35 a span without an id of its own", trace(R"(, "status": "pending")"),
   "/root_span/trace_id", '"' + v4 + '"'},
  {"C-27 duty", role_meta(R"("protocol_version": "1.0.0",
                             "cross_cutting": ["protocol-version"])"),
   "/meta/cross_cutting", R"(["protocol-versioning"])"},
  {"C-28 source of an L4 event",
   R"({"file_path": "a.txt", "change_type": "renamed", "old_path": "b.txt",
       "content_hash": "00", "source": "editor",
       "timestamp": "2025-12-07T00:00:00Z"})",
   "/payload", R"({"file_path": "a.txt", "change_type": "renamed",
                   "previous_path": "b.txt",
                   "timestamp": "2025-12-07T00:00:00Z"})"},
  {"C-28 an L4 event of another spelling",
   R"({"ci_provider": "x", "pipeline_id": "build 7", "run_id": "1",
       "status": "succeeded", "started_at": "2025-12-07T00:00:00Z",
       "trigger_event": "push", "build_url": "https://example.org/1"})",
   "/payload/run_url", R"("https://example.org/1")"},
  {"C-28 an L4 event as the schema has it",
   R"({"ci_provider": "x", "pipeline_id": "build 7", "run_id": "1",
       "status": "succeeded"})",
   "/pipeline_id", R"("build 7")"},
  {"C-30 poor",
   R"({"sample_id": "s-1", "sample_family": "intent_resolution",
       "created_at": "2025-12-07T00:00:00Z",
       "input": {"intent_id": "i", "raw_request_summary": "r"},
       "output": {"final_intent_summary": "f",
                  "resolution_quality_label": "poor"}})",
   "/output/resolution_quality_label", R"("bad")"},
  {"C-33 upper case",
   event("MAPSessionCompleted",
         R"("session_id":
                               "650E8400-E29B-41D4-A716-446655440000")"),
   "/session_id", R"("650e8400-e29b-41d4-a716-446655440000")"},
  {"C-34 a time that AJV takes", role(R"(, "created_at":
                                          "2025-12-07 00:00:00")"),
   "/created_at", R"("2025-12-07T00:00:00Z")"},
  {"C-34 zones that AJV takes",
   role(R"(, "created_at": "2025-12-07T00:00:00.5+0830",
            "updated_at": "2025-12-07 00:00:00-05")"),
   "/updated_at", R"("2025-12-07T00:00:00-05:00")"},
  {"C-39 strategy",
   event("MAPConflictResolved",
         R"("session_id": "s", "payload": {
                             "conflict_id": "c",
                             "resolution_strategy": "LWW"})"),
   "/payload/resolution_strategy", R"("last-write-wins")"},
  {"C-40 a plan's lock", plan(R"(, "governance": {"locked": true})"),
   "/governance", ""},
  {"C-41 human",
   event("asked", R"("event_family": "runtime_execution", "execution_id": "x",
                     "executor_type": "human", "status": "running")"),
   "/executor_kind", R"("external")"},
  {"C-44 comment", role(R"(, "$comment": "minimal")"), "/$comment", ""},
  {"C-52 empty content",
   "{" + meta + R"(, "dialog_id": "d", "context_id": "c", "status": "active",
     "messages": [{"role": "user", "content": "",
                   "timestamp": "2025-12-07T00:00:00Z"}]})",
   "/messages/0/content", R"("")"},
};

} // namespace

TEST_CASE("each difference in form is mapped as the table says") {
  for (const auto& [what, native, pointer, expected] : rows) {
    CAPTURE(what);
    const auto strict = exported(parsed(native));
    boost::system::error_code none;
    const auto* found = strict.find_pointer(pointer, none);
    CAPTURE(json::serialize(strict));
    if (expected.empty()) {
      CHECK(found == nullptr);
      continue;
    }
    REQUIRE(found != nullptr);
    CHECK(json::serialize(*found) == json::serialize(parsed(expected)));
  }
}

TEST_CASE("a hand-off is exported as an execution, not as a MAP event") {
  const auto native = parsed(event("MAPHandoffInitiated",
                                   R"("session_id": "s", "payload": {
                                      "handoff_id": "h"})"));
  CHECK(official_schema(native) == "mplp-map-event");
  CHECK_FALSE(violations("mplp-map-event", native).empty());
  const auto strict = exported(native);
  CHECK(official_schema(strict) == "mplp-runtime-execution-event");
}

TEST_CASE("a source inside an event of another system is refused as it is") {
  const auto native = parsed(R"({"file_path": "a", "change_type": "created",
    "timestamp": "2025-12-07T00:00:00Z", "source": "editor"})");
  CHECK(violations("mplp-file-update-event", native).size() == 1);
  const auto strict = exported(native);
  CHECK(strict.at("source") == "editor");
  CHECK(violations("mplp-file-update-event", strict.at("payload")).empty());
}

TEST_CASE("the strict form of what is strict already is the same") {
  for (const auto& native :
       {parsed(role_meta(R"("protocol_version": "1.0.0",
                            "schema_version": "2.0.0")")),
        parsed(event("MAPSessionCompleted", "\"session_id\": \"" + v4 + '"'))})
    CHECK(exported(native) == native);
}

TEST_CASE("what was exported can be exported again, and comes back twice") {
  auto natives = seed_events();
  natives.push_back(parsed(seed_dialog));
  natives.push_back(parsed(seed_collab));
  natives.push_back(parsed(plan(R"(, "governance": {"locked": true})")));
  exported(exported(natives)); // checks itself
}

TEST_CASE("in the official form a hand-off is an execution") {
  const auto schema = [](const char* text) {
    return official_schema(json::parse(text));
  };
  CHECK(schema(R"({"event_type": "MAPTurnDispatched", "session_id": 1})")
        == "mplp-map-event");
  CHECK(schema(R"({"event_type": "MAPHandoffInitiated", "session_id": 1,
                   "event_family": "runtime_execution"})")
        == "mplp-runtime-execution-event");
}
