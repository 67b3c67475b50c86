#include "yaml_writer.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/data/yaml/yaml.hpp>
#include <rapidcheck.h>

#include <chrono>
#include <random>
#include <string>

using namespace convene::host;
using namespace convene::protocol;
using convene::tests::yaml_writer;

namespace {

json::value value_of(std::string_view text) {
  auto read = parse_yaml(text);
  INFO(text);
  if (!read)
    FAIL_CHECK(to_string(read.error()));
  return read ? std::move(read->value) : nullptr;
}

/// Rule, line and column of why a text is refused.
std::string why(std::string_view text, const json_limits& limits = {}) {
  const auto read = parse_yaml(text, limits);
  if (read)
    return "accepted";
  const auto& what = read.error();
  CHECK(!what.message.empty());
  return what.rule + ' ' + std::to_string(what.line) + ':'
         + std::to_string(what.column);
}

} // namespace

TEST_CASE("a YAML text means what the same in JSON does") {
  const auto* const text = R"(# who takes part
collab:
  mode: pair
  participants:
    - participant_id: ada   # a comment
      role_id: 'role-coder'
    - {participant_id: bob, role_id: "role-reviewer"}
task: |
  Fix the bug.
  Then test.
note: >-
  one
  line

   and its own

  end
session: {rounds: 2, ratio: 0.5, strict: true, none: , also: ~}
)";
  CHECK(value_of(text)
        == parse_json(R"({"collab": {"mode": "pair",
    "participants": [{"participant_id": "ada", "role_id": "role-coder"},
                     {"participant_id": "bob", "role_id": "role-reviewer"}]},
    "task": "Fix the bug.\nThen test.\n",
    "note": "one line\n\n and its own\n\nend",
    "session": {"rounds": 2, "ratio": 0.5, "strict": true, "none": null,
                "also": null}})")
             .value());
}

TEST_CASE("plain scalars are read by the core schema of YAML 1.2") {
  for (const auto& [yaml, json] :
       std::vector<std::pair<std::string, std::string>>{
         {"no", R"("no")"},
         {"Yes", R"("Yes")"},
         {"on", R"("on")"},
         {"y", R"("y")"},
         {"1:30", R"("1:30")"},
         {"1_000", R"("1_000")"},
         {"2001-12-14", R"("2001-12-14")"},
         {"<<", R"("<<")"},
         {"tRue", R"("tRue")"},
         {"nULL", R"("nULL")"},
         {"0b1", R"("0b1")"},
         {"true", "true"},
         {"True", "true"},
         {"TRUE", "true"},
         {"False", "false"},
         {"null", "null"},
         {"Null", "null"},
         {"NULL", "null"},
         {"~", "null"},
         {"0", "0"},
         {"-0", "-0"},
         {"+5", "5"},
         {"-17", "-17"},
         {"0o17", "15"},
         {"0xfF", "255"},
         {"0x", R"("0x")"},
         {"0o8", R"("0o8")"},
         {"1.5", "1.5"},
         {".5", "0.5"},
         {"-.5", "-0.5"},
         {"5.", "5.0"},
         {"1e3", "1e3"},
         {"1.E+3", "1.0e+3"},
         {"1e", R"("1e")"},
         {".", R"(".")"},
         {"+", R"("+")"},
         {"1.2.3", R"("1.2.3")"},
         {".infinity", R"(".infinity")"},
         {"9223372036854775807", "9223372036854775807"},
         {"18446744073709551615", "18446744073709551615"},
         {"0xffffffffffffffff", "18446744073709551615"}}) {
    INFO(yaml);
    CHECK(value_of("a: " + yaml).at("a") == parse_json(json).value());
    CHECK(value_of("a: '" + yaml + "'").at("a") == json::value(yaml));
    CHECK(value_of("a: !!str " + yaml).at("a") == json::value(yaml));
    CHECK(value_of("a: \"" + yaml + "\"").at("a") == json::value(yaml));
  }
}

TEST_CASE("random JSON reads the same as YAML, in flow and in block form") {
  CHECK(rc::check([](std::uint32_t seed) {
    yaml_writer write{seed};
    const auto meant = write.random_object();
    for (const auto& text : {write.flow(meant), write.block(meant)}) {
      const auto read = parse_yaml(text);
      if (!read)
        RC_FAIL(text + "\n" + to_string(read.error()));
      RC_ASSERT(read->value == meant);
      RC_ASSERT(parse_json(read->json).value() == meant);
    }
  }));
}

