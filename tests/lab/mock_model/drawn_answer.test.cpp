#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/mock_model/drawn_answer.hpp>
#include <convene/lab/mock_model/tokens.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <limits>
#include <set>

using namespace convene::host::mock;

TEST_CASE("a drawn text has exactly its tokens, and depends on its start") {
  for (const std::int64_t size : {0, 1, 2, 17, 400}) {
    CAPTURE(size);
    CHECK(count_tokens(drawn_text(bit_row{1}, size)) == size);
  }
  CHECK(drawn_text(bit_row{1}, 20) == drawn_text(bit_row{1}, 20));
  CHECK(drawn_text(bit_row{1}, 20) != drawn_text(bit_row{2}, 20));
}

TEST_CASE("drawn arguments have what a tool's schema requires, by its types") {
  const auto schema = convene::protocol::parse_json(R"({
    "type": "object",
    "required": ["path", "depth", "kind", "deep", "list", "flag", "odd"],
    "properties": {
      "path": {"type": "string"},
      "depth": {"type": "integer", "minimum": 3, "maximum": 4},
      "kind": {"enum": ["file", "folder"]},
      "deep": {"type": "object", "required": ["x"],
               "properties": {"x": {"const": 7}}},
      "list": {"type": "array", "items": {"type": "number"}},
      "flag": {"type": "boolean"},
      "left_out": {"type": "string"}}})");
  std::set<std::string> seen;
  for (std::uint64_t start = 0; start < 40; ++start) {
    const auto got = drawn_arguments(bit_row{start}, schema->as_object());
    seen.insert(boost::json::serialize(got));
    CHECK(got.size() == 7);
    CHECK(got.at("path").is_string());
    CHECK(got.at("depth").as_int64() >= 3);
    CHECK(got.at("depth").as_int64() <= 4);
    CHECK((got.at("kind") == "file" || got.at("kind") == "folder"));
    CHECK(got.at("deep").at("x") == 7);
    CHECK(got.at("list").as_array().size() == 1);
    CHECK(got.at("flag").is_bool());
  }
  CHECK(seen.size() > 20);
}

TEST_CASE("a schema that requires itself without an end is cut off") {
  std::string text = R"({"type": "string"})";
  for (int depth = 0; depth < 40; ++depth)
    text = R"({"required": ["a"], "properties": {"a": )" + text + "}}";
  const auto schema = convene::protocol::parse_json(text);
  CHECK(boost::json::serialize(drawn_arguments(bit_row{1}, schema->as_object()))
          .size()
        < 100);
}

TEST_CASE("a name that is required again and again is drawn once") {
  std::string names = "\"a\"";
  for (int i = 0; i < 999; ++i)
    names += ",\"a\"";
  std::string text = R"({"type": "null"})";
  for (int depth = 0; depth < 8; ++depth)
    text = R"({"required": [)" + names + R"(], "properties": {"a": )" + text
           + "}}";
  const auto schema = convene::protocol::parse_json(text);
  bit_row from{1};
  CHECK(drawn_arguments(from, schema->as_object()).size() == 1);
}

TEST_CASE("numbers are drawn within their bounds, however wide these are") {
  const auto drawn = [](const std::string& bounds) {
    const auto schema = convene::protocol::parse_json(
      R"({"required": ["n"], "properties": {"n": {"type": "integer", )" + bounds
      + "}}}");
    return drawn_arguments(bit_row{3}, schema->as_object()).at("n").as_int64();
  };
  const auto least = std::numeric_limits<std::int64_t>::min();
  const auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(drawn(R"("minimum": -9223372036854775808,
                 "maximum": 9223372036854775807)")
        < least + 100);
  CHECK(drawn(R"("minimum": 9223372036854775806)") >= most - 1);
  CHECK(drawn(R"("maximum": -9223372036854775808)") == 0);
}
