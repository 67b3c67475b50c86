#include <boost/json/serialize.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/conversation/turn_schema.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/subschemas.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/text/format.hpp>
#include <convene/protocol/text/uri.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

namespace convene::protocol {
namespace {

constexpr std::string_view schema_uri = "urn:convene:turn-schema";

enum class dialect : std::uint8_t { draft_07, draft_2020_12 };

std::optional<dialect> dialect_of(const json::value& schema_member) {
  const auto* const uri = schema_member.if_string();
  if (uri == nullptr)
    return std::nullopt;
  const auto [resource, fragment] = validation::split_fragment(*uri);
  if (fragment.empty() && resource == "http://json-schema.org/draft-07/schema")
    return dialect::draft_07;
  if (fragment.empty()
      && resource == "https://json-schema.org/draft/2020-12/schema")
    return dialect::draft_2020_12;
  return std::nullopt;
}

/// Where schemas stand in a schema: as the keyword's value, in its list (which
/// `items` has, too) or under names.
constexpr auto single = std::to_array<std::string_view>(
  {"additionalItems", "additionalProperties", "contains", "else", "if", "items",
   "not", "propertyNames", "then"});
constexpr auto listed
  = std::to_array<std::string_view>({"allOf", "anyOf", "items", "oneOf"});
constexpr auto named = std::to_array<std::string_view>(
  {"$defs", "definitions", "dependencies", "patternProperties", "properties"});

/// What else asks for something; beside a `$ref` it would count for nothing.
constexpr auto plain = std::to_array<std::string_view>(
  {"$id", "const", "enum", "exclusiveMaximum", "exclusiveMinimum", "format",
   "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
   "minProperties", "minimum", "multipleOf", "pattern", "required", "type",
   "uniqueItems"});

/// What asks for nothing.
constexpr auto annotations = std::to_array<std::string_view>(
  {"$comment", "$ref", "$schema", "default", "deprecated", "description",
   "examples", "readOnly", "title", "writeOnly"});

/// Annotations in 2020-12, which a validator of draft-07 may check.
constexpr auto content = std::to_array<std::string_view>(
  {"contentEncoding", "contentMediaType", "contentSchema"});

bool is_among(std::span<const std::string_view> all, std::string_view keyword) {
  return std::ranges::find(all, keyword) != all.end();
}

bool asks_for_something(std::string_view keyword) {
  return is_among(plain, keyword) || is_among(single, keyword)
         || is_among(listed, keyword) || keyword == "patternProperties"
         || keyword == "properties" || keyword == "dependencies";
}

bool asks_for_nothing(std::string_view keyword) {
  return is_among(annotations, keyword) || is_among(content, keyword)
         || keyword == "$defs" || keyword == "definitions"
         || keyword.starts_with("x-");
}

/// What 2020-12 gives another meaning, or none, than draft-07.
bool has_another_meaning(std::string_view keyword, const json::value& value) {
  return keyword == "additionalItems" || keyword == "dependencies"
         || (keyword == "items" && value.is_array());
}

/// Finds what the validator would ignore, in a schema and all inside it; as
/// deep as a schema set takes a schema. What is looked at are the places where
/// schemas stand, so a reference may lead to no other; which they are is known
/// after a first visit, and a second one looks at the references.
class keyword_check {
public:
  explicit keyword_check(const schema_set& all) : all_{all} {}

  result<void> run() {
    const auto root = all_.find(schema_uri, "");
    if (!root)
      return fail(root.error());
    if (const auto* object = root->schema->if_object())
      if (const auto* named = object->if_contains("$schema"))
        dialect_ = dialect_of(*named).value_or(dialect::draft_07);
    reading r;
    for (const bool again : {false, true}) {
      checks_references_ = again;
      if (!visit(r, *root->schema, root->base, place{}))
        break;
    }
    if (r.fault)
      return fail(*std::move(r.fault));
    return {};
  }

private:
  static bool ignored(reading& r, const place& at, const json::value& value,
                      std::string_view rule, std::string message) {
    return r.refuse(at, rule, std::move(message), shorten_value(value),
                    errc::unsupported);
  }

  bool judge(reading& r, const place& at, const json::value& value,
             bool beside_reference) const {
    const auto keyword = at.name;
    if (!asks_for_something(keyword) && !asks_for_nothing(keyword))
      return ignored(r, at, value, "schema_keyword",
                     "convene does not check this keyword: leave it out, or "
                     "write what it asks for in draft-07");
    if (beside_reference && asks_for_something(keyword))
      return ignored(r, at, value, "schema_keyword",
                     "beside $ref this counts for nothing: put both into "
                     "allOf");
    if (keyword == "$schema" && dialect_of(value) != dialect_)
      return ignored(r, at, value, "schema_dialect",
                     "a conversation's schema is of draft-07 or 2020-12, and "
                     "all inside it of the same, draft-07 if it does not say");
    if (dialect_ == dialect::draft_2020_12
        && has_another_meaning(keyword, value))
      return ignored(r, at, value, "schema_keyword",
                     "2020-12 means something else by this: name draft-07 in "
                     "$schema, or leave it out");
    if (dialect_ == dialect::draft_07 && is_among(content, keyword))
      return ignored(r, at, value, "schema_keyword",
                     "in draft-07 this may be checked, which convene does not: "
                     "name 2020-12 in $schema, or leave it out");
    const auto* const text = value.if_string();
    if (keyword == "format" && text
        && (validation::find_format(*text) == nullptr || *text == "regex"))
      return ignored(r, at, value, "schema_format",
                     "convene does not check this format");
    return true;
  }

