#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/session/single_agent/agent_events.hpp>
#include <convene/session/single_agent/agent_order.hpp>
#include <convene/session/single_agent/agent_trace.hpp>
#include <support/dice.hpp>
#include <support/rig.hpp>

#include <algorithm>
#include <functional>
#include <set>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

namespace json = boost::json;
using protocol::text_of;

spec executors_of(const std::vector<step>& steps) {
  auto made = make_spec(protocol::mode::swarm, {"t", "m"});
  made.collab.participants[0].role_id = "tool";
  made.collab.participants[1].role_id = "agent";
  made.options.turn_timeout_ms = 1000;
  made.options.retries = 0;
  made.plan = make_plan(steps);
  return made;
}

rig begun(const spec& what) {
  return rig::started(what, *modes::find("single_agent"));
}

/// Shows the agent's events of a session's log.
void tell(const rig& bench,
          const std::function<void(const told_event&)>& show) {
  agent_events by;
  for (const auto& one : bench.events) {
    const auto line = json::serialize(one.whole);
    for (const auto& made : by.feed(line))
      show(made);
  }
}

std::vector<json::object> told(const rig& bench) {
  std::vector<json::object> all;
  tell(bench, [&](const told_event& one) {
    all.push_back(protocol::parse_json(one.line()).value().as_object());
  });
  return all;
}

/// The types of the events of the profile.
texts profile_types(const std::vector<json::object>& events) {
  texts all;
  for (const auto& event : events)
    if (event.contains("sa_id"))
      all.emplace_back(text_of(event, "event_type"));
  return all;
}

const json::object& last_of(const std::vector<json::object>& events,
                            std::string_view type) {
  const auto found = std::find_if(events.rbegin(), events.rend(),
                                  [&](const auto& event) {
                                    return text_of(event, "event_type") == type;
                                  });
  REQUIRE(found != events.rend());
  return *found;
}

/// The rules that they break, as agent_order reports them.
std::multiset<std::string> broken(const std::vector<json::object>& events) {
  std::multiset<std::string> rules;
  const agent_order::report note = [&](std::string_view rule,
                                       const std::string&) {
    rules.insert(std::string{rule});
  };
  agent_order order;
  for (const auto& event : events)
    order.feed(event, note);
  order.finish(false, note);
  return rules;
}

protocol::trace trace_of(const rig& bench) {
  agent_trace made;
  tell(bench, [&](const told_event& event) { made.add(event); });
  return made.finish(*bench.machine().plan());
}

void check_valid(const json::value& what, std::string_view schema) {
  const auto by = protocol::embedded_schema(schema);
  REQUIRE(by);
  const auto found = protocol::validate(*by, what);
  INFO(json::serialize(what));
  INFO((found.violations.empty() ? "" : found.violations.front().text));
  CHECK(found.valid);
}

} // namespace

TEST_CASE("an agent's trace says what it omits") {
  protocol::plan whole;
  whole.steps.resize(agent_segments_max);
  const auto root_of = [](const protocol::plan& of) {
    return json::serialize(*agent_trace{}.finish(of).root_span.attributes);
  };
  CHECK_THAT(root_of(whole), !Catch::Contains("omitted"));
  whole.steps.resize(agent_segments_max + 2);
  CHECK_THAT(root_of(whole), Catch::Contains(R"("segments_not_kept":2)")
                               && Catch::Contains("steps and events that "
                                                  "follow the last ones here"));
}

TEST_CASE("a plan of one step is told in the profile's order") {
  auto bench = begun(executors_of({{"do it", "", {}}}));
  bench.answer("m", "done");
  const auto events = told(bench);
  CHECK(profile_types(events)
        == texts{"SAInitialized", "SAContextLoaded", "SAPlanEvaluated",
                 "SAStepStarted", "SAStepCompleted", "SATraceEmitted",
                 "SACompleted"});
  CHECK(broken(events).empty());
  const auto& done = last_of(events, "SAStepCompleted");
  CHECK(done.at("payload").at("step_id").as_string() == step_id(0));
  CHECK(done.at("payload").at("result").at("output_summary") == "done");
  CHECK(last_of(events, "SACompleted").at("payload").at("status")
        == "completed");
  CHECK(text_of(events.front(), "sa_id")
        == bench.machine().spec().collab.collab_id);
}

