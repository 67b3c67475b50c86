#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/schema_parts.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace convene::host {
namespace {

namespace json = boost::json;
using names = std::vector<std::string>;

std::string_view type_name(const json::value& of) {
  switch (of.kind()) {
    case json::kind::string:
      return "string";
    case json::kind::bool_:
      return "boolean";
    case json::kind::int64:
    case json::kind::uint64:
      return "integer";
    case json::kind::double_:
      return "number";
    case json::kind::null:
      return "null";
    case json::kind::array:
      return "array";
    default:
      return "object";
  }
}

names required_of(const json::object& schema) {
  names all;
  for (const auto each : protocol::texts_of(schema, "required"))
    all.emplace_back(each);
  return all;
}

void add_names(names& to, const names& more) {
  for (const auto& each : more)
    if (std::ranges::find(to, each) == to.end())
      to.push_back(each);
}

/// Gathers the object that a schema and its alternatives describe.
class merger {
public:
  explicit merger(const json::object& root) : root_(root) {
    // nop
  }

  names gather(const json::object& schema, int depth) {
    auto required = required_of(schema);
    if (depth > schema_depth_max || ++steps_ > steps_max)
      return required;
    for (const auto& [name, value] : protocol::object_of(schema, "properties"))
      if (!properties_.contains(name))
        properties_[name] = value;
    if (const auto* found = find_schema(root_,
                                        protocol::text_of(schema, "$ref")))
      add_names(required, gather(*found, depth + 1));
    for (const auto* each : branches(schema, "allOf"))
      add_names(required, gather(*each, depth + 1));
    for (const auto* list : {"anyOf", "oneOf"})
      add_names(required, common(branches(schema, list), depth));
    return required;
  }

  json::object take_properties() {
    return std::move(properties_);
  }

private:
  static constexpr int steps_max = 1'000;

  using list_of_schemas = std::vector<const json::object*>;

  static list_of_schemas branches(const json::object& schema,
                                  std::string_view name) {
    list_of_schemas all;
    const auto* found = schema.if_contains(name);
    if (found && found->is_array())
      for (const auto& each : found->get_array())
        if (each.is_object())
          all.push_back(&each.get_object());
    return all;
  }

  /// What all alternatives require.
  names common(const list_of_schemas& all, int depth) {
    names shared;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto one = gather(*all[i], depth + 1);
      if (i == 0)
        shared = one;
      else
        std::erase_if(shared, [&](const auto& each) {
          return std::ranges::find(one, each) == one.end();
        });
    }
    return shared;
  }

  const json::object& root_;
  json::object properties_;
  int steps_ = 0;
};

} // namespace

bool has_type(const json::object& schema, std::string_view type) {
  const auto* found = schema.if_contains("type");
  const auto is_type = [type](const json::value& each) {
    return each.is_string() && std::string_view{each.get_string()} == type;
  };
  if (found != nullptr && found->is_array())
    return std::ranges::any_of(found->get_array(), is_type);
  return found != nullptr && is_type(*found);
}

json::value type_of_values(const json::object& schema) {
  json::array kinds;
  const auto add = [&kinds](const json::value& value) {
    const auto name = type_name(value);
    if (std::ranges::find(kinds, json::value(name)) == kinds.end())
      kinds.emplace_back(name);
  };
  if (const auto* values = schema.if_contains("enum");
      values && values->is_array())
    std::ranges::for_each(values->get_array(), add);
  else if (const auto* value = schema.if_contains("const"))
    add(*value);
  if (kinds.empty())
    return nullptr;
  return kinds.size() == 1 ? kinds.front() : json::value(std::move(kinds));
}

const json::object* find_schema(const json::object& root,
                                std::string_view reference) {
  if (!reference.starts_with('#'))
    return nullptr;
  reference.remove_prefix(1);
  if (reference.empty())
    return &root;
  boost::system::error_code none;
  const json::value* at = nullptr;
  const json::object* inside = &root;
  while (reference.starts_with('/')) {
    reference.remove_prefix(1);
    const auto end = std::min(reference.find('/'), reference.size());
    if (inside == nullptr)
      return nullptr;
    at = inside->if_contains(reference.substr(0, end));
    if (at == nullptr)
      return nullptr;
    inside = at->if_object();
    reference.remove_prefix(end);
  }
  return inside;
}

json::object merged_schema(const json::object& root,
                           const json::object& schema) {
  if (!schema.contains("$ref") && !schema.contains("anyOf")
      && !schema.contains("oneOf") && !schema.contains("allOf"))
    return schema;
  merger all{root};
  const auto required = all.gather(schema, 0);
  auto to = schema;
  for (const auto* name : {"$ref", "anyOf", "oneOf", "allOf"})
    to.erase(name);
  to["properties"] = all.take_properties();
  json::array listed;
  for (const auto& each : required)
    listed.emplace_back(each);
  to.erase("required");
  if (!listed.empty())
    to["required"] = std::move(listed);
  // Alternatives may have properties that the whole does not name.
  if (const auto* more = to.if_contains("additionalProperties");
      more && *more == false)
    to.erase("additionalProperties");
  return to;
}

} // namespace convene::host
