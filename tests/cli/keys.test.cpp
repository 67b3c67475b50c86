#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace json = boost::json;

TEST_CASE("keys new prints a key once, keys list never does") {
  const scratch_folder folder;
  const auto file = (folder / "keys.json").string();
  const auto made
    = run({"keys", "new", "--file", file, "--scope", "read,answer", "--json"});
  CHECK(made.code == 0);
  const auto told = parse_json(made.out);
  REQUIRE(told);
  CHECK(told->as_object().size() == 3);
  CHECK(told->at("scopes")
        == json::array{"approvals:respond", "artifacts:read", "manifest:read",
                       "runs:read"});
  const std::string key{told->at("key").as_string()};
  const std::string id{told->at("id").as_string()};
  const auto second = run({"keys", "new", "--file", file, "--scope", "answer",
                           "--session", "s-1", "--participant", "ana"});
  CHECK(second.code == 0);
  CHECK(second.out.starts_with("convene_"));
  CHECK_THAT(second.err, Contains("approvals:respond")
                           && Contains("takes the key within seconds"));
  const auto listed = run({"keys", "list", "--file", file});
  CHECK(listed.code == 0);
  CHECK_THAT(listed.out,
             Contains(id) && Contains("as ana in s-1") && !Contains(key));
  CHECK_THAT(run({"keys", "list", "--file", file, "--json"}).out,
             Contains(R"("participant_id": "ana")") && !Contains("sha256"));
  const auto revoked = run({"keys", "revoke", "--file", file, id});
  CHECK(revoked.code == 0);
  CHECK_THAT(revoked.err, Contains("refuses it within seconds"));
  CHECK_THAT(run({"keys", "list", "--file", file}).out, !Contains(id));
}

TEST_CASE("a key that cannot be written to standard output is taken back") {
  const scratch_folder folder;
  const auto file = (folder / "keys.json").string();
  REQUIRE(run({"keys", "new", "--file", file, "--scope", "read"}).code == 0);
  const auto before = run({"keys", "list", "--file", file}).out;
  for (const std::string form : {"--quiet", "--json"}) {
    program unseen{{"keys", "new", "--file", file, "--scope", "read", form},
                   "/dev/full"};
    const auto ended = unseen.wait();
    CHECK(ended.code == 3);
    CHECK_THAT(ended.err, Contains("taken back"));
    CHECK(run({"keys", "list", "--file", file}).out == before);
  }
}

TEST_CASE("keys refuses what makes no key") {
  const scratch_folder folder;
  const auto file = (folder / "keys.json").string();
  CHECK_THAT(run({"keys", "new", "--file", file, "--scope", "all"}).err,
             Contains("unknown scope") && Contains("runs:create"));
  const auto half = run(
    {"keys", "new", "--file", file, "--scope", "answer", "--session", "s"});
  CHECK(half.code == 2);
  CHECK_THAT(half.err, Contains("--participant"));
  CHECK(run({"keys", "list", "--file", file}).code == 2);
  CHECK(run({"keys", "new", "--file", (folder / "no/keys.json").string(),
             "--scope", "read"})
          .code
        == 2);
  write_bytes(file, "[]");
  const auto broken = run({"keys", "new", "--file", file, "--scope", "read"});
  CHECK(broken.code == 2);
  CHECK_THAT(broken.err, Contains(file));
  CHECK(read_bytes(file) == "[]");
}
