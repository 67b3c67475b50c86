#include <convene/modes/catalog.hpp>
#include <convene/protocol/strict/derived_events.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <protocol/strict/samples.hpp>
#include <support/random_session.hpp>

#include <set>

using namespace convene;
using namespace convene::test;
using namespace convene::protocol;

namespace {

constexpr std::uint32_t seeds = 25;

std::vector<json::value> events_of(const std::vector<std::string>& lines) {
  std::vector<json::value> all;
  for (const auto& line : lines)
    all.push_back(parsed(line));
  return all;
}

/// Everything that an export of the log writes, a line each.
std::string lines_of(const std::vector<json::value>& strict,
                     std::set<std::string>& seen) {
  derived_events derived;
  std::string lines;
  for (const auto& event : strict) {
    lines += json::serialize(event) + '\n';
    for (const auto& twin : derived.of(event.as_object())) {
      CAPTURE(json::serialize(twin.value));
      CHECK(violations(twin.schema, twin.value).empty());
      CHECK(official_schema(twin.value) == twin.schema);
      seen.insert(std::string{twin.value.at("event_type").as_string()});
      lines += json::serialize(twin.value) + '\n';
    }
  }
  return lines;
}

} // namespace

TEST_CASE("the log of any session exports, comes back, and is the same twice") {
  std::set<std::string> seen;
  std::set<std::string> schemas;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto log = run_random_session(*policy, seed);
      const auto natives = events_of(log.lines);
      const auto strict = exported(natives);
      for (const auto& event : strict)
        schemas.insert(std::string{official_schema(event)});
      const auto lines = lines_of(strict, seen);
      CHECK(lines == lines_of(exported(natives), seen));
    }
  // They were of all kinds, or the above says little.
  for (const std::string type :
       {"collab_updated", "session_started", "session_completed",
        "session_cancelled", "collab_status_changed", "turn_dispatched",
        "turn_completed", "broadcast_sent", "broadcast_received",
        "conflict_detected", "conflict_resolved"})
    CHECK(seen.contains(type));
  CHECK(schemas
        == std::set<std::string>{"mplp-event-core", "mplp-map-event",
                                 "mplp-graph-update-event",
                                 "mplp-pipeline-stage-event",
                                 "mplp-runtime-execution-event"});
}

TEST_CASE("both ends of a turn are one execution, of whoever had the turn") {
  const auto natives = std::vector{
    seed_event("MAPRolesAssigned", "GraphUpdateEvent",
               R"({"assignments": [
                   {"participant_id": "ana", "role_id": "r", "kind": "human"},
                   {"participant_id": "db", "role_id": "r", "kind": "system"}]})"),
    seed_event(
      "MAPTurnDispatched", "RuntimeExecutionEvent",
      R"({"participant_id": "ana", "role_id": "r", "turn_number": 4})"),
    seed_event("MAPTurnCompleted", "RuntimeExecutionEvent",
               R"({"participant_id": "ana", "role_id": "r", "turn_number": 4,
                   "status": "timed_out"})"),
    seed_event("MAPTurnDispatched", "RuntimeExecutionEvent",
               R"({"participant_id": "db", "role_id": "r",
                   "turn_number": 5})")};
  derived_events derived;
  std::vector<json::value> executions;
  for (const auto& event : exported(natives))
    for (auto& twin : derived.of(event.as_object()))
      executions.push_back(std::move(twin.value));
  REQUIRE(executions.size() == 4);
  CHECK(executions[1].at("execution_id") == executions[2].at("execution_id"));
  CHECK(executions[1].at("execution_id") != executions[3].at("execution_id"));
  CHECK(executions[1].at("executor_kind") == "external");
  CHECK(executions[3].at("executor_kind") == "worker");
  CHECK(executions[1].at("status") == "running");
  CHECK(executions[2].at("status") == "failed");
}
