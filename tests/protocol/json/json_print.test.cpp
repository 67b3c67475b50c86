#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string>

using namespace convene::protocol;

TEST_CASE("a printed text has each byte at each place as Boost.JSON has it") {
  for (std::size_t size = 1; size <= 50; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (const char c : {'\b', '\f', '\n', '\x01', '"', '\\', '\x7f'}) {
        std::string text(size, 'x');
        text[at] = c;
        const json::value value(json::string{text});
        REQUIRE(one_line(value) == json::serialize(value));
        REQUIRE(pretty(value) == json::serialize(value) + '\n');
      }
}

TEST_CASE("a page is indented by two spaces at any depth") {
  constexpr std::size_t depth = 40;
  json::value whole(7);
  std::string expected = "7";
  for (std::size_t i = 0; i < depth; ++i) {
    const std::string inside(2 * (depth - i), ' ');
    const std::string outside(2 * (depth - i - 1), ' ');
    whole = json::object{{"a", 1}, {"b", std::move(whole)}};
    expected = "{\n" + inside + "\"a\": 1,\n" + inside + "\"b\": " + expected
               + "\n" + outside + "}";
  }
  CHECK(pretty(whole) == expected + '\n');
}
