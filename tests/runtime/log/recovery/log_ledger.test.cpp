#include <catch2/catch.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::host;

namespace {

const std::string first_id = "d38cf734-19a7-4ae4-bdf3-bae7d3f28783";
const std::string second_id = "aafaf84b-afd8-48d3-87f3-36da84c6a400";

std::string event(const std::string& type, const std::string& session,
                  const std::string& more = {},
                  const std::string& at = "2026-11-22T03:13:24.765Z") {
  return R"({"event_id":"5133359f-f465-4770-ae35-7622c0ea55d7","event_type":")"
         + type + R"(","event_family":"GraphUpdateEvent","session_id":")"
         + session + R"(","timestamp":")" + at + R"(","payload":{)" + more
         + "}}";
}

void feed(log_ledger& to, const std::vector<std::string>& lines) {
  const std::string name = "events.jsonl";
  log_place place{name, 0, 1, 3, 200};
  for (const auto& line : lines) {
    to.feed(place, line);
    ++place.number;
    place.offset += line.size() + 1;
  }
}

} // namespace

TEST_CASE("the head of a line is what its first members say") {
  const auto line = event("MAPTurnCompleted", first_id,
                          R"("session_id":"x","timestamp":"y")");
  const auto head = head_of(line);
  CHECK(head.event_type == "MAPTurnCompleted");
  CHECK(head.session_id == first_id);
  CHECK(head.timestamp == "2026-11-22T03:13:24.765Z");
}

TEST_CASE("a line that is written in another way has the head of its JSON") {
  const auto spaced = R"({ "event_id": "x", "payload": {"session_id": "no"}, )"
                      R"("event_type": "MAPSession\u0043ompleted",)"
                      R"("timestamp" : "t", "session_id"
                      : "s"})";
  const auto same = head_of(spaced);
  CHECK(same.event_type == "MAPSessionCompleted");
  CHECK(same.session_id == "s");
  CHECK(same.timestamp == "t");
  CHECK(head_of(R"(["session_id", "s"])").session_id.empty());
  const auto other = head_of(R"({"x":1,"timestamp":"t","session_id":"s"})");
  CHECK(other.event_type.empty());
  CHECK(other.session_id == "s");
  CHECK(other.timestamp == "t");
  const auto bare = head_of(
    R"({"event_id":"5133359f-f465-4770-ae35-7622c0ea55d7","event_type":"a")"
    R"(,"session_id":"s","payload":{}})");
  CHECK(bare.event_type == "a");
  CHECK(bare.session_id == "s");
  CHECK(bare.timestamp.empty());
  CHECK(head_of("").session_id.empty());
  CHECK(head_of(R"({"event_id":"short","event_type":"MAPSessionCompleted"})")
          .event_type
        == "MAPSessionCompleted");
}

TEST_CASE("of a line that is not JSON, the head has no event type") {
  const auto torn = head_of(
    R"({"event_type":"MAPSessionCompleted","session_id":"s","timestamp":"t")");
  CHECK(torn.event_type.empty());
  CHECK(torn.session_id == "s");
  CHECK(torn.timestamp == "t");
}

TEST_CASE("the ledger knows keys and ends in whatever form their lines are") {
  log_ledger found;
  feed(found, {R"({"event_id": "a", "event_type": "MAPSessionStarted", )"
               R"("session_id": ")"
                 + first_id
                 + R"(", "payload": {"spec": {"session_key": "no"}, )"
                   R"("session_key": "355521864b7d47d3ad2b5a868a748f4e"}})",
               R"({"event_type": "MAPSessionCompleted", "session_id": ")"
                 + first_id + R"("})"});
  REQUIRE(found.sessions().size() == 1);
  CHECK(found.sessions()[0].has_beginning);
  CHECK(found.sessions()[0].has_ended);
  CHECK(found.keys().size() == 1);
}

TEST_CASE(
  "the ledger tells sessions that have ended from those that have not") {
  log_ledger found;
  feed(found,
       {event("MAPSessionStarted", first_id,
              R"("session_key":"355521864b7d47d3ad2b5a868a748f4e")"),
        event("MAPSessionStarted", second_id),
        event("MAPTurnCompleted", first_id, {}, "2026-11-22T03:13:25.765Z"),
        event("MAPSessionCompleted", second_id)});
  REQUIRE(found.sessions().size() == 2);
  const auto& first = found.sessions()[0];
  CHECK(first.id == first_id);
  CHECK(first.has_beginning);
  CHECK_FALSE(first.has_ended);
  CHECK(first.is_wanted);
  CHECK(first.lines.count() == 2);
  const auto& second = found.sessions()[1];
  CHECK(second.id == second_id);
  CHECK(second.has_ended);
  CHECK_FALSE(second.is_wanted);
  CHECK(second.lines.count() == 0);
  CHECK(found.events() == 4);
  CHECK(found.keys().size() == 1);
  CHECK(protocol::format_timestamp(found.last_at())
        == "2026-11-22T03:13:25.765Z");
}

TEST_CASE("a session without its first event has no beginning, even if another "
          "start comes") {
  log_ledger found;
  feed(found, {event("MAPTurnCompleted", first_id),
               event("MAPSessionStarted", first_id)});
  REQUIRE(found.sessions().size() == 1);
  CHECK_FALSE(found.sessions()[0].has_beginning);
}

TEST_CASE("a start whose members stand in another order is one, and what is of "
          "no session is nobody's rest") {
  log_ledger found;
  feed(found, {R"({"session_id":")" + first_id
                 + R"(","event_type":"MAPSessionStarted"})",
               R"({"session_id":"x","event_type":"y"})"});
  REQUIRE(found.sessions().size() == 2);
  CHECK(found.sessions()[0].has_beginning);
  CHECK(found.sessions()[1].has_beginning);
}

TEST_CASE("a session that has ended is kept where it is wanted") {
  std::vector<std::string> asked;
  log_ledger found{[&](const std::string& id) {
    asked.push_back(id);
    return id == second_id;
  }};
  feed(found, {event("MAPSessionStarted", first_id),
               event("MAPSessionStarted", second_id),
               event("MAPSessionCompleted", second_id),
               event("MAPSessionCompleted", first_id),
               event("MAPSessionCompleted", first_id)});
  CHECK(asked == std::vector{second_id, first_id});
  CHECK_FALSE(found.sessions()[0].is_wanted);
  CHECK(found.sessions()[1].is_wanted);
  CHECK(found.sessions()[1].lines.count() == 2);
}
