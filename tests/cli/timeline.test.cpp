#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/cli/view/timeline.hpp>

#include <algorithm>
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
           "     2.000        session  cancelled   1 of 2 turns timed out, "
           "1 handoff; limit reached: max_turns 2\n");
}

TEST_CASE("what somebody does outside is a line when it begins and ends") {
  const auto action = [](const char* type, const std::string& more) {
    return event(type, "00.000",
                 R"({"participant_id":"ann","turn_number":1,"position":"2.0",)"
                   + more + "}",
                 R"(,"execution_id":"x")");
  };
  CHECK(
    shown({action("action_started",
                  R"("kind":"mcp","name":"files/read","attempt":2)"),
           action("action_ended",
                  R"("attempt":2,"duration_ms":7,"result":{"status":"failed",
                     "error":{"code":"c","message":"no\nfile"},
                     "usage":{"prompt_tokens":3,"completion_tokens":4,
                              "cost_microusd":1500}})"),
           action("usage_recorded", R"("tokens_used":7)"),
           action("budget_exceeded",
                  R"("budget":"tokens","used":7,"limit":5)")},
          {.columns = 120})
    == "     0.000 #1     ann          begins      "
       "2.0 mcp files/read, attempt 2\n"
       "     0.000 #1     ann          failed      "
       "2.0 mcp files/read, attempt 2, 7 ms, 7 tokens, $0.0015: no …\n"
       "     0.000 #1     ann          budget      "
       "tokens used up: 7 of 5\n");
}

TEST_CASE("the end says what the session used") {
  CHECK(shown({event("MAPSessionCompleted", "02.000",
                     R"({"status":"completed","turns_total":2,
                         "usage":{"prompt_tokens":1,"completion_tokens":2,
                                  "cost_microusd":40},
                         "stop_reason":{"condition":"rounds",
                                        "observed":"1"}})")},
              {.columns = 120})
        == "     0.000        session      completed   "
           "2 turns, 3 tokens, $0.00004; all rounds done: 1\n");
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

TEST_CASE("an error is shown in full where no terminal cuts it") {
  const std::string why(200, 'w');
  const auto events = {
    event("MAPTurnCompleted", "00.000",
          R"({"participant_id":"a","status":"failed","error":{"code":"c",
              "message":"python3 exited with code 2:\n)"
            + why + R"("}})"),
    event("MAPBroadcastReceived", "00.000",
          R"({"receiver_participant":"a","status":"failed","error":{"code":"c",
              "message":")"
            + why + R"("}})"),
    event("action_ended", "00.000",
          R"({"participant_id":"a","result":{"status":"failed","error":{
              "code":"c","message":")"
            + why + R"("}}})"),
  };
  for (const auto& each : events) {
    const auto all = shown({each}, {.columns = 80, .whole_errors = true});
    CHECK_THAT(all, Catch::EndsWith(why + '\n'));
    CHECK(std::ranges::count(all, '\n') == 1);
    CHECK_THAT(shown({each}, {.columns = 80}), Catch::EndsWith("…\n"));
  }
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

TEST_CASE("a refused decision is shown with its reason") {
  CHECK(shown({event("session_input", "01.000",
                     R"({"input":"decision","participant_id":"boss",
                         "refused":"step x is not ready"})")},
              {.columns = 80})
        == "     0.000        boss         refused     step x is not ready\n");
}

TEST_CASE("a write or a claim that is refused is shown with its reason") {
  CHECK(shown({event("write_refused", "01.000",
                     R"({"participant_id":"coder","turn_number":3,
                         "resource_type":"file","resource_id":"a.cpp",
                         "error":{"code":"base_version_unknown",
                                  "message":"there is no version 9"}})"),
               event("claim_refused", "02.000",
                     R"({"participant_id":"coder","turn_number":3,
                         "resource_type":"file","resource_id":"b.cpp",
                         "error":{"code":"claim_held","message":"taken"}})")},
              {.columns = 100})
        == "     0.000 #3     coder        refused     write file a.cpp: there "
           "is no version 9\n"
           "     0.000 #3     coder        refused     claim file b.cpp: "
           "taken\n");
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

