#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/derived_events.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <protocol/strict/samples.hpp>

using namespace convene;
using namespace convene::test;
using namespace convene::protocol;

namespace {

const std::string session = "650e8400-e29b-41d4-a716-446655443002";
const std::string execution = "650e8400-e29b-41d4-a716-446655443003";

json::object event_of(std::string_view type, std::string_view members,
                      std::string_view payload) {
  return parsed(
           R"({"event_id": "650e8400-e29b-41d4-a716-446655443001",
               "event_type": ")"
           + std::string{type}
           + R"(", "timestamp": "2026-01-01T00:00:00.000Z", "session_id": ")"
           + session + R"(", )" + std::string{members} + R"("payload": )"
           + std::string{payload} + "}")
    .as_object();
}

json::object execution_event(std::string_view type, std::string_view executor,
                             std::string_view status,
                             std::string_view payload) {
  return event_of(type,
                  R"("event_family": "runtime_execution", "execution_id": ")"
                    + execution + R"(", "executor_kind": ")"
                    + std::string{executor} + R"(", "status": ")"
                    + std::string{status} + R"(", )",
                  payload);
}

/// The twins' types, each valid by its schema.
std::vector<json::value> twins_of(derived_events& by,
                                  const json::object& event) {
  std::vector<json::value> all;
  for (const auto& twin : by.of(event)) {
    CAPTURE(json::serialize(twin.value));
    CHECK(violations(twin.schema, twin.value).empty());
    CHECK(official_schema(twin.value) == twin.schema);
    CHECK(is_family_twin(twin.value));
    all.push_back(twin.value);
  }
  return all;
}

/// The type of the only twin; empty: there is none.
std::string type_of_twin(const json::object& event) {
  derived_events by;
  const auto all = twins_of(by, event);
  REQUIRE(all.size() < 2);
  return all.empty() ? "" : std::string{all[0].at("event_type").as_string()};
}

const std::string started = R"({"mode": "pair", "context_id":
  "650e8400-e29b-41d4-a716-446655443000", "spec": {
  "extensions": [
    {"extension_id": "650e8400-e29b-41d4-a716-446655443011",
     "status": "registered"},
    {"extension_id": "650e8400-e29b-41d4-a716-446655443012",
     "status": "active"},
    {"extension_id": "650e8400-e29b-41d4-a716-446655443013",
     "status": "registered"}],
  "network": {"nodes": [
    {"node_id": "650e8400-e29b-41d4-a716-446655443021", "name": "ann"}]}}})";

json::object input_of(std::string_view input, std::string_view who) {
  return event_of("session_input",
                  R"("event_family": "runtime_execution", "execution_id": ")"
                    + execution
                    + R"(", "executor_kind": "worker", "status": "completed",)",
                  R"({"input": ")" + std::string{input}
                    + R"(", "participant_id": ")" + std::string{who} + "\"}");
}

} // namespace

