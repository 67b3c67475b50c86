#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/cli/view/timeline.hpp>

#include <sstream>

using namespace convene::cli;
using convene::protocol::json::object;

namespace {

object event(const std::string& type, const std::string& time,
             const std::string& payload, const std::string& more = "") {
  return boost::json::parse(R"({"event_type":")" + type
                            + R"(","timestamp":"2026-01-01T00:00:)" + time
                            + R"(Z","payload":)" + payload + more + "}")
    .as_object();
}

/// A session with a plan of two steps, of which one is done.
std::vector<object> talk() {
  const auto stage = [](const char* status) {
    return R"(,"event_family":"pipeline_stage","stage_name":"draft it",)"
           R"("stage_status":")"
           + std::string{status} + '"';
  };
  const std::string step = R"({"resource_type":"step"})";
  return {
    event("MAPSessionStarted", "00.000",
          R"({"title":"Login","mode":"round_robin","participant_count":2,
              "spec":{"plan":{"steps":[{},{}]}}})"),
    event("MAPRolesAssigned", "00.000",
          R"({"assignments":[{"participant_id":"ann"},
                             {"participant_id":"robert"}]})"),
    event("step_status_changed", "00.001", step, stage("in_progress")),
    event("MAPTurnDispatched", "00.001",
          R"({"participant_id":"ann","turn_number":1,"task":"draft it"})"),
    event("MAPTurnCompleted", "01.500",
          R"({"participant_id":"ann","turn_number":1,"status":"completed",
              "reply":{"content":"a draft"}})"),
    event("step_status_changed", "01.500", step, stage("completed")),
    event("MAPTurnCompleted", "02.000",
          R"({"participant_id":"robert","turn_number":12,"status":"timed_out",
              "error":{"code":"timed_out","message":"no answer in time"}})"),
    event("MAPSessionCompleted", "02.000",
          R"({"status":"cancelled","turns_total":2,"handoffs_count":1,
              "broadcasts_count":0,"conflicts_count":0,
              "stop_reason":{"condition":"max_turns","observed":"2",
                             "limit":2}})"),
  };
}

std::string shown(const std::vector<object>& events, timeline_style style) {
  timeline view{style};
  std::string all;
  for (const auto& one : events)
    all += view.show(one);
  return all;
}

} // namespace

TEST_CASE("a session reads as a timeline with aligned columns") {
  CHECK(shown(talk(), {.columns = 100})
        == "Login (round_robin, 2 participants)\n"
           "     0.001 #1     ann      asked       draft it\n"
           "     1.500 #1     ann      completed   a draft\n"
           "     1.500        step     completed   1/2 draft it\n"
           "     2.000 #12    robert   timed_out   no answer in time\n"
           "     2.000        session  cancelled   2 turns, 1 handoff; "
           "limit reached: max_turns 2\n");
}

TEST_CASE("verbose shows the steps that have only begun") {
  const auto text = shown(talk(), {.verbose = true});
  CHECK_THAT(text, Catch::Contains("step     in_progress"));
}

TEST_CASE("a confirm is shown by its own word, not by its stage's") {
  timeline view{{.verbose = true}};
  const auto text = view.show(
    event("confirm_resolved", "00.000",
          R"({"resource_type":"confirm","to_status":"approved",
              "reason":"automatic"})",
          R"(,"event_family":"pipeline_stage","stage_status":"completed")"));
  CHECK_THAT(text, Catch::Contains("confirm      approved    automatic"));
}

TEST_CASE("a task that has not changed is not said again") {
  const auto asked = [](const char* who, const char* duty) {
    return event("MAPTurnDispatched", "00.000",
                 std::string{R"({"task":"fix it","participant_id":")"} + who
                   + R"(","duty":")" + duty + R"("})");
  };
  const auto text = shown({asked("a", "driver"), asked("b", "navigator")}, {});
  CHECK_THAT(text, Catch::Contains("driver: fix it"));
  CHECK_THAT(text, Catch::EndsWith("asked       navigator\n"));
}

