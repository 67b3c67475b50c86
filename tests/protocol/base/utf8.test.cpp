#include <catch2/catch.hpp>
#include <convene/protocol/base/utf8.hpp>

#include <string>

using namespace convene::protocol;

TEST_CASE("a text is cut between two characters, at its bound or before") {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; // aé€😀z
  constexpr std::size_t ends[]{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < std::size(ends); ++bytes)
    CHECK(cut_utf8(text, bytes) == text.substr(0, ends[bytes]));
}

TEST_CASE("a cut text that is not UTF-8 is within its bound") {
  CHECK(cut_utf8("\x80\x80\x80", 2).empty());
  CHECK(cut_utf8("\x80\x80\x80", 3) == "\x80\x80\x80");
  CHECK(cut_utf8("ab\xff\xff", 3) == "ab\xff");
}

TEST_CASE("characters are counted, not bytes") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == 4);
}
