#include <catch2/catch.hpp>
#include <convene/protocol/text/pattern.hpp>

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
