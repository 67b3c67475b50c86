#include "documents.hpp"

#include <convene/protocol/json_schema/name_table.hpp>
#include <convene/protocol/json_schema/number.hpp>
#include <convene/protocol/text/uri.hpp>

#include <limits>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

TEST_CASE("references resolve as RFC 3986 has it") {
  using validation::resolve_uri;
  const std::string_view base = "http://a/b/c/d;p?q";
  CHECK(resolve_uri(base, "g:h") == "g:h");
  CHECK(resolve_uri(base, "./g/") == "http://a/b/c/g/");
  CHECK(resolve_uri(base, "/g") == "http://a/g");
  CHECK(resolve_uri(base, "//g") == "http://g");
  CHECK(resolve_uri(base, "?y") == "http://a/b/c/d;p?y");
  CHECK(resolve_uri(base, "g#s") == "http://a/b/c/g#s");
  CHECK(resolve_uri(base, "#s") == "http://a/b/c/d;p?q#s");
  CHECK(resolve_uri(base, "") == "http://a/b/c/d;p?q");
  CHECK(resolve_uri(base, "..") == "http://a/b/");
  CHECK(resolve_uri(base, "../../g") == "http://a/g");
  CHECK(resolve_uri(base, "../../../g") == "http://a/g");
  CHECK(resolve_uri(base, "g;x=1/../y") == "http://a/b/c/y");
  CHECK(resolve_uri("schemas/events/a.json", "../b.json") == "schemas/b.json");
  CHECK(resolve_uri("a.json", "b.json#/c") == "b.json#/c");
  CHECK(resolve_uri("urn:x:y", "#a") == "urn:x:y#a");
  CHECK(resolve_uri("http://a", "b") == "http://a/b");
}

TEST_CASE("schemas refer to each other by path and by id") {
  schema_set set;
  REQUIRE(set.add_text("schemas/events/event.json", R"({
    "properties": {"id": {"$ref": "../common.json#/$defs/id"},
                   "by": {"$ref": "https://example.org/role#name"}}})"));
  REQUIRE(set.add_text("schemas/common.json",
                       R"({"$defs": {"id": {"type": "integer"}}})"));
  REQUIRE(set.add_text("", R"({"$id": "https://example.org/role",
    "definitions": {"n": {"$id": "#name", "type": "string"}}})"));
  const auto schema = compile(set, "schemas/events/event.json");
  REQUIRE(schema);
  CHECK(validated(*schema, R"({"id": 1, "by": "x"})").valid);
  CHECK_FALSE(validated(*schema, R"({"id": "1"})").valid);
  CHECK_FALSE(validated(*schema, R"({"by": 1})").valid);
  const auto part = compile(set, "schemas/common.json#/$defs/id");
  REQUIRE(part);
  CHECK_FALSE(validated(*part, "true").valid);
}

TEST_CASE("a set refuses what is no schema, and ids that are taken") {
  schema_set set;
  CHECK(set.add_text("a", "7").error().code == errc::invalid_document);
  CHECK(set.add_text("a", "{").error().code == errc::invalid_json);
  REQUIRE(set.add("a", true));
  CHECK(set.add("a", false).error().rule == "duplicate_id");
  CHECK(set.add("b", {{"not", {{"$id", "a"}}}}).error().rule == "duplicate_id");
}

