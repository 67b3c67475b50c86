#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/server/keys/watched_keys.hpp>
#include <runtime/log/event_log/files.hpp>
#include <sys/stat.h>

#include <set>
#include <thread>

using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;

namespace {

unsigned mode_of(const std::filesystem::path& file) {
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

void write_private(const std::filesystem::path& file, const std::string& text) {
  write_bytes(file, text);
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
}

std::string refusal_of(const std::string& text) {
  const scratch_folder folder;
  write_private(folder / "keys.json", text);
  const auto read = read_keys(folder / "keys.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().file == (folder / "keys.json").string());
  return to_string(read.error());
}

std::string file_with(const std::string& key) {
  return R"({"convene_keys": "1", "keys": [)" + key + "]}";
}

const std::string hash(64, 'a');

} // namespace

TEST_CASE("a new key is in the file only as its hash, for its owner alone") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  const auto made = add_key(file, {.scopes = {"runs:read"},
                                   .created_at = "2026-01-01T00:00:00.000Z"});
  REQUIRE(made);
  CHECK(made->text.size() == 8 + 64);
  CHECK(mode_of(file) == 0600);
  CHECK_THAT(read_bytes(file), !Contains(made->text.substr(8)));
  const auto read = read_keys(file);
  REQUIRE(read);
  CHECK(*read == std::vector{made->stored});
  CHECK(read->front().hash == convene::protocol::sha256(made->text));
  CHECK_FALSE(std::filesystem::exists(folder / "keys.json.new"));
}

TEST_CASE("a key of groups is one of these groups alone, and never becomes one "
          "of all") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  const auto made = add_key(file,
                            {.scopes = {"runs:read"}, .groups = {"g2", "g1"}});
  REQUIRE(made);
  const auto read = read_keys(file);
  REQUIRE(read);
  CHECK(*read == std::vector{made->stored});
  key_ring ring{*read};
  auto who = ring.find(made->text);
  REQUIRE(who);
  CHECK(who->groups == std::set<std::string, std::less<>>{"g1", "g2"});
  CHECK(ring.holds(*who));
  who->groups.erase("g1");
  CHECK_FALSE(ring.holds(*who));
  for (const auto* const groups : {"[]", "1", "\"g\"", "[1]", "[\"\"]", "null"})
    CHECK_THAT(refusal_of(file_with(R"({"id": "a", "sha256": ")" + hash
                                    + R"(", "scopes": [], "groups": )" + groups
                                    + "}")),
               Contains("/keys/0/groups"));
}

TEST_CASE("the ring knows each key, and whom it is of") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  const auto one = add_key(file, {.scopes = {"runs:read"}});
  const auto person = add_key(file, {.scopes = {"approvals:respond"},
                                     .session_id = "s",
                                     .participant_id = "ana"});
  REQUIRE((one && person));
  const key_ring ring{*read_keys(file)};
  const auto first = ring.find(one->text);
  REQUIRE(first);
  CHECK(first->key_id == one->stored.id);
  CHECK(first->may("runs:read"));
  CHECK_FALSE(first->may("runs:create"));
  CHECK(first->session_id.empty());
  const auto second = ring.find(person->text);
  REQUIRE(second);
  CHECK(second->session_id == "s");
  CHECK(second->participant_id == "ana");
  auto other = one->text;
  other.back() = other.back() == '0' ? '1' : '0';
  CHECK_FALSE(ring.find(other));
  CHECK_FALSE(ring.find(""));
  CHECK_FALSE(ring.find(one->stored.id));
}

TEST_CASE("a removed key is gone, the others stay") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  const auto one = add_key(file, {.scopes = {"runs:read"}});
  const auto two = add_key(file, {.scopes = {"runs:read"}});
  REQUIRE(remove_key(file, one->stored.id));
  CHECK(*read_keys(file) == std::vector{two->stored});
  CHECK(mode_of(file) == 0600);
  const auto again = remove_key(file, one->stored.id);
  REQUIRE_FALSE(again);
  CHECK(again.error().rule == "key_id");
  CHECK_FALSE(std::filesystem::exists(folder / "keys.json.new"));
}

TEST_CASE("keys that are made at once are all there") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  std::vector<std::thread> makers;
  for (int count = 0; count < 8; ++count)
    makers.emplace_back([&file] {
      for (int more = 0; more < 5; ++more)
        static_cast<void>(add_key(file, {.scopes = {"runs:read"}}));
    });
  for (auto& one : makers)
    one.join();
  const auto read = read_keys(file);
  REQUIRE(read);
  CHECK(read->size() == 40);
}

