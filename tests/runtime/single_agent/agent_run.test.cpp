#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/single_agent/flow.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace convene;
using namespace convene::host;
namespace fs = std::filesystem;
namespace json = boost::json;
using texts = std::vector<std::string>;

namespace {

/// A run, and the log of the session that executed it.
struct finished_run {
  agent_run run;
  texts lines;
};

finished_run run_steps(std::size_t count, const std::string& says = "x") {
  json::array steps;
  for (std::size_t i = 0; i < count; ++i)
    steps.push_back(json::object{{"description", "do it"}});
  const auto log = fs::temp_directory_path()
                   / ("convene-agent-run-" + std::to_string(::getpid()));
  fs::remove(log);
  auto done = run_single_agent_flow(
    {.scenario = {{"plan", {{"title", "T"}, {"steps", std::move(steps)}}}},
     .executors
     = {{"agent", [&](const turn_request&) { return reply{.content = says}; }}},
     .runtime = {.log = log}});
  INFO((done.error ? to_string(*done.error) : ""));
  REQUIRE(done.output);
  texts lines;
  REQUIRE(visit_log(log, [&](const log_place&, std::string_view line) {
    lines.emplace_back(line);
  }));
  fs::remove(log);
  return {*std::move(done.output), std::move(lines)};
}

protocol::result<agent_run> record(const finished_run& from,
                                   const texts& lines) {
  agent_recorder recorder;
  for (const auto& line : lines)
    recorder.feed(line);
  const auto executed = protocol::decode<protocol::plan>(from.run.plan);
  REQUIRE(executed);
  return std::move(recorder).finish(from.run.context, from.run.plan, *executed,
                                    from.run.confirm, from.run.result);
}

/// In lines that contain `in`, the first `from` becomes `to`.
texts with(texts lines, std::string_view in, std::string_view from,
           std::string_view to) {
  bool found = false;
  for (auto& line : lines)
    if (const auto at = line.find(from);
        line.find(in) != line.npos && at != line.npos) {
      line.replace(at, from.size(), to);
      found = true;
    }
  REQUIRE(found);
  return lines;
}

} // namespace

TEST_CASE("the session's log makes the run's events and documents again") {
  const auto done = run_steps(1);
  const auto again = record(done, done.lines);
  REQUIRE(again);
  CHECK(again->events == done.run.events);
  CHECK(again->trace() == done.run.trace());
  CHECK(again->result == done.run.result);
}

TEST_CASE("an agent's events are spelled as JSON trees are, whatever is said") {
  const auto done = run_steps(2, "\b\f\x01\x1f\x7f\"\\/\n \u00e9");
  bool found = false;
  for (std::size_t i = 0; i < done.run.events.size(); ++i) {
    const auto line = done.run.events.line(i);
    CHECK(line == json::serialize(done.run.events[i]));
    found = found || line.find("\\b\\f\\u0001") != line.npos;
  }
  CHECK(found);
}

TEST_CASE(
  "a run is refused for a later event than the first of its kind, too") {
  const auto done = run_steps(3);
  const auto last_with = [&](std::string_view in, std::string_view from,
                             std::string_view to) {
    auto lines = done.lines;
    const auto found = std::find_if(lines.rbegin(), lines.rend(),
                                    [&](const auto& line) {
                                      return line.find(in) != line.npos;
                                    });
    REQUIRE(found != lines.rend());
    const auto at = found->find(from);
    REQUIRE(at != found->npos);
    found->replace(at, from.size(), to);
    return lines;
  };
  const auto stage = "step_status_changed";
  const std::pair<texts, std::string> cases[]{
    {last_with("MAPTurnCompleted", "\"timestamp\":\"2", "\"timestamp\":\"x"),
     "timestamp"},
    {last_with(stage, "\"stage_status\":\"", "\"stage_status\":\"un"),
     "stage_status"},
    {last_with(stage, "\"stage_order\":", "\"stage_order\":-1"), "stage_order"},
    {last_with(stage, "\"stage_order\":", "\"stage_order\":0.5"),
     "stage_order"},
    {last_with(stage, "\"stage_id\":\"", "\"stage_id\":\" \",\"also\":\""),
     "obs_pipeline_stage_id_non_empty"},
    {last_with(stage, "\"pipeline_id\":\"",
               "\"pipeline_id\":\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\","
               "\"also\":\""),
     "obs_pipeline_event_has_pipeline_id"},
    {last_with(stage, "\"payload\":{", "\"payload\":[],\"also\":{"), "payload"},
    {last_with("MAPTurnDispatched", "\"step_id\":\"", "\"step_id\":\"x"),
     "sa_event_payload"},
    {last_with("MAPTurnCompleted", "MAPTurnCompleted", "MAPTurnForgotten"),
     "sa_step_closed_once"}};
  for (const auto& [changed, what] : cases) {
    CAPTURE(what);
    const auto refused = record(done, changed);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains(what));
  }
}

TEST_CASE("a run with an event that breaks its schema, a rule or the profile's "
          "order is refused") {
  const auto done = run_steps(1);
  const auto& lines = done.lines;
  const std::pair<texts, std::string> cases[]{
    {with(lines, "MAPTurnCompleted", "\"timestamp\":\"2", "\"timestamp\":\"x"),
     "timestamp"},
    {with(lines, "step_status_changed", "\"stage_status\":\"",
          "\"stage_status\":\"un"),
     "stage_status"},
    {with(lines, "MAPTurnDispatched", "\"step_id\":\"", "\"step_id\":\"x"),
     "sa_event_payload"},
    {with(lines, "MAPTurnCompleted", "MAPTurnCompleted", "MAPTurnForgotten"),
     "sa_step_closed_once"}};
  for (const auto& [changed, what] : cases) {
    CAPTURE(what);
    const auto refused = record(done, changed);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == protocol::errc::internal);
    CHECK(refused.error().rule == "agent_run");
    CHECK(refused.error().message.find(what) != std::string::npos);
  }
  const auto empty = record(done, {lines.begin(), lines.end() - 1});
  REQUIRE_FALSE(empty);
}
