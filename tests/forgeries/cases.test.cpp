// Forgeries that somebody thought of, and the rule that tells each.

#include <boost/json/parse.hpp>
#include <forgeries/forgery.hpp>

using namespace convene;
using namespace convene::tests;
namespace {

/// Puts an event before another, under an id of its own and at its time.
void insert(event_log& log, std::size_t before, const std::string& text) {
  auto made = json::parse(text);
  auto& event = made.as_object();
  event["event_id"] = "00000000-0000-4000-8000-000000000077";
  event["session_id"] = log[0].at("session_id");
  event["timestamp"] = log[before].at("timestamp");
  log.insert(log.begin() + static_cast<std::ptrdiff_t>(before),
             std::move(made));
}

std::size_t index_of(event_log& log, const json::value& event) {
  return static_cast<std::size_t>(&event - log.data());
}

void input_before_a_turn(event_log& log, const std::string& payload) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (is_type(log[i], "MAPTurnDispatched"))
      last = i;
  insert(log, last,
         R"({"event_type":"session_input","event_family":"runtime_execution",
             "execution_id":"00000000-0000-4000-8000-000000000078",
             "executor_kind":"worker","status":"completed","payload":)"
           + payload + "}");
}

const forgery forgeries[]{
  {"a turn that belongs to a handoff lacks its handoff_id", "support-desk",
   [](event_log& log) {
     payload_of(first(log, "MAPTurnDispatched", "handoff_id"))
       .erase("handoff_id");
   },
   "handoff_linked"},
  {"an override cites a conflict about another resource", "shared-files",
   [](event_log& log) {
     auto& write = payload_of(first(log, "resource_written", "conflict_id"));
     for (auto& event : log)
       if (is_type(event, "MAPConflictDetected")
           && text_of(payload_of(event), "resource_id")
                != text_of(write, "resource_id"))
         write["conflict_id"] = payload_of(event).at("conflict_id");
   },
   "conflict_matches"},
  {"an override is said to be a merge, without losers", "shared-files",
   [](event_log& log) {
     auto& about
       = payload_of(first(log, "MAPConflictResolved", "overridden_versions"));
     about["resolution_strategy"] = "merge";
     for (const auto* member :
          {"losing_participants", "losing_roles", "winning_participant",
           "winning_role", "overridden_versions"})
       about.erase(member);
   },
   "conflict_matches"},
  {"the mode is not the scenario's", "structured-vote",
   [](event_log& log) { payload_of(log[0])["mode"] = "swarm"; },
   "spec_matches"},
  {"participants_count is 77", "structured-vote",
   [](event_log& log) { payload_of(log.back())["participants_count"] = 77; },
   "counts_match"},
  {"the stop_reason is a word that there is not", "structured-vote",
   [](event_log& log) {
     payload_of(log.back()).at("stop_reason").as_object()["condition"]
       = "banana";
   },
   "stop_reason_known"},
  {"max_turns ends a session that did not reach it", "structured-vote",
   [](event_log& log) {
     payload_of(log.back())["status"] = "cancelled";
     payload_of(log.back())["stop_reason"]
       = {{"condition", "max_turns"}, {"observed", "1000"}, {"limit", 1000}};
   },
   "stop_reason_matches"},
  {"a failed turn is said to be completed", "code-review",
   [](event_log& log) {
     for (auto& event : log)
       if (is_type(event, "MAPTurnCompleted")
           && text_of(payload_of(event), "status") == "failed")
         payload_of(event)["status"] = "completed";
   },
   "answer_matches"},
  {"a step waits for a later one", "code-review",
   [](event_log& log) {
     auto& steps = log[0].at_pointer("/payload/spec/plan/steps").as_array();
     steps[0].as_object()["dependencies"] = {steps.back().at("step_id")};
   },
   "step_after_dependencies"},
  {"a turn begins after the session was cancelled", "structured-vote",
   [](event_log& log) { input_before_a_turn(log, R"({"input":"cancel"})"); },
   "nobody_asked_in_vain"},
  {"a turn begins while the session is suspended", "structured-vote",
   [](event_log& log) { input_before_a_turn(log, R"({"input":"suspend"})"); },
   "nobody_asked_in_vain"},
  {"a turn goes to a participant who is lost", "shared-files",
   [](event_log& log) {
     std::string last;
     for (auto& event : log)
       if (is_type(event, "MAPTurnDispatched"))
         last = text_of(payload_of(event), "participant_id");
     input_before_a_turn(
       log, R"({"input":"participant_down","participant_id":")" + last + "\"}");
   },
   "nobody_asked_in_vain"},
  {"somebody unknown claims a resource", "shared-files",
   [](event_log& log) {
     insert(log, log.size() - 1,
            R"({"event_type":"claim_taken","event_family":"graph_update",
                "graph_id":"00000000-0000-4000-8000-000000000079",
                "update_kind":"edge_add","node_delta":0,"edge_delta":1,
                "source_module":"collab","payload":{"resource_type":"file",
                "resource_id":"x","participant_id":"mallory","role_id":"r",
                "token_id":"00000000-0000-4000-8000-00000000007a"}})");
   },
   "participants_known"},
  {"a navigator writes", "debugging-pair",
   [](event_log& log) {
     const auto at = std::ranges::find_if(log, [](auto& event) {
       return text_of(payload_of(event), "duty") == "navigator";
     });
     REQUIRE(at != log.end());
     const auto turn = payload_of(*at);
     insert(log, index_of(log, *at) + 1,
            R"({"event_type":"resource_written","event_family":"graph_update",
                "graph_id":")"
              + std::string{text_of(payload_of(log[0]), "context_id")}
              + R"(","update_kind":"node_add","node_delta":1,"edge_delta":0,
                "source_module":"collab","payload":{"resource_type":"file",
                "resource_id":"x","version":1,"base_version":0,"op":"put",
                "value":1,"participant_id":")"
              + std::string{text_of(turn, "participant_id")}
              + R"(","role_id":")" + std::string{text_of(turn, "role_id")}
              + R"(","turn_number":)"
              + std::to_string(turn.at("turn_number").as_int64())
              + R"(,"token_id":")" + std::string{text_of(turn, "token_id")}
              + "\"}}");
   },
   "write_needs_live_token"},
  {"there are more turns than max_turns", "structured-vote",
   [](event_log& log) {
     log[0].at_pointer("/payload/spec/session").as_object()["max_turns"] = 1;
   },
   "max_turns_kept"},
  {"an action used less than it says at its end", "actions",
   [](event_log& log) {
     payload_of(first(log, "usage_recorded"))["tokens_used"] = 1;
   },
   "usage_recorded"},
  {"the session has used less in total", "actions",
   [](event_log& log) {
     payload_of(log[index_of(log, first(log, "budget_exceeded"))
                    - 1])["cumulative_tokens"]
       = 74;
   },
   "usage_recorded"},
  {"more is left of the money than there is", "actions",
   [](event_log& log) {
     payload_of(first(log, "usage_recorded"))
       .at("budget_remaining")
       .as_object()["cost_usd"]
       = 5;
   },
   "usage_recorded"},
  {"another model is said to have been called", "actions",
   [](event_log& log) {
     payload_of(first(log, "usage_recorded"))["model"] = "large";
   },
   "usage_recorded"},
  {"another participant is said to have used it", "actions",
   [](event_log& log) {
     auto& payload = payload_of(first(log, "usage_recorded"));
     payload["participant_id"] = "bob";
     payload["role_id"] = "role-bob";
   },
   "usage_recorded"},
  {"nothing says that the budget is used up", "actions",
   [](event_log& log) {
     log.erase(log.begin()
               + static_cast<std::ptrdiff_t>(
                 index_of(log, first(log, "budget_exceeded"))));
   },
   "usage_recorded"},
  {"an action's usage is missing where it ends", "actions",
   [](event_log& log) {
     payload_of(first(log, "action_ended"))
       .at("result")
       .as_object()
       .erase("usage");
   },
   "usage_recorded"},
};

} // namespace

