#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/text/uri.hpp>

#include <array>
#include <string>
#include <string_view>

namespace convene::protocol::validation {

namespace json = boost::json;

/// Whether the schema refers elsewhere; in draft-07 nothing beside a `$ref`
/// counts, not even `$id`.
[[nodiscard]] inline bool is_reference(const json::object& schema) noexcept {
  const auto* reference = schema.if_contains("$ref");
  return reference != nullptr && reference->is_string();
}

/// The text of `$id`, or null.
[[nodiscard]] inline const json::string*
id_of(const json::value& schema) noexcept {
  const auto* object = schema.if_object();
  const auto* id = object == nullptr ? nullptr : object->if_contains("$id");
  return id == nullptr ? nullptr : id->if_string();
}

/// The base of references inside `schema`, which stands where `base` holds.
[[nodiscard]] inline std::string base_within(const json::value& schema,
                                             std::string_view base) {
  const auto* id = id_of(schema);
  if (id == nullptr || is_reference(schema.get_object()))
    return std::string{base};
  return std::string{split_fragment(resolve_uri(base, *id)).resource};
}

/// Calls `visit(const json::value&)` with every schema directly inside
/// `schema`, also those that nothing applies; stops when it returns false.
template <class Visit>
bool for_each_subschema(const json::object& schema, Visit visit) {
  static constexpr std::array<std::string_view, 9> single{
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then"};
  static constexpr std::array<std::string_view, 4> listed{"allOf", "anyOf",
                                                          "items", "oneOf"};
  static constexpr std::array<std::string_view, 5> named{
    "$defs", "definitions", "dependencies", "patternProperties", "properties"};
  for (auto name : single)
    if (const auto* value = schema.if_contains(name))
      if (!value->is_array() && !visit(*value))
        return false;
  for (auto name : listed)
    if (const auto* value = schema.if_contains(name))
      if (const auto* list = value->if_array())
        for (const auto& item : *list)
          if (!visit(item))
            return false;
  for (auto name : named)
    if (const auto* value = schema.if_contains(name))
      if (const auto* members = value->if_object())
        for (const auto& [key, item] : *members)
          if (!item.is_array() && !visit(item))
            return false;
  return true;
}

} // namespace convene::protocol::validation
