#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

TEST_CASE("each invalid sequence becomes one replacement character") {
  struct sample {
    std::string from;
    std::string to;
  };
  const auto [from, to] = GENERATE(values<sample>({
    {"", ""},
    {"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
     "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"a\xff"
     "b",
     "a\xef\xbf\xbd"
     "b"},
    {"\xe2\x82", "\xef\xbf\xbd"},
    {"\xe2\x82x", "\xef\xbf\xbdx"},
    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xf0\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
  }));
  CHECK(sanitize_utf8(from) == to);
}

TEST_CASE("the first invalid byte and the validity of a text agree") {
  CHECK(rc::check([](const std::string& text) {
    RC_ASSERT(valid_utf8(text)
              == (find_invalid_utf8(text) == std::string_view::npos));
    const auto clean = sanitize_utf8(text);
    RC_ASSERT(valid_utf8(clean));
    RC_ASSERT(sanitize_utf8(clean) == clean);
  }));
  // Three random bytes are seldom UTF-8, so all of them.
  for (unsigned i = 0xc000; i < 0x1000000; i += 7) {
    const std::string text{static_cast<char>(i >> 16),
                           static_cast<char>(i >> 8), static_cast<char>(i)};
    if (valid_utf8(text) != (find_invalid_utf8(text) == std::string_view::npos))
      FAIL(i);
  }
}

TEST_CASE("a text is judged alike wherever its only fault is") {
  for (std::size_t size = 1; size <= 80; ++size) {
    std::string text(size, 'a');
    CHECK(valid_utf8(text));
    for (auto& c : text) {
      c = '\x80';
      if (valid_utf8(text))
        FAIL(text);
      c = 'a';
    }
  }
}

TEST_CASE("a shortened value is short, valid and recognisable") {
  CHECK(shorten("abc") == "abc");
  CHECK(shorten(std::string(60, 'a')) == std::string(60, 'a'));
  CHECK(shorten(std::string(61, 'a')) == std::string(57, 'a') + "...");
  CHECK(shorten("a\x1b[2J\n") == "a [2J ");
  CHECK(shorten_value("abc") == "\"abc\"");
  CHECK(shorten_value(12) == "12");
  CHECK(shorten_value(0.5) == "0.5");
  CHECK(shorten_value(nullptr) == "null");
  CHECK(shorten_value(json::array(1)) == "an array of 1 item");
  CHECK(shorten_value(json::object{}) == "an object of 0 members");
  CHECK(rc::check([](const std::string& text, std::uint8_t times) {
    std::string repeated;
    for (int i = 0; i < times; ++i)
      repeated += text;
    for (const auto& shown :
         {shorten(repeated), shorten_value(json::value(repeated))}) {
      RC_ASSERT(shown.size() <= 60U);
      RC_ASSERT(valid_utf8(shown));
    }
  }));
}

TEST_CASE("the beginning of a text is repaired, and cut between characters") {
  CHECK(sanitize_beginning("abc", 3) == "abc");
  CHECK(sanitize_beginning("ab\xe2\x82\xac", 4) == "ab");
  CHECK(sanitize_beginning("ab\xff", 5) == "ab\xef\xbf\xbd");
  CHECK(sanitize_beginning("ab\xff", 4) == "ab");
  CHECK(rc::check([](const std::string& text, std::uint8_t bytes) {
    const auto shown = sanitize_beginning(text, bytes);
    const auto whole = sanitize_utf8(text);
    RC_ASSERT(valid_utf8(shown));
    RC_ASSERT(shown.size() <= bytes);
    RC_ASSERT(whole.starts_with(shown));
    RC_ASSERT(shown == whole || shown.size() + 4 > bytes);
  }));
}