TEST_CASE("every change of a status is told once, and every execution twice") {
  auto bench = begun(executors_of({{"one", "", {}}, {"two", "tool", {0}}}));
  bench.answer("m");
  bench.answer("t");
  const auto events = told(bench);
  std::map<std::string, int> stages;
  std::map<std::string, texts> executions;
  for (const auto& event : events) {
    if (text_of(event, "event_family") == "pipeline_stage")
      ++stages[std::string{text_of(event, "event_type")}];
    if (text_of(event, "event_family") == "runtime_execution")
      executions[std::string{text_of(event, "execution_id")}].emplace_back(
        text_of(event, "status"));
  }
  CHECK(stages["plan_status_changed"] == 4);
  CHECK(stages["step_status_changed"] == 4);
  REQUIRE(executions.size() == 2);
  for (const auto& [id, statuses] : executions)
    CHECK(statuses == texts{"running", "completed"});
  CHECK(last_of(events, "context_created").at("node_delta") == 1);
  CHECK(last_of(events, "plan_created").at("node_delta") == 3);
  CHECK(last_of(events, "plan_created").at("edge_delta") == 4);
}

TEST_CASE("a failed step is told with its error, and the run as failed") {
  auto bench = begun(executors_of({{"one", "", {}}, {"two", "", {0}}}));
  bench.answer("m", fails("broken"));
  const auto events = told(bench);
  CHECK(broken(events).empty());
  const auto& failed = last_of(events, "SAStepFailed").at("payload");
  CHECK(failed.at("error_code") == "broken");
  CHECK(failed.at("error_message") == "it did not work");
  CHECK(last_of(events, "step_execution_ended").at("status") == "failed");
  const auto& end = last_of(events, "SACompleted").at("payload");
  CHECK(end.at("status") == "failed");
  CHECK(end.at("steps_executed") == 1);
  CHECK(end.at("steps_failed") == 1);
  const auto trace = trace_of(bench);
  CHECK(trace.status == protocol::trace_status::failed);
  REQUIRE(trace.segments->size() == 2);
  CHECK(trace.segments->front().status == protocol::segment_status::failed);
  CHECK(trace.segments->back().status == protocol::segment_status::skipped);
}

TEST_CASE("the Trace has all events up to its own, and is the plan's") {
  auto bench = begun(executors_of({{"one", "", {}}}));
  bench.answer("m");
  const auto events = told(bench);
  agent_trace by;
  tell(bench, [&](const told_event& event) { by.add(event); });
  const auto trace = by.finish(*bench.machine().plan());
  CHECK(trace.plan_id == bench.machine().plan()->plan_id);
  CHECK(trace.context_id == bench.machine().spec().context.context_id);
  CHECK(by.kept() == events.size() - 2);
  CHECK(
    static_cast<std::int64_t>(by.kept())
    == last_of(events, "SATraceEmitted").at("payload").at("events_written"));
  CHECK(trace.trace_id == text_of(last_of(events, "SACompleted"), "trace_id"));
  CHECK(by.trace_id() == trace.trace_id);
  check_valid(encode(trace), "mplp-trace");
}

TEST_CASE("an event in the Trace says what the run's own does") {
  auto bench = begun(executors_of({{"one", "", {}}}));
  bench.answer("m");
  for (const auto& event : told(bench)) {
    auto copy = event;
    const auto made = trace_event(std::move(copy), id(7));
    CHECK(made.at("data") == event);
    CHECK(made.at("event_id") == event.at("event_id"));
    CHECK(made.at("timestamp") == event.at("timestamp"));
    CHECK(made.at("source")
          == (event.contains("sa_id") ? json::value("sa")
                                      : event.at("event_family")));
    CHECK(made.at("trace_id").as_string() == id(7));
    check_valid(made, "events");
  }
  auto first = told(bench).front();
  CHECK(trace_event(std::move(first), id(7)).at("event_type")
        == "sa.initialized");
}

