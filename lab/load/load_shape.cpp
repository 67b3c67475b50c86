#include <convene/lab/load/load_shape.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr auto resource_type = "item";

std::size_t answering(const load_shape& shape) {
  return shape.mode == mode::pair ? 2 : shape.participants;
}

json::object person(std::string id, const char* role) {
  return {{"participant_id", std::move(id)},
          {"kind", "agent"},
          {"role_id", role}};
}

std::string name_of(std::size_t index) {
  return "agent-" + std::to_string(index);
}

json::object resource_of(const load_shape& shape, std::size_t index) {
  const auto shared = index / std::max(shape.contention, std::size_t{1});
  return {{"resource_type", resource_type},
          {"resource_id", "item-" + std::to_string(shared)}};
}

json::object behaviour_of(const load_shape& shape, std::size_t index) {
  json::object made{{"type", "simulated"},
                    {"latency_ms", shape.think_ms},
                    {"content_bytes", shape.payload_bytes}};
  if (index < shape.hanging)
    made["silence"] = 1;
  if (shape.writes > 0)
    made["writes"]
      = json::object{{"share", shape.writes},
                     {"resources", json::array{resource_of(shape, index)}},
                     {"value_bytes", shape.payload_bytes}};
  return made;
}

/// What modes that hand out work have to hand out.
json::array tasks_of(const load_shape& shape) {
  json::array all;
  const auto count = static_cast<std::int64_t>(shape.participants)
                     * shape.rounds;
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back(json::object{{"title", "task " + std::to_string(i)}});
  return all;
}

json::array workspace_of(const load_shape& shape) {
  json::array all;
  for (std::size_t i = 0; i < answering(shape);
       i += std::max(shape.contention, std::size_t{1})) {
    auto one = resource_of(shape, i);
    one["value"] = "";
    all.push_back(std::move(one));
  }
  return all;
}

double turns_of(const session::spec& what) {
  const auto acting = static_cast<double>(what.collab.participants.size());
  const auto rounds = static_cast<double>(
    what.options.rounds.value_or(what.collab.mode == mode::pair ? 10 : 1));
  const auto steps = static_cast<double>(
    what.tasks.size() + (what.plan ? what.plan->steps.size() : 0));
  switch (what.collab.mode) {
    case mode::broadcast:
      return std::max(acting - 1, 1.0) * rounds;
    case mode::pair:
      return 2 * rounds;
    case mode::round_robin:
      return acting * rounds;
    case mode::orchestrated:
    case mode::swarm:
      return std::max(steps, 1.0);
  }
  return 1;
}

} // namespace

json::object scenario_of(const load_shape& shape) {
  json::array participants;
  json::object behaviours;
  for (std::size_t i = 0; i < answering(shape); ++i) {
    participants.push_back(person(name_of(i), "role-agent"));
    behaviours[name_of(i)] = behaviour_of(shape, i);
  }
  json::object session{{"rounds", shape.rounds}, {"max_turns", 1'000'000}};
  if (shape.turn_timeout_ms)
    session["turn_timeout_ms"] = *shape.turn_timeout_ms;
  json::object made{{"convene", "1"}, {"task", "carry a load"}, {"seed", 1}};
  if (shape.mode == mode::broadcast || shape.mode == mode::orchestrated) {
    participants.push_back(person("lead", "role-lead"));
    behaviours["lead"] = json::object{{"type", "plan"}};
    session[shape.mode == mode::broadcast ? "initiator" : "orchestrator"]
      = "lead";
  }
  if (shape.mode == mode::orchestrated || shape.mode == mode::swarm)
    made["tasks"] = tasks_of(shape);
  if (shape.writes > 0)
    made["workspace"] = workspace_of(shape);
  made["collab"] = json::object{{"title", "Load"},
                                {"purpose", "Measure"},
                                {"mode", protocol::to_word(shape.mode)},
                                {"participants", std::move(participants)}};
  made["behaviours"] = std::move(behaviours);
  made["session"] = std::move(session);
  return made;
}

result<load_kind> kind_of(const load_shape& shape) {
  auto ids = uuid_source::from_entropy();
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
    std::chrono::system_clock::now().time_since_epoch());
  return load_scenario(scenario_of(shape), {.ids = ids, .now = now.count()})
    .map([](session::spec made) { return kind_of(std::move(made)); });
}

load_kind kind_of(session::spec scenario) {
  load_kind made;
  made.name = protocol::to_word(scenario.collab.mode);
  made.participants = scenario.collab.participants.size();
  made.turns = turns_of(scenario);
  made.scenario = std::move(scenario);
  return made;
}

std::vector<std::size_t> cycle_of(const std::vector<mode_share>& shares) {
  std::vector<std::size_t> cycle;
  std::size_t all = 0;
  for (const auto& share : shares)
    all += share.weight;
  // Whoever is furthest behind its share is next.
  std::vector<std::size_t> had(shares.size());
  for (std::size_t n = 1; n <= all; ++n) {
    std::size_t next = 0;
    const auto owed = [&](std::size_t i) {
      return static_cast<double>(shares[i].weight * n)
               / static_cast<double>(all)
             - static_cast<double>(had[i]);
    };
    for (std::size_t i = 1; i < shares.size(); ++i)
      if (owed(i) > owed(next))
        next = i;
    ++had[next];
    cycle.push_back(next);
  }
  return cycle;
}

} // namespace convene::host
