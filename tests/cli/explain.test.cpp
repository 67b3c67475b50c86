#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <convene/session/story/session_story.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

using namespace convene::tests;
using Catch::Contains;
namespace json = boost::json;

namespace {

/// Two who take turns, with what each of them says.
std::string two(const std::string& ann, const std::string& ben,
                const std::string& session,
                const std::string& mode = "round_robin") {
  return R"({"collab": {"title": "Two", "mode": ")" + mode
         + R"(", "participants": [
      {"participant_id": "ann", "kind": "agent", "role_id": "role-planner"},
      {"participant_id": "ben", "kind": "agent", "role_id": "role-coder"}]},
    "task": "go on", "workspace": [
      {"resource_type": "file", "resource_id": "a", "value": 1}],
    "behaviours": {"ann": {"type": "script", "turns": [)"
         + ann + R"(]}, "ben": {"type": "script", "turns": [)" + ben
         + R"(]}}, "session": {)" + session + "}}";
}

std::string says(const std::string& words) {
  return R"({"content": ")" + words + "\"}";
}

const std::string different = says("one") + ", " + says("two") + ", "
                              + says("three") + ", " + says("four") + ", "
                              + says("five");

json::value explained(const std::string& path) {
  const auto done = run({"explain", path, "--json"});
  INFO(done.err);
  REQUIRE(done.code == 0);
  auto made = convene::protocol::parse_json(done.out);
  REQUIRE(made);
  return *std::move(made);
}

using texts = std::vector<std::string>;

/// Rule and participant of each finding in the first session.
texts findings_in(const std::string& path) {
  texts all;
  const auto told = explained(path);
  for (const auto& one :
       told.at("sessions").at(0).at("findings").at("first").as_array())
    all.push_back(std::string{one.at("rule").as_string()} + ' '
                  + std::string{one.at("participant_id").as_string()});
  return all;
}

texts found_in(const std::string& scenario) {
  const run_fixture at{scenario};
  const auto done = at.run_with({"--seed", "1"});
  INFO(done.err);
  REQUIRE(done.code <= 1);
  return findings_in(at.out);
}

/// A session as its events tell it.
class told_events {
public:
  void add(const std::string& type, const std::string& payload,
           const std::string& more = {}) {
    const auto event = convene::protocol::parse_json(
      R"({"event_type": ")" + type + R"(", "payload": {)" + payload + "}" + more
      + "}");
    REQUIRE(event);
    story_.add(event->as_object());
  }

  void asks(const std::string& who, const std::string& token,
            const std::string& task, const std::string& more = {}) {
    add("MAPTurnDispatched", R"("participant_id": ")" + who
                               + R"(", "token_id": ")" + token
                               + R"(", "task": ")" + task + '"' + more);
  }

  void says(const std::string& who, const std::string& token,
            const std::string& words) {
    add("MAPTurnCompleted",
        R"("participant_id": ")" + who + R"(", "token_id": ")" + token
          + R"(", "status": "completed", "reply": {"content": ")" + words
          + "\"}");
  }

  void writes(const std::string& who, const std::string& token, int version) {
    add("resource_written", R"("resource_type": "file", "resource_id": "a",
                               "participant_id": ")"
                              + who + R"(", "token_id": ")" + token
                              + R"(", "version": )" + std::to_string(version));
  }

  /// ann's action number `i`, from its start to its end.
  void acts(std::size_t i, const std::string& token,
            const std::string& arguments, const std::string& status) {
    const auto id = R"(, "execution_id": "e)" + std::to_string(i) + '"';
    const auto whose = R"("participant_id": "ann", "token_id": ")" + token
                       + '"';
    add("action_started",
        whose + R"(, "kind": "tool", "name": "search", "arguments": )"
          + arguments,
        id);
    add("action_ended", whose, id + R"(, "status": ")" + status + '"');
  }

  void steps(const std::string& id, const std::string& status) {
    add("step_status_changed",
        R"("resource_id": ")" + id + R"(", "to_status": ")" + status + '"');
  }

  void ends(const std::string& status, const std::string& condition) {
    add("MAPSessionCompleted", R"("status": ")" + status
                                 + R"(", "stop_reason": {"condition": ")"
                                 + condition + "\"}");
  }

  /// How many failures it is told with.
  [[nodiscard]] std::size_t failures() const {
    return story_.facts().failures.total;
  }

  /// Rule and participant of each finding.
  [[nodiscard]] texts findings() const {
    texts all;
    for (const auto& one : story_.rules().found())
      all.push_back(std::string{one.rule} + ' ' + one.participant);
    return all;
  }