TEST_CASE("a JSON text is YAML with the same meaning and the same places") {
  CHECK(rc::check([](std::uint32_t seed) {
    auto meant = yaml_writer{seed}.random_object();
    auto text = pretty(meant);
    if (text.find("\xc2\x85") != text.npos
        || text.find("\xe2\x80\xa8") != text.npos
        || text.find('\x7f') != text.npos)
      return;
    const auto read = parse_yaml(text);
    if (!read)
      RC_FAIL(text + "\n" + to_string(read.error()));
    RC_ASSERT(read->value == meant);
    for (const auto& mark : read->marks) { // what is there is there, too
      std::size_t at = 0;
      for (std::size_t line = 1; line < mark.line; ++line)
        at = text.find('\n', at) + 1;
      RC_ASSERT(text.at(at + mark.column - 1) == read->json.at(mark.offset));
    }
  }));
}

TEST_CASE("a place counts bytes, in lines of every system") {
  const auto* const text = "\xef\xbb\xbf"
                           "\xc3\xa9\xc3\xa9: [\xc3\xa9, x]\r\nb:\r  c: d\n"
                           "e: \"\xf0\x9f\x98\x80\"\nf: g\n";
  const auto read = parse_yaml(text);
  REQUIRE(read);
  const auto place = [&](std::string_view part) {
    return place_in_yaml(read->marks, read->json.find(part));
  };
  CHECK(place("\"x\"") == text_place{1, 12});
  CHECK(place("\"c\"") == text_place{3, 3});
  CHECK(place("\"d\"") == text_place{3, 6});
  CHECK(place("\"g\"") == text_place{5, 4});
}

TEST_CASE("what is not YAML, or YAML that JSON cannot say, has its place") {
  CHECK(why("") == "empty 1:1");
  CHECK(why("# only\n\n") == "empty 3:1");
  CHECK(why("a: 1\nb:\n  - c\n e: f\n") == "syntax 4:2");
  CHECK(why("a:\n\t- b\n") == "syntax 2:1");
  CHECK(parse_yaml("a:\n\t- b\n").error().message.find("not with tabs")
        != std::string::npos);
  CHECK(why("a: [1, 2\n") == "syntax 2:1");
  CHECK(why("a: \"b\n") == "syntax 2:1");
  CHECK(why("a: 1\nb: {c: 1,\n  c: 2}\n") == "duplicate_key 3:3");
  CHECK(why("a: 1\n'a': 2\n") == "duplicate_key 2:1");
  CHECK(parse_yaml("x: {a: 1, \"a\": 2}").error().pointer == "/x/a");
  CHECK(why("x: y\n1: a\n") == "yaml_key 2:1");
  CHECK(why("true: a\n") == "yaml_key 1:1");
  CHECK(why("~: a\n") == "yaml_key 1:1");
  CHECK(why("? [a]\n: b\n") == "yaml_key 1:3");
  CHECK(why("[a]: b\n") == "yaml_key 1:1");
  CHECK(why("a: .inf\n") == "number_range 1:4");
  CHECK(why("a: [1, -.Inf]\n") == "number_range 1:8");
  CHECK(why("a: .NaN\n") == "number_range 1:4");
  CHECK(why("a: 1e999\n") == "number_range 1:4");
  CHECK(why("a:\n  18446744073709551616\n") == "number_range 2:3");
  CHECK(why("a: 0x10000000000000000\n") == "number_range 1:4");
  CHECK(why("a: 012\n") == "number_ambiguous 1:4");
  CHECK(why("a: -00.5\n") == "number_ambiguous 1:4");
  CHECK(why("a: !!int '3'\n") == "yaml_tag 1:4");
  CHECK(why("a: !!python/object:os.system x\n") == "yaml_tag 1:4");
  CHECK(why("!<tag:x> [a]\n") == "yaml_tag 1:1");
  CHECK(why("%TAG ! tag:x\n---\na: 1\n") == "yaml_directive 1:1");
  CHECK(why("%YAML 1.1\n---\na: no\n") == "yaml_directive 1:1");
  CHECK(value_of("%YAML 1.2 # this one\n---\na: no\n...\n").at("a") == "no");
  CHECK(why("a: 1\n---\nb: 2\n") == "yaml_documents 2:1");
  CHECK(why("a: 1\n...\n---\nb: 2\n") == "yaml_documents 3:1");
  CHECK(why("a: \xff\n") == "utf8 1:4");
  CHECK(why(std::string_view{"\xff\xfe"
                             "a\0",
                             4})
        == "utf8 1:1");
  CHECK(why("a: 1\nb: \"\xe2\x80\xa8\"\n") == "yaml_line_break 2:5");
  CHECK(why(std::string_view{"a: b\0c", 6}) == "syntax 1:5");
  CHECK(why("a: b\x01\n") == "syntax 1:5");
  CHECK(why("a: \"\\ud800\"\n").starts_with("syntax 1:"));
}

