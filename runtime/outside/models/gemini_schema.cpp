#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/gemini_schema.hpp>
#include <convene/runtime/outside/models/schema_parts.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace convene::host {
namespace {

namespace json = boost::json;

json::object typed(std::string_view type) {
  json::object made{{"type", type}};
  if (type == "array")
    made["items"] = json::object{{"type", "string"}};
  return made;
}

/// Any JSON value.
json::object any_schema() {
  json::array all;
  for (const auto* type : {"string", "number", "boolean", "object", "array"})
    all.push_back(typed(type));
  return {{"anyOf", std::move(all)}};
}

class gemini_fitter {
public:
  explicit gemini_fitter(const json::object& root) : root_(root) {
    // nop
  }

  json::object fit(const json::value& what, int depth) {
    const auto* given = what.if_object();
    if (given == nullptr)
      return any_schema();
    if (depth > schema_depth_max || ++schemas_ > schemas_max)
      return typed("object");
    if (const auto reference = protocol::text_of(*given, "$ref");
        !reference.empty()) {
      const auto* found = find_schema(root_, reference);
      return found ? fit(*found, depth + 1) : any_schema();
    }
    if (given->contains("allOf"))
      return fit(merged_schema(root_, *given), depth + 1);
    json::object to;
    for (const auto name : kept)
      if (const auto* found = given->if_contains(name))
        to[name] = *found;
    add_format(*given, to);
    if (!add_alternatives(*given, to, depth))
      add_type(*given, to, depth);
    return to;
  }

private:
  static constexpr int schemas_max = 5'000;
  static constexpr std::array<std::string_view, 10> kept{
    "title",     "description", "minimum",  "maximum",  "minLength",
    "maxLength", "pattern",     "minItems", "maxItems", "nullable"};

  static void add_format(const json::object& given, json::object& to) {
    constexpr std::array<std::string_view, 5> known{"date-time", "int32",
                                                    "int64", "float", "double"};
    const auto format = protocol::text_of(given, "format");
    if (std::ranges::find(known, format) != known.end())
      to["format"] = format;
  }

  bool add_alternatives(const json::object& given, json::object& to,
                        int depth) {
    const auto* list = given.if_contains("anyOf");
    if (list == nullptr)
      list = given.if_contains("oneOf");
    if (list == nullptr || !list->is_array())
      return false;
    json::array all;
    for (const auto& each : list->get_array()) {
      if (each.is_object() && each.get_object().size() == 1
          && has_type(each.get_object(), "null"))
        to["nullable"] = true;
      else
        all.push_back(fit(each, depth + 1));
    }
    return settle(std::move(all), to);
  }

  /// One alternative is no choice.
  static bool settle(json::array all, json::object& to) {
    if (all.empty())
      return false;
    if (all.size() > 1) {
      to["anyOf"] = std::move(all);
      return true;
    }
    for (auto& [name, value] : all.front().as_object())
      if (!to.contains(name))
        to[name] = std::move(value);
    return true;
  }

  void add_type(const json::object& given, json::object& to, int depth) {
    auto type = given.contains("type") ? given.at("type")
                                       : type_of_values(given);
    if (type.is_null() && given.contains("properties"))
      type = "object";
    if (type.is_null() && given.contains("items"))
      type = "array";
    json::array all;
    if (type.is_string())
      all.push_back(one_of_types(given, type, depth));
    if (const auto* list = type.if_array())
      for (const auto& each : *list) {
        if (each == "null")
          to["nullable"] = true;
        else
          all.push_back(one_of_types(given, each, depth));
      }
    if (!settle(std::move(all), to))
      to["anyOf"] = any_schema().at("anyOf");
  }

  json::object one_of_types(const json::object& given, const json::value& type,
                            int depth) {
    json::object to{{"type", type}};
    if (type.is_string())
      add_parts(given, type.get_string(), to, depth);
    return to;
  }

  void add_parts(const json::object& given, std::string_view type,
                 json::object& to, int depth) {
    if (type == "string")
      add_values(given, to);
    if (type == "array") {
      const auto* items = given.if_contains("items");
      to["items"] = items ? fit(*items, depth + 1) : any_schema();
    }
    if (type != "object")
      return;
    const auto& all = protocol::object_of(given, "properties");
    json::object properties;
    for (const auto& [name, value] : all)
      properties[name] = fit(value, depth + 1);
    json::array required;
    for (const auto name : protocol::texts_of(given, "required"))
      if (all.contains(name))
        required.emplace_back(name);
    if (!properties.empty())
      to["properties"] = std::move(properties);
    if (!required.empty())
      to["required"] = std::move(required);
  }

  /// Only texts that are not empty.
  static void add_values(const json::object& given, json::object& to) {
    json::array values;
    bool is_whole = true;
    const auto add = [&](const json::value& each) {
      if (each.is_string() && !each.get_string().empty())
        values.push_back(each);
      else if (each.is_string())
        is_whole = false;
    };
    if (const auto* list = given.if_contains("enum"); list && list->is_array())
      std::ranges::for_each(list->get_array(), add);
    else if (const auto* value = given.if_contains("const"))
      add(*value);
    // Without the empty text, less would be allowed.
    if (!values.empty() && is_whole)
      to["enum"] = std::move(values);
  }

  const json::object& root_;
  int schemas_ = 0;
};

} // namespace

json::object fit_gemini(const json::object& schema) {
  return gemini_fitter{schema}.fit(schema, 0);
}

} // namespace convene::host
