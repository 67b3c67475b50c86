#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/members.hpp>

using namespace convene::protocol;

TEST_CASE("members that are missing or of another type read as nothing") {
  const auto value = json::parse(
    R"({"text":"a","number":7,"large":18446744073709551615,"real":1.0,
        "list":["a",1,"b"],"object":{"x":1},"id":"F0000000-0000-4000-8000-000000000000"})");
  const auto& from = value.get_object();
  CHECK(text_of(from, "text") == "a");
  CHECK(text_of(from, "number").empty());
  CHECK(text_of(from, "missing").empty());
  CHECK(integer_of(from, "number") == 7);
  CHECK_FALSE(integer_of(from, "large"));
  CHECK_FALSE(integer_of(from, "real"));
  CHECK(texts_of(from, "list") == std::vector<std::string_view>{"a", "b"});
  CHECK(texts_of(from, "text").empty());
  CHECK(object_of(from, "object").size() == 1);
  CHECK(object_of(from, "list").empty());
  CHECK_FALSE(uuid_of(from, "id"));
}

TEST_CASE("a quote is short, printable and never ends inside a character") {
  CHECK(quote("a\nb") == "\"a b\"");
  CHECK(quote(std::string(60, 'x')) == '"' + std::string(60, 'x') + '"');
  CHECK(quote(std::string(59, 'x') + "\xc3\xa4 and more")
        == '"' + std::string(59, 'x') + "...\"");
  CHECK(quote(std::string(100, '\x80')) == "\"...\"");
}

TEST_CASE("members are found in objects of any size") {
  for (const int size : {1, 2, 17, 18, 19, 40}) {
    CAPTURE(size);
    boost::json::object from;
    for (int i = 0; i < size; ++i)
      from.emplace("member " + std::to_string(i), i);
    for (int i = 0; i < size; ++i)
      CHECK(integer_of(from, "member " + std::to_string(i)) == i);
    CHECK_FALSE(integer_of(from, "member " + std::to_string(size)));
    CHECK_FALSE(integer_of(from, "member"));
    CHECK_FALSE(integer_of(from, ""));
  }
  CHECK_FALSE(integer_of({}, "member 0"));
}
