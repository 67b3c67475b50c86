#include <catch2/catch.hpp>
#include <convene/protocol/checks/indexed_members.hpp>

#include <random>
#include <string>

using namespace convene::protocol;

namespace {

void compare(const json::object& whole, std::string_view name) {
  INFO(name << " of " << whole.size());
  const indexed_members table{whole};
  REQUIRE(table.if_contains(name) == whole.if_contains(name));
  REQUIRE(table.contains(name) == whole.contains(name));
  REQUIRE(text_of(table, name) == text_of(whole, name));
  REQUIRE(integer_of(table, name) == integer_of(whole, name));
  REQUIRE(object_of(table, name) == object_of(whole, name));
  REQUIRE(texts_of(table, name) == texts_of(whole, name));
  REQUIRE(uuid_of(table, name) == uuid_of(whole, name));
}

json::value any_value(std::size_t number) {
  switch (number % 5) {
    case 0:
      return "text";
    case 1:
      return number;
    case 2:
      return json::object{{"x", 1}};
    case 3:
      return json::array{"a", 1, "b"};
    default:
      return "f0000000-0000-4000-8000-000000000000";
  }
}

} // namespace

TEST_CASE("a table finds a member exactly where the object has one") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  // Few letters, so that many names differ in the middle alone.
  const auto name = [&] {
    std::string made;
    for (auto left = random() % 5; left != 0; --left)
      made += static_cast<char>('a' + random() % 3);
    return made;
  };
  for (const std::size_t most : {0, 1, 10, 40, 253, 254, 255, 256, 400}) {
    json::object whole;
    for (std::size_t i = 0; i < most; ++i)
      whole.emplace(most > 40 ? name() + std::to_string(i) : name(),
                    any_value(i));
    for (const auto& member : whole)
      compare(whole, {member.key().data(), member.key().size()});
    for (int i = 0; i < 200; ++i)
      compare(whole, name());
  }
}