TEST_CASE("an order that the profile does not have is found by its rule") {
  auto bench = begun(executors_of({{"one", "", {}}, {"two", "", {0}}}));
  bench.answer("m");
  bench.answer("m");
  auto sound = told(bench);
  std::erase_if(sound,
                [](const auto& event) { return !event.contains("sa_id"); });
  REQUIRE(broken(sound).empty());
  // SAInitialized, SAContextLoaded, SAPlanEvaluated, two pairs of a step,
  // SATraceEmitted, SACompleted.
  REQUIRE(sound.size() == 9);
  for (std::size_t i = 0; i < sound.size(); ++i) {
    CAPTURE(i, text_of(sound[i], "event_type"));
    auto less = sound;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(broken(less).empty());
    auto twice = sound;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), sound[i]);
    CHECK_FALSE(broken(twice).empty());
    for (std::size_t k = i + 1; k < sound.size(); ++k) {
      auto swapped = sound;
      std::swap(swapped[i], swapped[k]);
      CAPTURE(k);
      // Only two steps may overlap.
      CHECK(broken(swapped).empty() == (i == 4 && k == 5));
    }
    auto other = sound;
    other[i]["sa_id"] = id(99);
    CHECK(broken(other).contains("sa_one_run"));
  }
  auto bare = sound;
  bare[3].erase("payload");
  CHECK(broken(bare).contains("sa_event_payload"));
  auto miscounted = sound;
  miscounted.back()["payload"].as_object()["steps_executed"] = 7;
  CHECK(broken(miscounted) == std::multiset<std::string>{"sa_counts"});
}

TEST_CASE("whatever comes of the steps, the agent's events are valid and in "
          "order") {
  std::size_t failed = 0;
  std::size_t retried = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    dice d{seed};
    std::vector<step> steps;
    const auto count = 1 + d.below(8);
    for (unsigned i = 0; i < count; ++i) {
      step next{"step " + std::to_string(i), d.chance(50) ? "tool" : "", {}};
      for (unsigned before = 0; before < i; ++before)
        if (d.chance(20))
          next.after.push_back(before);
      steps.push_back(std::move(next));
    }
    auto what = executors_of(steps);
    what.options.retries = d.below(3);
    auto bench = rig::started(
      what, *modes::find(d.chance(50) ? "single_agent" : "single_agent_skip"));
    for (int i = 0; i < 200 && bench.ending().empty(); ++i) {
      const auto& names = what.collab.participants;
      const auto& who = names[d.below(2)].participant_id;
      const auto from = bench.index(who);
      if (d.chance(5)) {
        bench.pass(500);
      } else if (d.chance(3)) {
        bench.feed(suspend{"pause"});
        bench.feed(resume{});
      } else if (bench.open.contains(from)
                 && bench.machine().awaits(from, bench.open.at(from).token)) {
        bench.answer(who, d.chance(20)   ? fails()
                          : d.chance(5)  ? declines()
                          : d.chance(10) ? fails("outcome_unknown")
                                         : says("ok"));
      }
    }
    if (bench.ending().empty())
      bench.feed(cancel{"enough"});
    const auto events = told(bench);
    CHECK(broken(events).empty());
    std::set<std::string> ids;
    for (const auto& event : events) {
      CHECK(ids.insert(std::string{text_of(event, "event_id")}).second);
      check_valid(event, protocol::guess_schema(event));
    }
    const auto trace = trace_of(bench);
    check_valid(encode(trace), "mplp-trace");
    CHECK(trace.status != protocol::trace_status::running);
    for (const auto& segment : *trace.segments)
      CHECK(is_final(segment.status));
    failed += profile_types(events).back() == "SACompleted"
                  && trace.status == protocol::trace_status::failed
                ? 1
                : 0;
    retried += std::ranges::any_of(events, [](const auto& event) {
      return text_of(event, "event_type") == "SAStepStarted"
             && event.at("payload").at("attempt") != 1;
    });
  }
  CHECK(failed > 20);
  CHECK(retried > 20);
}