private:
  convene::session::session_story story_{"s"};
};

} // namespace

TEST_CASE("a session is told with who took part, what they did, and its end") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  REQUIRE(run({"run", examples_folder + "contested-decision/scenario.json",
               "--out", out, "--seed", "3"})
            .code
          == 0);
  const auto told = run({"explain", out});
  INFO(told.err);
  REQUIRE(told.code == 0);
  CHECK_THAT(told.out,
             Contains("nadia (role-reviewer) voted once.")
               && Contains("ivo, asked") && Contains("it wrote doc/decision.md")
               && Contains("ivo and mara on doc/decision.md "
                           "(concurrent_modification): settled by voting for "
                           "ivo: the majority of the votes (nadia for mara, "
                           "omar for ivo, pia for ivo).")
               && Contains("It was completed: plan complete: 2 of 2 "
                           "steps.")
               && !Contains("Failures of the group"));
  // The folder and the log in it tell the same.
  CHECK(run({"explain", out + "/events.jsonl"}).out == told.out);
}

TEST_CASE("a behaviour for all the others is nobody who takes part") {
  const run_fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"},
      {"participant_id": "bo", "role_id": "role-coder"}]},
    "behaviours": {"bo": {"type": "echo"}, "*": {"type": "simulated"}},
    "task": "go on"})"};
  REQUIRE(at.run_with({"--seed", "1"}).code == 0);
  CHECK_THAT(run({"explain", at.out}).out, !Contains("* was not asked"));
  const auto told
    = convene::protocol::parse_json(run({"explain", at.out, "--json"}).out)
        .value();
  const auto& all = told.at("sessions").at(0).at("participants").as_array();
  REQUIRE(all.size() == 2);
  CHECK(all.at(0).at("participant_id") == "ann");
  CHECK(all.at(0).at("behaviour") == "simulated");
  CHECK(all.at(1).at("behaviour") == "echo");
}

TEST_CASE("an answer that was not needed any more is told as no failure") {
  for (const std::string code :
       {"quorum_reached", "session_ended", "suspended", "participant_lost"}) {
    told_events session;
    session.add("MAPBroadcastSent",
                R"("broadcast_id": "b", "target_participants": ["ann"])");
    session.add("MAPBroadcastReceived",
                R"("broadcast_ref": "b", "receiver_participant": "ann",
                   "status": "failed", "error": {"code": ")"
                  + code + "\"}");
    CHECK(session.failures() == (code == "participant_lost" ? 1 : 0));
  }
}

TEST_CASE("handoffs are told with the turn in which they were begun") {
  const scratch_folder at;
  const auto out = (at / "out").string();
  REQUIRE(run({"run", examples_folder + "support-desk/scenario.json", "--out",
               out, "--seed", "3"})
            .code
          == 0);
  CHECK_THAT(run({"explain", out}).out,
             Contains("triage to billing: \"Find out which of the two charges "
                      "is wrong.\"; begun in turn 3.")
               && Contains("marta, a person, was waited for once"));
}

TEST_CASE("who says the same three times and does nothing else repeats steps") {
  const auto same = says("I am on it") + ", " + says("I am on it") + ", "
                    + says("I am on it");
  CHECK(found_in(two(same, different, R"("rounds": 3)"))
        == texts{"step_repetition ann"});
  CHECK(found_in(two(same, different, R"("rounds": 2)")).empty());
  // Not while it writes, nor when it says something else in between.
  const std::string writes = R"({"content": "I am on it", "writes": [
    {"resource_type": "file", "resource_id": "a", "base_version": 1,
     "op": "put", "value": 2}]})";
  CHECK(
    found_in(two(says("I am on it") + ", " + writes + ", " + says("I am on it"),
                 different, R"("rounds": 3)"))
      .empty());
}

