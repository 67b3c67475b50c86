#include <convene/protocol/json_schema/subschemas.hpp>
#include <protocol/json_schema/generated/rules.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace convene::tests {
namespace {

/// Those that documents are made for. `propertyNames` needs nothing: the names
/// that are made up are short, and the documents are validated.
const std::set<std::string, std::less<>> keywords{"$defs",
                                                  "$id",
                                                  "$ref",
                                                  "$schema",
                                                  "additionalProperties",
                                                  "allowComments",
                                                  "allowTrailingCommas",
                                                  "allOf",
                                                  "anyOf",
                                                  "const",
                                                  "default",
                                                  "definitions",
                                                  "description",
                                                  "enum",
                                                  "exclusiveMinimum",
                                                  "format",
                                                  "if",
                                                  "items",
                                                  "maxItems",
                                                  "maxLength",
                                                  "maxProperties",
                                                  "maximum",
                                                  "minItems",
                                                  "minLength",
                                                  "minProperties",
                                                  "minimum",
                                                  "not",
                                                  "oneOf",
                                                  "pattern",
                                                  "properties",
                                                  "propertyNames",
                                                  "required",
                                                  "then",
                                                  "title",
                                                  "type",
                                                  "uniqueItems",
                                                  "x-mplp-meta"};

void add(const schema_set& set, schema_place of, bool chosen, dice& d,
         rules& out) {
  if (of.schema->is_bool() && of.schema->get_bool())
    return;
  const auto& schema = of.schema->as_object();
  const rule here{&schema, of.base, chosen};
  for (const auto& [keyword, value] : schema)
    if (keywords.count(std::string_view{keyword}) == 0)
      throw std::invalid_argument("no generator for " + std::string{keyword});
  if (const auto* reference = schema.if_contains("$ref"))
    return add(set, set.find(of.base, reference->as_string()).value(), chosen,
               d, out);
  out.push_back(here);
  if (const auto* all = schema.if_contains("allOf"))
    for (const auto& one : all->as_array())
      add(set, place_in(here, one), chosen, d, out);
  for (auto keyword : {"anyOf", "oneOf"})
    if (const auto* branches = schema.if_contains(keyword)) {
      const auto& all = branches->as_array();
      add(set, place_in(here, all[d.below(all.size())]), true, d, out);
    }
}

template <class Better>
std::optional<double>
best(const rules& all, std::string_view keyword, Better better) {
  std::optional<double> out;
  for (const auto& one : all)
    if (const auto* value = one.schema->if_contains(keyword)) {
      const auto number = value->to_number<double>();
      if (!out || better(number, *out))
        out = number;
    }
  return out;
}

/// What a rule's `type` admits.
std::set<std::string> types_in(const json::value& type) {
  std::set<std::string> out;
  const auto take = [&](const json::value& name) {
    out.emplace(name.as_string());
    if (name.as_string() == "number")
      out.emplace("integer");
  };
  if (const auto* several = type.if_array())
    std::ranges::for_each(*several, take);
  else
    take(type);
  return out;
}

} // namespace

rules flattened(const schema_set& set, schema_place of, bool chosen, dice& d) {
  rules out;
  add(set, std::move(of), chosen, d, out);
  return out;
}

schema_place place_in(const rule& in, const json::value& subschema) {
  return {&subschema, protocol::validation::base_within(subschema, in.base)};
}

const json::value* find(const rules& all, std::string_view keyword) {
  for (const auto& one : all)
    if (const auto* value = one.schema->if_contains(keyword))
      return value;
  return nullptr;
}

std::optional<double> largest(const rules& all, std::string_view keyword) {
  return best(all, keyword, std::greater<>{});
}

std::optional<double> smallest(const rules& all, std::string_view keyword) {
  return best(all, keyword, std::less<>{});
}

std::vector<std::string> types_of(const rules& all) {
  std::set<std::string> out{"null",   "boolean", "integer", "number",
                            "string", "array",   "object"};
  for (const auto& one : all)
    if (const auto* type = one.schema->if_contains("type")) {
      const auto admitted = types_in(*type);
      std::erase_if(out, [&](const auto& name) {
        return admitted.count(name) == 0;
      });
    }
  return {out.begin(), out.end()};
}

bool admits(const rules& all, const std::string& name) {
  return std::ranges::all_of(all, [&](const rule& one) {
    const auto* others = one.schema->if_contains("additionalProperties");
    const auto* known = one.schema->if_contains("properties");
    return others == nullptr || *others != false
           || (known != nullptr && known->as_object().contains(name));
  });
}

bool holds(const json::object& condition, const json::object& object) {
  bool all = true;
  for (const auto& [keyword, value] : condition)
    if (keyword == "required")
      for (const auto& name : value.as_array())
        all = all && object.contains(name.as_string());
    else if (keyword == "not")
      all = all && !holds(value.as_object(), object);
    else if (keyword == "properties")
      for (const auto& [name, wanted] : value.as_object()) {
        const auto* is = object.if_contains(name);
        all = all && (is == nullptr || *is == wanted.at("const"));
      }
    else
      throw std::invalid_argument("no condition " + std::string{keyword});
  return all;
}

} // namespace convene::tests
