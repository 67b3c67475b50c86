#include "one_run.hpp"

#include <boost/json/serialize.hpp>
#include <convene/lab/simulation/scenario_edits.hpp>
#include <convene/lab/simulation/shrink.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

using namespace convene;
using convene::protocol::parse_json;
using host::fault_kind;

namespace {

const std::atomic<bool> goes_on = false;

/// Only a fault makes a turn fail, and only if somebody is asked.
const std::string planted = R"({
  "collab": {"mode": "round_robin", "title": "four", "participants": [
    {"participant_id": "ann", "role_id": "role-a"},
    {"participant_id": "bob", "role_id": "role-b"},
    {"participant_id": "cleo", "role_id": "role-c"},
    {"participant_id": "dan", "role_id": "role-d"}]},
  "behaviours": {
    "ann": {"type": "script", "repeat": true, "turns": [{"content": "mine",
      "writes": [{"resource_type": "file", "resource_id": "a",
                  "base_version": 0, "value": "by ann"}]}]},
    "*": {"type": "simulated", "latency_ms": {"uniform": {"min": 1, "max": 900}}}},
  "workspace": [{"resource_type": "file", "resource_id": "b", "value": "x"}],
  "session": {"rounds": 6, "turn_timeout_ms": 5000}, "task": "write"})";

result<host::seeded_scenario> load(const boost::json::object& from) {
  protocol::uuid_source ids{~std::uint64_t{4}};
  return host::load_scenario(from, {.ids = ids, .seed = 4})
    .map([](session::spec&& made) {
      return host::seeded_scenario{std::move(made), {}};
    });
}

host::simulation failing() {
  host::simulation what;
  what.properties.push_back(
    {.name = "calm",
     .condition = parse_json(R"({"failures": 1})")->as_object()});
  host::fault_rates rates;
  rates.of[static_cast<std::size_t>(fault_kind::answer_lost)] = 0.3;
  rates.of[static_cast<std::size_t>(fault_kind::kill)] = 0.1;
  rates.of[static_cast<std::size_t>(fault_kind::twice)] = 0.2;
  what.faults = host::fault_spec{.rates = rates};
  return what;
}

result<host::shrunk_seed> shrunk(const host::simulation& like,
                                 std::size_t threads, std::size_t runs) {
  const auto from = load(parse_json(planted)->as_object());
  REQUIRE(from);
  return host::shrink({.seed = 4,
                       .threads = threads,
                       .runs_max = runs,
                       .like = &like,
                       .scenario = load},
                      *from, goes_on);
}

} // namespace

TEST_CASE("a planted minimal case is found, with any number of threads") {
  const auto like = failing();
  const auto one = shrunk(like, 1, 5000);
  if (!one)
    FAIL(to_string(one.error()));
  CHECK(one->rule == "property");
  CHECK(one->is_minimal);
  const auto& smallest = one->smallest;
  CAPTURE(boost::json::serialize(smallest.scenario));
  REQUIRE(smallest.script.size() == 1);
  CHECK(smallest.script[0].fault == fault_kind::answer_lost);
  CHECK(smallest.script[0].at == 1);
  const auto& collab = smallest.scenario.at("collab").as_object();
  CHECK(collab.at("participants").as_array().size() == 1);
  CHECK_FALSE(smallest.scenario.contains("workspace"));
  const auto several = shrunk(like, 3, 5000);
  REQUIRE(several);
  CHECK(several->smallest.scenario == smallest.scenario);
  CHECK(several->smallest.script == smallest.script);
  CHECK(several->runs == one->runs);
}

TEST_CASE("what bounds shrinking says so") {
  const auto like = failing();
  const auto some = shrunk(like, 2, 5);
  REQUIRE(some);
  CHECK(some->runs == 5);
  CHECK_FALSE(some->is_minimal);
  CHECK(some->rule == "property");
}

TEST_CASE("a seed that does not fail, or cannot begin, is not made smaller") {
  auto like = failing();
  like.faults->rates = host::fault_rates{};
  const auto none = shrunk(like, 1, 100);
  REQUIRE_FALSE(none);
  CHECK(none.error().rule == "shrink_start");
}

TEST_CASE("the edits of a scenario take most first, and what hangs on it") {
  const auto scenario = parse_json(planted)->as_object();
  const auto edits = host::edits_of(scenario);
  CHECK(edits == host::edits_of(scenario));
  bool leaves_ann = false;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (i > 0)
      CHECK(edits[i - 1].bytes >= edits[i].bytes);
    const auto made = host::apply(scenario, edits[i]);
    CHECK(made != scenario);
    if (edits[i].pointer == "/collab/participants" && edits[i].first == 0
        && edits[i].count == 1) {
      leaves_ann = true;
      CHECK_FALSE(made.at("behaviours").as_object().contains("ann"));
    }
  }
  CHECK(leaves_ann);
}

TEST_CASE("a step that is left out is waited for by nobody") {
  const auto scenario = parse_json(R"({"plan": {"steps": [
    {"step_id": "one"}, {"step_id": "two", "dependencies": ["one"]},
    {"step_id": "three", "dependencies": ["one", "two"]}]}})")
                          ->as_object();
  const host::scenario_edit first{.pointer = "/plan/steps", .count = 1};
  const auto edits = host::edits_of(scenario);
  CHECK(std::ranges::any_of(edits, [&first](const auto& each) {
    return each.pointer == first.pointer && each.first == first.first
           && each.count == first.count;
  }));
  CHECK(host::apply(scenario, first)
        == parse_json(R"({"plan": {"steps": [
    {"step_id": "two", "dependencies": []},
    {"step_id": "three", "dependencies": ["two"]}]}})")
             ->as_object());
}

TEST_CASE("what breaks another property is no smaller case of the same") {
  auto like = failing();
  // All 24 turns take place, which no smaller case can say.
  like.properties.push_back(
    {.name = "whole",
     .what = host::property::kind::at_end,
     .condition = parse_json(R"({"turns": 20})")->as_object()});
  const auto one = shrunk(like, 2, 5000);
  if (!one)
    FAIL(to_string(one.error()));
  CHECK(one->smallest.script.size() == 1);
}
