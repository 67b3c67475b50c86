#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_scan.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <rapidcheck.h>

#include <limits>
#include <random>

using namespace convene::protocol;

namespace {

error refusal(std::string_view text, const json_limits& limits = {}) {
  const auto parsed = parse_json(text, limits);
  REQUIRE_FALSE(parsed);
  return parsed.error();
}

std::string nested(std::size_t depth, std::string inside = "") {
  return std::string(depth, '[') + inside + std::string(depth, ']');
}

/// Says the same as `parse_json`, by way of Boost's own parser; only for texts
/// without the things that we refuse and Boost does not.
json::value boost_parse(std::string_view text) {
  return json::parse(text);
}

constexpr std::string_view sample = R"({
  "text": "h\u00e9llo \ud83d\ude00 \"quoted\"",
  "numbers": [0, -1, 18446744073709551615, -9223372036854775808, 1.5, 1e-3],
  "nested": {"empty": {}, "list": [], "null": null, "yes": true, "no": false}
})";

} // namespace

TEST_CASE("a JSON text becomes the value that it stands for") {
  const auto parsed = parse_json(sample);
  REQUIRE(parsed);
  CHECK(*parsed == boost_parse(sample));
}

TEST_CASE("members keep their order") {
  const auto text = R"({"z":1,"a":{"y":2,"b":3},"m":[]})";
  CHECK(json::serialize(*parse_json(text)) == text);
}

TEST_CASE("integers keep all their digits") {
  CHECK(parse_json("9223372036854775807")->as_int64()
        == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_json("-9223372036854775808")->as_int64()
        == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_json("18446744073709551615")->as_uint64()
        == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_json("1.0")->is_double());
}

TEST_CASE("a number that no 64 bits or double hold is refused") {
  for (const auto* text :
       {"18446744073709551616", "-9223372036854775809", "1e999", "-1e999",
        "123456789012345678901234567890"}) {
    CAPTURE(text);
    const auto refused = refusal("[1,\n " + std::string{text} + "]");
    CHECK(refused.code == errc::invalid_json);
    CHECK(refused.rule == "number_range");
    CHECK(refused.value == text);
    CHECK(refused.line == 2);
    CHECK(refused.column == 2);
  }
  CHECK(parse_json("1e-999"));
  CHECK(parse_json("1" + std::string(300, '0') + ".5"));
}

TEST_CASE("a duplicate key is refused wherever it hides, with its pointer") {
  struct sample {
    std::string text;
    std::string pointer;
    std::size_t column;
  };
  const auto [text, pointer, column] = GENERATE(values<sample>({
    {R"({"a":1,"a":1})", "/a", 8},
    {R"({"x":[0,{"a":1,"b":2,"a":3}]})", "/x/1/a", 22},
    {R"({"a":1,"\u0061":2})", "/a", 8},
    {R"({"a/b~":1,"a/b~":2})", "/a~1b~0", 11},
    {R"({"":1,"":2})", "/", 7},
  }));
  const auto refused = refusal(text);
  CHECK(refused.code == errc::invalid_json);
  CHECK(refused.rule == "duplicate_key");
  CHECK(refused.pointer == pointer);
  CHECK(refused.line == 1);
  CHECK(refused.column == column);
}

