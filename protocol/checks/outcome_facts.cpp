#include <convene/protocol/checks/outcome_facts.hpp>

#include <charconv>
#include <system_error>

namespace convene::protocol {

const json::value* member_of(const json::object& from, std::string_view name) {
  return from.if_contains(name);
}

bool is_blob(const json::object& what) {
  return what.size() == 2 && what.contains("blob") && what.contains("bytes");
}

std::string outcome_name(const checked_event& e) {
  return "the action at " + quote(text_of(e.payload, "position"));
}

const json::object& behaviour_of(const checked_event& e, std::string_view who) {
  static const json::object none;
  const auto* own = member_of(e.session.behaviours, who);
  if (own == nullptr)
    own = member_of(e.session.behaviours, "*");
  return own != nullptr && own->is_object() ? own->get_object() : none;
}

std::string_view only_position(std::string_view type) {
  return type == "process" || type == "mcp" ? "0" : type == "http" ? "1.0" : "";
}

bool has_flag(const json::object& from, std::string_view name, bool otherwise) {
  const auto* found = member_of(from, name);
  return found != nullptr && found->is_bool() ? found->get_bool() : otherwise;
}

std::optional<std::size_t> model_at(std::string_view position) {
  constexpr std::string_view first = ".0";
  const auto dot = position.find('.');
  if (dot == position.npos || !position.substr(dot).starts_with(first))
    return std::nullopt;
  auto rest = position.substr(dot + first.size());
  if (rest.empty())
    return 0;
  std::size_t index = 0;
  if (rest.front() != '.')
    return std::nullopt;
  rest.remove_prefix(1);
  const auto [end, wrong] = std::from_chars(rest.data(),
                                            rest.data() + rest.size(), index);
  return wrong == std::errc{} && end == rest.data() + rest.size() && index > 0
           ? std::optional{index}
           : std::nullopt;
}

json::object model_settings(const json::object& behaviour, std::size_t which) {
  if (which == 0)
    return behaviour;
  const auto& all = array_of(behaviour, "fallback");
  if (which > all.size() || !all[which - 1].is_object())
    return {};
  const auto& own = all[which - 1].get_object();
  const bool is_elsewhere = own.contains("provider") || own.contains("dialect")
                            || own.contains("base_url");
  json::object made = own;
  for (const auto* name : {"model", "provider", "dialect", "price"})
    if (const auto* found = member_of(behaviour, name);
        found != nullptr && !own.contains(name)
        && (!is_elsewhere || std::string_view{name} == "model"))
      made[name] = *found;
  return made;
}

} // namespace convene::protocol
