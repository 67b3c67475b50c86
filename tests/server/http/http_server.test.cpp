#include "framing_cases.hpp"
#include "test_server.hpp"

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;

namespace {

using std::chrono::milliseconds;

/// An endpoint without a scope that answers by a function.
route get_route(std::string pattern, handler call) {
  return {.method = "GET",
          .pattern = std::move(pattern),
          .call = std::move(call)};
}

void wait_until(const std::function<bool()>& holds) {
  for (int tries = 0; !holds(); ++tries) {
    REQUIRE(tries < 12'000);
    std::this_thread::sleep_for(milliseconds{10});
  }
}

http_server_options with_name_h() {
  http_server_options how;
  how.names = {"h"};
  return how;
}

} // namespace

TEST_CASE("what is framed in doubt is refused, and the connection ended") {
  const test_server server{{}, {}, with_name_h()};
  for (const auto& one : framing_cases()) {
    INFO(one.name);
    auto client = server.connect();
    client.send(one.bytes);
    if (one.status == 0) {
      CHECK(status_of(client.answer()) == 200);
      continue;
    }
    const auto answer = client.answer();
    CHECK(status_of(answer) == one.status);
    CHECK_THAT(answer, Contains("X-Request-Id: "));
  }
  // What follows a refused request is never taken for another one.
  for (const auto& one : framing_cases()) {
    if (one.status == 0 || one.name.find("escape") != std::string::npos
        || one.name.find("dot segment") != std::string::npos
        || one.name.find("query") != std::string::npos)
      continue;
    INFO(one.name);
    auto client = server.connect();
    client.send(one.bytes + "GET /hello HTTP/1.1\r\nHost: h\r\n\r\n");
    client.stop_sending();
    const auto all = client.all();
    CHECK(all.find("}HTTP/1.1 ") == std::string::npos);
    CHECK_THAT(all, Contains("Connection: close"));
  }
}

TEST_CASE("requests on one connection are answered in their order") {
  const test_server server;
  auto client = server.connect();
  std::string many;
  for (int number = 0; number < 200; ++number)
    many += server.post("/echo", std::to_string(number));
  client.send(many);
  for (int number = 0; number < 200; ++number)
    REQUIRE_THAT(client.answer(),
                 Catch::EndsWith("\r\n\r\n" + std::to_string(number)));
}

TEST_CASE("the beginning of a request may come with the one before it") {
  const test_server server;
  const auto both = server.post("/echo", "[1]") + server.post("/echo", "[2]");
  auto client = server.connect();
  for (auto cut = both.size() / 2; cut < both.size(); ++cut) {
    client.send(both.substr(0, cut));
    REQUIRE_THAT(client.answer(), Catch::EndsWith("[1]"));
    client.send(both.substr(cut));
    REQUIRE_THAT(client.answer(), Catch::EndsWith("[2]"));
  }
}

TEST_CASE("a request is answered wherever its bytes are cut") {
  const test_server server;
  const auto bytes = server.post("/echo", "[1]");
  auto client = server.connect();
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    client.send(bytes.substr(0, cut));
    client.send(bytes.substr(cut));
    REQUIRE_THAT(client.answer(), Catch::EndsWith("\r\n\r\n[1]"));
  }
}

TEST_CASE("paths and methods that are not there say so") {
  const test_server server;
  const auto missing = server.ask(server.get("/nothing"));
  CHECK(status_of(missing) == 404);
  CHECK_THAT(missing, Contains(R"("code":"not_found")"));
  const auto wrong = server.ask(server.post("/hello", "{}"));
  CHECK(status_of(wrong) == 405);
  CHECK_THAT(wrong, Contains("\r\nAllow: GET, HEAD\r\n"));
  CHECK(status_of(
          server.ask("OPTIONS /hello HTTP/1.1\r\n" + server.host() + "\r\n"))
        == 405);
}

TEST_CASE("HEAD is answered as GET, without the body") {
  const test_server server;
  auto client = server.connect();
  client.send("HEAD /hello HTTP/1.1\r\n" + server.host()
              + "Connection: close\r\n\r\n");
  const auto all = client.all();
  CHECK_THAT(all,
             Contains("Content-Length: 5\r\n") && Catch::EndsWith("\r\n\r\n"));
}

TEST_CASE("another host, origin or type of body is refused") {
  http_server_options how;
  how.origins = {"https://app.example"};
  const test_server server{{}, {}, std::move(how)};
  CHECK(
    status_of(server.ask("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n"))
    == 421);
  CHECK(status_of(server.ask(server.get("/hello", "Origin: http://evil\r\n")))
        == 403);
  CHECK_THAT(server.ask(
               server.get("/hello", "Origin: https://app.example\r\n")),
             Contains("Access-Control-Allow-Origin: https://app.example\r\n"));
  CHECK_THAT(server.ask("OPTIONS /echo HTTP/1.1\r\n" + server.host()
                        + "Origin: https://app.example\r\n\r\n"),
             Contains("204") && Contains("Access-Control-Allow-Methods: POST"));
  const auto typed = [&server](const std::string& type) {
    return status_of(server.ask("POST /echo HTTP/1.1\r\n" + server.host() + type
                                + "Content-Length: 2\r\n\r\n{}"));
  };
  CHECK(typed("Content-Type: Application/JSON; charset=utf-8\r\n") == 200);
  for (const auto* const other :
       {"", "Content-Type: text/plain\r\n",
        "Content-Type: application/jsonx\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n"})
    CHECK(typed(other) == 415);
  CHECK(status_of(server.ask(server.post("/echo", "\"\xff\""))) == 400);
}

