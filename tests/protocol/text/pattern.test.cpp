#include <catch2/catch.hpp>
#include <convene/protocol/text/pattern.hpp>
#include <convene/protocol/text/pattern_width.hpp>
#include <convene/protocol/text/regex_translation.hpp>

#include <string>

using namespace convene::protocol;
using namespace convene::protocol::validation;

TEST_CASE("the pattern of an identifier finds what the same pattern in other "
          "words does") {
  const std::string source
    = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
  const auto fast = make_pattern(source);
  const auto slow = make_pattern("(?:" + source + ")");
  REQUIRE(fast);
  REQUIRE(slow);
  REQUIRE(fast->is_identifier);
  REQUIRE_FALSE(slow->is_identifier);

  const std::string id = "0123abcd-4567-489a-b012-3456789abcde";
  CHECK(is_found(*fast, id));
  const auto same = [&](const std::string& text) {
    REQUIRE(is_found(*fast, text) == is_found(*slow, text));
  };
  for (std::size_t at = 0; at < id.size(); ++at)
    for (int byte = 1; byte < 0x80; ++byte) {
      auto text = id;
      text[at] = static_cast<char>(byte);
      same(text);
    }
  for (const auto* text : {"", "\n", "x"}) {
    same(id + text);
    same(text + id);
    same(text);
  }
  CHECK_FALSE(make_pattern(source, letter_case::ignored)->is_identifier);
}

TEST_CASE(
  "a pattern that could take too many steps in a long text is refused") {
  for (const auto* bad :
       {"(x?){1000}y",    "(x?){400}y",     "(?:(?:x?){30}){30}y",
        ".{500}y",        "a[ab]{120}c",    "[ab]*a[ab]{70}c",
        "(.*a){200}b",    "[^a]{100}",      "(?:a|b|[a-c]){65}z",
        "^.*x{65}",       "(^|a)x{65}",     "(?:^a)?x{65}",
        "x{65,}y",        "\\p{L}{40}y",    "\\w{65}",
        "\\x61{65}",      "[\\s\\S]{100}$", "\\u00e9{40}",
        "(?:x{5}|x{60})", "(?:x?x?){33}y"}) {
    INFO(bad);
    const auto made = make_pattern(bad);
    REQUIRE_FALSE(made);
    CHECK(made.error().rule == "pattern_steps");
    CHECK(made.error().code == errc::limit_reached);
    CHECK(made.error().message.find("begin it with ^") != std::string::npos);
  }
  CHECK_FALSE(make_pattern("(?:aA){20}(?:aA){13}", letter_case::ignored));
  std::string many;
  for (int count = 0; count < 500; ++count)
    many += "x?";
  CHECK_FALSE(make_pattern(many + "y"));
}

TEST_CASE("a pattern with few places, or with an end, is taken") {
  for (const auto* good :
       {"APPROVED", "(?:looks good to me|approved|ship it)", "[0-9a-f]{64}",
        "^[A-Za-z0-9_-]{1,128}$", "^(x?){1000}y", "^.{0,1000}$",
        "^[a-z]+(-[a-z]+)*$", ".*\\bdone\\b.*", "x{64}", "^\\p{L}{1,30}$",
        "^[^@\\s]+@[^@\\s]+$", "x{y", "a{,5}", "[]", "[^]", "(?<name>a|b)+",
        "^(?:[A-Za-z0-9+/]{4})*$"}) {
    INFO(good);
    CHECK(make_pattern(good));
  }
}

TEST_CASE("the places of a pattern are counted for each character") {
  const auto width = [](const std::string& text, bool ignores_case = false) {
    return width_of(*translate_pattern(text), ignores_case);
  };
  CHECK(width("abc").places == 1);
  CHECK(width("abcab").places == 2);
  CHECK(width("aA").places == 1);
  CHECK(width("aA", true).places == 2);
  CHECK(width("(ab|ac|[a-c])").places == 3);
  CHECK(width("(a{3}b{5}){2}").places == 10);
  CHECK(width("[^a]b").places == 2);
  CHECK(width("[a-c\\d]{4}7").places == 5);
  CHECK(width("a{2,}").places == 2);
  CHECK(width("a{0}").places == 1); // at least
  CHECK(width("^abc").bytes == 4);
  CHECK(width("^(a|bcd)?e{2,3}$").bytes == 7);
  CHECK(width("^a|^bc").bytes == 3);
  const auto endless = width("abc").bytes;
  CHECK(endless > 1'000'000'000);
  CHECK(width("^a|b").bytes == endless);
  CHECK(width("^a*").bytes == endless);
  CHECK(width("(^a)?b").bytes == endless);
  CHECK(width("((((a{1000}){1000}){1000}){1000}){1000}){1000}").steps(1 << 20)
        > 0);
}

TEST_CASE("a search takes no longer than its pattern's places") {
  // The worst that is taken: many states, and none seen twice.
  std::string text;
  std::uint64_t state = 1;
  while (text.size() < 100'000) {
    state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    text += (state >> 63U) != 0 ? 'a' : 'b';
  }
  for (const auto* worst : {"[ab]*a[ab]{61}c", "(?:a?b?){60}c", "(.*a){30}x"}) {
    INFO(worst);
    const auto made = make_pattern(worst);
    REQUIRE(made);
    CHECK_FALSE(is_found(*made, text));
  }
}
