#include <convene/protocol/json/members.hpp>
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

} // namespace

void add_guards(json::object& scenario) {
  constexpr std::int64_t turns = 200;
  constexpr std::int64_t stale_turns = 6;
  constexpr std::int64_t stale_turns_max = 1'000'000'000;
  if (!has_actor_outside(scenario))
    return;
  auto* session = object_at(scenario, "session");
  if (session == nullptr)
    return;
  session->emplace("max_turns", turns);
  session->emplace("no_progress", stale_turns);
  if (protocol::integer_of(*session, "no_progress") == 0)
    (*session)["no_progress"] = stale_turns_max;
}

} // namespace convene::host
