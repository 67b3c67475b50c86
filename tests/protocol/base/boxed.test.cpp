#include <catch2/catch.hpp>
#include <convene/protocol/base/boxed.hpp>

#include <string>

using namespace convene::protocol;
using namespace std::string_literals;

using text = boxed<std::string>;

TEST_CASE("a boxed value is absent until it is given one") {
  text box;
  CHECK_FALSE(box.has_value());
  CHECK(box == std::nullopt);
  box = "here"s;
  REQUIRE(box);
  CHECK(*box == "here");
  CHECK(box->size() == 4);
  box.reset();
  CHECK_FALSE(box);
}

TEST_CASE("a copy of a boxed value is a value of its own") {
  text first{"one"s};
  auto second = first;
  CHECK(second == first);
  *second = "two";
  CHECK(*first == "one");
  CHECK_FALSE(second == first);
  second = text{};
  CHECK_FALSE(second == first);
}

TEST_CASE("a boxed value is made of an optional one and becomes one") {
  const text made = std::optional<std::string>{"value"};
  CHECK(made == text{"value"s});
  CHECK(std::optional<std::string>{made} == "value");
  CHECK(text{std::optional<std::string>{}} == text{});
  CHECK(std::optional<std::string>{text{}} == std::nullopt);
}
