#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <string>

using convene::protocol::same_value;
namespace json = boost::json;

namespace {

bool same(const std::string& a, const std::string& b) {
  const auto left = json::parse(a);
  const auto right = json::parse(b);
  CHECK(same_value(left, right) == same_value(right, left));
  return same_value(left, right);
}

} // namespace

TEST_CASE("numbers are the same by value, however they are written") {
  CHECK(same("1", "1.0"));
  CHECK(same("-3", "-3e0"));
  CHECK(same("0", "-0.0"));
  CHECK(same("100", "1e2"));
  CHECK(same("18446744073709549568", "18446744073709549568.0"));
  CHECK(same("18446744073709551615", "18446744073709551615"));
  CHECK_FALSE(same("1", "1.5"));
  CHECK_FALSE(same("-1", "18446744073709551615"));
  CHECK_FALSE(same("18446744073709551615", "1e300"));
  CHECK_FALSE(same("-1", "-1e300"));
  CHECK_FALSE(same("0", "false"));
  CHECK_FALSE(same("1", "\"1\""));
  CHECK_FALSE(same("0", "null"));
}

TEST_CASE("no integer is rounded to compare it") {
  CHECK(same("9007199254740992", "9007199254740992.0"));
  CHECK_FALSE(same("9007199254740993", "9007199254740992.0"));
  CHECK_FALSE(same("9223372036854775807", "9223372036854775808.0"));
}

TEST_CASE("arrays and objects are the same by what they hold") {
  CHECK(same(R"({"a": [1, {"b": 2.0}], "c": null})",
             R"({"c": null, "a": [1.0, {"b": 2}]})"));
  CHECK_FALSE(same("[1, 2]", "[2, 1]"));
  CHECK_FALSE(same("[1]", "[1, 1]"));
  CHECK_FALSE(same(R"({"a": 1})", R"({"b": 1})"));
  CHECK_FALSE(same(R"({"a": 1})", R"({"a": 1, "b": 1})"));
  CHECK_FALSE(same("{}", "[]"));
}
