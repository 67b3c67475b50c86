#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/simulation/faults/reached_states.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace convene::host;

namespace {

using events = std::vector<std::pair<std::string, std::string>>;
using words = std::vector<std::string>;

/// The states that a log of these types and payloads shows.
words states_in(const events& all) {
  states_reached reached;
  state_watch watch{reached};
  for (const auto& [type, payload] : all)
    watch.feed(boost::json::parse(R"({"event_type": ")" + type
                                  + R"(", "payload": )" + payload + "}")
                 .as_object());
  words made;
  for (std::size_t i = 0; i < reached_states; ++i)
    if (reached.test(i))
      made.emplace_back(convene::protocol::reached_words.at(i));
  return made;
}

events inputs(const std::vector<std::pair<std::string, std::string>>& all) {
  events made;
  for (const auto& [input, who] : all)
    made.push_back(
      {"session_input",
       R"({"input": ")" + input + R"(", "participant_id": ")" + who + "\"}"});
  return made;
}

} // namespace

TEST_CASE("a deputy has taken over once somebody else decides") {
  CHECK(states_in(inputs({{"decision", "ann"}, {"decision", "ann"}})).empty());
  CHECK(states_in(inputs({{"decision", "ann"}, {"decision", "bob"}}))
        == words{"deputy_took_over"});
}

TEST_CASE("a turn is open from its dispatch to its end") {
  const events begins{{"MAPTurnDispatched", R"({"turn_number": 1})"}};
  const events suspends = inputs({{"suspend", ""}});
  const auto ends = [](const std::string& status) {
    return std::pair<std::string, std::string>{
      "MAPTurnCompleted", R"({"turn_number": 1, "status": ")" + status + "\"}"};
  };
  CHECK(states_in(suspends).empty());
  CHECK(states_in({begins[0], suspends[0]})
        == words{"suspended_with_open_turn"});
  CHECK(states_in({begins[0], ends("completed"), suspends[0]}).empty());
  CHECK(states_in({begins[0], ends("timed_out")}) == words{"turn_timed_out"});
  CHECK(states_in(
          {{"MAPTurnDispatched", R"({"turn_number": 1, "handoff_id": "h"})"},
           ends("timed_out")})
        == words{"turn_timed_out", "timeout_after_handoff"});
}

TEST_CASE("a conflict meets an open vote if another one is not settled") {
  const auto detected = [](const std::string& id) {
    return std::pair<std::string, std::string>{"MAPConflictDetected",
                                               R"({"conflict_id": ")" + id
                                                 + R"(", "details": {}})"};
  };
  const std::pair<std::string, std::string> settled{"MAPConflictResolved",
                                                    R"({"conflict_id": "c1"})"};
  CHECK(states_in({detected("c1"), settled, detected("c2")}).empty());
  CHECK(states_in({detected("c1"), detected("c2")})
        == words{"conflict_while_vote_open"});
  // An answer that comes too late is none that is voted on.
  CHECK(states_in({{"MAPConflictDetected", R"({"conflict_id": "c1",
                     "details": {"input": "answer"}})"},
                   detected("c2")})
        == words{"late_answer_refused"});
}

TEST_CASE("each other state is what one event says") {
  for (const auto& [input, state] :
       events{{"vote_timed_out", "vote_timed_out"},
              {"handoff_failed", "handoff_failed"},
              {"participant_down", "participant_lost"},
              {"participant_up", "participant_back"}})
    CHECK(states_in(inputs({{input, "ann"}})) == words{state});
  CHECK(states_in({{"MAPBroadcastSent", R"({"message": {}})"}}).empty());
  CHECK(
    states_in({{"MAPBroadcastSent", R"({"message": {"missed_quorum": 1}})"}})
    == words{"quorum_missed"});
}
