#include <convene/cli/commands/dialog/kept_form.hpp>

#include <cstddef>

namespace convene::cli {
namespace {

namespace json = boost::json;

void carry_members(const json::object& before, const json::object& after,
                   json::object& to) {
  for (const auto& [name, value] : before)
    if (!after.contains(name))
      to.erase(name);
  for (const auto& [name, value] : after) {
    const auto* const was = before.if_contains(name);
    if (was == nullptr || !to.contains(name)) {
      if (was == nullptr || *was != value)
        to[name] = value;
    } else {
      carry_changes(*was, value, to[name]);
    }
  }
}

} // namespace

void carry_changes(const json::value& before, const json::value& after,
                   json::value& to) {
  if (before == after)
    return;
  if (before.is_object() && after.is_object() && to.is_object())
    return carry_members(before.get_object(), after.get_object(),
                         to.get_object());
  const auto* const was = before.if_array();
  const auto* const now = after.if_array();
  auto* const all = to.if_array();
  if (was == nullptr || now == nullptr || all == nullptr
      || all->size() != was->size() || now->size() < was->size()) {
    to = after;
    return;
  }
  for (std::size_t i = 0; i < was->size(); ++i)
    carry_changes((*was)[i], (*now)[i], (*all)[i]);
  all->insert(all->end(),
              now->begin() + static_cast<std::ptrdiff_t>(all->size()),
              now->end());
}

} // namespace convene::cli
