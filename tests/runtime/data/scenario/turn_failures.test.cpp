#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

using namespace convene;
using host::turn_failures;
namespace json = protocol::json;

namespace {

json::object turn(const std::string& who, const std::string& status,
                  const std::string& message, const std::string& code = "x") {
  return {{"event_type", "MAPTurnCompleted"},
          {"payload",
           {{"participant_id", who},
            {"status", status},
            {"error", {{"code", code}, {"message", message}}}}}};
}

json::object answer(const std::string& who, const std::string& status,
                    const std::string& message, const std::string& code = "x") {
  auto made = turn("", status, message, code);
  made["event_type"] = "MAPBroadcastReceived";
  made["payload"].as_object().emplace("receiver_participant", who);
  return made;
}

} // namespace

TEST_CASE("failed turns and answers are grouped by message") {
  turn_failures found;
  found.add(turn("ann", "failed", "rare"));
  found.add(turn("bob", "failed", "no disk"));
  found.add(turn("bob", "timed_out", "late"));
  found.add(answer("cy", "failed", "no disk"));
  found.add(answer("di", "timed_out", "late"));
  found.add(turn("bob", "failed", "no disk"));
  CHECK(found.failed() == 3);
  CHECK(found.timed_out() == 1);
  CHECK(found.answers() == 2);
  CHECK(found.total() == 6);
  CHECK(json::serialize(found.members())
        == R"({"turns_failed":3,"turns_timed_out":1,"writes_refused":0,)"
           R"("errors":[)"
           R"({"message":"no disk","count":3,"participants":["bob","cy"]},)"
           R"({"message":"late","count":2,"participants":["bob","di"]},)"
           R"({"message":"rare","count":1,"participants":["ann"]}]})");
}

TEST_CASE("what did not fail is not counted") {
  turn_failures found;
  for (const auto* status :
       {"completed", "declined", "cancelled", "handed_off"})
    found.add(turn("ann", status, "fine"));
  found.add(answer("ann", "timed_out", "enough", "quorum_reached"));
  found.add(answer("ann", "failed", "the session ended", "session_ended"));
  found.add(answer("ann", "failed", "it was suspended", "suspended"));
  auto other = turn("ann", "failed", "of something else");
  other["event_type"] = "action_ended";
  found.add(other);
  found.add(json::object{});
  found.add({{"event_type", "MAPTurnCompleted"}});
  CHECK(found.total() == 0);
  CHECK(found.groups().empty());
}

TEST_CASE("a write that is refused is a failure, one that lost is none") {
  turn_failures found;
  const auto conflict = [&](json::object details, const char* strategy,
                            const char* ruled = "c1") {
    found.add({{"event_type", "MAPConflictDetected"},
               {"payload",
                {{"conflict_id", "c1"},
                 {"resource_type", "file"},
                 {"resource_id", "a"},
                 {"details", std::move(details)}}}});
    found.add({{"event_type", "MAPConflictResolved"},
               {"payload",
                {{"conflict_id", ruled},
                 {"resolution_strategy", strategy},
                 {"losing_participants", {"ann", "bob"}},
                 {"reason", "no"}}}});
  };
  conflict({{"op", "put"}}, "reject");
  conflict({{"input", "write"}, {"write", json::object{}}}, "reject");
  CHECK(found.writes_refused() == 2);
  conflict({{"op", "put"}}, "first-write-wins");
  conflict({{"claim", json::object{}}}, "reject");
  conflict({{"input", "answer"}, {"reply", json::object{}}}, "reject");
  conflict({{"op", "put"}}, "reject", "another");
  CHECK(found.writes_refused() == 2);
  found.add({{"event_type", "write_refused"},
             {"payload",
              {{"resource_type", "doc"},
               {"resource_id", "b"},
               {"participant_id", "bob"},
               {"error", {{"code", "x"}, {"message", "too large"}}}}}});
  CHECK(found.writes_refused() == 3);
  CHECK(found.total() == 3);
  CHECK(found.failed() == 0);
  const auto groups = found.groups();
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].message == "write of file/a refused: no");
  CHECK(groups[0].participants == std::vector<std::string>{"ann"});
  CHECK(groups[1].message == "write of doc/b refused: too large");
}

TEST_CASE("failures of a session take bounded room") {
  turn_failures found;
  const std::string long_text(turn_failures::message_bytes_max - 1, 'a');
  found.add(turn("ann", "failed", long_text + "\u00e9" + "end"));
  CHECK(found.groups().front().message == long_text);
  for (std::size_t n = 0; n < 2 * turn_failures::messages_max; ++n)
    found.add(turn("ann", "failed", std::to_string(n)));
  CHECK(found.groups().size() == turn_failures::messages_max);
  CHECK(found.failed() == 2 * turn_failures::messages_max + 1);
  for (std::size_t n = 0; n < 2 * turn_failures::participants_max; ++n)
    found.add(turn(std::to_string(n), "failed", "0"));
  CHECK(found.groups().front().participants.size()
        == turn_failures::participants_max);
}

TEST_CASE("a line counts as its event does, however it is written") {
  const json::object refused{{"event_type", "write_refused"},
                             {"payload", {{"participant_id", "ann"}}}};
  auto late = turn("cy", "timed_out", "late");
  late["payload"].as_object()["note"] = "a \"quoted\" brace }";
  auto swapped = json::object{{"payload", late.at("payload")},
                              {"event_type", "MAPTurnCompleted"}};
  turn_failures by_event, by_line;
  for (const auto& event :
       {turn("ann", "failed", "no disk"), turn("bob", "completed", "fine"),
        answer("cy", "failed", "no disk"), answer("di", "completed", "fine"),
        late, swapped, refused}) {
    by_event.add(event);
    by_line.add(json::serialize(event));
  }
  const auto spaced = protocol::pretty(turn("ann", "failed", "spaced"));
  by_event.add(turn("ann", "failed", "spaced"));
  by_line.add(spaced);
  by_line.add("{\"event_type\":\"MAPTurnCompleted\"");
  CHECK(by_event.failed() == 2);
  CHECK(by_event.timed_out() == 2);
  CHECK(by_line.members() == by_event.members());
  CHECK(by_line.answers() == by_event.answers());
}
