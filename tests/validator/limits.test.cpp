#include "documents.hpp"

#include <boost/json/monotonic_resource.hpp>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += text;
  return out;
}

/// Nested arrays, deeper than any parser's default allows.
validation_outcome validated_deep(const compiled_schema& schema,
                                  std::size_t depth) {
  const auto text = repeated("[", depth) + repeated("]", depth);
  simdjson::dom::parser parser;
  REQUIRE_FALSE(parser.allocate(text.size(), depth + 1));
  const simdjson::padded_string padded{text};
  const simdjson::dom::element element = parser.parse(padded);
  return validate(schema, element);
}

/// `a` applies `b` twice, which applies `c` twice, and so on.
std::string doubling_schema(int levels, std::string_view keyword) {
  json::object definitions;
  for (int i = 0; i < levels; ++i) {
    const json::value next{{"$ref", "#/definitions/" + std::to_string(i + 1)}};
    const json::value items{{"items", next}};
    const auto& one = keyword == "items" ? items : next;
    definitions[std::to_string(i)] = {{"allOf", json::array{one, one}}};
  }
  definitions[std::to_string(levels)] = true;
  return json::serialize(json::object{
    {"definitions", definitions},
    {"allOf", json::array{json::object{{"$ref", "#/definitions/0"}}}}});
}

} // namespace

