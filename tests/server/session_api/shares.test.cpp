// What the sessions of one key may hold of a server.

#include "rig.hpp"

using namespace convene;
using namespace convene::tests;

namespace {

server::caller holder(const std::string& key) {
  auto made = anybody();
  made.key_id = key;
  return made;
}

response begin(api& server, const std::string& key,
               const std::string& scenario = with_person(),
               const std::string& more = "") {
  return server.call("POST", "/v1/sessions",
                     R"({"scenario":)" + scenario + more + '}', {},
                     holder(key));
}

std::string id_of(const response& made) {
  REQUIRE(made.status == 201);
  return std::string{json::parse(made.body).at("session_id").as_string()};
}

} // namespace

TEST_CASE("a key has so many active sessions, and others have theirs") {
  const scratch_folder folder;
  api server{folder.path(), {.threads = 2}, {.key_max = 2}};
  const auto first = id_of(begin(server, "ann"));
  id_of(begin(server, "ann"));
  const auto refused = begin(server, "ann");
  CHECK(refused.status == 429);
  CHECK(api::code_of(json::parse(refused.body)) == "key_sessions_max");
  id_of(begin(server, "bob"));
  // A draft costs nothing until it is started.
  const auto draft
    = id_of(begin(server, "ann", with_person(), R"(,"start":false)"));
  const auto start = "/v1/sessions/" + draft + "/resume";
  CHECK(server.call("POST", start, "", {}, holder("ann")).status == 429);
  server.post("/v1/sessions/" + first + "/cancel", "", 202);
  server.events_to_the_end(first);
  CHECK(server.call("POST", start, "", {}, holder("ann")).status == 202);
}

TEST_CASE("a session that grows until its key has too many bytes is cancelled, "
          "and others of the server are not") {
  const scratch_folder folder;
  api server{folder.path(), {.threads = 2}, {.key_bytes_max = 100'000}};
  const auto large = id_of(begin(server, "ann"));
  const auto other = id_of(begin(server, "bob"));
  const auto say = [&](const std::string& id) {
    return server
      .call("POST", "/v1/sessions/" + id + "/messages",
            R"({"content":")" + std::string(40'000, 'x') + "\"}")
      .status;
  };
  while (say(large) == 200) {
  }
  const auto events = server.events_to_the_end(large);
  const auto last = json::serialize(events.back());
  CHECK_THAT(last, Catch::Contains("MAPSessionCompleted")
                     && Catch::Contains("key_sessions_bytes_max"));
  CHECK(say(other) == 200);
  id_of(begin(server, "ann"));
}

TEST_CASE("sessions that have too many bytes in all leave no room for more") {
  const scratch_folder folder;
  api server{folder.path(), {.threads = 2}, {.bytes_max = 10'000}};
  id_of(begin(server, "ann"));
  auto refused = begin(server, "bob");
  for (int count = 0; count < 10 && refused.status == 201; ++count)
    refused = begin(server, "bob");
  CHECK(refused.status == 503);
  CHECK(api::code_of(json::parse(refused.body)) == "sessions_bytes_max");
}
