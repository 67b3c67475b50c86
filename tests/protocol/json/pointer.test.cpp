#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

TEST_CASE("any name is read back from its token") {
  CHECK(rc::check([](const std::string& name) {
    std::string pointer = "/a";
    append_token(pointer, name);
    RC_ASSERT(pointer.starts_with("/a/"));
    RC_ASSERT(pointer.find('/', 3) == pointer.npos);
    std::string read = "before";
    RC_ASSERT(read_token(pointer.substr(3), read));
    RC_ASSERT(read == name);
  }));
  std::string escaped;
  append_token(escaped, "b/c~d~1");
  CHECK(escaped == "/b~1c~0d~01");
}

TEST_CASE("a token with an escape that pointers do not have is recognised") {
  std::string name;
  for (const auto* token : {"~", "a~", "~2", "a~~0", "~/"})
    CHECK_FALSE(read_token(token, name));
  CHECK_FALSE(read_token("~0~x~1~", name));
  CHECK(name == "~~x/~");
}

TEST_CASE("names in messages are escaped and cut where no one reads on") {
  std::string pointer = "/a";
  append_to_pointer(pointer, "b/c~d");
  CHECK(pointer == "/a/b~1c~0d");
  std::string longest;
  append_to_pointer(longest, "x" + std::string(1000, '\xc3'));
  CHECK(longest.size() <= 129);
  std::string euros;
  for (int i = 0; i < 1000; ++i)
    euros += "\xe2\x82\xac";
  std::string cut;
  append_to_pointer(cut, euros);
  CHECK(cut.size() == 127);
  CHECK(valid_utf8(cut));
}
