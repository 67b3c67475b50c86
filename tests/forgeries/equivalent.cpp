#include <forgeries/equivalent.hpp>

#include <algorithm>
#include <string_view>

namespace convene::tests {
namespace {

constexpr std::string_view spec = "/payload/spec/";

/// Of the scenario: what the session machine does not read. Behaviours say what
/// participants would do, the log what they did; the rest is said of people,
/// roles and documents, for people.
bool is_unread(std::string_view pointer) {
  if (!pointer.starts_with(spec))
    return false;
  pointer.remove_prefix(spec.size());
  constexpr std::string_view members[]{"behaviours", "seed", "context/",
                                       "convene", "roles"};
  constexpr std::string_view ends[]{"/display_name", "/created_at",
                                    "/description", "_version"};
  return pointer != "context/context_id"
         && (std::ranges::any_of(
               members, [&](auto name) { return pointer.starts_with(name); })
             || std::ranges::any_of(ends, [&](auto name) {
                  return pointer.ends_with(name);
                }));
}

std::string_view last_of(std::string_view pointer) {
  return pointer.substr(pointer.rfind('/') + 1);
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, name) != of.end();
}

} // namespace

std::string why_equal(const event_log& /*log*/, const edit& what) {
  if (is_unread(what.pointer))
    return "in what the scenario says of participants, roles and documents";
  if (what.pointer.starts_with("/payload/spec/session/"))
    return "in limits of the scenario that the session did not reach";
  return {};
}

std::string why_equal_to_rules(const event_log& log, const edit& what) {
  if (auto why = why_equal(log, what); !why.empty())
    return why;
  const std::string_view pointer = what.pointer;
  if (pointer.starts_with(spec))
    return "in what the scenario's plan makes of the session";
  const auto name = last_of(pointer);
  if (is_any(name, {"event_id", "execution_id", "request_id", "session_key"}))
    return "in ids that no other event names";
  if (is_any(name, {"reason", "observed", "message"}))
    return "in texts that say why, for people";
  if (what.kind == edit_kind::remove
      && pointer.find("/reply/decision/") != std::string_view::npos)
    return "in decisions that leave open what was then done";
  return {};
}

} // namespace convene::tests