TEST_CASE("an action is told of by the words of the module Extension") {
  CHECK(type_of_twin(execution_event("action_started", "llm", "running",
                                     R"({"kind": "model"})"))
        == "llm_call_started");
  CHECK(type_of_twin(execution_event("action_ended", "llm", "failed", "{}"))
        == "llm_call_completed");
  for (const std::string kind : {"mcp", "process", "function"})
    CHECK(type_of_twin(execution_event("action_started", "tool", "running",
                                       R"({"kind": ")" + kind + "\"}"))
          == "tool_execution_started");
  CHECK(type_of_twin(execution_event("action_ended", "tool", "completed", "{}"))
        == "tool_execution_completed");
  CHECK(
    type_of_twin(execution_event("action_started", "external", "running",
                                 R"({"kind": "http", "name": "https://a"})"))
    == "external_api_call");
  CHECK(
    type_of_twin(execution_event("action_ended", "external", "completed", "{}"))
      .empty());
  CHECK(type_of_twin(execution_event("action_started", "external", "running",
                                     R"({"kind": "person"})"))
          .empty());
}

TEST_CASE("both halves of an action and their twins are one execution") {
  derived_events by;
  const auto first = twins_of(by,
                              execution_event("action_started", "tool",
                                              "running", R"({"kind": "mcp"})"));
  const auto last
    = twins_of(by, execution_event("action_ended", "tool", "failed", "{}"));
  CHECK(first.at(0).at("execution_id").as_string() == execution);
  CHECK(first.at(0).at("status") == "running");
  CHECK(last.at(0).at("execution_id").as_string() == execution);
  CHECK(last.at(0).at("status") == "failed");
}

TEST_CASE("a session that starts activates what is registered") {
  derived_events by;
  std::vector<std::string> activated;
  for (const auto& twin :
       twins_of(by, event_of("MAPSessionStarted", "", started)))
    if (twin.at("event_type") == "extension_activated") {
      const auto& payload = twin.at("payload");
      CHECK(payload.at("from_status") == "registered");
      CHECK(payload.at("to_status") == "active");
      activated.emplace_back(payload.at("resource_id").as_string());
    }
  CHECK(activated
        == std::vector<std::string>{"650e8400-e29b-41d4-a716-446655443011",
                                    "650e8400-e29b-41d4-a716-446655443013"});
}

TEST_CASE("who is lost loses the connection to its node") {
  derived_events by;
  twins_of(by, event_of("MAPSessionStarted", "", started));
  const auto lost = twins_of(by, input_of("participant_down", "ann"));
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].at("event_type") == "connection_lost");
  CHECK(lost[0].at("payload").at("resource_id")
        == "650e8400-e29b-41d4-a716-446655443021");
  CHECK(lost[0].at("payload").at("to_status") == "unreachable");
  const auto back = twins_of(by, input_of("participant_up", "ann"));
  REQUIRE(back.size() == 1);
  CHECK(back[0].at("event_type") == "connection_established");
  CHECK(back[0].at("payload").at("from_status") == "unreachable");
  CHECK(twins_of(by, input_of("participant_down", "bob")).empty());
  CHECK(twins_of(by, input_of("vote", "ann")).empty());
  derived_events unknown;
  CHECK(twins_of(unknown, input_of("participant_down", "ann")).empty());
}

TEST_CASE("a session that is suspended and resumed changes its status") {
  derived_events by;
  CHECK(twins_of(by, input_of("suspend", "")).empty()); // of no known session
  twins_of(by, event_of("MAPSessionStarted", "", R"({"mode": "pair"})"));
  const auto moved = [&](const json::object& event) {
    std::string all;
    for (const auto& twin : twins_of(by, event)) {
      const auto& payload = twin.at("payload").as_object();
      all += std::string{text_of(twin.as_object(), "event_type")} + ' ';
      if (payload.contains("from_status"))
        all += std::string{text_of(payload, "from_status")} + " to "
               + std::string{text_of(payload, "to_status")} + ", "
               + std::string{text_of(twin.as_object(), "stage_status")};
    }
    return all;
  };
  CHECK(moved(input_of("suspend", ""))
        == "collab_updated collab_status_changed active to suspended, skipped");
  CHECK(moved(input_of("resume", ""))
        == "collab_updated collab_status_changed suspended to active, running");
  CHECK(moved(input_of("vote", "ann")).empty());
  moved(input_of("suspend", ""));
  CHECK(moved(event_of("MAPSessionCompleted", "", R"({"status": "cancelled"})"))
        == "collab_updated session_cancelled suspended to cancelled, skipped");
}

TEST_CASE("a Confirm waits once it is made, and is resolved for a reason") {
  const auto confirm = [](std::string_view type, std::string_view stage,
                          std::string_view payload) {
    return event_of(type,
                    R"("event_family": "pipeline_stage", "pipeline_id": ")"
                      + execution + R"(", "stage_id": ")" + execution
                      + R"(", "stage_status": ")" + std::string{stage}
                      + R"(", )",
                    R"({"resource_type": "confirm", "resource_id": ")"
                      + execution + R"(", )" + std::string{payload});
  };
  derived_events by;
  const auto made = twins_of(by, confirm("confirm_created", "pending",
                                         R"("to_status": "pending"})"));
  REQUIRE(made.size() == 1);
  CHECK(made[0].at("event_type") == "confirm_pending");
  CHECK(made[0].at("stage_status") == "pending");
  const auto resolved = twins_of(
    by, confirm("confirm_resolved", "completed",
                R"("to_status": "approved", "reason": "it is small"})"));
  REQUIRE(resolved.size() == 1);
  CHECK(resolved[0].at("event_type") == "approval_reasoning");
  CHECK(resolved[0].at("payload").at("reasoning")
        == json::array{"it is small"});
  CHECK(twins_of(by, confirm("confirm_resolved", "completed",
                             R"("to_status": "approved"})"))
          .empty());
}

