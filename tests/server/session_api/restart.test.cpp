#include "rig.hpp"

using namespace convene;
using namespace convene::tests;

namespace {

std::string reply_path(const json::value& token) {
  return "/v1/requests/" + std::string{token.as_string()} + "/reply";
}

} // namespace

TEST_CASE("an open question and a stream go on over a restart of the server") {
  const auto durability = GENERATE(convene::durability::none,
                                   convene::durability::group,
                                   convene::durability::strict);
  const scratch_folder folder;
  const runtime_options how{.threads = 2, .durability = durability};
  std::optional<api> server{std::in_place, folder.path(), how};
  const auto id = server->create(with_person(2));
  const auto path = "/v1/sessions/" + id;
  const auto question = server->question();
  stream_reader reader{
    server->call("GET", path + "/events", {}, {{"accept", "text/event-stream"}})
      .stream};
  std::string bytes = reader.next();
  const auto poll
    = server->begin("GET", path + "/events?wait_ms=60000&after="
                             + json::serialize(server->get(path).at("events")));
  server.reset();
  CHECK(poll->get().status == 200);
  bytes += reader.rest(); // ends, as the server does
  CHECK(bytes.find("MAPSessionCompleted") == bytes.npos);

  server.emplace(folder.path(), how);
  CHECK(server->get(path).at("status").as_string() == "active");
  CHECK(server->question() == question);
  CHECK(server->post(reply_path(question.at("token")), R"({"content":"ok"})")
          .at("status")
          .as_string()
        == "accepted");
  const auto next = server->question();

  server.emplace(folder.path(), how);
  CHECK(server->post(reply_path(question.at("token")), R"({"content":"ok"})")
          .at("duplicate")
          .as_bool());
  CHECK(api::code_of(server->post(reply_path(question.at("token")),
                                  R"({"content":"no"})", 409))
        == "request_already_answered");
  server->post(reply_path(next.at("token")), R"({"content":"done"})");
  const auto all = server->events_to_the_end(id);

  server.emplace(folder.path(), how);
  CHECK(server->events_to_the_end(id) == all);
  const auto last = bytes.rfind("\nid: ");
  REQUIRE(last != bytes.npos);
  const auto seen = bytes.substr(last + 5,
                                 bytes.find('\n', last + 1) - last - 5);
  stream_reader joined{
    server
      ->call("GET", path + "/events", {},
             {{"accept", "text/event-stream"}, {"last-event-id", seen}})
      .stream};
  bytes += joined.rest();
  std::size_t at = 0;
  for (std::size_t i = 1; i <= all.size(); ++i) {
    const auto id_line = "id: " + std::to_string(i) + '\n';
    const auto found = bytes.find(id_line, at);
    REQUIRE(found == at); // in order, each once, nothing between them
    at = bytes.find("\n\n", found) + 2;
  }
  CHECK(at == bytes.size());
}

TEST_CASE("an answer right after a restart is taken, before anybody looked") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path()};
  const auto id = server->create(with_person(20));
  auto token = server->question().at("token");
  for (int i = 0; i < 19; ++i) {
    server.emplace(folder.path());
    // A reply that is none does not close it either.
    CHECK(api::code_of(server->post(reply_path(token),
                                    R"({"handoff":{"to":"nobody"}})", 422))
          == "reply_invalid");
    server.emplace(folder.path());
    CHECK(!server->post(reply_path(token), R"({"content":"ok"})")
             .as_object()
             .contains("duplicate"));
    token = server->question().at("token");
  }
  server->post("/v1/sessions/" + id + "/cancel", "", 202);
  server->events_to_the_end(id);
}

TEST_CASE("ended sessions are listed after a restart with all they left") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path()};
  const auto id = server->create(two_agents(2));
  const auto asked = server->create(with_person());
  server->events_to_the_end(id);
  server->question();
  const auto state = server->get("/v1/sessions/" + id);
  const auto collab = server->get("/v1/sessions/" + id + "/documents/collab");
  const auto trace = server->get("/v1/sessions/" + id + "/documents/trace");
  const auto list = server->get("/v1/sessions");
  server.emplace(folder.path());
  CHECK(server->get("/v1/sessions") == list);
  CHECK(server->get("/v1/sessions/" + id) == state);
  CHECK(server->get("/v1/sessions/" + id + "/documents/collab") == collab);
  CHECK(server->get("/v1/sessions/" + id + "/documents/trace") == trace);
  CHECK(api::code_of(server->post("/v1/sessions/" + id + "/cancel", "", 409))
        == "session_ended");
  CHECK(api::code_of(server->post(
          "/v1/sessions", R"({"scenario":)" + two_agents(1, id) + "}", 409))
        == "session_exists");
  server->post("/v1/sessions/" + asked + "/cancel", "", 202);
  server->events_to_the_end(asked);
}

TEST_CASE("a suspended session stays suspended over a restart") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path()};
  const auto id = server->create(with_person());
  const auto path = "/v1/sessions/" + id;
  const auto question = server->question();
  const auto before = json::serialize(server->get(path).at("events"));
  server->post(path + "/suspend", R"({"reason":"lunch"})", 202);
  server->get(path + "/events?wait_ms=60000&after=" + before);
  server.emplace(folder.path());
  CHECK(server->get(path).at("status").as_string() == "suspended");
  CHECK(server->get("/v1/requests").at("requests").as_array().empty());
  CHECK(api::code_of(server->post(reply_path(question.at("token")),
                                  R"({"content":"ok"})", 410))
        == "request_over");
  server->post(path + "/resume", "", 202);
  server->post(reply_path(server->question().at("token")),
               R"({"content":"ok"})");
  server->events_to_the_end(id);
}

TEST_CASE("more ended sessions than are kept in memory are read from the log") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path(),
                            runtime_options{.threads = 2,
                                            .durability = durability::none}};
  std::vector<std::string> ids;
  const auto count = server::event_places::ended_max + 20;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(server->create(two_agents()));
  // Those that are looked at below are to end before the restart.
  for (const auto& id : {ids.front(), ids[1], ids[2], ids.back()})
    CHECK(server->events_to_the_end(id).size() > 5);
  server.emplace(folder.path());
  const auto first = server->events_to_the_end(ids.front());
  stream_reader reader{server
                         ->call("GET", "/v1/sessions/" + ids[1] + "/events", {},
                                {{"accept", "text/event-stream"}})
                         .stream};
  const auto bytes = reader.rest();
  CHECK(bytes.starts_with("id: 1\n"));
  CHECK(bytes.find("MAPSessionCompleted") != bytes.npos);
  CHECK(first.back().at("event_type").as_string() == "MAPSessionCompleted");
  CHECK(server->get("/v1/sessions/" + ids[2]).at("result").is_object());
}

TEST_CASE("a folder has one server, which keeps real time") {
  const scratch_folder folder;
  const api server{folder.path()};
  const auto refused = [&](runtime_options how) {
    const auto opened = server::session_host::open(
      {.data = folder.path(), .runtime = std::move(how)});
    return opened ? std::string{} : opened.error().rule;
  };
  CHECK(refused({}) == "log_locked");
  CHECK(refused({.seed = 1}) == "virtual_time");
}
