#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/gemini_schema.hpp>
#include <convene/runtime/outside/models/schema_parts.hpp>
#include <convene/runtime/outside/models/tool_schema.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace convene::host {
namespace {

namespace json = protocol::json;

template <std::size_t N>
using name_list = std::array<std::string_view, N>;

constexpr name_list<5> maps_of_schemas{"properties", "patternProperties",
                                       "$defs", "definitions",
                                       "dependentSchemas"};
constexpr name_list<4> lists_of_schemas{"anyOf", "oneOf", "allOf",
                                        "prefixItems"};
constexpr name_list<9> schemas{"items",
                               "additionalProperties",
                               "not",
                               "contains",
                               "propertyNames",
                               "if",
                               "then",
                               "else",
                               "unevaluatedProperties"};

/// What OpenAI refuses beside the type of the whole.
constexpr name_list<6> refused_at_top{"anyOf", "oneOf", "allOf",
                                      "not",   "enum",  "const"};

bool has(const auto& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

json::value fit_common(const json::value& from, int depth);

json::value fit_each(const json::value& from, int depth) {
  auto to = from;
  if (auto* list = to.if_array())
    for (auto& each : *list)
      each = fit_common(each, depth);
  else if (auto* map = to.if_object())
    for (auto& each : *map)
      each.value() = fit_common(each.value(), depth);
  return to;
}

json::value fit_common(const json::value& from, int depth) {
  const auto* schema = from.if_object();
  if (!schema || depth > schema_depth_max)
    return from;
  json::object to;
  for (const auto& [key, value] : *schema) {
    const std::string_view name = key;
    if (name == "$schema")
      continue;
    if (has(maps_of_schemas, name) || has(lists_of_schemas, name)
        || (name == "items" && value.is_array()))
      to[name] = fit_each(value, depth + 1);
    else if (has(schemas, name))
      to[name] = fit_common(value, depth + 1);
    else
      to[name] = value;
  }
  if (!to.contains("type"))
    if (auto type = type_of_values(to); !type.is_null())
      to["type"] = std::move(type);
  if (has_type(to, "array") && !to.contains("items")
      && !to.contains("prefixItems"))
    to["items"] = json::object{};
  return to;
}

/// The object that fits all alternatives of a schema at the top.
json::object flatten(const json::object& whole) {
  auto to = merged_schema(whole, whole);
  for (const auto name : refused_at_top)
    to.erase(name);
  to["type"] = "object";
  if (!to["properties"].is_object())
    to["properties"] = json::object{};
  return to;
}

} // namespace

json::object fit_schema(const json::object& schema, schema_subset subset) {
  auto flat = flatten(schema);
  return subset == schema_subset::gemini
           ? fit_gemini(flat)
           : std::move(fit_common(flat, 0).as_object());
}

} // namespace convene::host
