#include "documents.hpp"

#include <convene/protocol/text/regex_translation.hpp>

#include <tuple>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

namespace {

bool is_found(std::string_view pattern, std::string_view text) {
  const auto schema
    = compiled(json::serialize(json::object{{"pattern", pattern}}));
  return validated(schema, json::serialize(json::value(text))).valid;
}

std::string rule_of(std::string_view pattern) {
  return refused(json::serialize(json::object{{"pattern", pattern}})).rule;
}

} // namespace

TEST_CASE("patterns are found anywhere") {
  CHECK(is_found("b+", "abba"));
  CHECK_FALSE(is_found("^b", "abba"));
  CHECK_FALSE(is_found("a$", "a\n"));
}

TEST_CASE("what ECMA 262 writes in its own way is translated") {
  using row = std::tuple<const char*, const char*, bool>;
  const auto [pattern, text, found]
    = GENERATE(table<const char*, const char*, bool>({
      row{R"(^\d\w\s$)", "1a\xc2\xa0", true},
      row{R"(^\d$)", "\xd9\xa1", false},
      row{R"(^[^\S]$)", "\xe3\x80\x80", true},
      row{R"(^[\S]$)", "\xe3\x80\x80", false},
      row{R"(^\S+$)", "a\xc3\xa4", true},
      row{R"(^[\s-x]+$)", "x- ", true},
      row{R"(^\cJ$)", "\n", true},
      row{R"(^\x41\u0042\u{43}\0?$)", "ABC", true},
      row{R"(^\ud83d\ude00$)", "\xf0\x9f\x98\x80", true},
      row{R"(^.$)", "\xf0\x9f\x98\x80", true},
      row{R"(^.$)", "\xe2\x80\xa8", false},
      row{R"(^[^]$)", "\n", true},
      row{R"([])", "a", false},
      row{R"(^[[a]\]$)", "[]", true},
      row{R"(^[[:alpha:]+$)", "a:[", true},
      row{R"(^[\b]$)", "\b", true},
      row{R"(\bcat\b)", "a cat", true},
      row{R"(^\/\-\_\.\$$)", "/-_.$", true},
      row{R"((?<year>\d{4})(?:-))", "2026-", true},
      row{R"(^\p{Letter}\p{Lu}\p{Script=Greek}$)", "aB\xce\xb1", true},
      row{R"(^\P{L}$)", "a", false},
      row{R"(^[\p{L}\d]+$)", "a1", true},
    }));
  INFO(pattern);
  CHECK(is_found(pattern, text) == found);
}

TEST_CASE("a pattern that needs backtracking is refused by name") {
  CHECK(rule_of("(?=a)") == "lookahead");
  CHECK(rule_of("a(?!b)") == "lookahead");
  CHECK(rule_of("(?<=a)b") == "lookbehind");
  CHECK(rule_of("(?<!a)b") == "lookbehind");
  CHECK(rule_of(R"((a)\1)") == "backreference");
  CHECK(rule_of(R"((?<n>a)\k<n>)") == "backreference");
  CHECK(rule_of(R"(\ud83d)") == "surrogate");
  CHECK(rule_of(R"(\p{Script_Extensions=Greek})") == "property");
  const auto what = refused(R"json({"items": {"pattern": "(?=a)"}})json");
  CHECK(what.code == errc::unsupported);
  CHECK(what.pointer == "/items/pattern");
}

TEST_CASE("a wrong pattern is refused") {
  for (auto pattern : {"(", "[a", "a**", R"(\Z)", R"(\A)", R"(\Qa\E)",
                       R"(\u12)", R"(\u{110000})", R"(\c1)", "\\", "(?i)a",
                       R"([\B])", R"(\pL)", R"(\x4)", "[b-a]"}) {
    INFO(pattern);
    CHECK(rule_of(pattern) == "pattern");
  }
  CHECK(rule_of("((a{1000}){1000}){1000}") == "pattern_size");
}

TEST_CASE("nothing that is thrown at the translation breaks it") {
  constexpr std::string_view pieces[]{"\\", "[", "]", "(?", "<", "{", "}", "u",
                                      "p",  "c", "-", "^",  "d", "0", "S", "="};
  std::uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern;
    for (int length = 0; length < 8; ++length) {
      random = random * 1664525U + 1013904223U;
      pattern += pieces[random >> 28U];
    }
    INFO(pattern);
    const auto made = validation::translate_pattern(pattern);
    REQUIRE((made || !made.error().rule.empty()));
  }
}
