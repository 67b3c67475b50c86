#include <boost/json/serialize.hpp>
#include <convene/schemas/catalog.hpp>
#include <protocol/values/shape.hpp>

#include <set>
#include <stdexcept>

namespace convene::protocol {
namespace {

/// The schemas that a value must all satisfy: `$ref` and `allOf` resolved.
using branches = std::vector<schema_place>;

std::string text(const json::value& value) {
  return std::string{value.as_string()};
}

/// A keyword that is either written as a keyword or says nothing here.
void expect_known(const json::object& schema) {
  static const std::set<std::string_view> known{
    "type",     "properties",  "additionalProperties",
    "required", "enum",        "const",
    "pattern",  "format",      "minLength",
    "minItems", "minimum",     "maximum",
    "items",    "uniqueItems", "anyOf",
    "allOf",    "$ref",        "$id",
    "$schema",  "$defs",       "definitions",
    "title",    "description", "x-mplp-meta",
    "$comment", "examples"};
  for (const auto& [name, value] : schema)
    if (!known.contains(name))
      throw std::runtime_error{"unknown keyword " + std::string{name}};
}

class walker {
public:
  walker(const schema_set& all, value_shape& to) : all_{all}, to_{to} {
    // nop
  }

  void resolve(const schema_place& at, branches& into) const {
    const auto& schema = at.schema->as_object();
    expect_known(schema);
    if (const auto* ref = schema.if_contains("$ref")) {
      resolve(all_.find(at.base, text(*ref)).value(), into);
      return; // what stands beside a reference does not count
    }
    into.push_back(at);
    if (const auto* parts = schema.if_contains("allOf"))
      for (const auto& part : parts->as_array())
        resolve({&part, at.base}, into);
  }

  void walk(const branches& all, const std::string& path, bool required) {
    to_[path] = (required ? "required " : "") + spec_of(all);
    std::map<std::string, branches> members;
    std::set<std::string> demanded;
    branches items;
    for (const auto& at : all) {
      const auto& schema = at.schema->as_object();
      if (const auto* properties = schema.if_contains("properties"))
        for (const auto& [name, inside] : properties->as_object())
          resolve({&inside, at.base}, members[name]);
      if (const auto* names = schema.if_contains("required"))
        for (const auto& name : names->as_array())
          demanded.insert(text(name));
      if (const auto* inside = schema.if_contains("items"))
        resolve({inside, at.base}, items);
    }
    for (const auto& [name, inside] : members)
      walk(inside, path + '.' + name, demanded.contains(name));
    if (!items.empty())
      walk(items, path + "[]", false);
  }

private:
  static std::string spec_of(const branches& all) {
    std::string type;
    std::string constant;
    std::string words;
    std::string rules;
    bool closed = false;
    for (const auto& at : all) {
      const auto& schema = at.schema->as_object();
      const auto rule = [&](const char* name) {
        if (const auto* value = schema.if_contains(name))
          rules += ' ' + std::string{name} + ' '
                   + (value->is_string() ? text(*value)
                                         : json::serialize(*value));
      };
      if (const auto* is = schema.if_contains("type"))
        type = text(*is);
      if (const auto* is = schema.if_contains("const"))
        constant = text(*is);
      if (const auto* is = schema.if_contains("anyOf")) {
        const auto written = json::serialize(is->at(0).at("type"))
                             + json::serialize(is->at(1).at("type"));
        if (written != R"("object""null")")
          throw std::runtime_error{"unknown anyOf"};
        return "object or null";
      }
      if (const auto* is = schema.if_contains("enum")) {
        words = " enum ";
        for (const auto& word : is->as_array())
          words += (words.size() > 6 ? "|" : "") + text(word);
      }
      for (const auto* name :
           {"pattern", "format", "minLength", "minItems", "minimum", "maximum"})
        rule(name);
      if (const auto* is = schema.if_contains("uniqueItems");
          is && is->as_bool())
        rules += " uniqueItems";
      const auto* more = schema.if_contains("additionalProperties");
      closed = closed || (more && !more->as_bool());
    }
    if (!constant.empty())
      return "const " + constant;
    if (type == "object")
      type += closed ? " closed" : " open";
    return type + words + rules;
  }

  const schema_set& all_;
  value_shape& to_;
};

} // namespace

std::string bound(std::string_view name, std::int64_t value,
                  std::int64_t absent) {
  if (value == absent)
    return "";
  return ' ' + std::string{name} + ' ' + std::to_string(value);
}

std::string text_rule(const constraint& rule) {
  static const std::map<std::string_view, std::string> rules{
    {not_empty.wanted, " minLength 1"},
    {identifier.wanted, " pattern ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]"
                        "[0-9a-f]{3}-[0-9a-f]{12}$"},
    {version.wanted, R"( pattern ^[0-9]+\.[0-9]+\.[0-9]+$)"},
    {semantic_version.wanted,
     R"( pattern ^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*))"
     R"((?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))"
     R"((?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?)"
     R"((?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$)"},
    {event_type.wanted, R"( pattern ^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)*$)"},
    {date_time.wanted, " format date-time"},
    {any_uuid.wanted, " format uuid"},
    {email.wanted, " format email"},
    {uri.wanted, " format uri"},
    {duties.wanted, " enum coordination|error-handling|event-bus|"
                    "learning-feedback|observability|orchestration|performance|"
                    "protocol-versioning|security|state-sync|transaction"}};
  return rule.holds ? rules.at(rule.wanted) : "";
}

std::string word_rule(std::span<const std::string_view> words) {
  std::string made;
  for (auto word : words)
    made += (made.empty() ? " enum " : "|") + std::string{word};
  return made;
}

value_shape shape_of(const schema_set& schemas, const schema_place& schema) {
  value_shape made;
  walker walk{schemas, made};
  branches root;
  walk.resolve(schema, root);
  walk.walk(root, "$", false);
  return made;
}

const schema_set& embedded_schemas() {
  static const auto all = [] {
    schema_set set;
    for (const auto& file : schemas::all())
      if (!file.id.empty())
        if (auto added = set.add_text({}, file.text); !added)
          throw std::runtime_error{to_string(added.error())};
    return set;
  }();
  return all;
}

} // namespace convene::protocol