TEST_CASE("a session that only a guard ends has missed its termination") {
  const run_fixture at{two(different, different, R"("max_turns": 3,
                                                    "rounds": 5)")};
  REQUIRE(at.run_with({"--seed", "1"}).code == 1);
  CHECK(findings_in(at.out) == texts{"missed_termination "});
  CHECK_THAT(run({"explain", at.out}).out,
             Contains("missed_termination (MAST FM-1.5)")
               && Contains("It was cancelled: limit reached: max_turns 3."));
}

TEST_CASE("who begins again with the first two answers was reset") {
  const auto a = says("First I read the whole file");
  const auto b = says("Then I look at each of the tests");
  const auto c = says("Now I change the parser");
  CHECK(found_in(two(a + "," + b + "," + c + "," + a + "," + b, different,
                     R"("rounds": 5)"))
        == texts{"conversation_reset ann"});
  // One that comes again is no new beginning, and two in turns are none.
  CHECK(found_in(two(a + "," + b + "," + c + "," + a + "," + c, different,
                     R"("rounds": 5)"))
          .empty());
  CHECK(found_in(two(a + "," + b + "," + a + "," + b + "," + a, different,
                     R"("rounds": 5)"))
          .empty());
}

TEST_CASE("who writes on a version that was outdated when it was asked ignores "
          "input") {
  const auto writes = [](int base) {
    return R"({"content": "w", "writes": [{"resource_type": "file",
      "resource_id": "a", "op": "put", "base_version": )"
           + std::to_string(base) + R"(, "value": 7}]})";
  };
  CHECK(found_in(two(writes(1), writes(1), R"("rounds": 1)"))
        == texts{"ignored_input ben"});
  CHECK(found_in(two(writes(1), writes(2), R"("rounds": 1)")).empty());
  // Both were asked before either wrote.
  const scratch_folder at;
  const auto out = (at / "out").string();
  REQUIRE(run({"run", examples_folder + "shared-files/scenario.json", "--out",
               out, "--seed", "1"})
            .code
          == 0);
  CHECK(findings_in(out).empty());
}

TEST_CASE("what is handed off last and never begun is a lost task") {
  const std::string gives = R"({"content": "over", "handoff": {"to": "ann",
    "instructions": "Go on"}})";
  const auto found = found_in(two(different, gives, R"("rounds": 1,
    "end": {"text": "over"})"));
  CHECK(found == texts{"lost_task ann"});
}

TEST_CASE("a long session is told in few lines, and all of it is counted") {
  std::string many;
  for (int i = 0; i < 300; ++i)
    many += (i == 0 ? "" : ", ") + says("number " + std::to_string(i));
  const run_fixture at{two(many, many, R"("rounds": 300)")};
  REQUIRE(at.run_with({"--seed", "1"}).code == 0);
  const auto told = run({"explain", at.out});
  CHECK(std::ranges::count(told.out, '\n') < 60);
  CHECK_THAT(told.out, Contains("600 turns") && Contains("570 more")
                         && Contains("was asked 300 times: 300 completed")
                         && Contains("number 299"));
}

TEST_CASE("many sessions are told one by one, then by how they ended") {
  const run_fixture at{answers};
  REQUIRE(at.run_with({"--seed", "1", "--instances", "22"}).code == 0);
  const auto told = run({"explain", at.out});
  CHECK_THAT(told.out,
             Contains("2 more sessions") && Contains("2 completed: rounds"));
  const auto all = explained(at.out);
  const auto& sessions = all.at("sessions").as_array();
  REQUIRE(sessions.size() == 22);
  const std::string last{sessions[21].at("session_id").as_string()};
  const auto one = run({"explain", at.out, "--session", last});
  CHECK_THAT(one.out, Contains(last) && !Contains("more sessions"));
  const auto none = run({"explain", at.out, "--session", "nobody"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("has no session \"nobody\""));
}

TEST_CASE("an unfinished log is told as far as it goes, a damaged one with "
          "where it is damaged") {
  // Long enough, and with pauses, for several groups of 16 KiB.
  const run_fixture at{R"({"collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]}, "task": "go on",
    "behaviours": {"*": {"type": "simulated", "latency_ms": {"lognormal":
      {"median": 800, "p99": 6000}}}}, "session": {"rounds": 60}})"};
  REQUIRE(at.run_with({"--seed", "1"}).code == 0);
  const auto log = at.out + "/events.jsonl";
  const auto whole = read_bytes(log);
  // The last group is torn off.
  write_bytes(log, whole.substr(0, whole.rfind("{\"log_group\"")));
  const auto unfinished = run({"explain", log});
  CHECK(unfinished.code == 0);
  CHECK_THAT(unfinished.out, Contains("It has no end on the log"));
  CHECK_THAT(unfinished.err, Contains("never acknowledged"));
  auto damaged = whole;
  damaged.replace(damaged.rfind("\"status\""), 8, "\"statuz\"");
  write_bytes(log, damaged);
  const auto told = run({"explain", log});
  CHECK(told.code == 1);
  CHECK_THAT(told.err, Contains("cannot be read") && Contains(log));
  const auto as_json = run({"explain", log, "--json"});
  CHECK(as_json.code == 1);
  CHECK_THAT(as_json.out, Contains("log_damaged"));
  write_bytes(log, "no log\n");
  CHECK(run({"explain", log}).code == 2);
}

