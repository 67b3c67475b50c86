#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/fill.hpp>
#include <convene/runtime/rollback/compensation_run.hpp>
#include <convene/session/single_agent/arrangement.hpp>
#include <convene/session/workspace/fold.hpp>
#include <convene/session/workspace/size.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
using session::compensation_status;

/// What the step said, as far as all of it fits into a resource; the rest is
/// named.
json::object done_by(const session::completed_step& step) {
  json::object made{{"description", step.description},
                    {"agent_role", step.agent_role}};
  json::array left_out;
  for (const auto& [name, value] : step.done) {
    made.emplace(name, value);
    if (session::measure(made).fits())
      continue;
    made.erase(name);
    left_out.emplace_back(name);
  }
  if (!left_out.empty())
    made.emplace("left_out", std::move(left_out));
  return made;
}

/// What the run left, but for the steps of its plan: the plan is another.
result<json::array> resources_left(const rollback_record& of) {
  session::workspace_fold fold;
  auto read
    = of.visit_run(of.stages().events_at(of.stages().end_place()).value_or(0),
                   [&](const json::object& event) { return fold.feed(event); });
  if (!read)
    return fail(std::move(read).error());
  json::array all;
  for (const auto& each : fold.resources().view().resources())
    if (each->key->type != "plan_step" && each->key->type != "completed_step")
      all.push_back({{"resource_type", each->key->type},
                     {"resource_id", each->key->id},
                     {"value", each->value}});
  return all;
}

} // namespace

result<session::spec> compensation_scenario(const rollback_record& of,
                                            const session::rollback& what,
                                            timestamp_ms now) {
  const auto& from = of.stages().spec();
  auto workspace = resources_left(of);
  if (!workspace)
    return fail(std::move(workspace).error());
  json::array steps;
  json::object behaviours;
  std::string before;
  for (const auto& each : what.compensations) {
    if (each.status == compensation_status::completed)
      continue;
    const auto* undoes = of.stages().compensation_of(each.agent_role);
    const auto place = of.stages().place_of(each.step_id);
    if (undoes == nullptr || !place || *place == 0)
      continue;
    json::object step{{"step_id", each.step_id},
                      {"description", "Undo: " + each.description},
                      {"agent_role", each.agent_role},
                      {"order_index", static_cast<std::int64_t>(steps.size())}};
    if (!before.empty())
      step.emplace("dependencies", json::array{json::string{before}});
    steps.push_back(std::move(step));
    before = each.step_id;
    behaviours.emplace(each.agent_role, *undoes);
    workspace->push_back(
      {{"resource_type", "completed_step"},
       {"resource_id", each.step_id},
       {"value", done_by(of.stages().completed()[*place - 1])}});
  }
  json::object scenario{
    {"context", object_of(from, "context")},
    {"plan",
     {{"title",
       "Rollback of " + std::string{text_of(object_of(from, "plan"), "title")}},
      {"steps", std::move(steps)}}},
    {"behaviours", std::move(behaviours)},
    {"workspace", *std::move(workspace)},
    {"session",
     {{"policy", "single_agent"},
      {"retries",
       integer_of(object_of(from, "session"), "retries").value_or(0)}}}};
  if (const auto* servers = from.if_contains("mcp_servers"))
    scenario.emplace("mcp_servers", *servers);
  // The same ids each time that the same attempt is made.
  uuid_source ids{
    hashed_uuid(what.compensation_id + '/' + std::to_string(what.attempt))
      .high};
  auto made = session::arrange(scenario)
                .and_then([&] { return fill(scenario, ids, now); })
                .and_then([&] { return session::decode_spec(scenario); });
  if (made)
    made->seed = ids.next().high;
  return made;
}

} // namespace convene::host