TEST_CASE("a handler that throws, or says nothing, is a fault without words") {
  const test_server server{
    {get_route("/throws",
               [](const request&, responder) {
                 throw std::runtime_error{"secret detail"};
               }),
     get_route("/silent", [](const request&, responder) {}),
     get_route("/later-throws", [](const request&, responder to) {
       to.after(milliseconds{1}, []() -> response {
         throw std::runtime_error{"secret detail"};
       });
     })}};
  for (const auto* const path : {"/throws", "/silent", "/later-throws"}) {
    const auto answer = server.ask(server.get(path));
    CHECK(status_of(answer) == 500);
    CHECK_THAT(answer, Contains("internal_error") && !Contains("secret"));
  }
}

TEST_CASE("an answer may come later, from another thread, or from the clock") {
  std::promise<responder> asked;
  const test_server server{
    {get_route("/later",
               [&asked](const request&, responder to) {
                 to.after(std::chrono::hours{1}, [] { return response{}; });
                 asked.set_value(std::move(to));
               }),
     get_route("/clock", [](const request&, responder to) {
       to.after(milliseconds{20}, [] { return response{.status = 202}; });
     })}};
  auto client = server.connect();
  client.send(server.get("/later"));
  std::thread{[to = asked.get_future().get()] {
    to({.status = 203});
    to({.status = 500});
  }}.join();
  CHECK(status_of(client.answer()) == 203);
  CHECK(status_of(server.ask(server.get("/clock"))) == 202);
}

TEST_CASE(
  "who has only stopped sending is answered, who has gone is forgotten") {
  std::atomic<int> asked = 0;
  std::atomic<int> made = 0;
  const auto kept = std::make_shared<int>();
  const test_server server{
    {get_route("/later", [&](const request&, responder to) {
      const milliseconds wait = asked == 0 ? milliseconds{300}
                                           : std::chrono::hours{1};
      to.after(wait, [&made, kept] {
        ++made;
        return response{.status = 202};
      });
      ++asked;
    })}};
  const auto unused = kept.use_count();
  auto half = server.connect();
  half.send(server.get("/later"));
  half.stop_sending();
  CHECK(status_of(half.all()) == 202);
  wait_until([&] { return server->counts().connections == 0; });
  auto gone = server.connect();
  gone.send(server.get("/later"));
  wait_until([&] { return asked == 2; });
  CHECK(kept.use_count() > unused);
  gone.reset();
  wait_until([&] { return server->counts().connections == 0; });
  wait_until([&] { return kept.use_count() == unused; });
  CHECK(made == 2); // for nobody: what waits is let go
}