TEST_CASE("a document that is too deep for a recursive schema is an error") {
  const auto array = compiled(R"({"items": {"$ref": "#"}})");
  const auto unique = compiled(R"({"uniqueItems": true})");
  const auto shallow = compiled(R"({"type": "array"})");
  for (std::size_t depth : {1'000U, 100'000U}) {
    CHECK(validated_deep(array, depth).limit == validation_limit::depth);
    CHECK_FALSE(validated_deep(array, depth).valid);
    CHECK(validated_deep(shallow, depth).valid);
  }
  CHECK(validated_deep(unique, 100'000).valid);
  CHECK(validated_deep(array, 150).valid);
  const auto pairs = compiled(R"({"enum": [[[[]]], 1]})");
  CHECK_FALSE(validated_deep(pairs, 100'000).valid);
  CHECK(validated_deep(pairs, 3).valid);
}

TEST_CASE("the deepest walk fits the stack, whatever it goes through") {
  std::string text = "1";
  for (int i = 0; i < 600; ++i)
    text = R"({"a": [)" + text + "]}";
  simdjson::dom::parser parser;
  REQUIRE_FALSE(parser.allocate(text.size(), 2'000));
  const simdjson::padded_string padded{text};
  const simdjson::dom::element element = parser.parse(padded);
  const auto schema = compiled(R"({"oneOf": [{"allOf": [{
    "if": {"type": ["object", "array"]},
    "then": {"patternProperties": {"a": {"$ref": "#"}},
             "contains": {"$ref": "#"}},
    "else": {"const": 2}}]}]})");
  CHECK(validate(schema, element).limit == validation_limit::depth);
  const auto describing
    = validate(compiled(R"({"properties": {"a": {"items": {"$ref": "#"}}},
                 "dependencies": {"a": {"required": ["b"]}}})"),
               element.at_pointer("/a/0/a/0/a/0").value(), {.depth_max = 900});
  CHECK(describing.limit == validation_limit::depth);
}

TEST_CASE("deep values that are compared are an error, not a crash") {
  const auto deep = repeated("[", 5'000) + repeated("]", 5'000);
  const auto text = "[" + deep + "," + deep + "]";
  simdjson::dom::parser parser;
  REQUIRE_FALSE(parser.allocate(text.size(), 5'002));
  const simdjson::padded_string padded{text};
  const simdjson::dom::element element = parser.parse(padded);
  const auto out = validate(compiled(R"({"uniqueItems": true})"), element);
  CHECK_FALSE(out.valid);
  CHECK(out.limit == validation_limit::depth);
}

TEST_CASE("references that come back to the same value do not compile") {
  for (auto schema :
       {R"({"$ref": "#"})", R"({"allOf": [{"$ref": "#"}]})",
        R"({"not": {"$ref": "#"}})", R"({"if": {"$ref": "#"}, "then": false})",
        R"({"dependencies": {"a": {"$ref": "#"}}})",
        R"({"$ref": "#/definitions/a",
            "definitions": {"a": {"anyOf": [{"$ref": "#/definitions/b"}]},
                            "b": {"oneOf": [{"$ref": "#/definitions/a"}]}}})"}) {
    INFO(schema);
    CHECK(refused(schema).rule == "ref_loop");
  }
}

TEST_CASE("schemas that double at every reference do not compile") {
  CHECK(refused(doubling_schema(100, "allOf")).rule == "schema_cost");
  CHECK(validated(compiled(doubling_schema(5, "allOf")), "1").valid);
}

TEST_CASE("a schema that doubles at every level of a document runs out of "
          "steps") {
  const auto schema = compiled(doubling_schema(60, "items"));
  const auto text = repeated("[", 50) + repeated("]", 50);
  simdjson::dom::parser parser;
  const simdjson::padded_string padded{text};
  const simdjson::dom::element element = parser.parse(padded);
  const auto out = validate(schema, element, {.steps_max = 100'000});
  CHECK_FALSE(out.valid);
  CHECK(out.limit == validation_limit::steps);
  CHECK(to_word(out.limit) == "steps");
}

TEST_CASE("running out of steps is no verdict, also under not and anyOf") {
  const auto items = "[" + repeated("1,", 500) + "1]";
  for (auto schema : {R"({"not": {"items": {"type": "string"}}})",
                      R"({"items": {"not": {"type": "string"}}})",
                      R"({"anyOf": [{"items": {"minimum": 0}}, {}]})",
                      R"({"not": {"uniqueItems": true}})"}) {
    const auto out = validated(schema, items, {.steps_max = 20});
    INFO(schema);
    const bool needs_few = out.valid && out.limit == validation_limit::none;
    CHECK((needs_few || out.limit == validation_limit::steps));
    CHECK(out.violations.empty());
  }
  CHECK(validated(R"({"items": {"not": {"type": "string"}}})", items,
                  {.steps_max = 20})
          .limit
        == validation_limit::steps);
}

TEST_CASE("the bounds on schemas have names") {
  CHECK(refused(R"({"items": {"items": {"items": {}}}})", {.nodes_max = 3}).rule
        == "schema_nodes");
  CHECK(
    refused(R"({"patternProperties": {"a": {}, "b": {}}})", {.patterns_max = 1})
      .rule
    == "schema_patterns");
  CHECK(refused(R"({"pattern": "abcdef"})", {.pattern_bytes_max = 5}).rule
        == "pattern_size");
  json::array required;
  for (int i = 0; i < 1'025; ++i)
    required.emplace_back(std::to_string(i));
  CHECK(refused(json::serialize(json::object{{"required", required}})).rule
        == "schema_required");
  // Memory that needs no destructors: Boost.JSON's recurse.
  json::monotonic_resource memory;
  schema_set set;
  json::value deep(true, &memory);
  for (int i = 0; i < 100'000; ++i) {
    json::object outer(&memory);
    outer.emplace("not", std::move(deep));
    deep = std::move(outer);
  }
  const auto added = set.add("deep", std::move(deep));
  REQUIRE_FALSE(added);
  CHECK(added.error().rule == "schema_depth");
}

TEST_CASE("large inputs take linear time") {
  const auto long_text = '"' + std::string(1'000'000, 'a') + '"';
  CHECK(validated(R"({"maxLength": 1000000})", long_text).valid);
  CHECK_FALSE(validated(R"({"maxLength": 999999})", long_text).valid);
  CHECK(validated(R"({"pattern": "^a*$"})", long_text).valid);

  const auto a = '"' + std::string(30'000, 'a');
  CHECK(validated(R"({"pattern": "^(a+)+$"})", a + '"').valid);
  CHECK_FALSE(validated(R"({"pattern": "^(a+)+$"})", a + "!\"").valid);

  std::string numbers = "[";
  for (int i = 0; i < 100'000; ++i)
    numbers += std::to_string(i) + ',';
  CHECK(validated(R"({"uniqueItems": true})", numbers + "-1]").valid);
  CHECK_FALSE(validated(R"({"uniqueItems": true})", numbers + "7.0]").valid);

  const auto objects = "[" + repeated(R"({"a": 1, "b": [2]},)", 10'000);
  CHECK_FALSE(
    validated(R"({"uniqueItems": true})", objects + R"({"b": [2]}])").valid);
}
