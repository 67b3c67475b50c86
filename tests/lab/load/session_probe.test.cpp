#include <catch2/catch.hpp>
#include <convene/lab/load/session_probe.hpp>

using namespace convene::host;
using namespace std::chrono_literals;

namespace {

std::string event(std::string_view type, std::string_view payload) {
  return R"({"event_id":"1","event_type":")" + std::string{type}
         + R"(","event_family":"x","session_id":"s","payload":{)"
         + std::string{payload} + "}}\n";
}

std::string dispatched(int turn, const char* who) {
  return event("MAPTurnDispatched", R"("participant_id":")" + std::string{who}
                                      + R"(","role_id":"r","turn_number":)"
                                      + std::to_string(turn)
                                      + R"(,"token_id":"t","task":"x")");
}

std::string completed(int turn, const char* who, const char* status) {
  return event("MAPTurnCompleted",
               R"("participant_id":")" + std::string{who}
                 + R"(","role_id":"r","turn_number":)" + std::to_string(turn)
                 + R"(,"token_id":"t","status":")" + status
                 + R"(","output_summary":"\"status\":\"failed\"")");
}

struct seen_session {
  explicit seen_session(bool is_measured = true)
    : probe{{.intended = 10ms, .measured = is_measured}, recorder} {
    // nop
  }

  load_recorder recorder{1, 1, 0ms, 1h};
  session_probe probe;

  load_time longest(load_measure what) const {
    return load_time{static_cast<load_time::rep>(
      recorder.total()->of(what).max().value_or(0))};
  }
  std::uint64_t times(load_measure what) const {
    return recorder.total()->of(what).count();
  }
};

} // namespace

TEST_CASE("a session is measured by its events") {
  seen_session all;
  auto& probe = all.probe;
  probe.see(event("MAPSessionStarted", R"("mode":"pair")") + dispatched(1, "a"),
            15ms);
  CHECK(all.longest(load_measure::start) == 5ms);
  CHECK(all.longest(load_measure::wait) == 0ms);
  probe.see(completed(1, "a", "completed") + dispatched(2, "b"), 40ms);
  CHECK(all.longest(load_measure::turn) == 25ms);
  CHECK(all.longest(load_measure::wait) == 25ms); // of b, since the start
  probe.see(completed(2, "b", "timed_out") + dispatched(3, "a"), 100ms);
  CHECK(all.longest(load_measure::turn) == 60ms);
  CHECK(all.longest(load_measure::wait) == 60ms); // of a, since its first turn
  CHECK_FALSE(probe.has_ended());
  probe.see(event("MAPSessionCompleted",
                  R"("status":"cancelled","stop_reason":{"condition":)"
                  R"("max_turns","observed":"3"})"),
            120ms);
  CHECK(probe.has_ended());
  CHECK_FALSE(probe.is_completed());
  CHECK(probe.condition() == "max_turns");
  CHECK(probe.ended_at() == 120ms);
  CHECK(probe.last_answer_at() == 100ms);
  CHECK(all.recorder.total()->of(load_tally::turns) == 2);
  CHECK(all.recorder.total()->of(load_tally::events) == 7);
  CHECK(all.recorder.turn_errors() == reason_counts{{"timed_out", 1}});
}

TEST_CASE("events with their members in another order are measured, too") {
  seen_session all;
  all.probe.see(event("MAPTurnDispatched",
                      R"("turn_number":7,"participant_id":"a")"),
                10ms);
  all.probe.see(event("MAPTurnCompleted",
                      R"("status":"failed","result":{"status":"completed"},)"
                      R"("turn_number":7,"participant_id":"a")"),
                14ms);
  all.probe.see(R"({"payload":{"turn_number":8,"participant_id":"a"},)"
                R"("event_type":"MAPTurnDispatched"})"
                "\n",
                20ms);
  CHECK(all.longest(load_measure::turn) == 4ms);
  CHECK(all.longest(load_measure::wait) == 10ms);
  CHECK(all.recorder.turn_errors() == reason_counts{{"failed", 1}});
}

