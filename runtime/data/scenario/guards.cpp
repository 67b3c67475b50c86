#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/data/scenario/guards.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace convene::host {
namespace {

namespace json = protocol::json;

/// The member; null if the scenario has another type there.
json::object* object_at(json::object& of, std::string_view name) {
  return of.emplace(name, json::object{}).first->value().if_object();
}

bool is_model(const json::value* behaviour) {
  const auto* settings = behaviour == nullptr ? nullptr
                                              : behaviour->if_object();
  return settings != nullptr && protocol::text_of(*settings, "type") == "llm";
}

/// How many participants call models.
std::int64_t models_in(const json::object& scenario) {
  const auto& behaviours = protocol::object_of(scenario, "behaviours");
  const auto& all = protocol::items_of(protocol::object_of(scenario, "collab"),
                                       "participants");
  return std::ranges::count_if(all, [&](const json::value& each) {
    const auto* who = each.if_object();
    if (who == nullptr)
      return false;
    const auto* own
      = behaviours.if_contains(protocol::text_of(*who, "participant_id"));
    return is_model(own != nullptr ? own : behaviours.if_contains("*"));
  });
}

/// Whether a behaviour of the scenario calls something outside of it.
bool has_actor_outside(const json::object& scenario) {
  constexpr std::string_view types[]{"llm", "process", "http", "a2a", "mcp"};
  return std::ranges::any_of(
    protocol::object_of(scenario, "behaviours"), [&](const auto& each) {
      const auto* settings = each.value().if_object();
      return settings != nullptr
             && std::ranges::find(types, protocol::text_of(*settings, "type"))
                  != std::ranges::end(types);
    });
}

/// Whether the rounds that a session sets say how long it is. Orchestrators and
/// swarms do not count them.
bool ends_by_rounds(const json::object& scenario, const json::object& session) {
  const auto policy = protocol::text_of(session, "policy");
  const auto mode
    = policy.empty()
        ? protocol::text_of(protocol::object_of(scenario, "collab"), "mode")
        : policy;
  return session.contains("rounds") && mode != "orchestrated"
         && mode != "swarm";
}

} // namespace

void add_guards(json::object& scenario, bool single_agent) {
  constexpr std::int64_t turns = 200;
  constexpr std::int64_t stale_turns = 6;
  constexpr std::int64_t stale_turns_max = 1'000'000'000;
  constexpr std::int64_t tokens_for_each = 2'000'000;
  constexpr std::int64_t tokens_max = 1'000'000'000'000'000;
  if (!has_actor_outside(scenario))
    return;
  auto* session = object_at(scenario, "session");
  if (session == nullptr)
    return;
  if (!single_agent && !ends_by_rounds(scenario, *session)) {
    session->emplace("max_turns", turns);
    session->emplace("no_progress", stale_turns);
    if (protocol::integer_of(*session, "no_progress") == 0)
      (*session)["no_progress"] = stale_turns_max;
  }
  const auto models = models_in(scenario);
  if (models == 0)
    return;
  if (auto* budget = object_at(*session, "budget")) {
    auto& tokens
      = budget->emplace("tokens", models * tokens_for_each).first->value();
    if (tokens.is_null())
      tokens = tokens_max;
  }
}

} // namespace convene::host
