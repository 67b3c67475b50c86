#include <catch2/catch.hpp>
#include <convene/protocol/json/json_repair.hpp>
#include <convene/protocol/json/json_text.hpp>

using namespace convene::protocol;

TEST_CASE("JSON that other programs write wrongly is repaired") {
  const auto [wrong, right] = GENERATE(table<std::string, std::string>(
    {{R"(["fine \ud83d"])", R"(["fine \ufffd"])"},
     {R"(["\ude00!"])", R"(["\ufffd!"])"},
     {R"(["\ud83dx", "\ud83d\ud83d\ude00"])",
      R"(["\ufffdx", "\ufffd\ud83d\ude00"])"},
     {"[\"caf\xe9\"]", "[\"caf\xef\xbf\xbd\"]"},
     {R"({"a": NaN, "b": [Infinity, -Infinity]})",
      R"({"a": null, "b": [null, null]})"},
     {"[nan, -inf, 1e999, -1e999]", "[null, null, null, null]"},
     {"[123456789012345678901234567890, -9]",
      "[123456789012345678901234567890e0, -9]"},
     {"[\"two\nlines\t\"]", R"(["two\u000alines\u0009"])"}}));
  INFO(wrong);
  CHECK_FALSE(parse_json(wrong));
  const auto got = repair_json(wrong);
  CHECK(got.text == right);
  CHECK_FALSE(got.is_cut);
  CHECK(parse_json(got.text));
}

TEST_CASE("JSON that is right is not changed by a repair") {
  const auto* const right
    = R"( {"NaN": "Infinity \\ud83d \" \ud83d\ude00", "x": [1e5, {}, "ü"],
        "y": [1e-999, -1.5, true, null, 18446744073709551615]} )";
  REQUIRE(parse_json(right));
  CHECK(repair_json(right).text == right);
}

TEST_CASE("a repair knows JSON that ends too early") {
  const std::string whole = R"({"a":["\"}","\u00e9"],"b":{}})";
  for (std::size_t end = 1; end < whole.size(); ++end) {
    INFO(whole.substr(0, end));
    CHECK(repair_json(whole.substr(0, end)).is_cut);
  }
  CHECK_FALSE(repair_json(whole).is_cut);
  CHECK_FALSE(repair_json("").is_cut);
  CHECK_FALSE(repair_json("no JSON").is_cut);
}
