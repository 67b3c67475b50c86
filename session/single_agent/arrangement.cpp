#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/arrangement.hpp>
#include <convene/session/single_agent/step_dispatch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

/// A role of the plan's steps.
struct step_role {
  std::string name;
  std::size_t steps = 0;
};

result<void> refuse_single(std::string rule, std::string pointer,
                           std::string message, std::string value = {}) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = std::move(value)});
}

/// In the order in which steps name them first.
std::vector<step_role> roles_in(const json::array& steps) {
  std::vector<step_role> all;
  std::map<std::string, std::size_t, std::less<>> index;
  for (const auto& each : steps) {
    const auto* step = each.if_object();
    const auto named = step == nullptr ? "" : text_of(*step, "agent_role");
    const std::string name{named.empty() ? agent_role_default : named};
    const auto [at, is_new] = index.try_emplace(name, all.size());
    if (is_new)
      all.push_back({name, 0});
    ++all[at->second].steps;
  }
  return all;
}

/// How many steps of a role can run at once: one where each answer depends on
/// those before, or takes somebody's whole attention.
std::size_t executors_of(const step_role& role, const json::object& behaviour) {
  const auto type = text_of(behaviour, "type");
  return type == "script" || type == "human"
           ? 1
           : std::min(role.steps, steps_at_once_max);
}

/// The behaviours by role, all of them complete.
class behaviours_by_role {
public:
  behaviours_by_role(json::object& scenario,
                     const std::vector<step_role>& roles)
    : all_(scenario["behaviours"]), roles_(roles) {
    if (all_.is_null())
      all_ = json::object{{"*", json::object{{"type", "echo"}}}};
  }

  [[nodiscard]] result<void> check() const {
    const auto* given = all_.if_object();
    if (given == nullptr)
      return {};
    std::vector<std::string_view> names;
    for (const auto& role : roles_)
      names.push_back(role.name);
    for (const auto& [key, behaviour] : *given)
      if (key != "*" && std::ranges::count(names, std::string_view{key}) == 0)
        return refuse_single("known_role", "/behaviours/" + std::string{key},
                             "no step of the plan has this agent_role"
                               + suggest(key, names),
                             '"' + shorten(key) + '"');
    for (const auto& role : roles_)
      if (!given->contains(role.name) && !given->contains("*"))
        return refuse_single("executor_missing", "/behaviours",
                             "nothing executes the steps of this role; add a "
                             "behaviour for it, or for \"*\"",
                             '"' + shorten(role.name) + '"');
    return {};
  }

  /// What executes a role's steps; null: it is no object.
  [[nodiscard]] const json::object* of(std::string_view role) const {
    const auto* given = all_.if_object();
    if (given == nullptr)
      return nullptr;
    const auto* found = given->if_contains(role);
    if (found == nullptr)
      found = given->if_contains("*");
    return found == nullptr ? nullptr : found->if_object();
  }

  /// The same for another executor of the role.
  void copy(std::string_view role, std::string_view to) {
    auto* given = all_.if_object();
    if (const auto* own = given == nullptr ? nullptr
                                           : given->if_contains(role)) {
      auto same = *own;
      (*given)[to] = std::move(same);
    }
  }

  void set(std::string_view id, json::object behaviour) {
    if (auto* given = all_.if_object())
      (*given)[id] = std::move(behaviour);
  }

private:
  json::value& all_;
  const std::vector<step_role>& roles_;
};

constexpr std::string_view compensation_prefix = "compensation:";

/// Takes the compensations out of the scenario, by the ids of those who have
/// them.
result<json::object> take_compensations(json::object& scenario,
                                        const std::vector<step_role>& roles) {
  json::object all;
  std::vector<std::string_view> names{"*"};
  for (const auto& role : roles) {
    if (role.name.starts_with(compensation_prefix))
      return fail({.code = errc::invalid_document,
                   .message = "the agent_role of a step cannot begin with "
                              "\"compensation:\", the role of what undoes "
                              "steps",
                   .pointer = "/plan/steps",
                   .rule = "reserved_role",
                   .value = shorten(role.name)});
    names.push_back(role.name);
  }
  const auto* given = scenario.if_contains("compensations");
  if (given == nullptr)
    return all;
  const auto wrong = [](std::string pointer, const json::value& value) {
    return fail({.code = errc::invalid_document,
                 .message = "write an object here",
                 .pointer = std::move(pointer),
                 .rule = "type",
                 .value = shorten_value(value)});
  };
  if (!given->is_object())
    return wrong("/compensations", *given);
  for (const auto& [role, behaviour] : given->get_object()) {
    std::string pointer = "/compensations";
    append_to_pointer(pointer, role);
    if (std::ranges::count(names, std::string_view{role}) == 0)
      return fail({.code = errc::invalid_document,
                   .message = "no step of the plan has this agent_role"
                              + suggest(role, names),
                   .pointer = std::move(pointer),
                   .rule = "known_role",
                   .value = '"' + shorten(role) + '"'});
    if (!behaviour.is_object())
      return wrong(std::move(pointer), behaviour);
    all.emplace(compensation_id(role), behaviour);
  }
  scenario.erase("compensations");
  return all;
}

