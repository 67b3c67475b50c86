#include <catch2/catch.hpp>
#include <convene/runtime/data/scenario/locate.hpp>

using convene::host::locate;
using convene::host::text_place;

namespace {

constexpr std::string_view text = R"({ // "b": 1
  "a": [1, {"x": "\"}]"}, /* , */ [2]],
  "b/c~": {"": true},
  "b": null,
})";

} // namespace

TEST_CASE("a pointer leads to the line and column of its value") {
  CHECK(locate(text, "") == text_place{1, 1});
  CHECK(locate(text, "/a") == text_place{2, 8});
  CHECK(locate(text, "/a/1") == text_place{2, 12});
  CHECK(locate(text, "/a/1/x") == text_place{2, 18});
  CHECK(locate(text, "/a/2/0") == text_place{2, 36});
  CHECK(locate(text, "/b~1c~0") == text_place{3, 11});
  CHECK(locate(text, "/b~1c~0/") == text_place{3, 16});
  CHECK(locate(text, "/b") == text_place{4, 8});
}

TEST_CASE("a pointer to what is not there leads to what would hold it") {
  CHECK(locate(text, "/a/7") == text_place{2, 8});
  CHECK(locate(text, "/b/deep/er") == text_place{4, 8});
  CHECK(locate(text, "/zz") == text_place{1, 1});
}

TEST_CASE("looking for a place ends in whatever text") {
  const std::string_view broken = GENERATE("", "{", "[", "{\"a",
                                           "{\"a\":", "[\"\\", "/*", "[/*", "]",
                                           "[}", "{\"a\"]]]");
  CHECK(locate(broken, "/a/0/b").line == 1);
  CHECK(locate(broken, "/0").line == 1);
}
