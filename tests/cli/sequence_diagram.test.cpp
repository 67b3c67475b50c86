#include <catch2/catch.hpp>
#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>

using namespace convene::cli;
using Catch::Contains;
using convene::protocol::parse_json;

namespace {

std::string drawn(const std::vector<std::string>& events) {
  sequence_diagram made;
  for (const auto& event : events) {
    const auto value = parse_json(event);
    REQUIRE(value);
    made.add(value->as_object());
  }
  return made.text();
}

std::string dispatched(int turn, const std::string& who,
                       const std::string& task) {
  return R"({"event_type": "MAPTurnDispatched", "payload": {
    "participant_id": ")"
         + who + R"(", "turn_number": )" + std::to_string(turn)
         + R"(, "task": ")" + task + "\"}}";
}

} // namespace

TEST_CASE("a diagram shows who was asked what and what came back") {
  CHECK(drawn({R"({"event_type": "MAPSessionStarted", "payload": {
                 "mode": "pair", "title": "Fix", "purpose": "It works"}})",
               dispatched(1, "ann", "Fix it"),
               R"({"event_type": "MAPTurnCompleted", "payload": {
                 "participant_id": "ann", "status": "failed",
                 "error": {"message": "no idea"}}})",
               R"({"event_type": "MAPBroadcastSent", "payload": {
                 "broadcaster_participant": "ann", "message_type": "task",
                 "target_participants": ["bob"], "message": {"task": "Say"}}})",
               R"({"event_type": "MAPSessionCompleted", "payload": {
                 "status": "completed",
                 "stop_reason": {"condition": "rounds"}}})"})
        == "---\ntitle: \"Fix\"\n---\n"
           "sequenceDiagram\n"
           "    participant session\n"
           "    participant p1 as ann\n"
           "    participant p2 as bob\n"
           "    Note over session: pair#58; It works\n"
           "    session->>p1: turn 1#58; Fix it\n"
           "    p1--xsession: failed#58; no idea\n"
           "    p1->>p2: task#58; Say\n"
           "    Note over session: completed#58; rounds\n");
}

TEST_CASE("no text can end a line of a diagram or become syntax in it") {
  const auto label
    = diagram_label("a\nend; b-->>c: %%{init}%% <b>\"#\x1b[0m Bend");
  CHECK(label.find_first_of("\n\x1b<>{}\"%:[]") == label.npos);
  CHECK(std::ranges::count(label, ';') == std::ranges::count(label, '#'));
  CHECK(label.find("end") == label.npos);
  CHECK_THAT(drawn({dispatched(1, "x\\nparticipant y", "a\\nb")}),
             Contains("participant p1 as x") && !Contains("\n    participant y")
               && !Contains("\nb"));
}

TEST_CASE("a diagram has a bound, and says what it does not show") {
  std::vector<std::string> events;
  for (std::size_t i = 0; i < diagram_lines_max + 3; ++i)
    events.push_back(dispatched(1, "p" + std::to_string(i), "t"));
  const auto text = drawn(events);
  CHECK_THAT(text, Contains("Note over session: 3 more lines"));
}

TEST_CASE("events that are not what they should be are passed over") {
  CHECK(drawn({"{}", R"({"event_type": 7})",
               R"({"event_type": "MAPRolesAssigned", "payload": 7})",
               R"({"event_type": "MAPRolesAssigned",
                   "payload": {"assignments": [7]}})"})
        == "sequenceDiagram\n    participant session\n");
}
