#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/story/session_gist.hpp>

#include <string>

using convene::session::session_gist;
namespace json = boost::json;

namespace {

void add(session_gist& to, const std::string& type,
         const std::string& payload) {
  CHECK(session_gist::concerns(type));
  to.add(type, convene::protocol::parse_json(R"({"payload":)" + payload + "}")
                 ->as_object());
}

void add_roles(session_gist& to) {
  add(to, "MAPRolesAssigned", R"({"assignments": [
    {"participant_id": "ada", "kind": "agent"},
    {"participant_id": "Ben", "kind": "human"}]})");
}

} // namespace

TEST_CASE("a gist counts turns, failures, conflicts and what they cost") {
  session_gist gist;
  add_roles(gist);
  add(gist, "MAPTurnDispatched", R"({"participant_id": "ada"})");
  add(gist, "MAPTurnCompleted",
      R"({"participant_id": "ada", "status": "completed", "reply": {"usage":
          {"prompt_tokens": 5, "completion_tokens": 2, "cost_microusd": 30}}})");
  add(gist, "MAPTurnDispatched", R"({"participant_id": "ada"})");
  add(gist, "MAPTurnCompleted",
      R"({"participant_id": "ada", "status": "failed"})");
  add(gist, "MAPBroadcastReceived",
      R"({"receiver_participant": "Ben", "status": "failed",
          "error": {"code": "quorum_reached"}})");
  add(gist, "MAPBroadcastReceived",
      R"({"receiver_participant": "Ben", "status": "timed_out"})");
  add(gist, "write_refused", "{}");
  add(gist, "session_input", R"({"input": "decision", "refused": "why"})");
  add(gist, "session_input", R"({"input": "message", "refused": "why"})");
  add(gist, "session_input", R"({"input": "vote_timed_out"})");
  add(gist, "MAPConflictDetected", "{}");
  const auto shown = gist.to_json();
  CHECK(shown.at("turns") == 2);
  CHECK(shown.at("failed_turns") == 1);
  CHECK(shown.at("failures") == 5);
  CHECK(shown.at("conflicts") == 1);
  CHECK(shown.at("tokens") == 7);
  CHECK(shown.at("cost_microusd") == 30);
  CHECK(shown.at("strip") == "cfxt");
  CHECK(shown.at("participants").at("total") == 2);
  CHECK(shown.at("stop_reason").is_null());
  add(gist, "usage_recorded",
      R"({"cumulative_tokens": 100, "cumulative_cost_usd": 0.000041})");
  CHECK(gist.to_json().at("cost_microusd") == 41);
}

TEST_CASE("a gist has who is asked, people apart, until the session ends") {
  session_gist gist;
  add_roles(gist);
  add(gist, "MAPBroadcastSent", R"({"target_participants": ["ada", "Ben"]})");
  CHECK(gist.to_json().at("open") == json::array{"ada"});
  CHECK(gist.to_json().at("waits_for") == json::array{"Ben"});
  add(gist, "MAPBroadcastReceived",
      R"({"receiver_participant": "ada", "status": "completed"})");
  CHECK(gist.to_json().at("open").as_array().empty());
  add(gist, "MAPSessionCompleted",
      R"({"status": "cancelled", "stop_reason":
          {"condition": "max_turns", "observed": 20, "limit": 20}})");
  const auto shown = gist.to_json();
  CHECK(shown.at("waits_for").as_array().empty());
  CHECK(gist.condition() == "max_turns");
  CHECK(shown.at("stop_reason").at("observed") == "20");
  CHECK(shown.at("stop_reason").at("limit") == 20);
}

TEST_CASE(
  "a gist finds participants and the end in any case, and stays small") {
  session_gist gist;
  add_roles(gist);
  CHECK(gist.mentions("ben"));
  CHECK_FALSE(gist.mentions("cleo"));
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += i == 0 ? "\"" : ",\"";
    many += std::to_string(i) + std::string(1000, 'x') + '"';
  }
  add(gist, "MAPBroadcastSent", R"({"target_participants": [)" + many + "]}");
  add(gist, "MAPSessionCompleted",
      R"({"stop_reason": {"condition": "text", "observed": "SHIP )"
        + std::string(1 << 20, 'y') + "\"}}");
  CHECK(gist.mentions("ship y"));
  CHECK(json::serialize(gist.to_json()).size() < 2'000);
}
