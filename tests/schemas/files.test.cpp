#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/schemas/catalog.hpp>

#include <map>
#include <set>
#include <string>

namespace json = boost::json;
using namespace convene::schemas;

namespace {

bool is_schema(const embedded_file& file) {
  return file.path.ends_with(".schema.json");
}

const std::set<std::string_view> schemas_by_name{"properties", "definitions",
                                                 "$defs"};
const std::set<std::string_view> schemas_in_lists{"allOf", "anyOf", "oneOf"};
const std::set<std::string_view> single_schemas{"items", "not", "if", "then",
                                                "additionalProperties"};

/// Calls `visit` with every schema within `schema`, itself included.
template <class Visit>
void for_each_schema(const json::value& schema, Visit visit) {
  if (!schema.is_object())
    return; // additionalProperties: false
  visit(schema.get_object());
  for (const auto& [keyword, value] : schema.get_object()) {
    if (schemas_by_name.contains(keyword))
      for (const auto& member : value.as_object())
        for_each_schema(member.value(), visit);
    else if (schemas_in_lists.contains(keyword))
      for (const auto& item : value.as_array())
        for_each_schema(item, visit);
    else if (single_schemas.contains(keyword))
      for_each_schema(value, visit);
  }
}

/// The absolute form of a reference that stands in the schema with this id.
std::string resolve(std::string_view base, std::string_view reference) {
  if (reference.starts_with('#'))
    return std::string{base} + std::string{reference};
  if (reference.find(':') != std::string_view::npos)
    return std::string{reference};
  return std::string{base.substr(0, base.rfind('/') + 1)}
         + std::string{reference};
}

/// Whether a schema stands where an absolute reference points.
bool leads_to_schema(const std::string& target) {
  const auto hash = target.find('#');
  const auto* file = find(target.substr(0, hash));
  if (file == nullptr || file->id.empty())
    return false;
  const auto document = json::parse(file->text);
  boost::system::error_code missing;
  const auto* at = hash == std::string::npos
                     ? &document
                     : document.find_pointer(target.substr(hash + 1), missing);
  return at != nullptr && at->is_object();
}

} // namespace

TEST_CASE("Every file is JSON, every schema is draft-07 and says what it is") {
  for (const auto& file : all()) {
    INFO(file.path);
    const auto document = json::parse(file.text);
    CHECK(file.text.ends_with("\n"));
    if (!is_schema(file)) {
      CHECK(file.id.empty());
      continue;
    }
    CHECK(document.at("$schema").as_string()
          == "http://json-schema.org/draft-07/schema#");
    CHECK(document.at("$id").as_string() == file.id);
    CHECK_FALSE(document.at("title").as_string().empty());
    CHECK_FALSE(document.at("description").as_string().empty());
  }
}

TEST_CASE("The protocol's schemas carry its constant block") {
  const json::value block{{"protocolVersion", "1.0.0"},
                          {"frozen", true},
                          {"freezeDate", "2025-12-03"},
                          {"governance", "MPGC"}};
  for (const auto& file : all()) {
    INFO(file.path);
    const bool frozen = file.path.starts_with("v2/");
    const auto document = json::parse(file.text);
    const auto* found = document.is_object()
                          ? document.get_object().if_contains("x-mplp-meta")
                          : nullptr;
    CHECK((found != nullptr && *found == block) == frozen);
  }
}

TEST_CASE("Every reference leads to a schema") {
  std::size_t references = 0;
  for (const auto& file : all()) {
    if (!is_schema(file))
      continue;
    for_each_schema(json::parse(file.text), [&](const json::object& schema) {
      const auto* to = schema.if_contains("$ref");
      if (to == nullptr)
        return;
      ++references;
      const auto target = resolve(file.id, to->as_string());
      INFO(file.path << ": " << target);
      CHECK(leads_to_schema(target));
    });
  }
  CHECK(references > 143);
}

TEST_CASE("Every member that a schema requires is described") {
  for (const auto& file : all()) {
    if (!is_schema(file))
      continue;
    for_each_schema(json::parse(file.text), [&](const json::object& schema) {
      const auto* required = schema.if_contains("required");
      const auto* members = schema.if_contains("properties");
      if (required == nullptr || members == nullptr)
        return;
      for (const auto& name : required->as_array()) {
        INFO(file.path << ": " << name);
        CHECK(members->as_object().contains(name.as_string()));
      }
    });
  }
}

TEST_CASE("Invariants have ids of their own and all their members") {
  const std::map<std::string_view, std::size_t> counts{
    {"sa", 9},        {"map", 9},   {"observability", 12}, {"integration", 19},
    {"learning", 12}, {"seed", 19}, {"golden", 16}};
  std::set<std::string> ids;
  std::size_t files = 0;
  for (const auto& file : all()) {
    if (!file.path.starts_with("invariants/"))
      continue;
    ++files;
    INFO(file.path);
    const auto list = json::parse(file.text);
    CHECK(list.as_array().size() == counts.at(short_name(file)));
    for (const auto& item : list.get_array()) {
      const auto& rule = item.as_object();
      INFO(rule);
      CHECK(rule.size() == (rule.contains("level") ? 8 : 7));
      CHECK(ids.insert(std::string{rule.at("id").as_string()}).second);
      CHECK_FALSE(rule.at("scope").as_string().empty());
      CHECK((rule.at("path").is_string() || rule.at("rule").is_null()));
      CHECK((rule.at("rule").is_string() || rule.at("rule").is_null()));
      CHECK((rule.at("when").is_object() || rule.at("when").is_null()));
      CHECK_FALSE(rule.at("description").as_string().empty());
      CHECK_FALSE(rule.at("demanded_by").as_array().empty());
    }
  }
  CHECK(files == counts.size());
}

TEST_CASE("The taxonomy's families are those of the event schema") {
  const auto core = json::parse(find("mplp-event-core")->text);
  std::set<std::string> known;
  for (const auto& word :
       core.at("properties").at("event_family").at("enum").as_array())
    known.emplace(word.as_string());
  std::set<std::string> families;
  const auto taxonomy = json::parse(find("event-families")->text);
  for (const auto& family : taxonomy.as_array())
    families.emplace(family.at("family").as_string());
  CHECK(families == known);
  const auto matrix = json::parse(find("module-event-matrix")->text);
  CHECK(matrix.as_array().size() == 10);
  for (const auto& module : matrix.get_array()) {
    CHECK(find(module.at("module").as_string()) != nullptr);
    for (auto part : {"primary", "secondary"})
      for (const auto& group : module.at(part).as_array()) {
        INFO(group);
        CHECK(known.contains(std::string{group.at("family").as_string()}));
        CHECK_FALSE(group.at("event_types").as_array().empty());
      }
  }
}
