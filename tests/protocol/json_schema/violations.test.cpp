#include "documents.hpp"

#include <tuple>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

TEST_CASE("a violation names its place, its way through the schema and why") {
  const auto out = validated(R"({
    "properties": {"roles": {"items": {"$ref": "#/$defs/role"}}},
    "$defs": {"role": {"type": "string", "minLength": 2}}
  })",
                             R"({"roles": ["planner", "x", 7]})");
  REQUIRE(out.violations.size() == 2);
  CHECK(out.violations[0]
        == violation{"/roles/1", "/properties/roles/items/$ref/minLength",
                     "minLength", "at least 2 characters", "\"x\"",
                     "/roles/1: expected at least 2 characters, found \"x\" "
                     "(minLength)"});
  CHECK(out.violations[1]
        == violation{"/roles/2", "/properties/roles/items/$ref/type", "type",
                     "string", "7",
                     "/roles/2: expected string, found 7 (type)"});
}

TEST_CASE("every keyword describes its violation") {
  using row = std::tuple<const char*, const char*, const char*, const char*>;
  const auto [schema, document, keyword, expected]
    = GENERATE(table<const char*, const char*, const char*, const char*>({
      row{R"({"type": ["null", "number"]})", R"("a")", "type",
          "null or number"},
      row{R"({"type": "integer"})", "1.5", "type", "integer"},
      row{R"({"enum": ["a", "b"]})", R"("c")", "enum", R"(one of "a", "b")"},
      row{R"({"enum": [1, null]})", "2", "enum", "one of 1, null"},
      row{R"({"const": {"a": 1}})", R"({"a": 2})", "const",
          "an object of 1 member"},
      row{R"({"minimum": 3})", "2", "minimum", "at least 3"},
      row{R"({"maximum": 3})", "4", "maximum", "at most 3"},
      row{R"({"exclusiveMinimum": 3})", "3", "exclusiveMinimum", "more than 3"},
      row{R"({"exclusiveMaximum": 3})", "3", "exclusiveMaximum", "less than 3"},
      row{R"({"multipleOf": 3})", "4", "multipleOf", "a multiple of 3"},
      row{R"({"minLength": 1})", R"("")", "minLength", "at least 1 character"},
      row{R"({"maxLength": 1})", R"("äö")", "maxLength", "at most 1 character"},
      row{R"({"pattern": "^a"})", R"("b")", "pattern", "a match of ^a"},
      row{R"({"format": "uuid"})", R"("b")", "format", "the format uuid"},
      row{R"({"minItems": 1})", "[]", "minItems", "at least 1 item"},
      row{R"({"maxItems": 1})", "[1, 2]", "maxItems", "at most 1 item"},
      row{R"({"uniqueItems": true})", "[1, 2, 1.0]", "uniqueItems",
          "items that differ"},
      row{R"({"contains": {"const": 1}})", "[2]", "contains",
          "an item that matches the schema"},
      row{R"({"minProperties": 1})", "{}", "minProperties",
          "at least 1 member"},
      row{R"({"maxProperties": 0})", R"({"a": 1})", "maxProperties",
          "at most 0 members"},
      row{R"({"required": ["a"]})", "{}", "required", R"(member "a")"},
      row{R"({"additionalProperties": false})", R"({"a": 1})",
          "additionalProperties", R"(no member "a")"},
      row{R"({"dependencies": {"a": ["b"]}})", R"({"a": 1})", "dependencies",
          R"(member "b" beside "a")"},
      row{R"({"propertyNames": {"maxLength": 1}})", R"({"ab": 1})", "maxLength",
          "at most 1 character"},
      row{R"({"not": {}})", "1", "not", "no match of the schema"},
      row{R"({"anyOf": [false]})", "1", "anyOf", "a match of one of 1 schema"},
      row{R"({"oneOf": [true, {}]})", "1", "oneOf",
          "a match of exactly one of 2 schemas"},
      row{R"({"if": {}, "then": {"const": 2}})", "1", "const", "2"},
      row{"false", "1", "false", "nothing"},
    }));
  INFO(schema << " " << document);
  const auto out = validated(schema, document);
  REQUIRE_FALSE(out.valid);
  REQUIRE(out.violations.size() == 1);
  CHECK(out.violations[0].keyword == keyword);
  CHECK(out.violations[0].expected == expected);
}

