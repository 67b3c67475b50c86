#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/server/a2a/task.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace convene::server;
namespace json = boost::json;

json::object scenario() {
  return json::parse(
           R"({"collab":{"title":"T"},"task":"Decide",
               "behaviours":{"ana":{"type":"human"},"ben":{"type":"human"}}})")
    .as_object();
}

task fresh(const json::object& of = scenario()) {
  return {{.skill = "s", .context_id = "c", .digest = "d"}, of, "t0"};
}

json::object event(const std::string& type, const std::string& payload) {
  return json::parse(R"({"event_type":")" + type
                     + R"(","session_id":"x","timestamp":"t1","payload":)"
                     + payload + '}')
    .as_object();
}

json::object asked(const std::string& who, const std::string& token) {
  return event("MAPTurnDispatched", R"({"participant_id":")" + who
                                      + R"(","token_id":")" + token + "\"}");
}

json::object answered(const std::string& who, const std::string& token,
                      const std::string& more = "") {
  return event("MAPTurnCompleted",
               R"({"participant_id":")" + who + R"(","token_id":")" + token
                 + R"(","status":"completed")" + more + "}");
}

std::vector<task_state> states_of(const task& one) {
  std::vector<task_state> all;
  for (const auto& each : one.updates_after(0))
    all.push_back(each.state);
  return all;
}

} // namespace

TEST_CASE("what a message makes of a scenario is found there again, beside "
          "its own tags") {
  auto marked = scenario();
  marked["collab"].as_object()["meta"] = {{"tags", {"own"}}};
  CHECK_FALSE(origin_of(marked));
  const output_modes output = GENERATE(output_modes{true, true},
                                       output_modes{true, false},
                                       output_modes{false, true});
  const task_origin origin{
    .skill = "s", .context_id = "a:b c", .digest = "d", .output = output};
  mark(marked, origin);
  CHECK(origin_of(marked) == origin);
  // Those of all clients before are as they were.
  CHECK(marked.at("collab").at("meta").at("tags").as_array().size()
        == (output == output_modes{} ? 4 : 5));
  CHECK(marked.at("collab").at("meta").at("tags").as_array()[0] == "own");
}

TEST_CASE("a fork of a task's session is no second task") {
  auto forked = scenario();
  mark(forked, {.skill = "s", .context_id = "c", .digest = "d"});
  REQUIRE(origin_of(forked));
  forked["origin"] = {{"session_id", "x"}};
  CHECK_FALSE(origin_of(forked));
  mark(forked, {.skill = "s", .context_id = "c", .digest = "d"});
  CHECK(origin_of(forked));
}

TEST_CASE("a task does not ask for a service, nor for an agent beside people "
          "without names") {
  auto named = scenario();
  named["behaviours"] = {{"*", {{"type", "human"}}},
                         {"service", {{"type", "http"}}},
                         {"writer", {{"type", "llm"}}}};
  auto one = fresh(named);
  one.feed(asked("service", "t1"));
  one.feed(asked("writer", "t2"));
  CHECK(one.status().state == task_state::working);
  one.feed(asked("somebody", "t3"));
  CHECK(one.questions()
        == std::set<std::pair<std::string, std::string>>{{"t3", "somebody"}});
}

TEST_CASE("a task keeps its latest updates and their places, and a bounded "
          "text of each") {
  auto one = fresh();
  const std::string words(5000, 'x');
  for (int i = 0; i < 20; ++i) {
    const auto token = "t" + std::to_string(i);
    for (const auto* who : {"ana", "ben"})
      one.feed(event("MAPTurnDispatched", R"({"participant_id":")"
                                            + std::string{who}
                                            + R"(","token_id":")" + who + token
                                            + R"(","task":")" + words + "\"}"));
    CHECK(one.questions().size() == 2);
    CHECK(one.status().text.size() < 4100);
    one.feed(answered("ana", "ana" + token));
    one.feed(answered("ben", "ben" + token));
  }
  const auto kept = one.updates_after(0);
  REQUIRE(kept.size() == task::updates_max);
  for (std::size_t i = 0; i < kept.size(); ++i)
    CHECK(kept[i].place == one.updates() - task::updates_max + i + 1);
  const auto rest = one.updates_after(kept[3].place);
  REQUIRE(rest.size() == task::updates_max - 4);
  CHECK(rest[0].place == kept[4].place);
}

TEST_CASE("a task asks as long as one of its people is asked, and works when "
          "an agent is") {
  auto one = fresh();
  one.feed(asked("agent", "t1"));
  CHECK(one.questions().empty());
  one.feed(event("MAPBroadcastSent",
                 R"({"broadcast_id":"b1","target_participants":)"
                 R"(["ana","agent","ben"]})"));
  CHECK(one.questions().size() == 2);
  CHECK(one.status().text == "ana is asked: Decide\nben is asked: Decide");
  one.feed(event("MAPBroadcastReceived",
                 R"({"broadcast_ref":"b1","receiver_participant":"ana",)"
                 R"("status":"completed","reply":{"content":"Yes"}})"));
  CHECK(one.questions().size() == 1);
  CHECK(one.status().text == "ben is asked: Decide\n\nYes");
  one.feed(event("MAPBroadcastReceived",
                 R"({"broadcast_ref":"b1","receiver_participant":"ben",)"
                 R"("status":"timed_out"})"));
  CHECK(states_of(one)
        == std::vector{task_state::working, task_state::input_required,
                       task_state::input_required, task_state::working});
}

TEST_CASE("a suspended task asks nobody") {
  auto one = fresh();
  one.feed(asked("ana", "t1"));
  one.feed(event("session_input", R"({"input":"suspend"})"));
  CHECK(one.questions().empty());
  CHECK(one.status().state == task_state::working);
}

TEST_CASE("a task knows which messages answered it") {
  auto one = fresh();
  one.feed(asked("ana", "t1"));
  one.feed(answered("ana", "t1",
                    R"(,"reply":{"content":"Yes","result":)"
                    R"({"a2a_message_id":"m1"}})"));
  CHECK(one.has_taken("m1"));
  CHECK_FALSE(one.has_taken("m2"));
}

TEST_CASE("a task ends as its session did, and who lags behind is told the end "
          "alone") {
  const auto ended = [](const std::string& payload) {
    auto one = fresh();
    one.feed(asked("ana", "t1"));
    one.feed(event("MAPSessionCompleted", payload));
    CHECK(one.updates_after(0).size() == 3);
    one.forget();
    CHECK(one.updates() == 3);
    REQUIRE(one.updates_after(0).size() == 1);
    CHECK(one.updates_after(3).empty());
    return one.status();
  };
  CHECK(ended(R"({"status":"completed"})").state == task_state::completed);
  CHECK(ended(R"({"status":"cancelled","stop_reason":)"
              R"({"condition":"cancelled","observed":"enough"}})")
          .state
        == task_state::canceled);
  const auto failed = ended(R"({"status":"cancelled","stop_reason":)"
                            R"({"condition":"max_turns","observed":"7"}})");
  CHECK(failed.state == task_state::failed);
  CHECK(failed.text == "max_turns: 7");
}