TEST_CASE("a reference to nothing is named") {
  const auto what = refused(R"({"items": {"$ref": "#/definitions/a"}})");
  CHECK(what.rule == "unresolved_ref");
  CHECK(what.pointer == "/items/$ref");
  CHECK(compile(schema_set{}, "a").error().rule == "unresolved_ref");
}

TEST_CASE("keywords must be as draft-07 wants them") {
  for (auto schema : {R"({"type": "text"})",
                      R"({"type": []})",
                      R"({"type": 1})",
                      R"({"enum": 1})",
                      R"({"minimum": "1"})",
                      R"({"multipleOf": 0})",
                      R"({"minLength": -1})",
                      R"({"minLength": 1.5})",
                      R"({"pattern": 1})",
                      R"({"items": 1})",
                      R"({"uniqueItems": 1})",
                      R"({"required": [1]})",
                      R"({"properties": []})",
                      R"({"properties": {"a": 1}})",
                      R"({"patternProperties": {"a": null}})",
                      R"({"dependencies": {"a": 1}})",
                      R"({"allOf": {}})",
                      R"({"not": []})",
                      R"({"$ref": 1})",
                      R"({"format": 1})",
                      R"({"if": 0})"}) {
    INFO(schema);
    const auto what = refused(schema);
    CHECK(what.code == errc::invalid_document);
    CHECK(what.rule == "schema");
    CHECK(what.pointer.size() > 1);
  }
}

TEST_CASE("a compiled schema outlives its set") {
  const auto schema = compiled(R"({"properties": {"a": {"const": "b"}}})");
  CHECK(validated(schema, R"({"a": "b"})").valid);
  CHECK_FALSE(validated(schema, R"({"a": "c"})").valid);
}

TEST_CASE("values are compared as JSON Schema has it") {
  CHECK_FALSE(validated(R"({"uniqueItems": true})", "[1, 1.0]").valid);
  CHECK(validated(R"({"uniqueItems": true})", "[1, true, \"1\", [1]]").valid);
  CHECK_FALSE(validated(R"({"uniqueItems": true})",
                        R"([{"a": 1, "b": [0.0]}, {"b": [-0.0], "a": 1.0}])")
                .valid);
  CHECK(validated(R"({"const": {"a": [1, {"b": null}]}})",
                  R"({"a": [1.0, {"b": null}]})")
          .valid);
  CHECK_FALSE(
    validated(R"({"const": {"a": 1, "b": 2}})", R"({"a": 1, "c": 2})").valid);
  CHECK_FALSE(
    validated(R"({"maximum": 9007199254740992})", "9007199254740993").valid);
  CHECK_FALSE(
    validated(R"({"const": 9007199254740993})", "9007199254740992.0").valid);
}

TEST_CASE("numbers are compared exactly") {
  using validation::compare;
  using validation::number;
  const std::vector<number> ascending{
    number::of(-1e300),
    number::of(std::numeric_limits<std::int64_t>::min()),
    number::of(-2.5),
    number::of(std::int64_t{-2}),
    number::of(std::int64_t{0}),
    number::of(0.5),
    number::of(std::int64_t{9007199254740992}),
    number::of(std::int64_t{9007199254740993}),
    number::of(9007199254740994.0),
    number::of(std::numeric_limits<std::int64_t>::max()),
    number::of(9223372036854775808.0),
    number::of(std::uint64_t{9223372036854775809U}),
    number::of(std::numeric_limits<std::uint64_t>::max()),
    number::of(18446744073709551616.0)};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      INFO(i << ' ' << j);
      CHECK((compare(ascending[i], ascending[j]) == (i <=> j)));
    }
}

TEST_CASE("multiples are those of the decimals as they are written") {
  CHECK(validated(R"({"multipleOf": 0.01})", "19.99").valid);
  CHECK(validated(R"({"multipleOf": 0.0001})", "0.0075").valid);
  CHECK_FALSE(validated(R"({"multipleOf": 0.01})", "0.0075").valid);
  CHECK(validated(R"({"multipleOf": 7})", "-21").valid);
  CHECK(validated(R"({"multipleOf": 1e300})", "3e300").valid);
  CHECK(validated(R"({"multipleOf": 1e-300})", "1e300").valid);
  CHECK_FALSE(validated(R"({"multipleOf": 0.123456789})", "1e308").valid);
  CHECK(validated(R"({"multipleOf": 0.5})", "18446744073709551615").valid);
  CHECK(validated(R"({"multipleOf": 3})", "0.0").valid);
}

TEST_CASE("names of every length are told apart") {
  std::vector<std::string> texts{""};
  for (std::size_t length = 1; length < 40; ++length)
    for (std::size_t at = 0; at < length; ++at) {
      texts.emplace_back(length, 'a');
      texts.back()[at] = 'b';
    }
  validation::names names;
  std::vector<validation::name_entry> entries(texts.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i)
    entries[i].value = i;
  const auto table = names.add(texts, entries);
  REQUIRE(table);
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    const auto* const found = names.find(*table, texts[i]);
    REQUIRE(found != nullptr);
    CHECK(found->value == i);
    CHECK(names.find(*table, texts[i] + "a" + texts[i]) == nullptr);
  }
  CHECK(names.find(*table, std::string(39, 'a')) == nullptr);
}
