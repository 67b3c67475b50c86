#include <convene/session/requests/turn_terms.hpp>

#include <algorithm>

namespace convene::session {

bool may_write(const turn_terms& of, const resource_name& what) {
  return !of.limited || std::ranges::any_of(of.resources, [&](const auto& r) {
    return r.resource_type == what.type && r.resource_id == what.id;
  });
}

std::optional<std::string> open_resources::add(const turn_terms& of) {
  const bool handed_on = !of.limited && is_handed_on(of);
  if (turns_ > 0 && unlimited_)
    return "a turn is open that may write anything";
  if (turns_ > 0 && !of.limited && !handed_on)
    return "other turns are open, so this one must name its `resources`";
  if (handed_on && handed_on_)
    return "a turn that was handed off is open or waits, and it may write all "
           "that no other turn names";
  for (const auto& r : of.resources)
    if (named_.contains({r.resource_type, r.resource_id}))
      return r.resource_type + " " + r.resource_id
             + " is a resource of another turn that is open";
  for (const auto& r : of.resources)
    named_.emplace(r.resource_type, r.resource_id);
  unlimited_ = !of.limited && !handed_on;
  handed_on_ |= handed_on;
  ++turns_;
  return std::nullopt;
}

} // namespace convene::session