TEST_CASE(
  "each answer to a broadcast counts as a turn, and a conflict until it "
  "is settled") {
  seen_session all;
  all.probe.see(event("MAPBroadcastSent", R"("broadcast_id":"b1")"), 10ms);
  for (const auto at : {12ms, 18ms})
    all.probe.see(event("MAPBroadcastReceived",
                        R"("broadcast_ref":"b1","status":"completed")"),
                  at);
  CHECK(all.times(load_measure::turn) == 2);
  CHECK(all.longest(load_measure::turn) == 8ms);
  all.probe.see(event("MAPConflictDetected", R"("conflict_id":"c")"), 20ms);
  all.probe.see(event("MAPConflictResolved", R"("conflict_id":"c")"), 27ms);
  CHECK(all.longest(load_measure::conflict) == 7ms);
  CHECK(all.recorder.total()->of(load_tally::conflicts) == 1);
}

TEST_CASE("what a server calls a turn's end is told in a few words") {
  seen_session all;
  const std::string status(100'000, 'x');
  for (const auto* more : {"a", "b"})
    all.probe.see(
      dispatched(1, "a") + completed(1, "a", (status + more).c_str()), 15ms);
  const auto told = all.recorder.turn_errors();
  REQUIRE(told.size() == 1);
  CHECK(told.begin()->first.size() <= 60);
  CHECK(told.begin()->second == 2);
}

TEST_CASE("an answer that was not needed any more has not failed") {
  seen_session all;
  for (const auto* code : {"quorum_reached", "session_ended", "timed_out"})
    all.probe.see(event("MAPBroadcastSent", R"("broadcast_id":"b1")")
                    + event("MAPBroadcastReceived",
                            R"("broadcast_ref":"b1","status":"timed_out",)"
                            R"("error":{"code":")"
                              + std::string{code} + R"("})"),
                  10ms);
  CHECK(all.recorder.turns_failed() == 1);
  CHECK(all.recorder.turn_errors() == reason_counts{{"timed_out", 1}});
}

TEST_CASE("refused writes are counted, whatever became of the turn") {
  const auto conflict = [](const std::string& details,
                           const std::string& strategy,
                           const std::string& lost) {
    return event("MAPConflictDetected",
                 R"("conflict_id":"c","resource_type":"file",)"
                 R"("resource_id":"a","details":{)"
                   + details + "}")
           + event("MAPConflictResolved",
                   R"("conflict_id":"c","resolution_strategy":")" + strategy
                     + R"(","losing_participants":[)" + lost + "]");
  };
  const std::string write = R"("turn_number":2,"op":"put")";
  seen_session all;
  all.probe.see(event("write_refused", R"("participant_id":"a")"), 10ms);
  all.probe.see(conflict(write, "reject", R"("a")"), 11ms);
  CHECK(all.recorder.writes_refused() == 2);
  CHECK(all.recorder.total()->of(load_tally::writes_refused) == 2);
  // It lost to another one, came too late as a whole, or names nobody.
  all.probe.see(conflict(write, "hierarchy", R"("a")"), 12ms);
  all.probe.see(
    conflict(R"("input":"answer","reply":{"writes":[{"op":"put"}]})", "reject",
             R"("a")"),
    13ms);
  all.probe.see(conflict(write, "reject", ""), 14ms);
  CHECK(all.recorder.writes_refused() == 2);
}

TEST_CASE("a turn that failed in the warm-up is known, but not measured") {
  load_recorder recorder{1, 1, 1h, 2h};
  session_probe probe{{}, recorder};
  probe.see(dispatched(1, "a") + completed(1, "a", "failed"), 15ms);
  probe.see(dispatched(2, "a") + completed(2, "a", "cancelled"), 15ms);
  CHECK(recorder.turns_failed() == 1);
  CHECK(recorder.turn_errors().empty());
}

TEST_CASE("how a session starts that is not measured does not count") {
  for (const bool is_measured : {true, false}) {
    seen_session all{is_measured};
    all.probe.see(event("MAPSessionStarted", R"("mode":"pair")")
                    + dispatched(1, "a") + completed(1, "a", "completed"),
                  15ms);
    CHECK(all.times(load_measure::start) == (is_measured ? 1 : 0));
    // Its turns do: they are part of what the system carries.
    CHECK(all.times(load_measure::turn) == 1);
  }
}
