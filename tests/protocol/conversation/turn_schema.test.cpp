#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/conversation/turn_schema.hpp>
#include <protocol/conversation/samples.hpp>

#include <array>

using namespace convene::protocol;
using namespace convene::test;

namespace {

result<turn_schema> schema(const char* text) {
  return turn_schema::make(json::parse(text).as_object());
}

std::string nested(std::size_t levels) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i)
    text += R"({"not":)";
  return text + "true" + std::string(levels, '}');
}

} // namespace

TEST_CASE(
  "schemas of draft-07, and of 2020-12 what means the same, are taken") {
  const auto* const text = GENERATE(
    R"({})", R"({"$schema":"http://json-schema.org/draft-07/schema#"})",
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
        "$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}})",
    R"({"$id":"https://example.org/s","type":"object","required":["a"],
        "properties":{"unevaluatedItems":{"format":"uuid"},"$ref":true},
        "additionalProperties":false,"x-unit":"m","deprecated":true,
        "examples":[{"prefixItems":1}],"default":{"minContains":1},
        "const":{"$anchor":1},"enum":[{"dependentRequired":{}}]})",
    R"({"items":[{"type":"string"}],"additionalItems":false,
        "dependencies":{"a":["b"],"c":{"minProperties":2}},
        "if":{"contains":{}},"then":false,"else":{"patternProperties":{"^a":{}}}})",
    R"({"$id":"https://example.org/s","$defs":{"a":{"$id":"t","items":[true,
        {"type":"string"}],"dependencies":{"b":{"not":false}}},
        "c":{"$id":"#c","$schema":"http://json-schema.org/draft-07/schema"}},
        "allOf":[{"$ref":"t"},{"$ref":"#/$defs/a/items/1"},{"items":{"$ref":"#"}},
        {"$ref":"t#/items/0"},{"$ref":"t#/dependencies/b/not"},{"$ref":"#c"},
        {"properties":{"r":{"$ref":"s#/$defs/c"}}}]})");
  INFO(text);
  const auto made = schema(text);
  INFO((made ? "" : to_string(made.error())));
  CHECK(made);
}

TEST_CASE("what a schema asks for and nobody would check is refused") {
  const auto [text, rule, pointer]
    = GENERATE(table<const char*, const char*, const char*>({
      {R"({"prefixItems":[]})", "schema_keyword", "/prefixItems"},
      {R"({"unevaluatedProperties":false})", "schema_keyword",
       "/unevaluatedProperties"},
      {R"({"properties":{"a/b":{"minContains":1}}})", "schema_keyword",
       "/properties/a~1b/minContains"},
      {R"({"allOf":[{},{"dependentRequired":{}}]})", "schema_keyword",
       "/allOf/1/dependentRequired"},
      {R"({"items":[{"$dynamicRef":"#a"}]})", "schema_keyword",
       "/items/0/$dynamicRef"},
      {R"({"items":{"dependentSchemas":{}}})", "schema_keyword",
       "/items/dependentSchemas"},
      {R"({"$defs":{"unused":{"maxContains":1}}})", "schema_keyword",
       "/$defs/unused/maxContains"},
      {R"({"dependencies":{"a":{"$anchor":"x"}}})", "schema_keyword",
       "/dependencies/a/$anchor"},
      {R"({"not":{"if":{"requierd":["a"]}}})", "schema_keyword",
       "/not/if/requierd"},
      {R"({"$defs":{"a":{}},"$ref":"#/$defs/a","minLength":1})",
       "schema_keyword", "/minLength"},
      {R"({"$ref":"#/x-a","x-a":{"prefixItems":[],"requierd":["a"]}})",
       "schema_reference", "/$ref"},
      {R"({"items":{"$ref":"#/default"},"default":{"requierd":["a"]}})",
       "schema_reference", "/items/$ref"},
      {R"({"properties":{"a":{"$ref":"#/examples/0"}},"examples":[{}]})",
       "schema_reference", "/properties/a/$ref"},
      {R"({"not":{"$ref":"#/const"},"const":{"requierd":["a"]}})",
       "schema_reference", "/not/$ref"},
      {R"({"allOf":[{"$ref":"#/enum/0/a"}],"enum":[{"a":{"a":1}}]})",
       "schema_reference", "/allOf/0/$ref"},
      {R"({"$defs":{"a":{"$id":"https://example.org/a","x-b":{}},
          "c":{"$ref":"https://example.org/a#/x%2Db"}}})",
       "schema_reference", "/$defs/c/$ref"},
      {R"({"$defs":{"a":{"$id":"https://example.org/a","x-b":{},
          "not":{"$ref":"#/x-b"}}}})",
       "schema_reference", "/$defs/a/not/$ref"},
      {R"({"$ref":"http://json-schema.org/draft-07/schema#"})",
       "schema_reference", "/$ref"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
          "items":[{}]})",
       "schema_keyword", "/items"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
          "properties":{"a":{"additionalItems":false}}})",
       "schema_keyword", "/properties/a/additionalItems"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema#",
          "dependencies":{"a":["b"]}})",
       "schema_keyword", "/dependencies"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
          "not":{"$schema":"http://json-schema.org/draft-07/schema#"}})",
       "schema_dialect", "/not/$schema"},
      {R"({"not":{"$schema":"https://json-schema.org/draft/2020-12/schema"}})",
       "schema_dialect", "/not/$schema"},
      {R"({"$schema":"http://json-schema.org/draft-04/schema#"})",
       "schema_dialect", "/$schema"},
      {R"({"format":"duration"})", "schema_format", "/format"},
      {R"({"items":{"format":"regex"}})", "schema_format", "/items/format"},
      {R"({"minLength":-1})", "schema", "/minLength"},
      {R"({"$ref":"https://example.org/other"})", "unresolved_ref", "/$ref"},
      {R"_({"pattern":"a(?=b)"})_", "lookahead", "/pattern"},
    }));
  INFO(text);
  const auto refused = schema(text);
  REQUIRE_FALSE(refused);
  INFO(to_string(refused.error()));
  CHECK(refused.error().rule == rule);
  CHECK(refused.error().pointer == pointer);
  CHECK(refused.error().file.empty());
}

