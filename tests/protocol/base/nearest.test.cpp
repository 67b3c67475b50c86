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
  constexpr std::string_view commands[]{"new", "run"};
  CHECK(find_nearest("rnu", commands) == "run");
  CHECK(find_nearest("enw", commands) == "new");
  CHECK(suggest("modes", names) == " (did you mean \"mode\"?)");
}

TEST_CASE("the beginning or the end of a longer name is recognised") {
  constexpr std::string_view longer[]{"timeout_ms", "api_key_env"};
  CHECK(find_nearest("timeout", longer) == "timeout_ms");
  CHECK(find_nearest("api_key", longer) == "api_key_env");
  CHECK(find_nearest("time", longer).empty());
  constexpr std::string_view modes[]{"round_robin", "swarm"};
  CHECK(find_nearest("robin", modes) == "round_robin");
}

TEST_CASE("a member that may be a secret is told where secrets belong") {
  constexpr std::string_view known[]{"rounds", "api_key_env"};
  CHECK(unknown_member("round", known)
        == "unknown member (did you mean \"rounds\"?)");
  CHECK(unknown_member("api_key", known)
        == "unknown member: remove it, and write \"api_key_env\", the name of "
           "an environment variable");
  CHECK(unknown_member("colour", known) == "unknown member: remove it");
}

TEST_CASE("a member that is a part of another name is to be renamed") {
  constexpr std::string_view known[]{"participant_id", "role_id", "kind"};
  CHECK(unknown_member("id", known)
        == "unknown member: rename it to \"participant_id\"");
  CHECK(unknown_member("role", known)
        == "unknown member: rename it to \"role_id\"");
}

TEST_CASE("another word is not") {
  CHECK(find_nearest("colour", names).empty());
  CHECK(find_nearest("", names).empty());
  CHECK(find_nearest("xyz", names).empty());
  CHECK(find_nearest(std::string(100'000'000, 'm'), names).empty());
  CHECK(find_nearest("mode", {}).empty());
  CHECK(suggest("colour", names).empty());
}