TEST_CASE("a broken file of keys says where, and stays as it is") {
  CHECK_THAT(refusal_of(""), Contains("empty"));
  CHECK_THAT(refusal_of("{"), Contains(":1:2"));
  CHECK_THAT(refusal_of("[]"), Contains("not a file of keys"));
  CHECK_THAT(refusal_of(R"({"convene_keys": "2", "keys": []})"),
             Contains("not a file of keys"));
  CHECK_THAT(refusal_of(file_with("1")), Contains("/keys/0"));
  CHECK_THAT(refusal_of(file_with(R"({"id": "k", "sha256": "aa"})")),
             Contains("/keys/0") && Contains("64"));
  CHECK_THAT(refusal_of(file_with(R"({"id": "k", "sha256": ")" + hash
                                  + R"(", "scopes": ["all"]})")),
             Contains("/keys/0/scopes") && Contains("all"));
  CHECK_THAT(refusal_of(file_with(R"({"id": "k", "sha256": ")" + hash
                                  + R"(", "session_id": "s"})")),
             Contains("participant_id"));
  CHECK_THAT(refusal_of(file_with(R"({"id": "k", "sha256": ")" + hash
                                  + R"(", "session_id": 1})")),
             Contains("/keys/0/session_id"));
  const auto key = R"({"id": "k", "sha256": ")" + hash + R"("})";
  CHECK_THAT(refusal_of(file_with(key + ", " + key)), Contains("/keys/1/id"));

  const scratch_folder folder;
  const auto file = folder / "keys.json";
  write_private(file, "broken");
  CHECK_FALSE(add_key(file, {.scopes = {"runs:read"}}));
  CHECK(read_bytes(file) == "broken");
  CHECK_FALSE(std::filesystem::exists(folder / "keys.json.new"));
}

TEST_CASE("a file of keys that others can use is refused, with what to do") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  REQUIRE(add_key(file, {.scopes = {"runs:read"}}));
  CHECK(read_keys(file));
  for (const auto mode : {0640U, 0604U, 0622U, 0601U}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    const auto read = read_keys(file);
    REQUIRE_FALSE(read);
    CHECK(read.error().rule == "file_mode");
    CHECK_THAT(to_string(read.error()), Contains("chmod 600 " + file.string()));
  }
}

TEST_CASE("groups are their scopes, admin is all of them") {
  CHECK(read_scopes({"read"})
        == scope_set{"manifest:read", "runs:read", "artifacts:read"});
  CHECK(read_scopes({"run", "answer", "webhooks:manage"})
        == scope_set{"runs:create", "runs:cancel", "approvals:respond",
                     "webhooks:manage"});
  CHECK(read_scopes({"admin"}) == known_scopes());
  CHECK(everybody().scopes == known_scopes());
  CHECK(read_scopes({"everything"}).error().rule == "scope");
  CHECK(read_scopes({}).error().rule == "scope");
}

TEST_CASE("keys that are made, changed and revoked count once the file is read "
          "again") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  const auto one = add_key(file, {.scopes = {"runs:read"}});
  REQUIRE(one);
  const auto keys = watched_keys::open(file).value();
  CHECK_FALSE(keys->refresh());
  const auto first = keys->find(one->text);
  REQUIRE(first);
  CHECK(keys->holds(*first));
  const auto two = add_key(file, {.scopes = {"runs:create"}});
  REQUIRE(two);
  CHECK_FALSE(keys->find(two->text));
  CHECK(keys->refresh());
  CHECK(keys->find(two->text));
  CHECK(keys->holds(*first));
  auto less = *first;
  less.scopes.clear();
  CHECK_FALSE(keys->holds(less));
  REQUIRE(remove_key(file, one->stored.id));
  CHECK(keys->refresh());
  CHECK_FALSE(keys->find(one->text));
  CHECK_FALSE(keys->holds(*first));
}

TEST_CASE("a broken or missing file leaves the keys as they were") {
  const scratch_folder folder;
  const auto file = folder / "keys.json";
  const auto one = add_key(file, {.scopes = {"runs:read"}});
  REQUIRE(one);
  const auto keys = watched_keys::open(file).value();
  const auto before = read_bytes(file);
  if (GENERATE(true, false))
    write_bytes(file, "{");
  else
    std::filesystem::remove(file);
  CHECK_FALSE(keys->refresh());
  CHECK_FALSE(keys->refresh());
  CHECK(keys->find(one->text));
  write_private(file, before);
  CHECK(keys->refresh());
  CHECK(keys->find(one->text));
}