TEST_CASE("nesting up to the limit is read and one more is refused") {
  CHECK(parse_json(nested(128)));
  CHECK(parse_json(nested(128, "1")));
  for (const auto& text :
       {nested(129), nested(129, "1"), nested(128, "{}"), nested(100'000)}) {
    const auto refused = refusal(text);
    CHECK(refused.code == errc::limit_reached);
    CHECK(refused.rule == "depth");
    CHECK(refused.line == 1);
    CHECK(refused.column == 129);
  }
}

TEST_CASE("the depth limit itself has a limit") {
  json_limits limits;
  limits.depth = 1'000'000;
  CHECK(parse_json(nested(1'000), limits));
  CHECK(refusal(nested(100'000), limits).rule == "depth");
}

TEST_CASE("unclosed nesting of any depth is refused without recursion") {
  CHECK(refusal(std::string(100'000, '[')).rule == "depth");
  std::string objects;
  for (int i = 0; i < 100'000; ++i)
    objects += R"({"a":)";
  CHECK(refusal(objects).rule == "depth");
}

TEST_CASE("a string beyond the limit is refused, one at the limit is read") {
  json_limits limits;
  limits.string_bytes = 4;
  CHECK(parse_json(R"(["abcd", "\u00e9\u00e9"])", limits));
  for (const auto* text :
       {R"(["abcde"])", R"([{"abcde":1}])", R"(["\u00e9\u00e9."])"}) {
    const auto refused = refusal(text, limits);
    CHECK(refused.code == errc::limit_reached);
    CHECK(refused.rule == "string_size");
    CHECK(refused.line == 1);
  }
}

TEST_CASE("a string of 32 MiB is refused by default") {
  const auto refused
    = refusal('"' + std::string(std::size_t{32} << 20, 'a') + '"');
  CHECK(refused.code == errc::limit_reached);
  CHECK(refused.rule == "string_size");
}

TEST_CASE("a text beyond the limit is refused before it is looked at") {
  json_limits limits;
  limits.bytes = 8;
  CHECK(parse_json("[1,2,3] ", limits));
  const auto refused = refusal("[1,2,3]]]", limits);
  CHECK(refused.code == errc::limit_reached);
  CHECK(refused.rule == "size");
  CHECK(refused.value == "9 bytes");
  CHECK(parse_relaxed_json("[1,2,3]]]", limits).error().rule == "size");
}

TEST_CASE("a byte order mark is no part of the text") {
  CHECK(*parse_json("\xef\xbb\xbf[1]") == json::value(json::array{1}));
  CHECK(refusal("\xef\xbb\xbf[1,]").column == 4);
  CHECK(refusal("\xef\xbb\xbf").rule == "empty");
}

TEST_CASE("errors are where a person would point") {
  struct sample {
    std::string text;
    std::string rule;
    std::size_t line;
    std::size_t column;
  };
  const auto [text, rule, line, column] = GENERATE(values<sample>({
    {"", "empty", 1, 1},
    {" \n\t ", "empty", 1, 1},
    {"{\n  \"a\": 1,\n}", "syntax", 3, 1},
    {"{\"a\" 1}", "syntax", 1, 6},
    {"{a: 1}", "syntax", 1, 2},
    {"['a']", "syntax", 1, 2},
    {"[1 2]", "syntax", 1, 4},
    {"[1,,2]", "syntax", 1, 4},
    {"{\"a\":1", "syntax", 1, 7},
    {"[1]\n x", "syntax", 2, 2},
    {"[1][2]", "syntax", 1, 4},
    {"nul", "syntax", 1, 1},
    {"nulls", "syntax", 1, 1},
    {"[NaN]", "syntax", 1, 2},
    {"[01]", "syntax", 1, 2},
    {"[1.]", "syntax", 1, 2},
    {"[.5]", "syntax", 1, 2},
    {"[+1]", "syntax", 1, 2},
    {"[-]", "syntax", 1, 2},
    {"[1e]", "syntax", 1, 2},
    {"[1x]", "syntax", 1, 2},
    {"[\"abc]", "syntax", 1, 2},
    {"[\"a\nb\"]", "syntax", 1, 4},
    {"[\"a\\x\"]", "syntax", 1, 4},
    {"[\"\\u12g4\"]", "syntax", 1, 3},
    {"[\"\\ud800\"]", "syntax", 1, 3},
    {"[\"\\udc00\"]", "syntax", 1, 3},
    {"[\"\\ud800\\u0041\"]", "syntax", 1, 3},
    {"[\"\\ud800\\ud800\"]", "syntax", 1, 3},
    {"[\"a\xff\"]", "utf8", 1, 4},
    {"[\"\xed\xa0\x80\"]", "utf8", 1, 3},
    {"[\"\xc0\xaf\"]", "utf8", 1, 3},
    {"[1]//", "syntax", 1, 4},
    {"]", "syntax", 1, 1},
    {"[}", "syntax", 1, 2},
    {"{\"a\":}", "syntax", 1, 6},
  }));
  CAPTURE(text);
  const auto refused = refusal(text);
  CHECK(refused.code == errc::invalid_json);
  CHECK(refused.rule == rule);
  CHECK(refused.line == line);
  CHECK(refused.column == column);
  CHECK_FALSE(refused.message.empty());
}

TEST_CASE("a NUL byte is refused inside and outside of strings") {
  using namespace std::string_literals;
  CHECK(refusal("[\"a\0b\"]"s).column == 4);
  CHECK(refusal("[1]\0"s).column == 4);
  CHECK(refusal("\0"s).column == 1);
  CHECK(parse_json(R"("a\u0000b")")->as_string() == "a\0b"s);
}

TEST_CASE("files that people write may have comments and trailing commas") {
  const auto text = R"(// first
{
  "url": "http://x/*y*/", /* a
  block */ "list": [1, 2, /* two */ ], // done
  "quote": "\"//",
}
// last)";
  CHECK(json::serialize(*parse_relaxed_json(text))
        == R"({"url":"http://x/*y*/","list":[1,2],"quote":"\"//"})");
}

TEST_CASE("errors in such files keep their place") {
  struct sample {
    std::string text;
    std::string rule;
    std::size_t line;
    std::size_t column;
  };
  const auto [text, rule, line, column] = GENERATE(values<sample>({
    {"/* a\nb */ [x]", "syntax", 2, 7},
    {"[,]", "syntax", 1, 2},
    {"[1,,]", "syntax", 1, 4},
    {"{\"a\":,}", "syntax", 1, 6},
    {"[1] /* open", "syntax", 1, 5},
    {"[1,", "syntax", 1, 4},
    {",", "syntax", 1, 1},
    {"// only a comment", "empty", 1, 1},
    {"// \xff\n[]", "utf8", 1, 4},
    {"{\"a\":1, // one\n \"a\":2,}", "duplicate_key", 2, 2},
    {"[\"//", "syntax", 1, 2},
    {"[\"\\", "syntax", 1, 3},
  }));
  CAPTURE(text);
  const auto refused = parse_relaxed_json(text);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == rule);
  CHECK(refused.error().line == line);
  CHECK(refused.error().column == column);
}

TEST_CASE("pretty text is indented, ordered and reads back the same") {
  const auto value = *parse_json(
    R"({"b":[1,{"a":"\n"}],"a":{},"l":[],"d":0.66,"w":1.0,"t":true,"n":null})");
  const auto text = pretty(value);
  CHECK(text == R"({
  "b": [
    1,
    {
      "a": "\n"
    }
  ],
  "a": {},
  "l": [],
  "d": 0.66,
  "w": 1.0,
  "t": true,
  "n": null
}
)");
  CHECK(*parse_json(text) == value);
}

TEST_CASE("text on one line has the numbers that people read") {
  const std::string text
    = R"({"b":[1,{"a":"\n"}],"a":{},"l":[],"d":0.417,"w":1.0,"n":null})";
  CHECK(one_line(*parse_json(text)) == text);
}

TEST_CASE("printed texts have the escapes that other printers of JSON have") {
  for (int c = 0; c < 0x80; ++c)
    for (const auto& around : {std::string{}, std::string(5'000, 'x')}) {
      json::object members;
      members[around + static_cast<char>(c) + around] = members.size();
      CHECK(one_line(members) == json::serialize(members));
      CHECK(pretty_object(members) == pretty(members));
    }
}

TEST_CASE("what is read into used memory is what is read into new memory") {
  json_scratch scratch;
  for (const std::string text : {R"({"a":[1,"two",{"three":3.5}]})", "[",
                                 R"("again")", R"({"a":1,"a":2})"}) {
    const auto fresh = parse_json(text);
    const auto reused = scratch.parse(text);
    REQUIRE(reused.has_value() == fresh.has_value());
    if (fresh)
      CHECK(**reused == *fresh);
  }
}

TEST_CASE("a text of a kind is read as any is, however it is spelled") {
  json_scratch scratch;
  const auto read_alike = [&scratch](std::string_view kind,
                                     const std::string& text) {
    const auto fresh = parse_json(text);
    const auto reused = scratch.parse(text, kind);
    INFO(text);
    REQUIRE(reused.has_value() == fresh.has_value());
    if (!fresh) {
      CHECK(reused.error().rule == fresh.error().rule);
      return;
    }
    CHECK(**reused == *fresh);
    CHECK(one_line(**reused) == one_line(*fresh));
  };
  const std::string names = R"({"a,":"x","n":1,"d":0.5,"t":true,"e":{},)"
                            R"("in":[{"b":"","z":null},[]],"\u0062":"y"})";
  for (
    const std::string text :
    {R"({"a":"x","n":1,"d":0.5,"t":true,"in":[{"b":"","z":null},[]]})",
     R"({"a":"longer","n":-22,"d":1e3,"t":true,"in":[{"b":"q","z":null},[]]})",
     R"({"a":"\u00e4","n":1,"d":0.5,"t":true,"in":[{"b":"","z":null},[]]})",
     R"({"a":"x","n":1,"d":0.5,"t":false,"in":[{"b":"","z":null},[]]})",
     R"({"a":"x","n":1.5,"d":5,"t":true,"in":[{"b":"","z":null},[]]})"})
    for (int round = 0; round < 3; ++round)
      read_alike("members", text);
  for (const auto* text :
       {"{\"a\":\"\xc3\xa4\"}", "{\"a\":\"\xc3\"}", "{\"a\":\"\x1f\"}",
        R"({"a":"\"})", R"({"a":"b"c"})", R"({"a":"\""})", R"({"a":"x"} )",
        R"({"a":"x"}})", R"({"a":"x")", R"({"a":"x)", R"({ "a":"x"})",
        R"({"a":""})", R"({"b":"x"})", R"({"a":"x","a":"x"})", ""})
    read_alike("a text", text);
  for (const auto* number : {"1",
                             "-1",
                             "-0",
                             "01",
                             "-",
                             "",
                             "1.",
                             ".5",
                             "1.0",
                             "1e2",
                             "1e+2",
                             "1e",
                             "1E-2",
                             "1e999",
                             "-0.0",
                             "00.5",
                             "0.1",
                             "123456789012345678",
                             "1234567890123456789",
                             "9223372036854775808",
                             "-9223372036854775808",
                             "18446744073709551616",
                             "4.9e-324",
                             "1e-400",
                             "+1",
                             "1x",
                             "NaN"})
    for (const auto* other : {R"({"n":7})", R"({"n":7.5})"}) {
      read_alike("a number", other);
      read_alike("a number", std::string{R"({"n":)"} + number + '}');
      read_alike("no member", number);
    }
  for (int round = 0; round < 3; ++round)
    read_alike("names", names);
}

TEST_CASE("mutations of a text of a kind are read as any text is") {
  static constexpr std::string_view bytes
    = "{}[]\",:\\/0123456789.eE+-truefalsn \n\tud8\x01\x80\xc3\xff";
  constexpr std::string_view like
    = R"({"id":"a1644a9f-c5f2-47a6","n":47,"d":0.25,"ok":true,)"
      R"("payload":{"who":"ada","none":null,"list":["one",-2,{}]}})";
  json_scratch scratch;
  std::minstd_rand random{20'261'128};
  for (int round = 0; round < 20'000; ++round) {
    REQUIRE(scratch.parse(like, "mutated"));
    std::string text{like};
    for (auto edits = random() % 3 + 1; edits > 0; --edits)
      text[random() % text.size()] = bytes[random() % bytes.size()];
    const auto fresh = parse_json(text);
    const auto reused = scratch.parse(text, "mutated");
    INFO(text);
    REQUIRE(reused.has_value() == fresh.has_value());
    if (fresh)
      REQUIRE(one_line(**reused) == one_line(*fresh));
  }
}

TEST_CASE("a text may be of more kinds than memory keeps") {
  json_scratch scratch;
  for (int kind = 0; kind < 100; ++kind)
    for (const std::string text : {R"({"a":1})", R"({"b":1})", R"({"c":1})"})
      CHECK(one_line(**scratch.parse(text, std::to_string(kind))) == text);
}

TEST_CASE("long texts in one place after the other do not add up in memory") {
  json_scratch scratch;
  constexpr std::size_t places = 1'000;
  for (std::size_t place = 0; place < places; ++place) {
    json::array texts(places, json::value(""));
    texts[place] = std::string(10'000, 'x');
    const auto parsed = scratch.parse(json::serialize(texts), "texts");
    REQUIRE(parsed);
    std::size_t kept = 0;
    for (const auto& each : (*parsed)->get_array())
      kept += each.get_string().capacity();
    REQUIRE(kept < std::size_t{4} << 20);
  }
}

TEST_CASE("memory that is used again suffices for any number of large texts") {
  json_scratch scratch;
  const auto text = '"' + std::string(100'000, 'x') + '"';
  for (int round = 0; round < 100; ++round)
    REQUIRE((*scratch.parse(text))->get_string().size() == 100'000);
}

TEST_CASE("a double that JSON cannot say is printed as null") {
  CHECK(pretty(std::numeric_limits<double>::infinity()) == "null\n");
  CHECK(pretty(std::numeric_limits<double>::quiet_NaN()) == "null\n");
}

TEST_CASE("whatever the bytes, reading ends with a value or a placed error") {
  CHECK(rc::check([](const std::string& text) {
    for (const auto& parsed : {parse_json(text), parse_relaxed_json(text)})
      if (!parsed)
        RC_ASSERT(parsed.error().line >= 1 && parsed.error().column >= 1);
  }));
}

TEST_CASE("the scanner and simdjson agree on mutations of a valid text") {
  static constexpr std::string_view bytes
    = "{}[]\",:\\/0123456789.eE+-truefalsn \n\tud8\x01\x80\xc3\xff";
  std::minstd_rand random{20'250'101};
  for (int round = 0; round < 20'000; ++round) {
    std::string text{sample};
    for (auto edits = random() % 4 + 1; edits > 0; --edits) {
      const auto at = random() % text.size();
      const auto byte = bytes[random() % bytes.size()];
      if (random() % 3 == 0)
        text.erase(at, random() % 5);
      else if (random() % 2 == 0)
        text.insert(at, 1, byte);
      else
        text[at] = byte;
    }
    CAPTURE(text);
    const auto parsed = parse_json(text);
    if (parsed) {
      REQUIRE_FALSE(find_fault(text, {}));
      REQUIRE(*parse_json(pretty(*parsed)) == *parsed);
      REQUIRE(*parse_json(one_line(*parsed)) == *parsed);
      REQUIRE(*parse_relaxed_json(text) == *parsed);
    } else {
      REQUIRE(parsed.error().line >= 1);
    }
  }
}
