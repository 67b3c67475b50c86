#include <catch2/catch.hpp>
#include <convene/protocol/events/native_events.hpp>
#include <convene/session/spec/spec.hpp>
#include <protocol/boundary/other_schemas.hpp>
#include <support/specs.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::test;
using Catch::Contains;
using protocol::task;

namespace {

verdict judge_tasks(const protocol::boundary::rules& by,
                    const std::vector<task>& tasks) {
  auto spec = make_spec(protocol::mode::swarm, {"a", "b"});
  spec.tasks = tasks;
  const auto made = session::encode_text(spec).value();
  const auto& collab = spec.collab;
  const protocol::map_session_started event{.mode = collab.mode,
                                            .policy = "swarm",
                                            .participant_count = 2,
                                            .context_id = collab.context_id,
                                            .title = collab.title,
                                            .purpose = collab.purpose,
                                            .session_key = {1, 2},
                                            .spec = made.view(),
                                            .tasks = tasks,
                                            .tasks_text = made.tasks()};
  return verdict_on(by,
                    {.event_id = {0x4000, 0x8000000000000000},
                     .session_id = collab.collab_id,
                     .timestamp = 1'700'000'000'000},
                    event);
}

} // namespace

TEST_CASE("a scenario passes with its tasks as values, of whatever shapes") {
  const auto rules = protocol::boundary::embedded_rules().value();
  const task plain{.title = "review"};
  const task described{.title = "review", .description = "all of it"};
  const task for_role{.title = "review", .role = "role-a"};
  const task of_file{.title = "review", .resources = {"file/a", "file/b"}};
  for (const auto& tasks : std::vector<std::vector<task>>{
         {plain, plain},
         {plain, described, for_role, plain},
         {of_file, plain, of_file, plain},
         {for_role, described, described, for_role, of_file}}) {
    const auto found = judge_tasks(*rules, tasks);
    CHECK(found.passes);
    CHECK(found.refusal.empty());
  }
  // As a whole, they are no more work.
  CHECK_FALSE(judge_tasks(*rules, {}).passes);
  CHECK_FALSE(judge_tasks(*rules, {plain, described}).passes);
  CHECK_FALSE(judge_tasks(*rules, {of_file, of_file}).passes);
}

TEST_CASE("a scenario passes only if all around its tasks is valid") {
  const std::vector<task> tasks(3, {.title = "review"});
  const auto rules = changed_rules(
    payload_of("MAPSessionStarted") + "/properties/title/const", R"("other")");
  const auto found = judge_tasks(*rules, tasks);
  CHECK_FALSE(found.passes);
  CHECK_THAT(found.refusal, Contains("/payload/title"));
}

TEST_CASE("what passes of tasks is valid as a line, whatever schemas ask") {
  const auto [pointer, text] = GENERATE(table<std::string, std::string>(
    {{"/maxItems", "2"},
     {"/minItems", "3"},
     {"/uniqueItems", "true"},
     {"/contains", R"({"required": ["role"]})"},
     {"/items/required", R"(["role"])"},
     {"/items/maxProperties", "2"},
     {"/items/dependencies", R"({"role": ["description"]})"},
     {"/items/properties", R"({"role": {"const": "r"}})"},
     {"/items/properties", R"({"title": {"maxLength": 4}})"},
     {"/items/properties", R"({"description": {"minLength": 3}})"},
     {"/items/properties", R"({"resources": {"maxItems": 1}})"}}));
  INFO(pointer << " = " << text);
  const std::string tasks = "/definitions/resolved_scenario/properties/tasks";
  // What stands beside a reference does not count: so it is replaced.
  auto items = protocol::parse_json(R"({"items": {"type": "object"}})").value();
  value_at(items, pointer) = protocol::parse_json(text).value();
  const auto rules = changed_rules(tasks, boost::json::serialize(items));
  const task plain{.title = "some"};
  const task longer{.title = "longer"};
  const task brief{.title = "some", .description = "b"};
  const task of_r{.title = "some", .role = "r"};
  const task of_s{.title = "some", .role = "s"};
  const task whole{.title = "some", .description = "all", .role = "r"};
  const task of_files{.title = "some", .resources = {"a", "b"}};
  std::size_t refused = 0;
  for (const auto& each :
       std::vector<std::vector<task>>{{plain, plain},
                                      {plain, plain, plain},
                                      {plain, longer},
                                      {plain, longer, plain},
                                      {brief, brief},
                                      {plain, whole, brief, brief},
                                      {of_r, of_r},
                                      {of_r, of_s},
                                      {of_r, plain, of_s},
                                      {whole, whole, whole},
                                      {of_files, plain, plain}}) {
    const auto found = judge_tasks(*rules, each);
    INFO(each.size() << " tasks: " << found.refusal);
    CHECK((!found.passes || found.refusal.empty()));
    refused += found.refusal.empty() ? 0 : 1;
  }
  CHECK(refused > 0);
}

TEST_CASE("one bad task among thousands keeps a scenario from passing") {
  const auto rules = changed_rules(
    "/definitions/resolved_scenario/properties/tasks/items",
    R"({"type": "object", "properties": {"title": {"maxLength": 10}}})");
  std::vector<task> tasks(2'000, {.title = "review"});
  CHECK(judge_tasks(*rules, tasks).passes);
  tasks[1'500].title = "review it all";
  const auto found = judge_tasks(*rules, tasks);
  CHECK_FALSE(found.passes);
  CHECK_THAT(found.refusal, Contains("/payload/spec/tasks/1500/title"));
}
