#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/session/spec/spec.hpp>

using namespace convene;
using namespace convene::host;
namespace json = protocol::json;

namespace {

const std::string model
  = R"({"type": "llm", "model": "m", "base_url": "http://127.0.0.1:1/v1"})";
const std::string program = R"({"type": "process", "command": ["/bin/true"]})";
const std::string echo = R"({"type": "echo"})";

protocol::result<session::spec> load(const json::object& scenario) {
  protocol::uuid_source ids{7};
  return load_scenario(scenario, {.ids = ids, .now = 1'700'000'000'000});
}

/// Participants a, b and c with these behaviours.
json::object scenario_of(const std::string& behaviours,
                         const std::string& session) {
  return protocol::parse_json(R"({"collab": {"mode": "round_robin",
       "participants": [{"participant_id": "a", "role_id": "r"},
                        {"participant_id": "b", "role_id": "r"},
                        {"participant_id": "c", "role_id": "r"}]},
     "task": "go on", "behaviours": )"
                              + behaviours + R"(, "session": )" + session + "}")
    ->as_object();
}

std::string guards_of(const session::spec& what) {
  const auto& from = what.options;
  return std::to_string(from.max_turns) + ' ' + std::to_string(from.no_progress)
         + ' '
         + (from.budget.tokens ? std::to_string(*from.budget.tokens) : "none");
}

std::string guards(const std::string& behaviours,
                   const std::string& session = "{}") {
  const auto loaded = load(scenario_of(behaviours, session));
  REQUIRE(loaded);
  return guards_of(*loaded);
}

} // namespace

TEST_CASE("sessions with participants that act outside get guards") {
  CHECK(guards(R"({"*": )" + echo + '}') == "1000 0 none");
  CHECK(guards(R"({"*": {"type": "simulated"}})") == "1000 0 none");
  CHECK(guards("{}") == "1000 0 none");
  CHECK(guards(R"({"*": )" + program + '}') == "200 6 none");
  CHECK(guards(R"({"a": )" + program + R"(, "*": )" + echo + '}')
        == "200 6 none");
}

TEST_CASE("each participant that calls models adds tokens to the budget") {
  CHECK(guards(R"({"a": )" + model + R"(, "*": )" + echo + '}')
        == "200 6 2000000");
  CHECK(guards(R"({"a": )" + echo + R"(, "*": )" + model + '}')
        == "200 6 4000000");
  CHECK(guards(R"({"a": )" + program + R"(, "b": )" + model + '}')
        == "200 6 2000000");
}

TEST_CASE("a scenario with rounds of its own has said how long it is") {
  const auto all = R"({"*": )" + program + '}';
  CHECK(guards(all, R"({"rounds": 500})") == "1000 0 none");
  CHECK(guards(all, R"({"rounds": 2, "no_progress": 4})") == "1000 4 none");
}

TEST_CASE("rounds do not say how long orchestrators and swarms go on") {
  auto scenario = scenario_of(R"({"*": )" + program + '}',
                              R"({"rounds": 500})");
  auto& collab = scenario["collab"].as_object();
  auto& session = scenario["session"].as_object();
  for (const char* mode : {"orchestrated", "swarm"}) {
    collab["mode"] = mode;
    const auto loaded = load(scenario);
    REQUIRE(loaded);
    CHECK(guards_of(*loaded) == "200 6 none");
  }
  collab["mode"] = "broadcast";
  session["policy"] = "swarm";
  const auto loaded = load(scenario);
  REQUIRE(loaded);
  CHECK(guards_of(*loaded) == "200 6 none");
}

TEST_CASE("a scenario's own guards stay") {
  const auto all = R"({"*": )" + model + '}';
  CHECK(guards(all, R"({"max_turns": 1000})") == "1000 6 6000000");
  CHECK(guards(all, R"({"no_progress": 9})") == "200 9 6000000");
  CHECK(guards(all, R"({"budget": {"tokens": 5}})") == "200 6 5");
  CHECK(guards(all, R"({"budget": {"cost_microusd": 5}})") == "200 6 6000000");
}

TEST_CASE("guards that a scenario lifts are lifted in the resolved one, too") {
  const auto lifted
    = load(scenario_of(R"({"*": )" + model + '}',
                       R"({"max_turns": 1000000000, "no_progress": 0,
                           "budget": {"tokens": null}})"));
  REQUIRE(lifted);
  CHECK(guards_of(*lifted) == "1000000000 1000000000 1000000000000000");
  const auto again = load(session::encode(*lifted));
  REQUIRE(again);
  CHECK(guards_of(*again) == guards_of(*lifted));
}

TEST_CASE("what no guard can be is left for the decoder to refuse") {
  const auto refused = [](const std::string& session) {
    const auto loaded = load(scenario_of(R"({"*": )" + model + '}', session));
    REQUIRE_FALSE(loaded);
    return loaded.error().pointer;
  };
  CHECK(refused("3") == "/session");
  CHECK(refused(R"({"budget": 3})") == "/session/budget");
  CHECK(refused(R"({"no_progress": null})") == "/session/no_progress");
  CHECK(refused(R"({"budget": {"tokens": 0}})") == "/session/budget/tokens");
}
