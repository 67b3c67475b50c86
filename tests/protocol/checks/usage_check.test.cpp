#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/usage_check.hpp>

using namespace convene::protocol;

namespace {

/// A type and the members that matter.
struct usage_line {
  std::string type;
  std::string payload = "{}";
  std::string execution_id = "00000000-0000-4000-8000-000000000001";
};

/// The rules that a session of these events breaks, in order.
std::vector<std::string> broken_usage(const std::vector<usage_line>& lines) {
  std::vector<std::string> rules;
  usage_check check;
  const session_facts nobody;
  const report_finding note = [&](std::string_view rule, const std::string&) {
    rules.emplace_back(rule);
  };
  for (const auto& [type, payload, id] : lines) {
    const json::object whole{{"execution_id", id}, {"executor_role", "ra"}};
    check.feed({type, indexed_members{whole},
                indexed_members{json::parse(payload).as_object()}, 0, nobody,
                note});
  }
  return rules;
}

usage_line reply_of(const std::string& type, std::int64_t tokens,
                    std::int64_t cost = 0) {
  return {type, R"({"reply":{"usage":{"prompt_tokens":)"
                  + std::to_string(tokens) + R"(,"cost_microusd":)"
                  + std::to_string(cost) + "}}}"};
}

usage_line end_with(std::int64_t tokens) {
  return {"MAPSessionCompleted", R"({"usage":{"prompt_tokens":)"
                                   + std::to_string(tokens)
                                   + R"(,"completion_tokens":0}})"};
}

/// The members by which events name an attempt at an action.
const std::string attempt_of_a
  = R"("participant_id":"a","token_id":"00000000-0000-4000-8000-000000000002",)"
    R"("position":"1")";

usage_line action_ends_with(std::int64_t tokens, std::int64_t cost = 0) {
  return {"action_ended", "{" + attempt_of_a
                            + R"(,"result":{"usage":{"prompt_tokens":)"
                            + std::to_string(tokens) + R"(,"cost_microusd":)"
                            + std::to_string(cost) + "}}}"};
}

/// The payload of an event of the family cost_budget, for the same attempt.
std::string cost_payload(const std::string& rest) {
  return "{" + attempt_of_a
         + R"(,"role_id":"ra",)"
           R"("execution_id":"00000000-0000-4000-8000-000000000001",)"
         + rest + "}";
}

usage_line recorded(std::int64_t used, std::int64_t total,
                    const std::string& rest = "",
                    const std::string& usd = "0") {
  return {"usage_recorded",
          cost_payload(R"("tokens_used":)" + std::to_string(used)
                       + R"(,"cost_usd":)" + usd + R"(,"cumulative_tokens":)"
                       + std::to_string(total) + R"(,"cumulative_cost_usd":)"
                       + usd + rest)};
}

usage_line left(std::int64_t used, std::int64_t total, std::int64_t tokens,
                const std::string& money = "1E-4",
                const std::string& usd = "0") {
  return recorded(used, total,
                  R"(,"budget_remaining":{"tokens":)" + std::to_string(tokens)
                    + R"(,"cost_usd":)" + money + "}",
                  usd);
}

usage_line exceeded(const std::string& budget, std::int64_t used,
                    std::int64_t limit) {
  return {"budget_exceeded",
          cost_payload(R"("budget":")" + budget + R"(","used":)"
                       + std::to_string(used) + R"(,"limit":)"
                       + std::to_string(limit))};
}

const usage_line budget_of_ten{"MAPSessionStarted",
                               R"({"spec":{"session":{"budget":{"tokens":10,
                                  "cost_microusd":100}}}})"};

using rule_names = std::vector<std::string>;

} // namespace

TEST_CASE("a session's usage is the sum of its replies' and actions'") {
  CHECK(
    broken_usage({reply_of("MAPTurnCompleted", 1),
                  reply_of("MAPBroadcastReceived", 2), action_ends_with(4),
                  recorded(4, 7), reply_of("session_input", 3), end_with(10)})
    == rule_names{});
  CHECK(broken_usage({reply_of("MAPTurnCompleted", 1), end_with(2)})
        == rule_names{"usage_matches"});
  CHECK(broken_usage({reply_of("MAPTurnCompleted", 2, 1), end_with(2)})
        == rule_names{"usage_matches"});
  // The reply that a conflict quotes was refused: it does not count.
  CHECK(broken_usage({reply_of("MAPConflictDetected", 1), end_with(0)})
        == rule_names{});
}