TEST_CASE("each keyword of draft-07 is taken, and looked into") {
  struct example {
    std::string_view keyword;
    std::string_view value; ///< @: a schema
    bool asks = true;       ///< for something, so not beside a $ref
  };
  static constexpr auto all = std::to_array<example>({
    {"$comment", R"("x")", false},
    {"$defs", R"({"a":@})", false},
    {"$id", R"("https://example.org/s")", true},
    {"$schema", R"("http://json-schema.org/draft-07/schema#")", false},
    {"additionalItems", "@", true},
    {"additionalProperties", "@", true},
    {"allOf", "[{},@]", true},
    {"anyOf", "[{},@]", true},
    {"const", "1", true},
    {"contains", "@", true},
    {"default", "1", false},
    {"definitions", R"({"a":@})", false},
    {"dependencies", R"({"a":["b"],"c":@})", true},
    {"deprecated", "true", false},
    {"description", R"("x")", false},
    {"else", "@", true},
    {"enum", "[1]", true},
    {"examples", "[1]", false},
    {"exclusiveMaximum", "1", true},
    {"exclusiveMinimum", "1", true},
    {"format", R"("email")", true},
    {"if", "@", true},
    {"items", "@", true},
    {"items", "[{},@]", true},
    {"maxItems", "1", true},
    {"maxLength", "1", true},
    {"maxProperties", "1", true},
    {"maximum", "1", true},
    {"minItems", "1", true},
    {"minLength", "1", true},
    {"minProperties", "1", true},
    {"minimum", "1", true},
    {"multipleOf", "1", true},
    {"not", "@", true},
    {"oneOf", "[{},@]", true},
    {"pattern", R"("a")", true},
    {"patternProperties", R"({"a":@})", true},
    {"properties", R"({"a":@})", true},
    {"propertyNames", "@", true},
    {"readOnly", "true", false},
    {"required", R"(["a"])", true},
    {"then", "@", true},
    {"title", R"("x")", false},
    {"type", R"("string")", true},
    {"uniqueItems", "true", true},
    {"writeOnly", "true", false},
    {"x-unit", R"("m")", false},
  });
  for (const auto& [keyword, value, asks] : all) {
    INFO(keyword);
    const auto rule = [&](std::string_view inner,
                          std::string_view beside = "") {
      std::string with{value};
      if (const auto at = with.find('@'); at != with.npos)
        with.replace(at, 1, inner);
      const auto text = "{\"" + std::string{keyword} + "\":" + with
                        + std::string{beside} + "}";
      const auto made = schema(text.c_str());
      return made ? "" : made.error().rule;
    };
    CHECK(rule("{}") == "");
    CHECK(rule("{}", R"(,"$ref":"#")")
          == (asks ? "schema_keyword" : "ref_loop"));
    if (value.find('@') != value.npos)
      CHECK(rule(R"({"requierd":["a"]})") == "schema_keyword");
  }
}

TEST_CASE("what draft-07 may check of a text's encoding is an annotation in "
          "2020-12 alone") {
  for (const std::string keyword :
       {"contentEncoding", "contentMediaType", "contentSchema"}) {
    INFO(keyword);
    const auto with = [&](const std::string& more) {
      const auto value = keyword == "contentSchema" ? "{}" : "\"base64\"";
      return schema(
        ("{" + more + "\"" + keyword + "\":" + value + "}").c_str());
    };
    REQUIRE_FALSE(with(""));
    CHECK(with("").error().rule == "schema_keyword");
    CHECK(with("").error().pointer == "/" + keyword);
    CHECK(with(R"("$schema":"https://json-schema.org/draft/2020-12/schema",)"));
  }
}

TEST_CASE("a schema is bounded in every way, and each bound has a name") {
  const auto rule = [](const std::string& text) {
    const auto made = turn_schema::make(
      json::parse(text, {}, {.max_depth = 500}).as_object());
    return made ? "" : made.error().rule;
  };
  CHECK(
    rule(R"({"$comment":")" + std::string(turn_schema_bytes_max, 'x') + "\"}")
    == "turn_schema_bytes_max");
  std::string many = R"({"allOf":[{"minLength":1})";
  for (std::size_t i = 0; i < turn_schema_nodes_max; ++i)
    many += R"(,{"minLength":1})";
  CHECK(rule(many + "]}") == "schema_nodes");
  CHECK(rule(nested(150)) == "");
  CHECK(rule(nested(250)) == "schema_depth");
  // Each schema inside keeps its id.
  std::string ids = R"({"$id":"urn:)" + std::string(2'044, 'a') + '"';
  CHECK(rule(ids + '}') == "");
  CHECK(rule(R"({"$id":"urn:)" + std::string(2'045, 'a') + "\"}")
        == "schema_id");
  const std::string folder(1'000, 'f');
  ids = R"({"$id":"https://example.org/)" + folder + '/'
        + R"(","allOf":[{"$id":")" + folder + R"(/","not":{"$id":")";
  CHECK(rule(ids + R"(a"}}]})") == "");
  CHECK(rule(ids + folder + R"("}}]})") == "schema_id");
  CHECK(rule(ids + '#' + folder + R"("}}]})") == "schema_id");
  std::string patterns = R"({"allOf":[{})";
  for (std::size_t i = 0; i <= turn_schema_patterns_max; ++i)
    patterns += R"(,{"pattern":"a)" + std::to_string(i) + "\"}";
  CHECK(rule(patterns + "]}") == "schema_patterns");
  std::string doubling = R"({"$ref":"#/$defs/20","$defs":{"0":{"minLength":1})";
  for (int i = 1; i <= 20; ++i) {
    const auto before = R"({"$ref":"#/$defs/)" + std::to_string(i - 1) + "\"}";
    doubling += ",\"" + std::to_string(i) + R"(":{"allOf":[)" + before + ','
                + before + "]}";
  }
  CHECK(rule(doubling + "}}") == "schema_cost");
}