TEST_CASE("of a long answer the first line is shown, of a failure its reason") {
  const auto closed = [](const char* rest) {
    return shown({event("MAPTurnCompleted", "00.000",
                        std::string{R"({"participant_id":"a",)"} + rest)},
                 {});
  };
  CHECK_THAT(closed(R"("reply":{"content":"\n one\ntwo"}})"),
             Catch::EndsWith(" one …\n"));
  CHECK_THAT(closed(R"("reply":{"content":"said"},
                       "error":{"code":"c","message":"why"}})"),
             Catch::EndsWith(" why\n"));
}

TEST_CASE("the end says why in words") {
  const auto ended = [](const char* condition) {
    return shown({event("MAPSessionCompleted", "00.000",
                        std::string{R"({"stop_reason":{"observed":"4",
                                        "limit":4,"condition":")"}
                          + condition + R"("}})")},
                 {});
  };
  CHECK_THAT(ended("rounds"), Catch::Contains("all rounds done: 4"));
  CHECK_THAT(ended("end_votes"), Catch::Contains("everybody voted to end: 4"));
  CHECK_THAT(ended("navigator_end"), Catch::Contains("rounds: 4"));
  CHECK_THAT(ended("max_turns"), Catch::Contains("limit reached: max_turns 4"));
  CHECK_THAT(ended("new_one"), Catch::Contains("new_one: 4"));
}

TEST_CASE("colours are there only if they are asked for") {
  CHECK_THAT(shown(talk(), {.colour = false}), !Catch::Contains("\x1b"));
  CHECK_THAT(shown(talk(), {.colour = true}), Catch::Contains("\x1b[32m"));
}

TEST_CASE("no line is longer than the terminal, and escapes do not reach it") {
  auto events = talk();
  const std::string evil(500, '\x1b');
  events[4].at("payload").at("reply").as_object()["content"] = evil;
  events[3].at("payload").as_object()["participant_id"] = evil;
  events[0].at("payload").as_object()["title"] = evil;
  for (const std::size_t columns : {1U, 20U, 45U, 80U}) {
    std::istringstream lines{shown(events, {.columns = columns})};
    for (std::string line; std::getline(lines, line);) {
      CHECK_THAT(line, !Catch::Contains("\x1b"));
      if (columns > 60)
        CHECK(width(line) <= columns);
    }
  }
}

TEST_CASE("broadcasts and their answers are shown") {
  const auto text
    = shown({event("MAPBroadcastSent", "00.000",
                   R"({"broadcaster_participant":"lead","target_count":2,
               "message":{"task":"search","round":1,"responses":[]}})"),
             event("MAPBroadcastReceived", "00.100",
                   R"({"receiver_participant":"s-1","status":"completed",
               "reply":{"content":"found"}})")},
            {});
  CHECK_THAT(text, Catch::Contains("broadcast   to 2, round 1: search"));
  CHECK_THAT(text, Catch::Contains("completed   found"));
}

TEST_CASE("events that are not what they should be are shown or passed over") {
  timeline view{{}};
  CHECK(view.show({}).empty());
  CHECK(view.show({{"event_type", 5}, {"payload", "x"}}).empty());
  for (const auto* type :
       {"MAPSessionStarted", "MAPRolesAssigned", "MAPTurnDispatched",
        "MAPTurnCompleted", "MAPBroadcastSent", "MAPBroadcastReceived",
        "MAPHandoffInitiated", "MAPConflictDetected", "MAPConflictResolved",
        "MAPSessionCompleted", "plan_created", "step_added"}) {
    CHECK_NOTHROW(view.show({{"event_type", type}}));
    CHECK_NOTHROW(view.show({{"event_type", type}, {"payload", {1, 2}}}));
    CHECK_NOTHROW(view.show({{"event_type", type},
                             {"timestamp", "yesterday"},
                             {"payload", {{"turn_number", "x"}}}}));
  }
}
