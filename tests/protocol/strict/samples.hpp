#pragma once

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/strict/strict_form.hpp>

#include <string>
#include <string_view>
#include <vector>

// Documents in the form that the protocol's first descriptions show (MPLP
// conflicts.md C-01 to C-07): prefixed or short ids, protocolVersion, events
// without an id and with a family. Written here from what the reference says
// of their members.

namespace convene::test {

namespace json = boost::json;

inline json::value parsed(std::string_view text) {
  auto value = protocol::parse_json(text);
  if (!value)
    FAIL(to_string(value.error()) << '\n' << text);
  return *value;
}

inline const std::string seed_dialog = R"({
  "meta": {"protocolVersion": "1.0.0", "source": "mplp-runtime"},
  "dialog_id": "dialog-550e8400-e29b-41d4-a716-446655440000",
  "context_id": "ctx-550e8400-e29b-41d4-a716-446655440001",
  "thread_id": "thread-login-fix-001",
  "status": "active",
  "messages": [
    {"role": "system", "content": "You help with code.",
     "timestamp": "2025-12-07T00:00:00.000Z"},
    {"role": "user", "content": "Fix the login bug.",
     "timestamp": "2025-12-07T00:01:00.000Z"}],
  "started_at": "2025-12-07T00:00:00.000Z"
})";

inline const std::string seed_collab = R"({
  "meta": {"protocolVersion": "1.0.0", "source": "mplp-runtime"},
  "collab_id": "collab-550e8400-e29b-41d4-a716-446655440000",
  "context_id": "ctx-550e8400-e29b-41d4-a716-446655440001",
  "title": "Login fix",
  "purpose": "Fix and review the login bug",
  "mode": "orchestrated",
  "status": "active",
  "participants": [
    {"participant_id": "orchestrator-1", "role_id": "role-architect-001",
     "kind": "agent", "display_name": "Architect"},
    {"participant_id": "coder-1", "role_id": "role-coder", "kind": "agent"},
    {"participant_id": "reviewer-1", "role_id": "role-reviewer",
     "kind": "agent"},
    {"participant_id": "ana", "role_id": "role-human", "kind": "human"}],
  "created_at": "2025-12-07T00:00:00.000Z"
})";

inline json::value seed_event(std::string_view type, std::string_view family,
                              std::string_view payload,
                              std::string_view more = "") {
  return parsed(
    R"({"event_type": ")" + std::string{type} + R"(", "event_family": ")"
    + std::string{family} + R"(", "session_id": "collab-550e8400",)"
    + R"( "timestamp": "2025-12-07T00:00:00.000Z",)" + std::string{more}
    + R"( "payload": )" + std::string{payload} + "}");
}

/// One of each of the nine types that have an example.
inline std::vector<json::value> seed_events() {
  const std::string graph = "GraphUpdateEvent";
  const std::string execution = "RuntimeExecutionEvent";
  const std::string talk = "CommunicationEvent";
  const std::string conflict = "ConflictEvent";
  return {seed_event("MAPSessionStarted", graph,
                     R"({"mode": "orchestrated", "participant_count": 3,
                   "context_id": "ctx-550e8400", "purpose": "Fix it"})"),
          seed_event("MAPRolesAssigned", graph,
                     R"({"assignments": [
                   {"participant_id": "agent-1", "role_id": "role-coder",
                    "kind": "agent"},
                   {"participant_id": "ana", "role_id": "role-reviewer",
                    "kind": "human"}]})"),
          seed_event("MAPTurnDispatched", execution,
                     R"({"role_id": "role-coder", "turn_number": 1,
                   "token_id": "token-001", "task": "Fix it"})",
                     R"("initiator_role": "role-orchestrator",
                  "target_roles": ["role-coder"],)"),
          seed_event("MAPTurnCompleted", execution,
                     R"({"role_id": "role-coder", "turn_number": 1,
                   "status": "completed", "duration_ms": 1200,
                   "output_summary": "Done"})"),
          seed_event("MAPBroadcastSent", talk,
                     R"({"message_type": "task_announcement",
                   "message": {"task": "Review", "deadline_ms": 1000}})",
                     R"("initiator_role": "role-orchestrator",
                  "target_roles": ["role-coder", "role-reviewer"],)"),
          seed_event("MAPBroadcastReceived", talk,
                     R"({"receiver_role": "role-coder",
                   "broadcast_ref": "broadcast-001",
                   "response": {"approach": "tests", "confidence": 0.8}})"),
          seed_event("MAPConflictDetected", conflict,
                     R"({"conflict_id": "conflict-001", "resource_type": "file",
                   "resource_id": "src/login.ts",
                   "conflicting_roles": ["role-coder", "role-reviewer"],
                   "conflict_type": "concurrent_modification",
                   "details": "both"})"),
          seed_event("MAPConflictResolved", conflict,
                     R"({"conflict_id": "conflict-001",
                   "resolution_strategy": "hierarchy",
                   "winning_role": "role-coder", "reason": "rank"})"),
          seed_event("MAPSessionCompleted", graph,
                     R"({"status": "completed", "participants_count": 3,
                   "turns_total": 5, "broadcasts_count": 1,
                   "conflicts_count": 1, "duration_ms": 45000})")};
}

/// The violations by the schema, a line each.
inline std::vector<std::string> violations(std::string_view schema,
                                           const json::value& document) {
  const auto compiled = protocol::embedded_schema(schema);
  if (!compiled)
    FAIL(to_string(compiled.error()));
  std::vector<std::string> all;
  for (const auto& found : protocol::validate(*compiled, document).violations)
    all.push_back(found.text);
  return all;
}

/// Exports the documents together; they come back as they were, or the test
/// fails.
inline std::vector<json::value>
exported(const std::vector<json::value>& natives,
         protocol::alias_table& aliases, protocol::reading_notes& notes) {
  for (std::size_t i = 0; i < natives.size(); ++i)
    protocol::collect_ids(natives[i], i, aliases);
  REQUIRE(aliases.settle());
  std::vector<json::value> all;
  for (std::size_t i = 0; i < natives.size(); ++i) {
    auto made = protocol::to_strict(natives[i], i, aliases, notes);
    // Cut: a test's output must stay readable when it fails.
    INFO(json::serialize(natives[i]).substr(0, 2'000));
    if (!made)
      FAIL(to_string(made.error()));
    CHECK(violations(made->schema, made->value).empty());
    const auto back = protocol::to_native(made->value, aliases);
    if (!back)
      FAIL(to_string(back.error()));
    const bool same = json::serialize(*back) == json::serialize(natives[i]);
    CHECK(same);
    all.push_back(std::move(made->value));
  }
  return all;
}

inline std::vector<json::value>
exported(const std::vector<json::value>& natives) {
  protocol::alias_table aliases;
  protocol::reading_notes notes;
  return exported(natives, aliases, notes);
}

inline json::value exported(const json::value& native) {
  return exported(std::vector{native}).front();
}

} // namespace convene::test
