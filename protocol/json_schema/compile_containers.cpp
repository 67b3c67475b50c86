#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/compiler.hpp>

namespace convene::protocol::validation {
namespace {

/// The names of one schema's members, each once, with what is known of it.
struct member_names {
  std::vector<std::string> texts;
  std::vector<name_entry> entries;
  std::map<std::string, std::size_t, std::less<>> places;

  name_entry& at(std::string_view name) {
    const auto [place, is_new] = places.try_emplace(std::string{name},
                                                    texts.size());
    if (is_new) {
      texts.emplace_back(name);
      entries.push_back({.key = {}, .text = 0, .value = no_node, .bit = 0});
    }
    return entries[place->second];
  }
};

std::string below(std::string pointer, std::string_view name) {
  append_to_pointer(pointer, name);
  return pointer;
}

} // namespace

void compiler::add_arrays(const json::object& schema) {
  emit_count(arrays, op::max_items, schema, "maxItems");
  emit_count(arrays, op::min_items, schema, "minItems");
  add_items(schema);
  if (const auto node = find_node(schema, "contains"); node != no_node)
    emit(arrays, {.code = op::contains, .a = node});
  const auto* unique = find(schema, "uniqueItems");
  if (unique != nullptr && !unique->is_bool())
    return reject("uniqueItems", "true or false");
  if (unique != nullptr && unique->get_bool())
    emit(arrays, {.code = op::unique_items});
}

void compiler::add_items(const json::object& schema) {
  const auto* items = find(schema, "items");
  if (items == nullptr)
    return;
  if (!items->is_array()) {
    if (const auto node = find_node(schema, "items"); node != always)
      emit(arrays, {.code = op::items, .a = node});
    return;
  }
  const auto others = find_node(schema, "additionalItems");
  if (const auto nodes = find_nodes(schema, "items"))
    emit(arrays, {.code = op::tuple,
                  .a = nodes->first,
                  .b = nodes->second,
                  .c = others == no_node ? always : others});
}

void compiler::add_objects(const json::object& schema) {
  emit_count(objects, op::max_properties, schema, "maxProperties");
  emit_count(objects, op::min_properties, schema, "minProperties");
  add_members(schema);
  add_dependencies(schema);
}

void compiler::add_members(const json::object& schema) {
  member_rules rules;
  member_names names;
  if (const auto* properties = find_object(schema, "properties"))
    for (const auto& [name, value] : *properties)
      names.at(name).value = node_within(value,
                                         below(pointer_to("properties"), name));
  if (const auto* required = find(schema, "required"))
    for (const auto& name : strings_of(*required, "required"))
      names.at(name).bit = ++rules.required;
  rules.first_pattern = static_cast<std::uint32_t>(out_.member_patterns.size());
  if (const auto* patterns = find_object(schema, "patternProperties"))
    for (const auto& [source, value] : *patterns)
      out_.member_patterns.push_back(
        {.pattern = pattern_of(source, "patternProperties"),
         .node = node_within(value,
                             below(pointer_to("patternProperties"), source))});
  rules.last_pattern = static_cast<std::uint32_t>(out_.member_patterns.size());
  const auto additional = find_node(schema, "additionalProperties");
  const auto name = find_node(schema, "propertyNames");
  rules.additional = additional == no_node ? always : additional;
  rules.name = name == no_node ? always : name;
  if (names.texts.empty() && rules.first_pattern == rules.last_pattern
      && rules.additional == always && rules.name == always)
    return;
  if (rules.required > required_max)
    return fail_with({.code = errc::limit_reached,
                      .message = "more than 1,024 members are required",
                      .rule = "schema_required"},
                     "required");
  const auto table = table_of(names.texts, names.entries, "properties");
  if (!table)
    return;
  rules.table = *table;
  emit(objects, {.code = op::members,
                 .a = static_cast<std::uint32_t>(out_.members.size())});
  out_.members.push_back(rules);
}

void compiler::add_dependencies(const json::object& schema) {
  const auto* all = find_object(schema, "dependencies");
  if (all == nullptr)
    return;
  const auto keep = [&](std::string_view text) {
    out_.texts.emplace_back(text);
    return static_cast<std::uint32_t>(out_.texts.size() - 1);
  };
  const auto first = static_cast<std::uint32_t>(out_.dependencies.size());
  for (const auto& [name, value] : *all) {
    dependency rule{.name = keep(name)};
    if (value.is_array()) {
      std::vector<std::uint32_t> others;
      for (const auto& other : strings_of(value, "dependencies"))
        others.push_back(keep(other));
      std::tie(rule.first, rule.last) = add_list(others);
    } else {
      rule.node = node_within(value, below(pointer_to("dependencies"), name));
    }
    out_.dependencies.push_back(rule);
  }
  emit(objects, {.code = op::dependencies,
                 .a = first,
                 .b = static_cast<std::uint32_t>(out_.dependencies.size())});
}

void compiler::add_combinations(const json::object& schema) {
  static constexpr std::array<std::pair<std::string_view, op>, 3> lists{
    {{"allOf", op::all_of}, {"anyOf", op::any_of}, {"oneOf", op::one_of}}};
  for (const auto& [keyword, code] : lists)
    if (const auto nodes = find_nodes(schema, keyword))
      emit_to_all({.code = code, .a = nodes->first, .b = nodes->second});
  if (const auto node = find_node(schema, "not"); node != no_node)
    emit_to_all({.code = op::negation, .a = node});
  const auto condition = find_node(schema, "if");
  const auto met = find_node(schema, "then");
  const auto otherwise = find_node(schema, "else");
  if (condition != no_node && (met != no_node || otherwise != no_node))
    emit_to_all({.code = op::condition,
                 .a = condition,
                 .b = met == no_node ? always : met,
                 .c = otherwise == no_node ? always : otherwise});
}

} // namespace convene::protocol::validation