json::array make_participants(const std::vector<step_role>& roles,
                              std::string_view agent,
                              behaviours_by_role& behaviours) {
  json::array all{
    {{"participant_id", agent}, {"kind", "system"}, {"role_id", agent}}};
  std::set<std::string, std::less<>> ids{std::string{agent}};
  for (const auto& role : roles)
    ids.insert(role.name);
  for (const auto& role : roles) {
    static const json::object unknown;
    const auto* found = behaviours.of(role.name);
    const auto behaviour = found == nullptr ? unknown : *found;
    const auto kind = text_of(behaviour, "type") == "human" ? "human" : "agent";
    const auto most = executors_of(role, behaviour);
    std::size_t number = 1;
    for (std::size_t made = 0; made < most; ++number) {
      auto id = number == 1 ? role.name
                            : role.name + '#' + std::to_string(number);
      if (number > 1 && !ids.insert(id).second)
        continue; // a role has this name
      if (number > 1)
        behaviours.copy(role.name, id);
      all.push_back({{"participant_id", std::move(id)},
                     {"kind", kind},
                     {"role_id", role.name}});
      ++made;
    }
  }
  behaviours.set(agent, {{"type", "echo"}});
  return all;
}

/// The agent's own id; none of the roles may have it.
std::string agent_id(const std::vector<step_role>& roles) {
  std::string id{single_agent_id};
  while (std::ranges::find(roles, id, &step_role::name) != roles.end())
    id += '_';
  return id;
}

std::string first_text(const json::object& scenario,
                       std::initializer_list<std::array<const char*, 2>> of) {
  for (const auto& [document, member] : of)
    if (auto text = text_of(object_of(scenario, document), member);
        !text.empty())
      return std::string{text};
  return "A single agent's plan";
}

result<void> complete_session(json::object& scenario, const std::string& agent,
                              std::size_t steps) {
  auto& member = scenario["session"];
  if (member.is_null())
    member.emplace_object();
  auto* options = member.if_object();
  if (options == nullptr)
    return {};
  const auto& policy
    = options->emplace("policy", "single_agent").first->value();
  if (policy.is_string() && policy != "single_agent"
      && policy != "single_agent_skip" && policy != "single_agent_rollback")
    return refuse_single("single_agent", "/session/policy",
                         "a single agent's policy is single_agent, "
                         "single_agent_skip or single_agent_rollback",
                         shorten_value(policy));
  (*options)["initiator"] = agent;
  // A handoff would be to another agent, and there is none.
  (*options)["max_handoff_depth"] = 0;
  options->emplace("retries", 0);
  constexpr std::int64_t turns_max_default = 1'000;
  const auto attempts = (integer_of(*options, "retries").value_or(0) + 1)
                        * static_cast<std::int64_t>(steps);
  if (attempts > turns_max_default)
    options->emplace("max_turns", attempts);
  return {};
}

} // namespace

std::string compensation_id(std::string_view role) {
  return std::string{compensation_prefix} + std::string{role};
}

error as_written(error what) {
  const auto arranged = "/behaviours/" + std::string{compensation_prefix};
  if (what.pointer.starts_with(arranged))
    what.pointer = "/compensations/" + what.pointer.substr(arranged.size());
  return what;
}

result<void> arrange(json::object& scenario) {
  if (scenario.contains("collab"))
    return refuse_single("single_agent", "/collab",
                         "a single agent has no Collab; leave it out, or run "
                         "the session with --profile map");
  if (!scenario.contains("plan"))
    return refuse_single("required", "/plan",
                         "is missing, and a single agent executes a plan: "
                         "embed one, or name its file");
  static const json::array no_steps;
  const auto* steps = object_of(scenario, "plan").if_contains("steps");
  const auto& list = steps != nullptr && steps->is_array() ? steps->get_array()
                                                           : no_steps;
  const auto steps_total = list.size();
  const auto roles = roles_in(list);
  auto compensations = take_compensations(scenario, roles);
  if (!compensations)
    return fail(std::move(compensations).error());
  // What was found in the scenario so far may move now.
  behaviours_by_role behaviours{scenario, roles};
  if (auto known = behaviours.check(); !known)
    return known;
  const auto agent = agent_id(roles);
  auto participants = make_participants(roles, agent, behaviours);
  for (auto& each : *compensations) {
    participants.push_back({{"participant_id", each.key()},
                            {"kind", "system"},
                            {"role_id", each.key()}});
    behaviours.set(each.key(), std::move(each.value().as_object()));
  }
  json::object collab{
    {"mode", "swarm"},
    {"title", first_text(scenario, {{"plan", "title"}, {"context", "title"}})},
    {"purpose", first_text(scenario, {{"plan", "objective"},
                                      {"plan", "title"},
                                      {"context", "title"}})},
    {"participants", std::move(participants)}};
  scenario.emplace("collab", std::move(collab));
  return complete_session(scenario, agent, steps_total);
}

} // namespace convene::session
