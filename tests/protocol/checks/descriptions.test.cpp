#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/event_shape_table.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace convene::protocol;

namespace {

json::object native_definitions() {
  std::ifstream file{CONVENE_SOURCE_DIR
                     "/schemas/convene-native-event.schema.json"};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return json::parse(text).at("definitions").get_object();
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
  std::size_t types = 0;
  for (const auto& [name, schema] : definitions)
    if (const auto* shape = find_shape(name)) {
      ++types;
      all.compare(std::string{name}, shape->members, schema);
    }
  CHECK(types == 34);

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
