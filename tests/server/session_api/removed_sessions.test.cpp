// A server that removes ended sessions from its log.

#include "rig.hpp"

#include <thread>

using namespace convene;
using namespace convene::tests;

namespace {

runtime_options keeping_little() {
  return {.threads = 2,
          .durability = durability::none,
          .log_segment_bytes = 16 << 10,
          .log_keep_bytes = 32 << 10};
}

std::vector<std::string> run_some(api& server, int count) {
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) {
    ids.push_back(server.create(two_agents()));
    server.events_to_the_end(ids.back());
  }
  return ids;
}

std::size_t shown(api& server) {
  return server.get("/v1/sessions?limit=1000").at("sessions").as_array().size();
}

} // namespace

TEST_CASE("an ended session is unknown once the log has lost its beginning, "
          "also after a restart") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path(), keeping_little()};
  const auto ids = run_some(*server, 60);
  const auto first = "/v1/sessions/" + ids.front();
  for (const auto* rest : {"", "/events", "/workspace"})
    CHECK(api::code_of(server->get(first + rest, 404)) == "session_unknown");
  const auto left = shown(*server);
  CHECK(left > 2);
  CHECK(left < 40);
  CHECK(server->events_to_the_end(ids.back()).size() > 5);
  server.emplace(folder.path(), keeping_little());
  CHECK(shown(*server) <= left);
  CHECK(shown(*server) > 2);
  const auto page = server->get("/v1/sessions?limit=1000");
  for (const auto& row : page.at("sessions").as_array())
    CHECK_FALSE(row.at("started_at").as_string().empty());
  CHECK(api::code_of(server->get(first, 404)) == "session_unknown");
  CHECK(server->events_to_the_end(ids.back()).size() > 5);
  run_some(*server, 20);
  CHECK(api::code_of(server->get("/v1/sessions/" + ids.back(), 404))
        == "session_unknown");
}

TEST_CASE("a session that waits for a person keeps what follows its beginning, "
          "and is answered") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path(), keeping_little()};
  const auto asked = server->create(with_person());
  const auto token = server->question().at("token");
  const auto ids = run_some(*server, 60);
  CHECK(server->get("/v1/sessions/" + ids.front()).is_object());
  server.emplace(folder.path(), keeping_little());
  const auto question = server->question();
  CHECK(question.at("token") == token);
  server->post("/v1/requests/" + std::string{token.as_string()} + "/reply",
               R"({"content":"ok"})");
  server->events_to_the_end(asked);
  run_some(*server, 60);
  CHECK(api::code_of(server->get("/v1/sessions/" + asked, 404))
        == "session_unknown");
}

TEST_CASE("the id of a session that was removed can be used again") {
  const scratch_folder folder;
  api server{folder.path(), keeping_little()};
  const std::string id = "11111111-1111-4111-8111-111111111111";
  server.create(two_agents(1, id));
  server.events_to_the_end(id);
  run_some(server, 60);
  CHECK(server.create(two_agents(1, id)) == id);
  CHECK(server.events_to_the_end(id).size() > 5);
}

TEST_CASE("an idle server forgets what it need not keep") {
  const scratch_folder folder;
  api server{folder.path(),
             {.threads = 2,
              .durability = durability::none,
              .log_segment_bytes = 16 << 10,
              .log_keep_time = std::chrono::milliseconds{80}}};
  const auto asked = server.create(with_person());
  const auto id = run_some(server, 1).front();
  server.post("/v1/sessions/" + asked + "/cancel", "", 202);
  server.events_to_the_end(asked);
  for (const auto& each : {asked, id})
    while (server.call("GET", "/v1/sessions/" + each).status != 404)
      std::this_thread::yield();
  CHECK(shown(server) == 0);
}
