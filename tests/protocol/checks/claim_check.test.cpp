#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/claim_check.hpp>
#include <convene/protocol/checks/usage_check.hpp>

using namespace convene::protocol;

namespace {

using texts = std::vector<std::string>;

struct line {
  std::string type;
  std::string payload;
};

/// The rules that a session of these events breaks, in order.
template <class Check>
texts broken(const std::vector<line>& lines) {
  texts rules;
  Check check;
  for (const auto& [type, payload] : lines)
    check.feed(type, json::parse(payload).as_object(),
               [&](std::string_view rule, const std::string&) {
                 rules.emplace_back(rule);
               });
  return rules;
}

line about_file(std::string type, const std::string& who,
                const std::string& rest = "") {
  return {std::move(type),
          R"({"resource_type":"file","resource_id":"a","participant_id":")"
            + who + '"' + rest + "}"};
}

line answer(const std::string& type, std::int64_t tokens,
            std::int64_t cost = 0) {
  return {type, R"({"reply":{"usage":{"prompt_tokens":)"
                  + std::to_string(tokens) + R"(,"cost_microusd":)"
                  + std::to_string(cost) + "}}}"};
}

line ends(std::int64_t tokens) {
  return {"MAPSessionCompleted", R"({"usage":{"prompt_tokens":)"
                                   + std::to_string(tokens)
                                   + R"(,"completion_tokens":0}})"};
}

const line with_budget{"MAPSessionStarted",
                       R"({"spec":{"session":{"budget":{"tokens":10,
                          "cost_microusd":100}}}})"};

} // namespace

TEST_CASE("a claim goes from hand to hand as its holders say") {
  const auto to_bob = R"(,"to_participant":"bob")";
  CHECK(broken<claim_check>({about_file("claim_taken", "ann"),
                             about_file("resource_written", "ann"),
                             about_file("claim_taken", "ann"),
                             about_file("claim_handed_over", "ann", to_bob),
                             about_file("resource_written", "bob"),
                             about_file("claim_released", "bob"),
                             about_file("resource_written", "ann"),
                             about_file("claim_taken", "ann")})
        == texts{});
}

TEST_CASE("nobody takes, gives back or hands over another's claim") {
  for (const auto* type :
       {"claim_taken", "claim_released", "claim_handed_over"})
    CHECK(broken<claim_check>(
            {about_file("claim_taken", "ann"), about_file(type, "bob")})
          == texts{"claims_exclusive"});
  CHECK(broken<claim_check>({about_file("claim_released", "ann")})
        == texts{"claims_exclusive"});
  CHECK(broken<claim_check>({about_file("claim_taken", "ann"),
                             about_file("claim_released", "ann"),
                             about_file("claim_handed_over", "ann")})
        == texts{"claims_exclusive"});
}

TEST_CASE("nobody writes what another has claimed") {
  CHECK(broken<claim_check>({about_file("claim_taken", "ann"),
                             about_file("resource_written", "bob")})
        == texts{"write_keeps_claims"});
}

TEST_CASE("a session's usage is the sum of its replies'") {
  CHECK(broken<usage_check>({answer("MAPTurnCompleted", 1),
                             answer("MAPBroadcastReceived", 2),
                             answer("session_input", 3), ends(6)})
        == texts{});
  CHECK(broken<usage_check>({answer("MAPTurnCompleted", 1), ends(2)})
        == texts{"usage_matches"});
  // The reply that a conflict quotes was refused: it does not count.
  CHECK(broken<usage_check>({answer("MAPConflictDetected", 1), ends(0)})
        == texts{});
}

TEST_CASE("nobody is asked once the budget is used up") {
  const line asked{"MAPTurnDispatched", "{}"};
  const line all_asked{"MAPBroadcastSent", "{}"};
  CHECK(broken<usage_check>({with_budget, asked, answer("MAPTurnCompleted", 9),
                             asked, answer("MAPTurnCompleted", 1), ends(10)})
        == texts{});
  CHECK(broken<usage_check>(
          {with_budget, answer("MAPTurnCompleted", 10), asked, ends(10)})
        == texts{"budget_kept"});
  CHECK(broken<usage_check>(
          {with_budget, answer("session_input", 1, 100), all_asked, ends(1)})
        == texts{"budget_kept", "usage_matches"});
}
