#include <catch2/catch.hpp>
#include <convene/protocol/events/member_walk.hpp>

#include <string>
#include <utility>
#include <vector>

using convene::protocol::member_walk;

namespace {

using walked = std::vector<std::pair<std::string, std::string>>;

walked all_of(std::string_view object) {
  walked found;
  for (member_walk at{object}; at.next();)
    found.emplace_back(at.name(), at.text().value_or("?"));
  return found;
}

} // namespace

TEST_CASE("a walk passes all members of an object in their order") {
  CHECK(
    all_of(R"({"a":"1","b":2,"c":[{"x":"}]\""},"]"],"d":{"e":"f"},"g":"h"})")
    == walked{{"a", "1"}, {"b", "?"}, {"c", "?"}, {"d", "?"}, {"g", "h"}});
  CHECK(all_of(R"({"a\"b":"","c":"d\\"}, "e":"f")")
        == walked{{R"(a\"b)", ""}, {"c", "?"}});
  CHECK(all_of(R"({"a":"b\\","c":"d"})") == walked{{"a", "?"}, {"c", "d"}});
  CHECK(all_of("{}").empty());
}

TEST_CASE("a walk goes into the object that a member is") {
  member_walk event{
    R"({"type":"t","payload":{"turn":7,"who":"ann"},"more":1})"};
  REQUIRE(event.next());
  REQUIRE(event.next());
  member_walk payload{event.value()};
  REQUIRE(payload.next());
  CHECK(payload.value() == "7");
  REQUIRE(payload.next());
  CHECK(payload.text() == "ann");
  CHECK_FALSE(payload.next());
  CHECK(payload.has_ended());
  REQUIRE(event.next());
  CHECK(event.name() == "more");
  CHECK_FALSE(event.next());
  CHECK(event.has_ended());
}

TEST_CASE("a walk gives the whole of an object or array, and passes it once") {
  member_walk event{R"({"a":{"b":["}"]},"c":[1,{}],"d":{"e":1},"f":2})"};
  REQUIRE(event.next());
  CHECK(event.whole() == R"({"b":["}"]})");
  CHECK(event.whole() == R"({"b":["}"]})");
  REQUIRE(event.next());
  CHECK(event.whole() == "[1,{}]");
  REQUIRE(event.next());
  member_walk inside{event.value()};
  REQUIRE(inside.next());
  CHECK_FALSE(inside.next());
  event.pass(inside);
  CHECK(event.whole() == R"({"e":1})");
  REQUIRE(event.next());
  CHECK(event.whole() == "2");
  CHECK_FALSE(event.next());
  CHECK(event.has_ended());
  member_walk endless{R"({"a":{"b":1)"};
  REQUIRE(endless.next());
  CHECK(endless.whole().empty());
  CHECK_FALSE((endless.next() || endless.has_ended()));
}

TEST_CASE("a walk ends where an object is not written without spaces") {
  const std::string whole = R"({"a":"b\\","c":{"d":["e"]},"f":-1.5,"g":null})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    member_walk at{std::string_view{whole}.substr(0, size)};
    while (at.next()) {
      // whatever is there
    }
    CHECK_FALSE(at.has_ended());
  }
  for (const auto* text :
       {R"({"a": "b"})", R"({ "a":"b"})", R"({"a" :"b"})", "[1]", "\"a\":1"}) {
    member_walk at{text};
    static_cast<void>(at.next());
    CHECK_FALSE((at.next() || at.has_ended()));
  }
}

TEST_CASE("a walk finds the end of names and values of any length") {
  for (std::size_t size = 0; size <= 50; ++size) {
    INFO(size);
    const std::string text(size, 'x');
    CHECK(all_of("{\"" + text + "\":\"" + text + "\"}")
          == walked{{text, text}});
    // A quote at each place of the value is escaped, and not its end.
    for (std::size_t at = 0; at <= size; ++at) {
      auto value = text;
      value.insert(at, "\\\"");
      const auto whole = "{\"a\":\"" + value + "\",\"b\":\"c\"}";
      member_walk object{whole};
      REQUIRE(object.next());
      CHECK(object.value().size() == value.size() + 2);
      REQUIRE(object.next());
      CHECK(object.text() == "c");
    }
  }
  for (const char* const end : {" ", "\t", "\r", "\n", ",", "}"}) {
    const auto text = std::string{R"({"a":-1.5e+3)"} + end;
    member_walk object{text};
    REQUIRE(object.next());
    CHECK(object.value() == "-1.5e+3");
  }
}
