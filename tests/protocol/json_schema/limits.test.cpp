#include "documents.hpp"
#include "routes.hpp"

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

TEST_CASE("a million members take a step each, whatever is asked of them") {
  constexpr std::size_t count = 1'000'000;
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i)
    text += "\"m" + std::to_string(i) + "\":0,";
  text += "\"last\":0}";
  for (auto schema :
       {R"({"additionalProperties": {"type": "integer"}, "required": ["last"],
            "maxProperties": 1000001})",
        R"({"properties": {"last": {"const": 1}}})",
        R"({"patternProperties": {"^m": {"minimum": 0}}})"}) {
    INFO(schema);
    const auto made = compiled(schema);
    const auto out = by_both_routes(made, text, {.steps_max = 3 * count});
    CHECK(out.disagreement.empty());
    CHECK(out.refused.empty());
    CHECK(out.outcome.limit == validation_limit::none);
    CHECK(out.outcome.violations.size() == (out.outcome.valid ? 0 : 1));
  }
  const auto closed = by_both_routes(compiled(R"({"additionalProperties":
    false})"),
                                     text, {.steps_max = 3 * count});
  CHECK(closed.outcome.violations.size() == 20);
  CHECK(closed.outcome.truncated);
}

TEST_CASE("100,000 levels are an error of the parser") {
  for (auto [open, close] : {std::pair{"[", "]"}, {R"({"a":)", "}"}}) {
    const auto text = repeated(open, 100'000) + "1" + repeated(close, 100'000);
    const auto out = by_both_routes(compiled("true"), text);
    CHECK(out.refused == "depth");
    CHECK(out.disagreement.empty());
  }
}

TEST_CASE("long texts cost steps for each time that they are read") {
  constexpr std::size_t size = 1'000'000;
  const auto text = '"' + std::string(size, 'a') + '"';
  for (auto schema : {R"({"pattern": "a$"})", R"({"minLength": 1000001})",
                      R"({"format": "email"})", R"({"format": "uri"})",
                      R"({"enum": ["b"]})", R"({"const": "b"})"}) {
    INFO(schema);
    const auto made = compiled(schema);
    CHECK(validated(made, text, {.steps_max = 2 * size}).limit
          == validation_limit::none);
  }
  json::array patterns;
  for (int i = 0; i < 200; ++i)
    patterns.push_back(json::object{{"pattern", std::to_string(i)}});
  const auto many
    = compiled(json::serialize(json::object{{"anyOf", patterns}}));
  CHECK(validated(many, text, {.steps_max = size}).limit
        == validation_limit::steps);
  const auto names = compiled(R"({"patternProperties": {"b": false}})");
  const auto named = "{" + text + ": 1}";
  CHECK(validated(names, named, {.steps_max = size}).valid);
  CHECK(validated(names, named, {.steps_max = 100}).limit
        == validation_limit::steps);
  const auto unique = compiled(R"({"uniqueItems": true})");
  const auto twice = "[" + text + "," + text + "]";
  CHECK(validated(unique, twice, {.steps_max = 100}).limit
        == validation_limit::steps);
  CHECK(validated(unique, twice, {.steps_max = size}).violations.size() == 1);
}

TEST_CASE("a walk that runs out of steps while it describes invents nothing") {
  // The verdict takes few steps, the description of both branches more.
  const auto schema = compiled(R"({"anyOf": [
    {"items": {"type": "string"}, "minItems": 1},
    {"items": {"anyOf": [{"const": 1}, {"const": 2}]}}]})");
  const auto document = "[" + repeated("2,", 50) + "3]";
  const auto all = validated(schema, document, {.violations_max = 1'000});
  for (std::uint64_t steps = 1; steps < 600; ++steps) {
    INFO(steps);
    const auto out = validated(schema, document,
                               {.violations_max = 1'000, .steps_max = steps});
    CHECK_FALSE(out.valid);
    CHECK((out.limit != validation_limit::none || out.truncated
           || out.violations == all.violations));
    CHECK(std::ranges::all_of(out.violations, [&](const violation& one) {
      return std::ranges::find(all.violations, one) != all.violations.end();
    }));
  }
}
