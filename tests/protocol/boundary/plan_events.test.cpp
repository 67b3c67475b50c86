#include <catch2/catch.hpp>
#include <convene/protocol/events/native_events.hpp>
#include <protocol/boundary/other_schemas.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::test;
using Catch::Contains;
using protocol::plan_step;

namespace {

const std::string id = "00000000-0000-4000-8000-000000000001";
const protocol::event_head head{.event_id = {0x4000, 0x8000000000000000},
                                .session_id = id,
                                .timestamp = 1'700'000'000'000};

using roles = std::vector<std::string>; ///< of steps; empty: none

std::vector<plan_step> steps_for(const roles& all) {
  std::vector<plan_step> steps;
  for (const auto& role : all) {
    const protocol::uuid key{1, 2};
    plan_step step{.step_id
                   = to_string(protocol::derive_uuid(key, 0, steps.size())),
                   .description = "review"};
    if (!role.empty())
      step.agent_role = role;
    steps.push_back(std::move(step));
  }
  return steps;
}

protocol::plan_created plan_of(const std::vector<plan_step>& steps) {
  return {.context_id = id,
          .delta = {2, 2},
          .plan_id = id,
          .title = "title",
          .objective = "objective",
          .steps = steps};
}

protocol::step_added added(const plan_step& step) {
  return {.graph_id = id, .delta = {1, 1}, .step = &step};
}

template <class Event>
verdict judge(const protocol::boundary::rules& by, const Event& event) {
  return verdict_on(by, head, event);
}

verdict judge_steps(const protocol::boundary::rules& by,
                    const std::vector<plan_step>& steps) {
  return judge(by, plan_of(steps));
}

} // namespace

TEST_CASE("a plan passes as values, whichever of its steps have a role") {
  const auto rules = protocol::boundary::embedded_rules().value();
  for (const auto& each :
       std::vector<roles>{{""}, {"r"}, {"", "r", ""}, {"r", ""}, {"r", "s"}}) {
    const auto steps = steps_for(each);
    const auto found = judge_steps(*rules, steps);
    CHECK(found.passes);
    CHECK(found.refusal.empty());
    const auto one = judge(*rules, added(steps.front()));
    CHECK(one.passes);
    CHECK(one.refusal.empty());
  }
}

TEST_CASE("one bad step among thousands keeps a plan from passing") {
  const auto rules = protocol::boundary::embedded_rules().value();
  constexpr std::size_t bad = 1'500;
  const auto good = steps_for(roles(2'000));
  CHECK(judge_steps(*rules, good).passes);
  for (const std::string member : {"step_id", "description"}) {
    auto steps = good;
    (member == "step_id" ? steps[bad].step_id : steps[bad].description) = "";
    const auto found = judge_steps(*rules, steps);
    CHECK_FALSE(found.passes);
    CHECK_THAT(found.refusal, Contains("/payload/plan/steps/1500/" + member));
    CHECK_FALSE(judge(*rules, added(steps[bad])).passes);
  }
  CHECK_FALSE(judge_steps(*rules, {}).passes);
}

TEST_CASE("what passes of a plan is valid as a line, whatever schemas ask") {
  const auto [pointer, text] = GENERATE(table<std::string, std::string>(
    {{"/properties/steps/maxItems", "2"},
     {"/properties/steps/uniqueItems", "true"},
     {"/properties/steps/contains", R"({"required": ["agent_role"]})"},
     {"/properties/steps/items/required", R"(["agent_role"])"},
     {"/properties/steps/items/maxProperties", "3"},
     {"/properties/steps/items/dependencies",
      R"({"agent_role": ["order_index"]})"},
     {"/properties/steps/items/properties",
      R"({"agent_role": {"const": "r"}})"},
     {"/properties/steps/items/if", R"({"required": ["agent_role"]})"},
     {"/properties/steps/items/properties",
      R"({"description": {"maxLength": 3}})"},
     {"/properties/title/const", R"("other")"}}));
  INFO(pointer << " = " << text);
  const auto plan = payload_of("plan_created") + "/properties/plan";
  auto items = std::string{R"({"type": "object"})"};
  const bool in_items = pointer.starts_with("/properties/steps/items/");
  // What stands beside a reference does not count: so it is replaced.
  if (in_items) {
    auto schema = protocol::parse_json(items).value();
    value_at(schema,
             pointer.substr(std::string{"/properties/steps/items"}.size()))
      = protocol::parse_json(text).value();
    if (pointer.ends_with("/if"))
      schema.as_object()["then"] = false;
    items = boost::json::serialize(schema);
  }
  const auto rules = in_items
                       ? changed_rules(plan + "/properties/steps/items", items)
                       : changed_rules(plan + pointer, text);
  std::size_t refused = 0;
  for (const auto& each : std::vector<roles>{
         {""}, {"r"}, {"", ""}, {"r", "s"}, {"", "r", "r"}, {"r", "", "s"}}) {
    const auto found = judge_steps(*rules, steps_for(each));
    INFO(each.size() << " steps: " << found.refusal);
    CHECK((!found.passes || found.refusal.empty()));
    refused += found.refusal.empty() ? 0 : 1;
  }
  CHECK((refused > 0 || pointer.ends_with("uniqueItems")));
}
