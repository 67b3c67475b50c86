#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/events/native_shapes.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

using namespace convene::protocol;

namespace {

std::string text_of_file(const std::string& name) {
  std::ifstream file{CONVENE_SOURCE_DIR + name};
  return {std::istreambuf_iterator<char>{file}, {}};
}

json::value native_schema() {
  return json::parse(text_of_file("/schemas/convene-native-event.schema.json"));
}

json::object native_definitions() {
  return native_schema().at("definitions").get_object();
}

/// Compares what events are described to have with what the schema says that
/// they have; collects where the two differ.
class comparison {
public:
  std::set<std::string> differences;

  void compare(const std::string& where,
               const std::vector<member_shape>& members,
               const json::value& schema) {
    const auto& in = resolve(schema).get_object();
    if (in.contains("$ref"))
      return;
    const auto& properties = object_of(in, "properties");
    for (const auto& [name, inner] : properties) {
      const auto found = std::ranges::find(members, std::string_view{name},
                                           &member_shape::name);
      const auto at = where + '.' + std::string{name};
      if (found == members.end())
        differences.insert(at + " is not described");
      else if (!found->optional && !is_required(in, name))
        differences.insert(at + " need not be there");
      else if (!found->members.empty())
        compare(at, found->members, within(inner));
    }
    for (const auto& one : members)
      if (!properties.contains(one.name))
        differences.insert(where + '.' + std::string{one.name}
                           + " is not in the schema");
  }

private:
  static bool is_required(const json::object& schema, std::string_view name) {
    const auto* required = schema.if_contains("required");
    return required != nullptr
           && std::ranges::any_of(required->get_array(), [&](const auto& one) {
                return one.get_string() == name;
              });
  }

  const json::value& resolve(const json::value& schema) const {
    const auto* ref = schema.get_object().if_contains("$ref");
    if (ref == nullptr)
      return schema;
    constexpr std::string_view local = "#/definitions/";
    const std::string name{ref->get_string()};
    // Others are schemas of the protocol, which have tests of their own.
    return name.starts_with(local) ? definitions_.at(name.substr(local.size()))
                                   : schema;
  }

  /// The object itself, or what each item of an array is.
  const json::value& within(const json::value& schema) const {
    const auto* items = resolve(schema).get_object().if_contains("items");
    return items != nullptr ? *items : resolve(schema);
  }

  json::object definitions_ = native_definitions();
};

} // namespace

TEST_CASE("events are described as the native schema has them") {
  const auto definitions = native_definitions();
  comparison all;
  for (const auto& shape : native_shapes()) {
    INFO(shape.type);
    REQUIRE(definitions.contains(shape.type));
    all.compare(std::string{shape.type}, find_shape(shape.type)->members,
                definitions.at(shape.type));
  }

  // The envelope of every MAP event may name roles, whether or not ours do.
  std::erase_if(all.differences, [](const std::string& one) {
    return one.starts_with("MAP")
           && (one.ends_with(".initiator_role is not described")
               || one.ends_with(".target_roles is not described"));
  });
  // The three changes of a claim have one struct.
  std::erase_if(all.differences, [](const std::string& one) {
    return one.starts_with("claim_") && one.ends_with(" is not in the schema");
  });
  // A check of its own, with a rule that says what it is about.
  all.differences.erase(
    "MAPSessionCompleted.payload.stop_reason is not described");
  CHECK(all.differences == std::set<std::string>{});
}

TEST_CASE("the native schema and docs/events.md have every event of the list") {
  std::set<std::string> listed;
  for (const auto& shape : native_shapes())
    listed.emplace(shape.type);
  std::set<std::string> in_schema;
  const auto schema = native_schema();
  for (const auto& one :
       schema.at_pointer("/properties/event_type/enum").get_array())
    in_schema.emplace(one.get_string());
  CHECK(in_schema == listed);
  std::set<std::string> chosen; // by the schema, by its event_type
  for (const auto& one : schema.at("allOf").get_array())
    chosen.emplace(
      one.at_pointer("/if/properties/event_type/const").get_string());
  CHECK(chosen == listed);

  // A row's first cell names one event or several.
  std::istringstream page{text_of_file("/docs/events.md")};
  std::set<std::string> in_page;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| ")) {
      std::istringstream cell{line.substr(2, line.find(" |", 2) - 2)};
      for (std::string name; std::getline(cell >> std::ws, name, ',');)
        if (listed.contains(name))
          in_page.insert(name);
    }
  CHECK(in_page == listed);
}
