#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/given_answers.hpp>

#include <string>

using convene::host::given_answers;
using convene::protocol::parse_uuid;

namespace {

const std::string token = "23f9e730-c06a-434e-a3f8-5a0e47da6b15";

boost::json::object turn_of(const std::string& who, const std::string& rest) {
  return boost::json::
    parse(R"({"event_type": "MAPTurnCompleted", "payload": {"participant_id": ")"
          + who + R"(", "token_id": ")" + token + '"' + rest + "}}")
      .as_object();
}

boost::json::object answer_of(const std::string& who) {
  return boost::json::parse(
           R"({"event_type": "MAPBroadcastReceived", "payload": {
               "receiver_participant": ")"
           + who + R"(", "reply": {}, "broadcast_ref": ")" + token + "\"}}")
    .as_object();
}

} // namespace

TEST_CASE("a reply on the log is one that its participant had given by then") {
  given_answers given;
  const std::string replied = R"(, "reply": {})";
  CHECK_FALSE(given.explain(turn_of("ann", replied), 900));
  given.note("ann", *parse_uuid(token), 500);
  CHECK(given.explain(turn_of("ann", replied), 500));
  CHECK_FALSE(given.explain(turn_of("ann", replied), 499));
  CHECK_FALSE(given.explain(turn_of("bob", replied), 900));
  // One that was closed without a reply needs none.
  CHECK(given.explain(turn_of("bob", ""), 900));
  CHECK(given.explain(
    turn_of("bob",
            R"(, "reply": {"error": {"code": "participant_restarted"}})"),
    900));
  CHECK(given.explain(answer_of("ann"), 500));
  CHECK_FALSE(given.explain(answer_of("bob"), 500));
  // A later process asks again where the log was cut.
  given.note("ann", *parse_uuid(token), 300);
  CHECK(given.explain(turn_of("ann", replied), 300));
  given.note("ann", *parse_uuid(token), 700);
  CHECK(given.explain(turn_of("ann", replied), 300));
}
