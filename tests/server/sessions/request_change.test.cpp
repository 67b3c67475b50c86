#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/server/sessions/request_change.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace convene::server;
namespace json = boost::json;

namespace {

/// One of a session in which ana and ivo are people, and bot is not.
std::optional<request_change> change(const std::string& type,
                                     const std::string& payload) {
  static const session_people people{
    json::parse(R"({"behaviours": {"ana": {"type": "human"},
                    "ivo": {"type": "external"}, "bot": {"type": "echo"}}})")
      .as_object()};
  const auto event = json::parse(
    R"({"session_id": "s", "timestamp": "1970-01-01T00:00:01.000Z",
        "event_type": ")"
    + type + R"(", "payload": )" + payload + "}");
  CHECK(may_change_requests(type));
  return change_of(people, event.as_object());
}

} // namespace

TEST_CASE("whoever did not vote, settle or decide in time is told of the "
          "time-out") {
  const auto subject = [](const std::string& input) {
    const auto made = change("session_input", R"({"input": ")" + input
                                                + R"(", "participant_id": "ana",
                                   "reason": "c1"})");
    REQUIRE(made);
    CHECK(made->how == "timed_out");
    CHECK(made->token.empty());
    CHECK(made->session_id == "s");
    CHECK(made->at == 1'000);
    return made->subject;
  };
  CHECK(subject("vote_timed_out") == subject_of_conflict("c1"));
  CHECK(subject("escalation_timed_out") == subject_of_conflict("c1"));
  CHECK(subject("decision_timed_out") == subject_of_decision("ana"));
}

TEST_CASE("a request that ends without a reply ended as its event says") {
  const auto how = [](const std::string& type, const std::string& payload) {
    const auto made = change(type, payload);
    REQUIRE(made);
    CHECK_FALSE(made->opens);
    CHECK(made->token == "t");
    return made->how;
  };
  const std::string turn = R"({"participant_id": "ana", "token_id": "t",
                               "status": )";
  CHECK(how("MAPTurnCompleted", turn + R"("timed_out"})") == "timed_out");
  CHECK(how("MAPTurnCompleted", turn + R"("cancelled"})") == "cancelled");
  CHECK(how("MAPTurnCompleted", turn + R"("completed", "reply": {}})")
        == "answered");
  CHECK(how("MAPBroadcastReceived",
            R"({"receiver_participant": "ivo", "broadcast_ref": "t",
                "status": "timed_out"})")
        == "timed_out");
}

TEST_CASE("a question about a call begins and ends with its action") {
  const session_people people{
    json::parse(R"({"behaviours": {"bot": {"type": "llm", "approve": true}}})")
      .as_object()};
  CHECK_FALSE(people.empty());
  CHECK(people.concerns("action_started"));
  const auto of = [&](const std::string& type, const std::string& more) {
    const auto event = json::parse(
      R"({"session_id": "s", "event_type": ")" + type
      + R"(", "payload": {"participant_id": "bot", "token_id": "t",
            "position": "1.1.approval.0123456789abcdef", )"
      + more + "}}");
    return change_of(people, event.as_object());
  };
  const auto begins = of("action_started",
                         R"("kind": "person", "name": "approver")");
  REQUIRE(begins);
  CHECK(begins->opens);
  CHECK(begins->token == "t:1.1.approval.0123456789abcdef");
  CHECK(begins->participants == std::vector<std::string>{"approver"});
  const auto ends = of("action_ended", R"("result": {"status": "completed",
    "output": {"approved": true, "by": "approver", "call": "x"}})");
  REQUIRE(ends);
  CHECK(ends->token == begins->token);
  CHECK(ends->how == "answered");
  REQUIRE(ends->reply);
  CHECK(ends->reply->content == "APPROVED");
  const auto over = of("action_ended", R"("result": {"status": "cancelled",
    "error": {"code": "timed_out"}})");
  REQUIRE(over);
  CHECK(over->how == "timed_out");
  CHECK_FALSE(over->reply);
  CHECK_FALSE(of("action_ended", R"("result": {"status": "cancelled",
    "error": {"code": "begun_again"}})"));
  CHECK_FALSE(change("action_started",
                     R"({"position": "1.1", "kind": "mcp", "name": "ana"})"));
  CHECK_FALSE(session_people{json::parse(R"({"behaviours":
      {"ana": {"type": "human"}}})")
                               .as_object()}
                .concerns("action_ended"));
}

TEST_CASE("requests are those to people, and all of them end with a session") {
  CHECK_FALSE(change("MAPTurnDispatched",
                     R"({"participant_id": "bot", "token_id": "t"})"));
  const auto sent = change("MAPBroadcastSent", R"({"broadcast_id": "b",
    "target_participants": ["bot", "ana", "ivo"]})");
  REQUIRE(sent);
  CHECK(sent->opens);
  CHECK(sent->participants == std::vector<std::string>{"ana", "ivo"});
  const auto suspended = change("session_input", R"({"input": "suspend"})");
  REQUIRE(suspended);
  CHECK(suspended->how == "suspended");
  CHECK(suspended->token.empty());
  CHECK(suspended->subject.empty());
  const auto ended = change("MAPSessionCompleted", "{}");
  REQUIRE(ended);
  CHECK(ended->how == "session_ended");
  CHECK_FALSE(change("session_input", R"({"input": "resume"})"));
}