TEST_CASE("each forgery that has a name is told by its rule") {
  check_each(forgeries);
}

TEST_CASE("events of steps, confirms and decisions cannot go missing") {
  for (const auto* name : {"code-review", "support-desk", "shared-files"}) {
    const auto& log = example_log(name);
    for (std::size_t i = 0; i < log.size(); ++i) {
      const auto type = text_of(log[i].as_object(), "event_type");
      const auto& decided = log[i].at("payload");
      const bool waits = type == "session_input"
                         && json::serialize(decided).find("\"wait\"")
                              != std::string::npos;
      // A decision to wait leads to nothing that could be missed.
      if (type.starts_with("MAP") || waits)
        continue;
      CAPTURE(name, i, type);
      auto forged = log;
      forged.erase(forged.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK_FALSE(rules_of(forged).empty());
    }
  }
}

TEST_CASE("the turns of a session that did all its rounds cannot go missing") {
  const scratch_folder at;
  write_bytes(at / "two.json", R"({"collab":{"purpose":"p",
    "mode":"round_robin","participants":[
      {"participant_id":"a","role_id":"ra"},
      {"participant_id":"b","role_id":"rb"}]},"session":{"rounds":2}})");
  auto log = log_of(at / "two.json");
  REQUIRE(rules_of(log).empty());
  std::erase_if(log, [](const auto& event) {
    return is_type(event, "MAPTurnDispatched")
           || is_type(event, "MAPTurnCompleted");
  });
  payload_of(log.back())["turns_total"] = 0;
  CHECK(rules_of(log).contains("stop_reason_matches"));
}
