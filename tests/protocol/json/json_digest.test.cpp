#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <string>
#include <vector>

using namespace convene::protocol;

namespace {

std::string digest_of_text(const std::string& text) {
  return json_sha256(boost::json::parse(text));
}

} // namespace

TEST_CASE("a digest is the SHA-256 of a value's canonical text") {
  // sha256sum of {"a":[1,2.5,"x"],"b":{}}
  constexpr auto expected = "1d1419dfe187e94628698e9bd0ad9130"
                            "4bee3935013dca90af329a5b0bc40e96";
  CHECK(digest_of_text(R"({"b": {}, "a": [1.0, 25e-1, "\u0078"]})")
        == expected);
}

TEST_CASE("the canonical text has strings as other printers of JSON do") {
  for (int c = 0; c <= 0x80; ++c) {
    const std::string one = c < 0x80 ? std::string(1, static_cast<char>(c))
                                     : "\xc3\xa4";
    for (const auto& around : {std::string{}, std::string(40, 'x')}) {
      const auto text = boost::json::serialize(
        boost::json::object{{around + one + around, one + around}});
      CAPTURE(text);
      CHECK(digest_of_text(text) == hex_of(sha256(text)));
    }
  }
}

TEST_CASE("values have the same digest if they are the same") {
  const std::vector<std::string> texts{"0",
                                       "-0.0",
                                       "1",
                                       "1.0",
                                       "-1",
                                       "1.5",
                                       "9007199254740993",
                                       "9007199254740992.0",
                                       "18446744073709551615",
                                       "-9223372036854775808",
                                       "1e300",
                                       "null",
                                       "true",
                                       "[]",
                                       "{}",
                                       "[0]",
                                       "[[0]]",
                                       "[0,0]",
                                       "\"0\"",
                                       "\"\"",
                                       "\"a\"",
                                       "\"A\"",
                                       R"({"a":1,"b":2})",
                                       R"({"b":2,"a":1.0})",
                                       R"({"a":2,"b":1})",
                                       R"({"a":1})",
                                       R"({"a":{"b":2}})",
                                       R"({"a":"1","b":2})",
                                       R"(["a\",\"b"])",
                                       R"(["a","b"])"};
  for (const auto& one : texts)
    for (const auto& other : texts) {
      CAPTURE(one, other);
      CHECK((digest_of_text(one) == digest_of_text(other))
            == same_value(boost::json::parse(one), boost::json::parse(other)));
    }
}