TEST_CASE("nobody is asked once the budget is used up") {
  const usage_line asked{"MAPTurnDispatched"};
  const usage_line all_asked{"MAPBroadcastSent"};
  CHECK(broken_usage({budget_of_ten, asked, reply_of("MAPTurnCompleted", 9),
                      asked, reply_of("MAPTurnCompleted", 1), end_with(10)})
        == rule_names{});
  CHECK(broken_usage({budget_of_ten, reply_of("MAPTurnCompleted", 10), asked,
                      end_with(10)})
        == rule_names{"budget_kept"});
  CHECK(broken_usage({budget_of_ten, reply_of("session_input", 1, 100),
                      all_asked, end_with(1)})
        == rule_names{"budget_kept", "usage_matches"});
}

TEST_CASE("what an action used is told right behind its end, with the sums") {
  const rule_names wrong{"usage_recorded"};
  CHECK(broken_usage({action_ends_with(0)}) == rule_names{});
  CHECK(broken_usage({action_ends_with(4), recorded(4, 4)}) == rule_names{});
  CHECK(broken_usage({action_ends_with(4), recorded(5, 4)}) == wrong);
  CHECK(broken_usage({reply_of("MAPTurnCompleted", 1), action_ends_with(4),
                      recorded(4, 4)})
        == wrong);
  CHECK(broken_usage({action_ends_with(4), recorded(4, 4, R"(,"model":"m")")})
        == wrong);
  CHECK(broken_usage({recorded(4, 4)}) == wrong);
  CHECK(broken_usage({action_ends_with(0), recorded(0, 0)}) == wrong);
  CHECK(broken_usage({action_ends_with(4), end_with(4)}) == wrong);
  CHECK(broken_usage({action_ends_with(4), recorded(4, 4), recorded(4, 4)})
        == wrong);
  auto other = recorded(4, 4);
  other.payload.replace(other.payload.find("\"a\""), 3, "\"b\"");
  CHECK(broken_usage({action_ends_with(4), other}) == wrong);
}

TEST_CASE("of a model's action it is told which model") {
  const usage_line called{"action_started",
                          R"({"kind":"model","name":"small"})"};
  const usage_line tool{"action_started", R"({"kind":"mcp","name":"small"})"};
  const auto named = recorded(4, 4, R"(,"model":"small")");
  const rule_names wrong{"usage_recorded"};
  CHECK(broken_usage({called, action_ends_with(4), named}) == rule_names{});
  CHECK(broken_usage({called, action_ends_with(4), recorded(4, 4)}) == wrong);
  CHECK(broken_usage({tool, action_ends_with(4), recorded(4, 4)})
        == rule_names{});
  CHECK(broken_usage({tool, action_ends_with(4), named}) == wrong);
}

TEST_CASE("what is left of the budget is told, and which is used up") {
  const rule_names wrong{"usage_recorded"};
  CHECK(broken_usage({budget_of_ten, action_ends_with(4), left(4, 4, 6)})
        == rule_names{});
  CHECK(broken_usage({budget_of_ten, action_ends_with(4), left(4, 4, 7)})
        == wrong);
  CHECK(broken_usage({budget_of_ten, action_ends_with(4), recorded(4, 4)})
        == wrong);
  CHECK(broken_usage({budget_of_ten, action_ends_with(12), left(12, 12, 0),
                      exceeded("tokens", 12, 10)})
        == rule_names{});
  CHECK(broken_usage(
          {budget_of_ten, action_ends_with(12), left(12, 12, 0), end_with(12)})
        == wrong);
  CHECK(broken_usage({budget_of_ten, action_ends_with(4), left(4, 4, 6),
                      exceeded("tokens", 4, 10)})
        == wrong);
  CHECK(broken_usage({budget_of_ten, action_ends_with(10, 100),
                      left(10, 10, 0, "0", "1E-4"), exceeded("tokens", 10, 10),
                      exceeded("cost_microusd", 100, 100)})
        == rule_names{});
  CHECK(broken_usage({budget_of_ten, action_ends_with(10, 100),
                      left(10, 10, 0, "0", "1E-4"),
                      exceeded("cost_microusd", 100, 100),
                      exceeded("tokens", 10, 10)})
        == rule_names{"usage_recorded", "usage_recorded"});
  // What a reply used up was told by the session's end.
  CHECK(broken_usage({budget_of_ten, reply_of("MAPTurnCompleted", 10),
                      action_ends_with(1), left(1, 11, 0)})
        == rule_names{});
}