TEST_CASE("a slow request is answered with 408, a silent connection is ended") {
  {
    http_limits limits;
    limits.idle_time = milliseconds{150};
    const test_server server{{}, limits};
    auto silent = server.connect();
    CHECK(silent.all().empty());
  }
  http_limits limits;
  limits.request_time = milliseconds{150};
  const test_server server{{}, limits};
  for (const std::string& begun :
       {std::string{"GET /hel"}, server.host(),
        "POST /echo HTTP/1.1\r\n" + server.host()
          + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"}) {
    auto slow = server.connect();
    slow.send(begun);
    const auto answer = slow.all();
    CHECK(status_of(answer) == 408);
    CHECK_THAT(answer, Contains("request_time"));
  }
  // Bytes that drip do not prolong it.
  auto dripping = server.connect();
  std::thread drip{[&dripping] {
    for (int count = 0; count < 100; ++count) {
      dripping.send("G");
      std::this_thread::sleep_for(milliseconds{5});
    }
  }};
  CHECK(status_of(dripping.all()) == 408);
  drip.join();
}

TEST_CASE("more connections than allowed are closed") {
  http_limits limits;
  limits.connections_max = 2;
  const test_server server{{}, limits};
  auto one = server.connect();
  one.send(server.get("/hello"));
  CHECK(status_of(one.answer()) == 200);
  auto two = server.connect();
  two.send(server.get("/hello"));
  CHECK(status_of(two.answer()) == 200);
  CHECK(server.connect().all().empty());
  one.hang_up();
  wait_until([&] { return server->counts().connections == 1; });
  CHECK(status_of(server.ask(server.get("/hello"))) == 200);
}

TEST_CASE("bodies of all requests together are bounded") {
  http_limits limits;
  limits.bodies_bytes_max = 1'000;
  std::promise<responder> held;
  const test_server server{
    {{.method = "POST",
      .pattern = "/hold",
      .call = [&held](const request&,
                      responder to) { held.set_value(std::move(to)); }}},
    limits};
  const auto big = '"' + std::string(700, 'a') + '"';
  auto first = server.connect();
  first.send(server.post("/hold", big));
  const auto to = held.get_future().get();
  const auto refused = server.ask(server.post("/echo", big));
  CHECK(status_of(refused) == 503);
  CHECK_THAT(refused, Contains("bodies_bytes_max"));
  const bool waits = GENERATE(true, false);
  if (!waits) {
    first.reset();
    wait_until([&] { return server->counts().connections == 0; });
    CHECK(status_of(server.ask(server.post("/echo", big))) == 503);
  }
  to({.status = 202});
  if (waits)
    CHECK(status_of(first.answer()) == 202);
  wait_until(
    [&] { return status_of(server.ask(server.post("/echo", big))) == 200; });
}

TEST_CASE("who sends a body that is refused can still read why") {
  http_limits limits = patient_limits();
  limits.body_bytes_max = 1'000;
  const test_server server{{}, limits};
  const std::string large(16U << 20, ' ');
  for (const auto& [path, status] :
       {std::pair{"/echo", 413U}, std::pair{"/nothing", 404U}}) {
    auto client = server.connect();
    CHECK(client.send(server.post(path, large)));
    const auto answer = client.all();
    CHECK(status_of(answer) == status);
    CHECK_THAT(answer, Contains("Connection: close"));
  }
}

TEST_CASE("a body that is too long is refused in the form of its endpoint") {
  http_limits limits = patient_limits();
  limits.body_bytes_max = 10;
  http_server_options how;
  how.authenticate = [](std::string_view key) -> std::optional<caller> {
    if (key != "known")
      return std::nullopt;
    return caller{.key_id = "key", .scopes = {"runs:create"}};
  };
  const test_server server{
    {{.method = "POST",
      .pattern = "/v1/runs",
      .scope = "runs:create",
      .call = [](const request&, responder to) { to({}); },
      .errors = error_form::openwop}},
    limits,
    std::move(how)};
  const std::string key = "Authorization: Bearer known\r\n";
  const auto head = "POST /v1/runs HTTP/1.1\r\n" + server.host()
                    + "Content-Type: application/json\r\n";
  for (const std::string& body :
       {std::string{"Content-Length: 11\r\n\r\n"},
        std::string{
          "Transfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n"}}) {
    INFO(body);
    auto refused = server.connect();
    refused.send(head + key + body);
    CHECK_THAT(refused.answer(),
               Contains("413") && Contains(R"({"error":"body_bytes_max")"));
    auto unknown = server.connect();
    unknown.send(head + body);
    CHECK_THAT(unknown.answer(),
               Contains("401") && Contains(R"({"error":"unauthenticated")"));
  }
}

TEST_CASE("too many requests in a second are put off") {
  http_limits limits;
  limits.requests_per_second = 1;
  const test_server server{{}, limits};
  CHECK(status_of(server.ask(server.get("/hello"))) == 200);
  CHECK(status_of(server.ask(server.get("/nothing"))) == 404);
  std::string answer;
  wait_until([&] {
    answer = server.ask(server.get("/nothing"));
    return status_of(answer) == 429;
  });
  CHECK_THAT(answer, Contains("Retry-After: 1\r\n") && Contains("rate_limited")
                       && Contains(R"("scope":"address")"));
}

TEST_CASE("a body is asked for once it is wanted") {
  const test_server server;
  auto client = server.connect();
  const auto head = "POST /echo HTTP/1.1\r\n" + server.host()
                    + "Content-Type: application/json\r\n"
                      "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n";
  client.send(head);
  CHECK(client.until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{}");
  CHECK(status_of(client.answer()) == 200);
  client.send("POST /nothing" + head.substr(10));
  const auto all = client.all();
  CHECK(status_of(all) == 404);
  CHECK_THAT(all, Contains("Connection: close"));
}

TEST_CASE("hundreds of clients at once get their own answers") {
  const test_server server;
  std::vector<raw_client> clients;
  for (int number = 0; number < 400; ++number)
    clients.push_back(server.connect());
  for (int round = 0; round < 3; ++round) {
    for (std::size_t number = 0; number < clients.size(); ++number)
      clients[number].send(server.post("/echo", std::to_string(number)));
    for (std::size_t number = 0; number < clients.size(); ++number)
      REQUIRE_THAT(clients[number].answer(),
                   Catch::EndsWith("\r\n\r\n" + std::to_string(number)));
  }
  CHECK(server->counts().connections == 400);
}

TEST_CASE("a server responds until it has stopped") {
  const test_server server;
  CHECK(server->responds(std::chrono::seconds{60}));
  server->stop(std::chrono::milliseconds{0});
  CHECK(!server->responds(std::chrono::milliseconds{0}));
}
