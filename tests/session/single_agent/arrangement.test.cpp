#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/single_agent/arrangement.hpp>

using namespace convene;
using protocol::parse_json;

namespace {

namespace json = boost::json;

json::object scenario_of(std::string_view text) {
  auto parsed = parse_json(text);
  REQUIRE(parsed);
  return std::move(parsed->as_object());
}

json::object arranged(std::string_view text) {
  auto scenario = scenario_of(text);
  const auto done = session::arrange(scenario);
  INFO((done ? std::string{} : to_string(done.error())));
  REQUIRE(done);
  return scenario;
}

/// The rule and place by which it is refused.
std::string refusal_of(std::string_view text) {
  auto scenario = scenario_of(text);
  const auto done = session::arrange(scenario);
  return done ? "" : done.error().rule + " at " + done.error().pointer;
}

/// `id:role` of each participant.
std::vector<std::string> people(const json::object& scenario) {
  std::vector<std::string> all;
  for (const auto& who : scenario.at("collab").at("participants").as_array())
    all.push_back(std::string{who.at("participant_id").as_string()} + ':'
                  + std::string{who.at("role_id").as_string()});
  return all;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("a role has as many executors as it has steps, but no more than run "
          "at once") {
  const auto made = arranged(R"({"plan": {"title": "T", "steps": [
    {"agent_role": "tool"}, {"agent_role": "tool"}, {"agent_role": "model"},
    {}, {"agent_role": "echo"}, {"agent_role": "echo"}, {"agent_role": "echo"},
    {"agent_role": "echo"}, {"agent_role": "echo"}]}})");
  CHECK(people(made)
        == texts{"single-agent:single-agent", "tool:tool", "tool#2:tool",
                 "model:model", "agent:agent", "echo:echo", "echo#2:echo",
                 "echo#3:echo", "echo#4:echo"});
  CHECK(made.at("collab").at("participants").at(0).at("kind") == "system");
  CHECK(made.at("collab").at("purpose") == "T");
  CHECK(made.at("session").at("policy") == "single_agent");
  CHECK(made.at("session").at("retries") == 0);
}

TEST_CASE("executors that depend on their earlier answers, or are people, are "
          "alone in their role") {
  const auto made = arranged(R"({"plan": {"steps": [
    {"agent_role": "s"}, {"agent_role": "s"}, {"agent_role": "h"},
    {"agent_role": "h"}, {"agent_role": "p"}, {"agent_role": "p"}]},
    "behaviours": {"s": {"type": "script"}, "h": {"type": "human"},
                   "p": {"type": "process", "command": ["x"]}}})");
  CHECK(people(made)
        == texts{"single-agent:single-agent", "s:s", "h:h", "p:p", "p#2:p"});
  CHECK(made.at("collab").at("participants").at(2).at("kind") == "human");
  CHECK(made.at("behaviours").at("p#2") == made.at("behaviours").at("p"));
}

TEST_CASE("a role that is called as another one's second executor keeps its "
          "name") {
  const auto made = arranged(R"({"plan": {"steps": [
    {"agent_role": "a"}, {"agent_role": "a"}, {"agent_role": "a#2"},
    {"agent_role": "single-agent"}]}})");
  CHECK(people(made)
        == texts{"single-agent_:single-agent_", "a:a", "a#3:a", "a#2:a#2",
                 "single-agent:single-agent"});
}

TEST_CASE("who has a compensation takes part, and never has a turn") {
  const auto made = arranged(R"({
    "plan": {"steps": [{"agent_role": "a"}, {"agent_role": "a"}]},
    "behaviours": {"a": {"type": "echo"}},
    "compensations": {"a": {"type": "script"}, "*": {"type": "human"}}})");
  CHECK(people(made)
        == texts{"single-agent:single-agent", "a:a", "a#2:a",
                 "compensation:a:compensation:a",
                 "compensation:*:compensation:*"});
  CHECK(made.at("collab").at("participants").at(3).at("kind") == "system");
  CHECK(made.at("behaviours").at("compensation:a").at("type") == "script");
  CHECK_FALSE(made.contains("compensations"));
}

TEST_CASE("a compensation is for a role that a step has, and for no "
          "compensation") {
  CHECK(refusal_of(R"({"plan": {"steps": [{"agent_role": "a"}]},
                       "compensations": {"b/c": {"type": "echo"}}})")
        == "known_role at /compensations/b~1c");
  CHECK(refusal_of(R"({"plan": {"steps": [{"agent_role": "a"}]},
                       "compensations": {"a": "echo"}})")
        == "type at /compensations/a");
  CHECK(refusal_of(R"({"plan": {}, "compensations": []})")
        == "type at /compensations");
  CHECK(refusal_of(R"({"plan": {"steps": [{"agent_role": "compensation:a"}]}})")
        == "reserved_role at /plan/steps");
}

TEST_CASE("an error about a compensation names the place where it is written") {
  const auto place = [](std::string pointer) {
    return session::as_written({.pointer = std::move(pointer)}).pointer;
  };
  CHECK(place("/behaviours/compensation:a~1b/type")
        == "/compensations/a~1b/type");
  CHECK(place("/behaviours/a/type") == "/behaviours/a/type");
  CHECK(place("") == "");
}

TEST_CASE("a single agent's scenario says what its steps need and nothing "
          "else") {
  CHECK(refusal_of(R"({"collab": {}, "plan": {}})")
        == "single_agent at /collab");
  CHECK(refusal_of(R"({})") == "required at /plan");
  CHECK(refusal_of(R"({"plan": {"steps": [{"agent_role": "a"}]},
                       "behaviours": {"b": {"type": "echo"}}})")
        == "known_role at /behaviours/b");
  CHECK(refusal_of(R"({"plan": {"steps": [{"agent_role": "a"}, {}]},
                       "behaviours": {"a": {"type": "echo"}}})")
        == "executor_missing at /behaviours");
  CHECK(refusal_of(R"({"plan": {}, "session": {"policy": "swarm"}})")
        == "single_agent at /session/policy");
  CHECK(
    refusal_of(R"({"plan": {}, "session": {"policy": "single_agent_skip"}})")
    == "");
  CHECK(refusal_of(
          R"({"plan": {}, "session": {"policy": "single_agent_rollback"}})")
        == "");
  // What has the wrong type is left for the decoder.
  CHECK(refusal_of(R"({"plan": 7, "session": 7, "behaviours": 7})") == "");
  CHECK(refusal_of(R"({"plan": {"steps": [7, {"agent_role": 7}]},
                       "behaviours": {"*": 7}})")
        == "");
}

TEST_CASE("a plan has as many turns as its steps need") {
  std::string steps = "{}";
  for (int i = 1; i < 800; ++i)
    steps += ",{}";
  CHECK_FALSE(arranged(R"({"plan": {"steps": [)" + steps + "]}}")
                .at("session")
                .as_object()
                .contains("max_turns"));
  CHECK(arranged(R"({"plan": {"steps": [)" + steps
                 + R"(]}, "session": {"retries": 1}})")
          .at("session")
          .at("max_turns")
        == 1600);
}
