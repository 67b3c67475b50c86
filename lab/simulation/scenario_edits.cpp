#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <convene/lab/simulation/scenario_edits.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <set>
#include <string_view>

namespace convene::host {

namespace json = boost::json;

namespace {

class edit_finder {
public:
  std::vector<scenario_edit> all;

  /// Returns how many bytes of JSON the value has.
  std::size_t visit(const json::value& what, const std::string& pointer) {
    if (const auto* items = what.if_array())
      return visit_items(*items, pointer);
    if (const auto* members = what.if_object())
      return visit_members(*members, pointer);
    if (const auto* number = what.if_int64();
        number != nullptr && *number > 1
        && (pointer.starts_with("/session/")
            || pointer.starts_with("/behaviours/")))
      for (const auto value :
           std::set{std::int64_t{1}, *number / 2, *number - 1})
        all.push_back({.what = scenario_edit::kind::number,
                       .pointer = pointer,
                       .value = value});
    return json::serialize(what).size();
  }

private:
  std::size_t visit_items(const json::array& items,
                          const std::string& pointer) {
    std::vector<std::size_t> before{0};
    for (std::size_t i = 0; i < items.size(); ++i)
      before.push_back(before.back()
                       + visit(items[i], pointer + '/' + std::to_string(i)));
    for (auto size = items.size(); size != 0; size /= 2)
      for (std::size_t first = 0; first < items.size(); first += size) {
        const auto end = std::min(first + size, items.size());
        all.push_back({.what = scenario_edit::kind::items,
                       .pointer = pointer,
                       .first = first,
                       .count = end - first,
                       .bytes = before[end] - before[first]});
      }
    return before.back();
  }

  std::size_t visit_members(const json::object& members,
                            const std::string& pointer) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : members) {
      auto at = pointer;
      protocol::append_to_pointer(at, name);
      const auto own = visit(value, at) + name.size();
      bytes += own;
      all.push_back({.what = scenario_edit::kind::member,
                     .pointer = std::move(at),
                     .bytes = own});
    }
    return bytes;
  }
};

std::string text_at(const json::value& of, std::string_view name) {
  const auto* object = of.if_object();
  const auto* found = object != nullptr ? object->if_contains(name) : nullptr;
  return found != nullptr && found->is_string()
           ? std::string{found->get_string()}
           : std::string{};
}

void forget_participant(json::value& scenario, std::string_view id) {
  if (auto* behaviours = scenario.get_object().if_contains("behaviours"))
    if (auto* all = behaviours->if_object())
      all->erase(id);
}

void forget_step(json::value& scenario, const std::string& id) {
  boost::system::error_code none;
  auto* steps = scenario.find_pointer("/plan/steps", none);
  if (steps == nullptr || !steps->is_array())
    return;
  for (auto& step : steps->get_array()) {
    auto* object = step.if_object();
    auto* on = object != nullptr ? object->if_contains("dependencies")
                                 : nullptr;
    if (auto* all = on != nullptr ? on->if_array() : nullptr)
      all->erase(std::remove(all->begin(), all->end(), json::value(id)),
                 all->end());
  }
}

void leave_out_items(json::value& scenario, const scenario_edit& what) {
  boost::system::error_code none;
  auto* found = scenario.find_pointer(what.pointer, none);
  if (found == nullptr || !found->is_array())
    return;
  auto& items = found->get_array();
  std::vector<std::string> gone;
  const auto* const id = what.pointer == "/collab/participants"
                           ? "participant_id"
                         : what.pointer == "/plan/steps" ? "step_id"
                                                         : "";
  const auto end = std::min(what.first + what.count, items.size());
  for (auto i = what.first; i < end; ++i)
    gone.push_back(text_at(items[i], id));
  if (what.first < end)
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(what.first),
                items.begin() + static_cast<std::ptrdiff_t>(end));
  for (const auto& one : gone)
    if (what.pointer == "/collab/participants")
      forget_participant(scenario, one);
    else if (what.pointer == "/plan/steps")
      forget_step(scenario, one);
}

void leave_out_member(json::value& scenario, const std::string& pointer) {
  const auto slash = pointer.rfind('/');
  boost::system::error_code none;
  auto* parent = scenario.find_pointer(pointer.substr(0, slash), none);
  if (parent == nullptr || !parent->is_object())
    return;
  auto& members = parent->get_object();
  // The pointer's last part is a name with escapes.
  for (const auto& member : members) {
    std::string name;
    protocol::append_to_pointer(name, member.key());
    if (name == pointer.substr(slash)) {
      members.erase(member.key());
      return;
    }
  }
}

} // namespace

std::vector<scenario_edit> edits_of(const json::object& scenario) {
  edit_finder finder;
  finder.visit(scenario, "");
  std::ranges::stable_sort(finder.all, std::ranges::greater{},
                           &scenario_edit::bytes);
  return std::move(finder.all);
}

json::object apply(const json::object& scenario, const scenario_edit& what) {
  json::value made = scenario;
  boost::system::error_code none;
  if (what.what == scenario_edit::kind::items)
    leave_out_items(made, what);
  else if (what.what == scenario_edit::kind::member)
    leave_out_member(made, what.pointer);
  else if (auto* number = made.find_pointer(what.pointer, none))
    *number = what.value;
  return std::move(made.get_object());
}

} // namespace convene::host
