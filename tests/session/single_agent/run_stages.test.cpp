#include <catch2/catch.hpp>
#include <convene/session/single_agent/run_stages.hpp>

using namespace convene::session;

namespace {

namespace json = boost::json;
using texts = std::vector<std::string>;

/// Stages of a run whose plan has the steps `a`, of the role `tool`, and `b`,
/// of none.
struct run_of_two {
  run_stages stages;

  run_of_two() {
    const json::array steps{
      {{"step_id", "a"}, {"description", "do a"}, {"agent_role", "tool"}},
      {{"step_id", "b"}, {"description", "do b"}}};
    event("MAPSessionStarted", {{"spec", {{"plan", {{"steps", steps}}}}}});
    event("plan_status_changed", {{"to_status", "in_progress"}});
  }

  void event(std::string_view type, const json::object& payload) {
    stages.feed({{"event_type", type}, {"payload", payload}});
  }
  void dispatch(int turn, std::string_view step) {
    event("MAPTurnDispatched", {{"turn_number", turn},
                                {"step_id", step},
                                {"role_id", "tool"},
                                {"task", "do it"}});
  }
  void close(int turn, std::string_view status, std::string_view code = "") {
    json::object payload{{"turn_number", turn},
                         {"status", status},
                         {"output_summary", "said"}};
    if (!code.empty())
      payload["error"] = json::object{{"code", code}};
    event("MAPTurnCompleted", payload);
  }
  void complete(std::string_view step) {
    event("step_status_changed",
          {{"resource_id", step}, {"to_status", "completed"}});
  }
};

} // namespace

TEST_CASE("a step that its own turn wrote as completed is a stage, however the "
          "turn ends") {
  run_of_two of;
  of.dispatch(1, "a");
  of.complete("a");
  CHECK(of.stages.place_of("a") == 1);
  CHECK(of.stages.open().empty());
  of.close(1, GENERATE("completed", "failed", "timed_out"), "timed_out");
  REQUIRE(of.stages.completed().size() == 1);
  const auto& step = of.stages.completed().front();
  CHECK(step.agent_role == "tool");
  CHECK(step.description == "do it");
  CHECK(step.done.at("output_summary") == "said");
  CHECK(step.events == 4);
  CHECK(of.stages.failures().empty());
  CHECK(of.stages.open().empty());
}

TEST_CASE("a step that another one's turn completed has the role of the plan") {
  run_of_two of;
  const json::object added{{"step_id", "c"}, {"agent_role", "later"}};
  of.event("step_added", {{"step", added}});
  for (const auto* step : {"a", "b", "c", "b"})
    of.complete(step);
  texts roles;
  for (const auto& step : of.stages.completed())
    roles.push_back(step.step_id + ' ' + step.agent_role);
  CHECK(roles == texts{"a tool", "b agent", "c later"});
}

TEST_CASE("nobody knows what an attempt did that a signal, a timeout, the "
          "session or a crash ended") {
  run_of_two of;
  of.dispatch(1, "a");
  CHECK(of.stages.open() == texts{"a"});
  const auto* const code = GENERATE("suspended", "timed_out", "session_ended",
                                    "outcome_unknown");
  of.close(1, "failed", code);
  CHECK(of.stages.open() == texts{"a"});
  of.dispatch(2, "a");
  CHECK(of.stages.open() == texts{"a"});
  of.close(2, "failed", "exit_code");
  CHECK(of.stages.open() == texts{"a"});
  of.dispatch(3, "a");
  of.close(3, "completed");
  of.complete("a");
  CHECK(of.stages.open().empty());
}

TEST_CASE("an attempt that failed by itself is no riddle") {
  run_of_two of;
  of.dispatch(1, "a");
  of.close(1, "failed", "exit_code");
  CHECK(of.stages.open().empty());
  CHECK(of.stages.failures().at("a").code == "exit_code");
}