TEST_CASE("an alias is a copy of what its anchor has") {
  CHECK(value_of("a: &x {k: [1, &y two]}\nb: *x\nc: [*y, *x]\n*y : d\n")
        == parse_json(R"({"a": {"k": [1, "two"]}, "b": {"k": [1, "two"]},
                          "c": ["two", {"k": [1, "two"]}], "two": "d"})")
             .value());
  CHECK(value_of("[&a 1, *a, &a 2, *a]") == parse_json("[1, 1, 2, 2]").value());
  CHECK(why("a: *x\n") == "yaml_alias 1:4");
  CHECK(why("a: &x [*x]\n") == "yaml_alias 1:8");
  CHECK(why("a: &x 1\nb: &x [*x]\n") == "yaml_alias 2:8");
  CHECK(why("a: &x [1]\n*x : b\n") == "yaml_key 2:1");
  CHECK(why("a: &x {k: 1}\nb:\n  - *x\n  - {c: *x, c: 2}\n")
        == "duplicate_key 4:13");
}

TEST_CASE("aliases that grow without end are refused at once") {
  std::string laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 40; ++i) {
    const auto name = "a" + std::to_string(i);
    laughs += name + ": &" + name + " [";
    for (int k = 0; k < 8; ++k)
      laughs += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    laughs += "]\n";
  }
  CHECK(why(laughs) == "yaml_alias_bytes_max 6:25");
  std::string deep = "a0: &a0 x\n"; // each one level deeper
  for (int i = 1; i < 200; ++i)
    deep += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a"
            + std::to_string(i - 1) + "]\n";
  CHECK(why(deep) == "depth 129:14");
}

TEST_CASE("nesting, sizes and directives are bounded before they cost much") {
  constexpr std::size_t many = 2'000'000;
  std::string blocks, flows, indented;
  for (std::size_t i = 0; i < many; ++i) {
    blocks += "- ";
    flows += "{a: ";
  }
  for (std::size_t i = 0; i < 3'000; ++i)
    indented += std::string(i, ' ') + "a:\n";
  CHECK(why(std::string(many, '[')) == "depth 1:129");
  CHECK(why(flows) == "depth 1:513");
  CHECK(why(blocks) == "depth 1:257");
  CHECK(why(indented) == "depth 129:129");
  std::string explicit_keys;
  for (std::size_t i = 0; i < many; ++i)
    explicit_keys += "? ";
  CHECK(why(explicit_keys) == "yaml_key 1:3");
  std::string tags;
  for (std::size_t i = 0; i < 200'000; ++i)
    tags += "%TAG !t" + std::to_string(i) + "! tag:x\n";
  CHECK(why(tags + "---\na\n") == "yaml_directive 1:1");
  CHECK(why("--- a\n...\n" + tags).starts_with("yaml_directive 3:"));
  CHECK(why("a: " + std::string(100, 'x'), {.bytes = 50}) == "size 0:0");
  // Text that grows as JSON.
  CHECK(why("a: |\n  x" + std::string(40, '"'), {.bytes = 64}) == "size 1:4");
  CHECK(why("a: b\nc: " + std::string(100, 'x'), {.string_bytes = 99})
        == "string_size 2:4");
  CHECK(value_of("a: " + std::string(many, 'x')).at("a").as_string().size()
        == many);
}

TEST_CASE("reading any bytes as YAML ends with a value or a place") {
  static const std::vector<std::string> pieces{"a",
                                               ": ",
                                               "- ",
                                               "? ",
                                               "\n",
                                               "\n  ",
                                               "\t",
                                               "'",
                                               "\"",
                                               "|\n",
                                               ">2+\n",
                                               "&x ",
                                               "*x",
                                               "!!str ",
                                               "[",
                                               "]",
                                               "{",
                                               "}",
                                               ", ",
                                               "#",
                                               "---\n",
                                               "...\n",
                                               "%",
                                               "\\",
                                               "\xc3\xa9",
                                               "\xff",
                                               "\r",
                                               "1",
                                               ".inf",
                                               "<<",
                                               std::string(1, '\0')};
  CHECK(rc::check([](std::uint32_t seed) {
    convene::test::dice dice{seed};
    for (int round = 0; round < 50; ++round) {
      std::string text;
      for (auto left = dice.below(30); left > 0; --left)
        text += dice.one_of(pieces);
      const auto read = parse_yaml(text);
      if (!read)
        RC_ASSERT(read.error().line >= 1 && read.error().column >= 1);
      else
        RC_ASSERT(parse_json(read->json).value() == read->value);
    }
  }));
}
