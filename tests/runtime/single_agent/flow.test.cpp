#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/single_agent/flow.hpp>

#include <algorithm>
#include <atomic>

using namespace convene;
using protocol::text_of;

namespace {

namespace json = boost::json;

json::object scenario_with(std::string_view steps) {
  const auto parsed = protocol::parse_json(
    R"({"plan": {"title": "T", "steps": )" + std::string{steps} + "}}");
  REQUIRE(parsed);
  return parsed->as_object();
}

} // namespace

TEST_CASE("a program runs a plan with its own functions") {
  std::atomic<int> called = 0;
  const auto done = run_single_agent_flow(
    {.scenario = scenario_with(
       R"([{"description": "count", "agent_role": "counter"},
           {"description": "count", "agent_role": "counter"},
           {"description": "say"}])"),
     .executors = {{"counter",
                    [&called](const turn_request&) {
                      return reply{.content = std::to_string(++called)};
                    }},
                   {"agent", [](const turn_request& asked) {
                      return reply{.content = asked.task};
                    }}}});
  INFO((done.error ? to_string(*done.error) : ""));
  CHECK(done.success);
  CHECK(called == 2);
  REQUIRE(done.output);
  CHECK(done.output->plan.at("status") == "completed");
  CHECK(done.output->trace().at("plan_id") == done.output->plan.at("plan_id"));
  CHECK(done.output->confirm);
  CHECK(text_of(done.events.front(), "event_type") == "SAInitialized");
  CHECK(text_of(done.events.back(), "event_type") == "SACompleted");
  CHECK(done.events.front().at("payload").at("capabilities").at(0)
        == "function");
}

TEST_CASE("a function that fails makes the run one without success, which has "
          "its documents") {
  const auto done = run_single_agent_flow(
    {.scenario = scenario_with(R"([{"description": "fail"}])"),
     .executors = {{"agent", [](const turn_request&) {
                      return reply{.status = protocol::reply_status::failed,
                                   .error = {"broken", "it is"}};
                    }}}});
  CHECK_FALSE(done.success);
  CHECK_FALSE(done.error);
  REQUIRE(done.output);
  CHECK(done.output->trace().at("status") == "failed");
}

TEST_CASE("a run's Trace has its events up to SATraceEmitted") {
  const auto done = run_single_agent_flow(
    {.scenario = scenario_with(R"([{"description": "say \"hi\""}])"),
     .executors = {{"agent", [](const turn_request& asked) {
                      return reply{.content = asked.task};
                    }}}});
  REQUIRE(done.output);
  CHECK(done.events == done.output->events);
  const auto trace = done.output->trace();
  const auto& traced = trace.at("events").as_array();
  REQUIRE(traced.size() == done.events.size() - 2);
  for (std::size_t i = 0; i < traced.size(); ++i) {
    const auto event = done.events[i];
    CHECK(traced[i].at("data") == event);
    CHECK(traced[i].at("event_id") == event.at("event_id"));
    CHECK(traced[i].at("trace_id") == trace.at("trace_id"));
  }
  CHECK(trace.at("segments").as_array().size() == 1);
}

TEST_CASE("a log of which there is a copy leaves the copy as it is") {
  host::agent_log log;
  CHECK(log.empty());
  log.add(R"({"a":1})");
  const auto copy = log;
  log.add(R"({"b":"\n"})");
  CHECK(copy.size() == 1);
  REQUIRE(log.size() == 2);
  CHECK(log.line(0) == R"({"a":1})");
  CHECK(log.line(1) == R"({"b":"\n"})");
  CHECK(log.back().at("b") == "\n");
  CHECK_FALSE(log == copy);
}

TEST_CASE("a scenario that cannot be run is an error, with no output") {
  const auto refused = run_single_agent_flow({});
  REQUIRE(refused.error);
  CHECK(refused.error->pointer == "/plan");
  CHECK_FALSE(refused.output);
  const auto blank = run_single_agent_flow({.scenario = scenario_with("[]")});
  REQUIRE(blank.error);
  CHECK(blank.events.empty());
}

TEST_CASE("the same seed gives the same run") {
  const auto once = [] {
    return run_single_agent_flow(
      {.scenario = scenario_with(
         R"([{"description": "a", "agent_role": "x"},
             {"description": "b"}])"),
       .executors
       = {{"x", [](const turn_request&) { return reply{.content = "x"}; }},
          {"agent", [](const turn_request&) { return reply{.content = "y"}; }}},
       .runtime = {.seed = 7}});
  };
  const auto first = once();
  REQUIRE(first.success);
  CHECK(first.events == once().events);
}