  /// `base` is that of the schema's own references.
  bool visit(reading& r, const json::value& schema, // NOLINT(misc-no-recursion)
             const std::string& base, const place& at) {
    visited_.insert(&schema);
    const auto* const object = schema.if_object();
    if (object == nullptr)
      return true;
    const bool refers = object->contains("$ref");
    for (const auto& [keyword, value] : *object) {
      const place here{&at, keyword, {}};
      if (!judge(r, here, value, refers) || !visit_inside(r, value, base, here))
        return false;
      if (keyword == "$ref" && !leads_to_schema(r, value, base, here))
        return false;
    }
    return true;
  }

  bool visit_inside(reading& r, // NOLINT(misc-no-recursion)
                    const json::value& value, const std::string& base,
                    const place& at) {
    const auto go = [&](const json::value& inner, const place& here) {
      return validation::id_of(inner) == nullptr
               ? visit(r, inner, base, here)
               : visit(r, inner, validation::base_within(inner, base), here);
    };
    const auto* const list = value.if_array();
    if (list != nullptr && is_among(listed, at.name)) {
      for (std::size_t i = 0; i < list->size(); ++i)
        if (!go((*list)[i], place{&at, {}, i}))
          return false;
      return true;
    }
    if (const auto* members = value.if_object();
        members != nullptr && is_among(named, at.name)) {
      for (const auto& [name, inner] : *members)
        if (!go(inner, place{&at, name, {}}))
          return false;
      return true;
    }
    return !is_among(single, at.name) || go(value, at);
  }

  /// What leads nowhere is for `compile` to refuse.
  bool leads_to_schema(reading& r, const json::value& reference,
                       const std::string& base, const place& at) const {
    if (!checks_references_ || !reference.is_string())
      return true;
    const auto found = all_.find(base, reference.get_string());
    return !found || visited_.contains(found->schema)
           || ignored(r, at, reference, "schema_reference",
                      "a reference leads to a place inside the schema where a "
                      "schema stands, such as #/$defs/name");
  }

  const schema_set& all_;
  dialect dialect_ = dialect::draft_07;
  bool checks_references_ = false;
  std::unordered_set<const json::value*> visited_;
};

/// Our name for the schema is nobody's file.
tl::unexpected<error> of_schema(error what) {
  what.file.clear();
  return fail(std::move(what));
}

} // namespace

result<turn_schema> turn_schema::make(const json::object& schema) {
  if (const auto bytes = json::serialize(schema).size();
      bytes > turn_schema_bytes_max)
    return fail({.code = errc::limit_reached,
                 .message = "the schema of a conversation has at most "
                            + std::to_string(turn_schema_bytes_max) + " bytes",
                 .rule = "turn_schema_bytes_max",
                 .value = std::to_string(bytes)});
  schema_set all;
  if (auto added = all.add(schema_uri, schema); !added)
    return of_schema(std::move(added).error());
  if (auto known = keyword_check{all}.run(); !known)
    return of_schema(std::move(known).error());
  auto code = compile(all, schema_uri,
                      {.nodes_max = turn_schema_nodes_max,
                       .patterns_max = turn_schema_patterns_max,
                       .cost_max = turn_schema_cost_max});
  if (!code)
    return of_schema(std::move(code).error());
  return turn_schema{*std::move(code)};
}

result<void> turn_schema::check(const json::value& content,
                                std::string_view pointer) const {
  const auto found = validate(
    code_, content, {.violations_max = 1, .steps_max = turn_schema_steps_max});
  if (found.valid)
    return {};
  if (found.limit != validation_limit::none)
    return fail({.code = errc::limit_reached,
                 .message = "what the turn says takes too long to check "
                            "against the conversation's schema",
                 .pointer = std::string{pointer},
                 .rule = "turn_schema_steps_max"});
  error wrong{.code = errc::invalid_document,
              .message = "what the turn says does not match the "
                         "conversation's schema",
              .pointer = std::string{pointer},
              .rule = "turn_schema"};
  if (!found.violations.empty()) {
    const auto& first = found.violations.front();
    wrong.message += ": " + first.text;
    wrong.pointer += first.instance_pointer;
    wrong.value = first.actual;
  }
  return fail(std::move(wrong));
}

} // namespace convene::protocol