TEST_CASE("no text of a log moves the cursor of who reads what is told") {
  const std::string evil = R"(\u001b[2J\u202e gone \n\r\u0007)";
  const run_fixture at{two(says(evil), says(evil), R"("rounds": 1)")};
  REQUIRE(at.run_with({"--seed", "1"}).code == 0);
  const auto told = run({"explain", at.out});
  CHECK(told.code == 0);
  CHECK_THAT(told.out, Contains("gone"));
  for (const auto* bad : {"\x1b", "\r", "\x07", "\xe2\x80\xae"})
    CHECK(told.out.find(bad) == told.out.npos);
}

TEST_CASE("a log that says more than a session can is told in few words") {
  convene::session::session_story story{"s"};
  const auto add = [&story](const std::string& type, const std::string& what) {
    const auto event = convene::protocol::parse_json(
      R"({"event_type": ")" + type + R"(", "payload": {)" + what + "}}");
    REQUIRE(event);
    story.add(event->as_object());
  };
  for (int i = 0; i < 40; ++i)
    add("MAPTurnCompleted", R"("participant_id": "ann", "status": "s)"
                              + std::to_string(i) + std::string(1'000, 'x')
                              + '"');
  const auto& answers = story.facts().participants.at("ann").answers;
  CHECK(answers.size() == 17);
  CHECK(answers.at("other") == 24);
  CHECK(answers.begin()->first.size() < 100);
  // What is said twice: the last ruling counts, and the first end.
  add("MAPConflictDetected", R"("conflict_id": "c")");
  add("MAPHandoffInitiated", R"("handoff_id": "h", "to_participant": "ann")");
  for (int i = 0; i < 2; ++i) {
    add("MAPConflictResolved",
        R"("conflict_id": "c", "votes": [{"participant_id": "ann"}])");
    add("MAPSessionCompleted", R"("status": "completed")");
  }
  CHECK(story.facts().conflicts.first.at(0).votes.size() == 1);
  CHECK(story.rules().total() == 1);
}

TEST_CASE("who does one action again and again for one task repeats steps") {
  const auto found = [](const std::vector<std::string>& arguments,
                        const std::string& last = "completed",
                        bool is_one_task = true) {
    told_events all;
    all.asks("ann", "t", "look");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i == 2 && !is_one_task)
        all.asks("ann", "u", "look again");
      all.acts(i, i < 2 || is_one_task ? "t" : "u", arguments[i],
               i == 2 ? last : "completed");
    }
    return all.findings();
  };
  CHECK(found({"1", "1", "1"}) == texts{"step_repetition ann"});
  CHECK(found({"1", "1", "1", "1"}) == texts{"step_repetition ann"});
  CHECK(found({"1", "1", "2"}).empty());
  CHECK(found({"1", "1", "1"}, "failed").empty());
  CHECK(found({"1", "1", "1"}, "completed", false).empty());
}

TEST_CASE("who says the same about different tasks, or writes meanwhile, "
          "repeats no step") {
  const auto found = [](const std::vector<std::string>& tasks, bool writes) {
    told_events all;
    for (const auto& task : tasks) {
      all.asks("ann", "t", task);
      if (writes)
        all.writes("ann", "t", 2);
      all.says("ann", "t", "Done");
    }
    return all.findings();
  };
  CHECK(found({"a", "a", "a"}, false) == texts{"step_repetition ann"});
  CHECK(found({"a", "b", "c"}, false).empty());
  CHECK(found({"a", "a", "a"}, true).empty());
}