TEST_CASE("what a turn says is refused at the place that breaks the schema") {
  const auto made = schema(
    R"({"properties":{"n":{"items":{"maximum":9}}},"required":["n"]})");
  REQUIRE(made);
  CHECK(made->check(json::parse(R"({"n":[1,9]})"), "/turn/content"));
  const auto refused = made->check(json::parse(R"({"n":[1,10]})"),
                                   "/turn/content");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "turn_schema");
  CHECK(refused.error().pointer == "/turn/content/n/1");
  CHECK(refused.error().value == "10");
  CHECK_FALSE(made->check(json::object{}));
}

TEST_CASE("a check that takes too long is refused, and no verdict") {
  const auto made = schema(
    R"({"items":{"allOf":[{"minimum":0},{"minimum":1},{"maximum":2}]}})");
  REQUIRE(made);
  CHECK(made->check(json::array(10, json::value{1})));
  const json::array content(turn_schema_steps_max / 2, json::value{1});
  const auto refused = made->check(content);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_reached);
  CHECK(refused.error().rule == "turn_schema_steps_max");
}

TEST_CASE("a search for a pattern costs what it takes at worst") {
  const auto pattern = R"({"pattern":"(a|b)*a(a|b){40}c"})";
  const auto repeated = [&](int copies) {
    std::string all = pattern;
    for (int i = 1; i < copies; ++i)
      all.append(",").append(pattern);
    return schema((R"({"not":{"anyOf":[)" + all + "]}}").c_str());
  };
  std::string text;
  for (std::uint32_t random = 1; text.size() < 65'000;) {
    random = random * 1'103'515'245 + 12'345;
    text += (random >> 16 & 1) != 0 ? 'a' : 'b';
  }
  const auto once = repeated(1);
  REQUIRE(once);
  CHECK(once->check(json::value(text)));
  const auto often = repeated(300);
  REQUIRE(often);
  CHECK(often->check(json::value("ab")));
  const auto refused = often->check(json::value(text));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "turn_schema_steps_max");
  // Names are searched, too.
  const auto names
    = schema(R"({"patternProperties":{"(a|b)*a(a|b){50}c":{}}})");
  REQUIRE(names);
  json::object members;
  for (std::size_t i = 0; i < 400; ++i)
    members.emplace(text.substr(i, 5'000), 1);
  CHECK(names->check(json::object{{text.substr(0, 5'000), 1}}));
  CHECK_FALSE(names->check(members));
}
