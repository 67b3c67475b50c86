#include <catch2/catch.hpp>
#include <convene/schemas/catalog.hpp>
#include <protocol/values/shape.hpp>

#include <set>

using namespace convene;
using namespace convene::protocol;

namespace {

value_shape shape_of_schema(std::string_view name) {
  const auto* file = schemas::find(name);
  REQUIRE(file != nullptr);
  const auto& all = embedded_schemas();
  return shape_of(all, all.find({}, file->id).value());
}

/// The lines in which two shapes differ.
std::string difference(const value_shape& value, const value_shape& schema) {
  std::string text;
  const auto list = [&](const char* side, const value_shape& from,
                        const value_shape& to) {
    for (const auto& [path, spec] : from)
      if (const auto found = to.find(path);
          found == to.end() || found->second != spec)
        text += std::string{side} + ' ' + path + ": " + spec + '\n';
  };
  list("value ", value, schema);
  list("schema", schema, value);
  return text;
}

} // namespace

TEST_CASE("a type has every member of its schema, of the same type and rules") {
  for_each_type([]<class T>(std::string_view name) {
    auto expected = shape_of_schema(name);
    if (name == "mplp-map-event") { // what the native form adds
      expected["$.event_type"] += "|MAPHandoffInitiated";
      expected["$.event_family"] = "string" + word_rule(words_of<map_family>);
    }
    INFO(name << '\n' << difference(shape_of<T>(), expected));
    CHECK(shape_of<T>() == expected);
  });
}

TEST_CASE("a reference to a module object is as the common types say") {
  const auto& all = embedded_schemas();
  const auto schema = all.find(schemas::find("common-types")->id,
                               "#/definitions/Ref");
  CHECK(shape_of<module_ref>() == shape_of(all, schema.value()));
}

TEST_CASE("no schema of the protocol is without a type") {
  std::set<std::string_view> without;
  for (const auto& file : schemas::all())
    if (file.path.starts_with("v2/") && !file.id.empty())
      without.insert(schemas::name(file));
  CHECK(without.size() == 29);
  for_each_type([&]<class T>(std::string_view name) { without.erase(name); });
  // An identifier is text with a rule; the others are compared above.
  CHECK(without == std::set<std::string_view>{"common-types", "identifiers"});
}
