// A server inside an application: it serves the application's own sessions.

#include "http/raw_client.hpp"

#include <catch2/catch.hpp>
#include <convene/server/server.hpp>
#include <runtime/log/event_log/files.hpp>

#include <chrono>
#include <future>
#include <stop_token>
#include <string>
#include <thread>

using namespace convene;
using namespace convene::tests;
using server::running_server;

namespace {

server::server_options on_free_port(const scratch_folder& folder) {
  return {.data = folder.path() / "data", .listen = {.port = 0}};
}

running_server started(server::server_options how) {
  auto made = running_server::start(std::move(how));
  REQUIRE(made);
  return *std::move(made);
}

/// The whole answer, with its head.
std::string ask(const running_server& of, const std::string& method,
                const std::string& path) {
  raw_client client{of.port()};
  const std::string host = "Host: 127.0.0.1:" + std::to_string(of.port());
  client.send(method + ' ' + path + " HTTP/1.1\r\n" + host
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + (method == "GET" ? "0\r\n\r\n" : "2\r\n\r\n{}"));
  return client.answer();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

/// A session whose one participant answers when `go` is ready.
session_setup waiting_for(const std::shared_future<void>& go) {
  return {.title = "embedded",
          .mode = mode::round_robin,
          .participants = {agent("a", "role-a",
                                 [go](const turn_request&) {
                                   go.wait();
                                   return reply{.content = "done", .end = true};
                                 })},
          .task = "wait"};
}

} // namespace

TEST_CASE("an application's own session is shown and controlled by HTTP") {
  const scratch_folder folder;
  std::promise<void> go;
  {
    auto served = started(on_free_port(folder));
    const auto session
      = served.runtime().start(waiting_for(go.get_future().share()));
    const auto path = "/v1/sessions/" + session.id();
    std::string state;
    while (!has(state, "200 OK")) // once its start is durable
      state = ask(served, "GET", path);
    CHECK(has(state, R"("status":"active")"));
    CHECK(has(ask(served, "GET", "/v1/sessions"), session.id()));
    CHECK(has(ask(served, "POST", path + "/cancel"), " 202 "));
    const auto result = session.await();
    REQUIRE(result);
    CHECK(result->status == collab_status::cancelled);
    while (!has(ask(served, "GET", path), R"("status":"cancelled")"))
      std::this_thread::yield(); // the server's own view of it comes after
    CHECK(has(ask(served, "POST", path + "/cancel"), "session_ended"));
  }
  go.set_value();
}

TEST_CASE("the next start resumes an application's session by its functions") {
  const scratch_folder folder;
  std::promise<void> never;
  std::string id;
  {
    auto served = started(on_free_port(folder));
    const auto session
      = served.runtime().start(waiting_for(never.get_future().share()));
    id = session.id();
    while (!has(ask(served, "GET", "/v1/sessions/" + id), "200 OK")) {
    }
  }
  auto how = on_free_port(folder);
  how.functions.emplace("a", agent("a", "role-a", [](const turn_request&) {
                          return reply{.content = "again", .end = true};
                        }));
  auto served = started(std::move(how));
  REQUIRE(served.runtime().recovered().sessions.size() == 1);
  const auto& resumed = served.runtime().recovered().sessions.front();
  CHECK(resumed.id() == id);
  const auto result = resumed.await();
  REQUIRE(result);
  CHECK(result->status == collab_status::completed);
  never.set_value();
}

TEST_CASE("wait returns once a stop is requested, by the token or the server") {
  const scratch_folder folder;
  std::stop_source stop;
  auto how = on_free_port(folder);
  how.stop = stop.get_token();
  {
    auto served = started(how);
    CHECK(has(ask(served, "GET", "/readyz"), "200 OK"));
    const std::jthread asks{[&stop] { stop.request_stop(); }};
    CHECK(served.wait());
  }
  how.stop = {};
  auto served = started(how);
  const std::jthread asks{[&served] { served.stop(); }};
  CHECK(served.wait());
}

TEST_CASE("an application's endpoints are served beside the server's own") {
  const scratch_folder folder;
  auto how = on_free_port(folder);
  how.endpoints.push_back(
    {.method = "GET",
     .pattern = "/v1/own",
     .call =
       [](const server::request&, const server::responder& to) {
         to({.content_type = "text/plain", .body = "mine"});
       },
     .about = "The application's own"});
  const auto served = started(std::move(how));
  CHECK(has(ask(served, "GET", "/v1/own"), "mine"));
  CHECK(has(ask(served, "GET", "/openapi.json"), "The application's own"));
}

TEST_CASE("a server refuses a folder in use, and others without keys") {
  const scratch_folder folder;
  const auto served = started(on_free_port(folder));
  const auto second = running_server::start(on_free_port(folder));
  REQUIRE(!second);
  CHECK(second.error().rule == "folder_locked");
  const scratch_folder other;
  auto open = on_free_port(other);
  open.listen.address = "0.0.0.0";
  const auto refused = running_server::start(std::move(open));
  REQUIRE(!refused);
  CHECK(refused.error().rule == "keys_required");
}
