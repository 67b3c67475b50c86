#include <catch2/catch.hpp>
#include <convene/protocol/base/nearest.hpp>

using namespace convene::protocol;

namespace {

constexpr std::string_view names[]{"title", "participants", "mode", ""};

} // namespace

TEST_CASE("a slip of the pen is recognised") {
  CHECK(find_nearest("titel", names) == "title");
  CHECK(find_nearest("participant", names) == "participants");
  CHECK(find_nearest("modes", names) == "mode");
  CHECK(find_nearest("tile", names) == "title");
  CHECK(suggest("modes", names) == " (did you mean \"mode\"?)");
}

TEST_CASE("another word is not") {
  CHECK(find_nearest("colour", names).empty());
  CHECK(find_nearest("", names).empty());
  CHECK(find_nearest("xyz", names).empty());
  CHECK(find_nearest(std::string(100'000'000, 'm'), names).empty());
  CHECK(find_nearest("mode", {}).empty());
  CHECK(suggest("colour", names).empty());
}
