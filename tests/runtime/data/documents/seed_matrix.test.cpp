// Documents as the protocol's seeds show them, by schema and by rule (MPLP
// conflicts.md 3). Rows of that matrix that are not here: the notes that come
// with accepting such documents, exports (of a dialog, of
// MAPHandoffInitiated, of a Confirm's override) and integration events without
// a source are for those who convert and take in; that a session of one is
// not started is tests/session/spec/activation.test.cpp.

#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>

using namespace convene::host;
using namespace convene::tests;
using convene::protocol::embedded_invariants;
using convene::protocol::rule_set;

namespace {

using texts = std::vector<std::string>;

const std::string meta
  = R"("meta": {"protocolVersion": "1.0.0", "source": "runtime"})";
const std::string good_meta
  = R"("meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"})";
const std::string v4 = "550e8400-e29b-41d4-a716-446655440000";

const std::string seed_dialog = "{" + meta + R"(,
  "dialog_id": "dialog-550e8400-e29b-41d4-a716-446655440000",
  "context_id": "ctx-550e8400-e29b-41d4-a716-446655440001",
  "thread_id": "thread-parser-001", "status": "active",
  "messages": [
    {"role": "user", "content": "The parser fails", "timestamp": "2025-12-01T10:00:00Z"},
    {"role": "agent", "content": "Where?", "timestamp": "2025-12-01T10:00:05Z"}],
  "started_at": "2025-12-01T10:00:00Z"})";

const std::string seed_collab = "{" + meta + R"(,
  "collab_id": "collab-550e8400-e29b-41d4-a716-446655440000",
  "context_id": "ctx-550e8400-e29b-41d4-a716-446655440001",
  "title": "A parser", "purpose": "Four work on it",
  "mode": "orchestrated", "status": "active",
  "participants": [
    {"participant_id": "orchestrator-1", "role_id": "role-architect-001", "kind": "agent"},
    {"participant_id": "coder-1", "role_id": "role-coder-001", "kind": "agent"},
    {"participant_id": "reviewer-1", "role_id": "role-reviewer-001", "kind": "agent"},
    {"participant_id": "human-1", "role_id": "role-owner-001", "kind": "human"}],
  "created_at": "2025-12-01T10:00:00Z"})";

std::string lone_collab(const std::string& status) {
  return "{" + good_meta + R"(, "collab_id": ")" + v4 + R"(",
    "context_id": ")"
         + v4 + R"(", "title": "Alone", "purpose": "Alone",
    "mode": "round_robin", "status": ")"
         + status + R"(",
    "participants": [{"participant_id": "ann", "role_id": "r", "kind": "human"}],
    "created_at": "2025-12-01T10:00:00Z"})";
}

std::string seed_event(const std::string& type, const std::string& payload) {
  return R"({"event_type": ")" + type
         + R"(", "event_family": "CommunicationEvent",
    "session_id": "collab-550e8400", "timestamp": "2025-12-01T10:00:00Z",
    "payload": )"
         + payload + "}";
}

rule_set rules_of(std::vector<std::string_view> names) {
  return embedded_invariants().value().select(names).value();
}

struct verdict {
  std::size_t schema_errors = 0;
  texts rules;    ///< broken ones of level error
  texts warnings; ///< and of level warning, each once
};

verdict judge(const std::string& text, const rule_set& rules,
              bool strict = false, const char* name = "document.json") {
  const scratch_folder at;
  write_bytes(at / name, text);
  verdict found;
  REQUIRE(validate_files(
    {.paths = {at / name}, .strict = strict, .rules = &rules},
    [&](const file_verdict& file) {
      for (const auto& one : file.errors)
        if (one.rule.id.empty())
          ++found.schema_errors;
        else
          found.rules.push_back(one.rule.id);
      for (const auto& one : file.warnings)
        if (found.warnings.empty() || found.warnings.back() != one.rule.id)
          found.warnings.push_back(one.rule.id);
    }));
  return found;
}

std::string file_of(const std::string& name) {
  return read_bytes(std::string{CONVENE_SOURCE_DIR "/tests/golden/flows/"}
                    + name);
}

} // namespace

TEST_CASE("the seeds' examples break the schemas as often as is known") {
  CHECK(judge(seed_dialog, {}, true).schema_errors == 7);
  CHECK(judge(seed_collab, {}, true).schema_errors == 6);
  for (const auto* type :
       {"MAPSessionStarted", "MAPRolesAssigned", "MAPTurnDispatched",
        "MAPTurnCompleted", "MAPBroadcastSent", "MAPBroadcastReceived",
        "MAPConflictDetected", "MAPConflictResolved", "MAPSessionCompleted"})
    CHECK(judge(seed_event(type, "{}"), {}, true).schema_errors == 3);
}

TEST_CASE("taken for what it means, a seed's collab keeps all MAP rules") {
  const auto found = judge(seed_collab, rules_of({"map", "seed"}));
  CHECK(found.schema_errors == 0);
  CHECK(found.rules.empty());
  const auto strict = judge(seed_collab, rules_of({"map", "seed"}), true);
  CHECK(strict.rules == texts{"map_session_id_is_uuid"});
}

TEST_CASE("a collab of one is a document, but not a session that runs") {
  const auto rules = rules_of({"map", "seed"});
  const auto draft = judge(lone_collab("draft"), rules, true);
  CHECK(draft.schema_errors == 0);
  CHECK(draft.rules.empty());
  CHECK(judge(lone_collab("active"), rules).rules
        == texts{"map_session_requires_multiple_participants"});
}

TEST_CASE("a broadcast without an id cannot be answered") {
  auto line = [](std::string text) {
    std::erase(text, '\n');
    return text + '\n';
  };
  const auto found
    = judge(line(seed_event("MAPBroadcastSent", R"({"message_type": "task"})"))
              + line(seed_event("MAPBroadcastReceived",
                                R"({"broadcast_ref": "broadcast-001"})")),
            rules_of({"map"}), false, "log.jsonl");
  CHECK(found.rules == texts{"map_broadcast_has_receivers"});
}

TEST_CASE("steps without a role are accepted with a warning") {
  for (const auto* plan : {"flow-01-single-agent-plan/expected/plan.json",
                           "flow-02-large-plan/input/plan.json"}) {
    const auto found = judge(file_of(plan), rules_of({"sa", "seed"}), true);
    CHECK(found.schema_errors == 0);
    CHECK(found.rules.empty());
    CHECK(found.warnings == texts{"sa_steps_have_agent_role"});
  }
}

TEST_CASE("the rules of delta samples are not for intent samples") {
  const auto sample = R"({"sample_id": ")" + v4 + R"(",
    "sample_family": "intent_resolution", "created_at": "2025-12-01T10:00:00Z",
    "input": {"intent_id": "i"}, "state": {"risk_level": "severe"},
    "output": {}})";
  CHECK(judge(sample, rules_of({"learning"})).rules.empty());
}

TEST_CASE("rules of observability are for events of a family alone") {
  const auto rules = rules_of({"observability"});
  CHECK(judge(seed_event("MAPSessionStarted",
                         R"({"mode": "swarm", "participant_count": 2})"),
              rules)
          .rules.empty());
  const auto named = R"({"event_id": ")" + v4 + R"(", "event_type": "x",
    "event_family": "GraphUpdateEvent", "timestamp": "2025-12-01T10:00:00Z"})";
  CHECK(judge(named, rules).rules == texts{"obs_event_family_valid"});
}