TEST_CASE("a budget of which less than a fifth is left is warned of once") {
  derived_events by;
  twins_of(by, event_of("MAPSessionStarted", "",
                        R"({"mode": "pair", "spec": {"session": {"budget":
                           {"tokens": 100, "cost_microusd": 1000}}}})"));
  const auto used = [&by](int tokens, const std::string& dollars) {
    std::vector<std::string> budgets;
    for (const auto& twin : twins_of(
           by, event_of("usage_recorded", R"("event_family": "cost_budget",)",
                        R"({"cumulative_tokens": )" + std::to_string(tokens)
                          + R"(, "cumulative_cost_usd": )" + dollars + "}"))) {
      CHECK(twin.at("event_type") == "budget_warning");
      budgets.emplace_back(twin.at("payload").at("budget").as_string());
    }
    return budgets;
  };
  using texts = std::vector<std::string>;
  CHECK(used(80, "8E-4").empty());
  CHECK(used(81, "8E-4") == texts{"tokens"});
  CHECK(used(90, "8.01E-4") == texts{"cost_microusd"});
  CHECK(used(100, "9E-4").empty());
  CHECK(used(100, "1E300").empty());
}

TEST_CASE("of a small budget, too, one is warned before it is exceeded") {
  for (int limit = 1; limit <= 12; ++limit) {
    INFO(limit);
    derived_events by;
    twins_of(by, event_of("MAPSessionStarted", "",
                          R"({"mode": "pair", "spec": {"session": {"budget":
                             {"tokens": )"
                            + std::to_string(limit) + "}}}}"));
    int warned_at = -1;
    for (int used = 0; used <= limit && warned_at < 0; ++used)
      if (!twins_of(by, event_of("usage_recorded",
                                 R"("event_family": "cost_budget",)",
                                 R"({"cumulative_tokens": )"
                                   + std::to_string(used) + "}"))
             .empty())
        warned_at = used;
    // The first that leaves less than a fifth.
    int first = 0;
    while ((limit - first) * 5 >= limit)
      ++first;
    CHECK(warned_at == first);
  }
}

TEST_CASE("a session without a budget is not warned of one") {
  derived_events by;
  twins_of(by, event_of("MAPSessionStarted", "", R"({"mode": "pair"})"));
  CHECK(
    twins_of(by, event_of("usage_recorded", R"("event_family": "cost_budget",)",
                          R"({"cumulative_tokens": 1000000})"))
      .empty());
}

TEST_CASE("what a session has cost is told at its end, if anything") {
  const auto types = [](const std::string& usage) {
    derived_events by;
    std::vector<std::string> all;
    for (const auto& twin : twins_of(
           by, event_of("MAPSessionCompleted", "",
                        R"({"status": "completed", "usage": )" + usage + "}")))
      all.emplace_back(twin.at("event_type").as_string());
    return all;
  };
  using texts = std::vector<std::string>;
  const auto cost = R"({"prompt_tokens": 5, "completion_tokens": 0})";
  CHECK(types(cost)
        == texts{"collab_updated", "session_completed", "trace_cost_summary"});
  CHECK(types("{}") == texts{"collab_updated", "session_completed"});
}

TEST_CASE("what is no event of a session has no twins of modules") {
  auto event = execution_event("action_started", "llm", "running",
                               R"({"kind": "model"})");
  auto nameless = event;
  nameless.erase("session_id");
  derived_events by;
  CHECK(by.of(nameless).empty());
  event.erase("timestamp");
  CHECK(by.of(event).empty());
}
