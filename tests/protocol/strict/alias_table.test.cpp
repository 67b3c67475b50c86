#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/alias_table.hpp>
#include <rapidcheck.h>

#include <algorithm>

using namespace convene::protocol;

namespace {

const std::string stem = "550e8400-e29b-41d4-a716-446655440000";

alias_table settled(const std::vector<std::string>& ids) {
  alias_table made;
  for (const auto& id : ids)
    made.collect(id);
  REQUIRE(made.settle());
  return made;
}

std::string hex(const std::array<std::uint8_t, 32>& bytes) {
  std::string text;
  for (const auto byte : bytes)
    for (const int digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

} // namespace

TEST_CASE("SHA-256 gives what its standard says") {
  CHECK(hex(sha256(""))
        == "e3b0c44298fc1c149afbf4c8996fb924"
           "27ae41e4649b934ca495991b7852b855");
  CHECK(hex(sha256("abc"))
        == "ba7816bf8f01cfea414140de5dae2223"
           "b00361a396177a9cb410ff61f20015ad");
  CHECK(hex(sha256("abcdbcdecdefdefgefghfghighijhijk"
                   "ijkljklmklmnlmnomnopnopq"))
        == "248d6a61d20638b8e5c026930c3e6039"
           "a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(sha256(std::string(1'000'000, 'a')))
        == "cdc76e5c9914fb9281a1c7e284d73e67"
           "f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("an id keeps its UUID, loses its prefix, or becomes a hash") {
  const auto table = settled({stem, "ctx-123", "urn:uuid:" + std::string{stem},
                              "role-650e8400-e29b-41d4-a716-446655440000"});
  CHECK(table.strict_of(stem) == stem);
  CHECK(table.strict_of("role-650e8400-e29b-41d4-a716-446655440000")
        == "650e8400-e29b-41d4-a716-446655440000");
  CHECK(table.strict_of("ctx-123") == to_string(hashed_uuid("ctx-123")));
  // Its stem is taken, so that the two stay two.
  CHECK(table.strict_of("urn:uuid:" + stem)
        == to_string(hashed_uuid("urn:uuid:" + stem)));
  CHECK(table.strict_of("never seen") == "never seen");
  CHECK(table.size() == 3);
}

TEST_CASE("two ids that would lose all difference both become hashes") {
  const auto table = settled({"dialog-" + stem, "collab-" + stem});
  for (const auto& id : {"dialog-" + stem, "collab-" + stem}) {
    CHECK(table.strict_of(id) == to_string(hashed_uuid(id)));
    CHECK(table.native_of(table.strict_of(id)) == id);
  }
}

TEST_CASE("an id whose hash is there already is refused") {
  alias_table table;
  table.collect("ctx-123");
  table.collect_reference(to_string(hashed_uuid("ctx-123")));
  const auto refused = table.settle();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "alias_collision");
  CHECK(refused.error().value == "ctx-123");
}

TEST_CASE("ids that no table takes stay as they are") {
  const std::string huge(native_id_bytes_max + 1, 'x');
  const auto table = settled({"", huge});
  CHECK(table.size() == 0);
  CHECK(table.strict_of(huge) == huge);
}

TEST_CASE("a table does not depend on the order of its ids") {
  CHECK(rc::check([](std::vector<std::string> ids) {
    ids.push_back("a-" + stem);
    ids.push_back(ids.front() + stem);
    ids.push_back(stem);
    const auto table = settled(ids);
    std::reverse(ids.begin(), ids.end());
    RC_ASSERT(settled(ids).to_json() == table.to_json());
    for (const auto& id : ids)
      RC_ASSERT(table.native_of(table.strict_of(id)) == id);
    const auto back = alias_table::from_json(table.to_json());
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->to_json() == table.to_json());
  }));
}

TEST_CASE("what is no table of ids is refused") {
  const std::string one = "650e8400-e29b-41d4-a716-446655440000";
  for (const auto& [text, rule] :
       std::vector<std::pair<std::string, std::string>>{
         {"[]", "type"},
         {"{}", "type"},
         {R"({"aliases": []})", "type"},
         {R"({"aliases": {"a": 7}})", "pattern"},
         {R"({"aliases": {"a": "b"}})", "pattern"},
         {R"({"aliases": {"": ")" + one + "\"}}", "alias_needless"},
         {R"({"aliases": {")" + stem + R"(": ")" + one + "\"}}",
          "alias_needless"},
         {R"({"aliases": {"a": ")" + one + R"(", "b": ")" + one + "\"}}",
          "alias_collision"}}) {
    CAPTURE(text);
    const auto refused = alias_table::from_json(*parse_json(text));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == rule);
  }
}