TEST_CASE("a member that is not allowed is told without its value") {
  const auto out
    = validated(R"({"properties": {"rounds": {}, "api_key_env": {}},
                                 "additionalProperties": false})",
                R"({"round": 1, "api_key": "sk-123"})");
  REQUIRE(out.violations.size() == 2);
  CHECK(out.violations[0].text
        == "/round: unknown member (did you mean \"rounds\"?)");
  CHECK(out.violations[1].instance_pointer == "/api_key");
  CHECK(out.violations[1].actual == "string");
  CHECK_THAT(out.violations[1].text,
             Catch::Contains("api_key_env") && !Catch::Contains("sk-123"));
}

TEST_CASE("a text in the place of a list of texts is shown as one") {
  const auto expected_of = [](const char* items) {
    const auto out
      = validated(R"({"type": "array", "items": )" + std::string{items} + '}',
                  R"("python3 x.py")");
    return out.violations.empty() ? "" : out.violations[0].expected;
  };
  CHECK(expected_of(R"({"type": "string"})")
        == R"(array, such as ["python3", "x.py"])");
  CHECK(expected_of(R"({"type": "object"})") == "array");
}

TEST_CASE("a word that is none of a list is told with the nearest one") {
  const auto out = validated(
    R"({"enum": ["a", "b", "c", "d", "e", "f", "g", "llm"]})", R"("lmm")");
  REQUIRE(out.violations.size() == 1);
  CHECK(out.violations[0].expected
        == R"(one of "a", "b", "c", "d", "e", "f", "g", "llm")"
           R"( (did you mean "llm"?))");
}

TEST_CASE("a failed anyOf says what is wrong with branches of the same type") {
  const auto out = validated(
    R"({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 5}]})",
    "3");
  REQUIRE(out.violations.size() == 2);
  CHECK(out.violations[0].schema_pointer == "/anyOf");
  CHECK(out.violations[1].schema_pointer == "/anyOf/1/minimum");
}

TEST_CASE("pointers are escaped") {
  const auto out = validated(R"({"properties": {"a/b~": {"type": "null"}}})",
                             R"({"a/b~": 1})");
  REQUIRE(out.violations.size() == 1);
  CHECK(out.violations[0].instance_pointer == "/a~1b~0");
  CHECK(out.violations[0].schema_pointer == "/properties/a~1b~0/type");
}

TEST_CASE("violations are bounded, and say so") {
  const auto schema = compiled(R"({"items": {"type": "string"}})");
  const std::string_view document = "[1, 2, 3, 4, 5]";
  const auto three = validated(schema, document, {.violations_max = 3});
  CHECK(three.violations.size() == 3);
  CHECK(three.truncated);
  const auto all = validated(schema, document);
  CHECK(all.violations.size() == 5);
  CHECK_FALSE(all.truncated);
  const auto none = validated(schema, document, {.violations_max = 0});
  CHECK_FALSE(none.valid);
  CHECK(none.violations.empty());
}

TEST_CASE("all that is missing or too much is found in one go") {
  const auto out = validated(R"({"properties": {"a": {"type": "string"}},
                    "required": ["a", "b", "c"],
                    "additionalProperties": false})",
                             R"({"a": 1, "d": 2})");
  REQUIRE(out.violations.size() == 4);
  CHECK(out.violations[0].instance_pointer == "/a");
  CHECK(out.violations[1].instance_pointer == "/d");
  CHECK(out.violations[2].expected == "member \"b\"");
  CHECK(out.violations[3].expected == "member \"c\"");
}

TEST_CASE("more than a word of members can be required") {
  json::array required;
  json::object document;
  for (int i = 0; i < 200; ++i) {
    required.emplace_back("name" + std::to_string(i));
    document.emplace("name" + std::to_string(i), i);
  }
  const auto schema
    = compiled(json::serialize(json::object{{"required", required}}));
  CHECK(validated(schema, json::serialize(document)).valid);
  document.erase("name177");
  const auto out = validated(schema, json::serialize(document));
  REQUIRE(out.violations.size() == 1);
  CHECK(out.violations[0].expected == "member \"name177\"");
}
