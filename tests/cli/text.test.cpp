#include <catch2/catch.hpp>
#include <convene/cli/view/text.hpp>
#include <rapidcheck.h>

using namespace convene::cli;

TEST_CASE("nothing that a terminal would obey stays in neutral text") {
  CHECK(neutral("plain, ünï, 漢字") == "plain, ünï, 漢字");
  CHECK(neutral("a\nb\tc\r") == "a b c ");
  CHECK(neutral("\x1b[31mred") == "\xef\xbf\xbd[31mred");
  CHECK(neutral("\xc2\x9b"
                "31m")
        == "\xef\xbf\xbd"
           "31m"); // C1: CSI
  CHECK(neutral("\xe2\x80\xae"
                "abc")
        == "\xef\xbf\xbd"
           "abc"); // override
  CHECK(neutral("\xff") == "\xef\xbf\xbd");
  CHECK(neutral(std::string_view{"\0\x07\x7f", 3})
        == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("nothing hides in neutral text, and JSON text says it as an escape") {
  for (const auto& [text, escape] :
       std::vector<std::pair<std::string, std::string>>{{"\u200b", "\\u200b"},
                                                        {"\u200d", "\\u200d"},
                                                        {"\u2060", "\\u2060"},
                                                        {"\ufeff", "\\ufeff"},
                                                        {"\u00ad", "\\u00ad"},
                                                        {"\u202e", "\\u202e"},
                                                        {"\u2066", "\\u2066"},
                                                        {"\u061c", "\\u061c"},
                                                        {"\u0085", "\\u0085"},
                                                        {"\u009b", "\\u009b"},
                                                        {"\x7f", "\\u007f"},
                                                        {"\U000e0041",
                                                         "\\udb40\\udc41"}}) {
    CHECK(neutral("a" + text + "b") == "a\ufffdb");
    CHECK(neutral_json("\"ä" + text + "b\"\n") == "\"ä" + escape + "b\"\n");
  }
  CHECK(neutral("\u2764\ufe0f") == "\u2764\ufe0f");
  CHECK(neutral_json("{\"a\": \"漢\\n\"}\n") == "{\"a\": \"漢\\n\"}\n");
}

TEST_CASE("whatever bytes come in, no control character comes out") {
  CHECK(rc::check([](const std::string& bytes, std::uint8_t columns) {
    for (const auto& text : {neutral(bytes), fit(bytes, columns)})
      for (const char c : text)
        RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    RC_ASSERT(width(fit(bytes, columns)) <= columns);
    RC_ASSERT(width(column(bytes, columns)) == columns);
  }));
}

TEST_CASE("text that is too long ends in an ellipsis") {
  CHECK(fit("abcdef", 6) == "abcdef");
  CHECK(fit("abcdefg", 6) == "abcde…");
  CHECK(fit("漢字漢字", 7) == "漢字漢…");
  CHECK(fit("漢字漢字", 6) == "漢字…");
  CHECK(fit("abc", 1) == "…");
  CHECK(fit("abc", 0).empty());
  CHECK(column("ab", 4) == "ab  ");
}