TEST_CASE("a step of the plan that is begun again after its end is a "
          "repetition") {
  const auto found = [](const std::string& status) {
    told_events all;
    all.add("plan_created",
            R"("plan": {"steps": [{"step_id": "s", "status": "pending"}]})");
    all.steps("s", status);
    all.asks("ann", "t", "once more", R"(, "step_id": "s")");
    return all.findings();
  };
  CHECK(found("completed") == texts{"step_repetition ann"});
  CHECK(found("failed").empty());
}

TEST_CASE("who is reset is told of once, and short words may come again") {
  const auto found = [](const std::vector<std::string>& words) {
    told_events all;
    for (std::size_t i = 0; i < words.size(); ++i) {
      all.asks("ann", "t", "task " + std::to_string(i));
      all.says("ann", "t", words[i]);
    }
    return all.findings();
  };
  const std::string a = "First I read the whole file";
  const std::string b = "Then I look at each of the tests";
  const std::string c = "Now I change the parser";
  CHECK(found({a, b, c, a, b, c, a, b}) == texts{"conversation_reset ann"});
  CHECK(found({"yes", "no", "well", "yes", "no"}).empty());
}

TEST_CASE("a version that was missed is the first after the known one, and "
          "somebody else's") {
  // Who wrote versions 2, 3, ..., and what ben then takes for the newest.
  const auto found = [](const std::vector<std::string>& writers, int base,
                        bool is_asked_first = false) {
    told_events all;
    if (is_asked_first)
      all.asks("ben", "t", "go on");
    for (std::size_t i = 0; i < writers.size(); ++i)
      all.writes(writers[i], "w", static_cast<int>(i) + 2);
    if (!is_asked_first)
      all.asks("ben", "t", "go on");
    all.add("MAPConflictDetected",
            R"("conflict_type": "concurrent_modification",
               "resource_type": "file", "resource_id": "a", "details": {
               "participant_id": "ben", "presented_token": "t",
               "base_version": )"
              + std::to_string(base) + "}");
    return all.findings();
  };
  const texts ignored{"ignored_input ben"};
  CHECK(found({"ann", "ben", "ben", "ben"}, 1) == ignored);
  CHECK(found({"ann", "ben", "ben", "ben"}, 2).empty());
  CHECK(found({"ben", "ann"}, 2) == ignored);
  CHECK(found({"ben", "ann"}, 3).empty());
  CHECK(found({"ann"}, 1, true).empty());
}

TEST_CASE("guards that end a session are three, and no other end is one") {
  for (const auto& [condition, misses] :
       std::vector<std::pair<std::string, bool>>{{"max_turns", true},
                                                 {"max_duration", true},
                                                 {"no_progress", true},
                                                 {"rounds", false},
                                                 {"cancelled", false}}) {
    CAPTURE(condition);
    told_events all;
    all.ends("cancelled", condition);
    CHECK(all.findings() == (misses ? texts{"missed_termination "} : texts{}));
  }
}

TEST_CASE("a task is lost that nobody takes, begins or ends") {
  const auto found = [](const std::function<void(told_events&)>& happens,
                        const std::string& status = "completed") {
    told_events all;
    happens(all);
    all.ends(status, "rounds");
    return all.findings();
  };
  const texts lost{"lost_task "};
  CHECK(found([](auto& all) {
          all.add("step_status_changed",
                  R"("resource_id": "s", "to_status": "failed",
                     "reason": "nobody_accepted")");
        })
        == lost);
  CHECK(found([](auto& all) { all.steps("s", "failed"); }).empty());
  const auto adds = [](auto& all) {
    all.add("step_added", R"("step": {"step_id": "s"})");
  };
  const auto starts = [](auto& all) {
    all.add("MAPSessionStarted", R"("spec": {"plan": {"steps": [
              {"step_id": "s", "status": "pending"}]}})");
  };
  CHECK(found(adds) == lost);
  CHECK(found(starts) == lost);
  CHECK(found(adds, "cancelled").empty());
  CHECK(found([&](auto& all) {
          adds(all);
          all.steps("s", "skipped");
        }).empty());
  const auto gives = [](auto& all) {
    all.add("MAPHandoffInitiated",
            R"("handoff_id": "h", "to_participant": "ben")");
  };
  CHECK(found(gives) == texts{"lost_task ben"});
  CHECK(found([&](auto& all) {
          gives(all);
          all.asks("ben", "t", "go on", R"(, "handoff_id": "h")");
        }).empty());
}
