#include <catch2/catch.hpp>
#include <convene/protocol/boundary/slot_rule.hpp>
#include <convene/protocol/json_schema/schema_set.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace convene::protocol;
using namespace convene::protocol::boundary;

TEST_CASE("a rule for words admits each of them, and none with another byte") {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  std::vector<std::string> words;
  for (std::size_t size = 1; size <= 20; ++size)
    for (const std::size_t from : {0U, 3U})
      words.emplace_back(letters.substr(from, size));
  const json::value form{{"$id", "urn:words"},
                         {"enum", json::array(words.begin(), words.end())}};
  schema_set set;
  REQUIRE(set.add({}, form));
  const auto schema = compile(set, "urn:words").value();
  const auto rule = make_rule({{&schema.code(), schema.code().root}},
                              slot_kind::text);
  CHECK_FALSE(rule.admits(std::string_view{}));
  for (const auto& word : words) {
    REQUIRE(rule.admits(std::string_view{word}));
    for (std::size_t at = 0; at < word.size(); ++at)
      for (const char c : {'\0', '.', 'Z', '\x7f'}) {
        auto other = word;
        other[at] = c;
        REQUIRE_FALSE(rule.admits(std::string_view{other}));
      }
    const auto longer = word + '.';
    CHECK_FALSE(rule.admits(std::string_view{longer}));
  }
}