TEST_CASE("an answer that was not needed any more is not shown as failed") {
  const auto answer = [](const std::string& code) {
    return shown({event("MAPBroadcastReceived", "00.100",
                        R"({"receiver_participant":"s-1","status":"failed",
                            "error":{"code":")"
                          + code + R"(","message":"over"}})")},
                 {});
  };
  for (const auto* code : {"quorum_reached", "session_ended", "suspended"})
    CHECK_THAT(answer(code), Catch::Contains("cancelled   over"));
  CHECK_THAT(answer("participant_lost"), Catch::Contains("failed      over"));
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

TEST_CASE("what an action costs and which tools a model calls is shown") {
  const auto begun = event("action_started", "00.000",
                           R"({"participant_id":"ann","position":"1.0",
                               "kind":"model","name":"gpt",
                               "arguments":{"prompt_sha256":"abc"}})",
                           R"(,"execution_id":"x")");
  const auto ended = event("action_ended", "00.000",
                           R"({"participant_id":"ann","duration_ms":7,
        "result":{"status":"completed",
          "usage":{"prompt_tokens":3,"completion_tokens":4,
                   "cost_microusd":1234500},
          "output":{"tool_calls":[
            {"name":"write_resource","arguments":"{\"value\":\"text\"}"},
            {"name":"hand_off","arguments":"{\"to\":\"\u001b[1m\"}"}]}}})",
                           R"(,"execution_id":"x")");
  CHECK(shown({begun, ended}, {.columns = 130})
        == "     0.000        ann          begins      1.0 model gpt\n"
           "     0.000        ann          completed   1.0 model gpt, 7 ms, "
           "7 tokens, $1.2345, calls write_resource, hand_off\n");
  CHECK(shown({begun, ended}, {.columns = 130, .verbose = true})
        == "     0.000        ann          begins      1.0 model gpt\n"
           "                               arguments   "
           "{\"prompt_sha256\":\"abc\"}\n"
           "     0.000        ann          completed   1.0 model gpt, 7 ms, "
           "7 tokens, $1.2345, calls write_resource, hand_off\n"
           "                               calls       "
           "write_resource {\"value\":\"text\"}\n"
           "                               calls       "
           "hand_off {\"to\":\"\xef\xbf\xbd[1m\"}\n");
}

TEST_CASE("only a model's answer has calls of tools") {
  const auto text = shown({event("action_ended", "00.000",
                                 R"({"participant_id":"ann","duration_ms":7,
        "result":{"status":"completed","output":{"tool_calls":[
          {"name":"rm","arguments":"{}"}]}}})")},
                          {.verbose = true});
  CHECK(text.find("rm") == text.npos);
}

TEST_CASE("of long arguments the beginning is shown, in few rows") {
  const auto text
    = shown({event("action_started", "00.000",
                   R"({"participant_id":"ann","position":"1.1","kind":"mcp",
                       "name":"files/write","arguments":{"text":")"
                     + std::string(1'000'000, 'x') + "\"}}")},
            {.columns = 100, .verbose = true});
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  CHECK_THAT(text, Catch::EndsWith("x…\n"));
  CHECK(text.size() < 600);
}

TEST_CASE("a session's end tells what it used") {
  const auto text = shown({event("MAPSessionCompleted", "00.000",
                                 R"({"status":"completed","turns_total":1,
        "usage":{"prompt_tokens":1,"completion_tokens":0,"cost_microusd":7},
        "stop_reason":{"condition":"rounds","observed":"1"}})")},
                          {.columns = 120});
  CHECK_THAT(text, Catch::Contains("1 turn, 1 token, $0.000007; all rounds"));
}

TEST_CASE("a single agent's session is shown as what it is") {
  const auto begun
    = event("MAPSessionStarted", "00.000",
            R"({"title":"Release","mode":"swarm","policy":"single_agent_skip",
                "participant_count":3})");
  CHECK(shown({begun}, {}) == "Release (single agent, 2 executors)\n");
}

TEST_CASE("the end counts what failed, and groups it by message") {
  std::vector<object> events{event("MAPSessionStarted", "00.000", "{}")};
  const auto fails = [&](const char* who, const std::string& why) {
    events.push_back(event("MAPTurnCompleted", "00.000",
                           std::string{R"({"participant_id":")"} + who
                             + R"(","turn_number":1,"status":"failed",
                                  "error":{"code":"x","message":")"
                             + why + R"("}})"));
  };
  fails("ann", "rare");
  for (const auto* who : {"bob", "cy", "bob"})
    fails(who, "no disk");
  events.push_back(event("MAPTurnCompleted", "00.000",
                         R"({"participant_id":"di","status":"timed_out",
                             "error":{"message":"late"}})"));
  events.push_back(event("MAPSessionCompleted", "00.000",
                         R"({"status":"completed","turns_total":7,
                             "stop_reason":{"condition":"rounds",
                                            "observed":"1"}})"));
  const auto lines = shown(events, {});
  CHECK_THAT(lines, Catch::Contains("completed   4 of 7 turns failed, 1 timed "
                                    "out; all rounds done: 1\n")
                      && Catch::Contains("failed      3 times (bob, cy): no "
                                         "disk\n")
                      && !Catch::Contains("once ("));
}

TEST_CASE("an error that did not fit is in full at the end") {
  const std::string words = "one two three four five six seven eight nine ten";
  const std::vector<object> events{
    event("MAPSessionStarted", "00.000", "{}"),
    event("MAPTurnCompleted", "00.000",
          R"({"participant_id":"ann","status":"failed",
              "error":{"message":")"
            + words + "\\n" + words + R"( end"}})"),
    event("MAPSessionCompleted", "00.000", R"({"turns_total":1})")};
  CHECK_THAT(shown(events, {.columns = 80}), Catch::Contains("once (ann): one")
                                               && Catch::Contains("ten end\n"));
}
