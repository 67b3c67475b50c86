#include "test_server.hpp"

#include <atomic>
#include <future>
#include <mutex>
#include <set>

using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;

namespace {

const std::vector<std::string> scopes{"runs:read", "runs:create", "metrics"};

/// Endpoints that want each of the scopes, and one that wants none.
routes scoped_routes() {
  routes out;
  const auto say_who = [](const request& what, responder to) {
    to({.content_type = "text/plain", .body = what.by.key_id});
  };
  for (const auto& one : scopes)
    out.push_back({.method = "GET",
                   .pattern = "/v1/" + one,
                   .scope = one,
                   .call = say_who});
  out.push_back({.method = "GET",
                 .pattern = "/v1/runs/{id}",
                 .scope = "runs:read",
                 .call = say_who,
                 .errors = error_form::openwop});
  out.push_back({.method = "GET", .pattern = "/open", .call = say_who});
  return out;
}

/// The keys are "key-" and the one scope that they have.
http_server_options with_keys() {
  http_server_options how;
  how.authenticate = [](std::string_view key) -> std::optional<caller> {
    if (!key.starts_with("key-"))
      return std::nullopt;
    return caller{.key_id = std::string{key},
                  .scopes = {std::string{key.substr(4)}}};
  };
  return how;
}

std::string bearer(const std::string& key) {
  return "Authorization: Bearer " + key + "\r\n";
}

} // namespace

TEST_CASE(
  "each endpoint wants its scope: 401 without a key, 403 with another") {
  const test_server server{scoped_routes(), {}, with_keys()};
  for (const auto& wanted : scopes) {
    const auto path = "/v1/" + wanted;
    for (const auto* const none :
         {"", "Authorization: Bearer\r\n", "Authorization: Bearer unknown\r\n",
          "Authorization: Basic a2V5\r\n",
          "Authorization: key-runs:read\r\n"}) {
      const auto answer = server.ask(server.get(path, none));
      CHECK(status_of(answer) == 401);
      CHECK_THAT(answer, Contains("WWW-Authenticate: Bearer\r\n")
                           && Contains(R"("code":"unauthenticated")"));
    }
    for (const auto& given : scopes) {
      const auto answer = server.ask(server.get(path, bearer("key-" + given)));
      CHECK(status_of(answer) == (given == wanted ? 200 : 403));
    }
  }
  CHECK(status_of(server.ask(server.get("/open"))) == 200);
  CHECK(status_of(server.ask(
          server.get("/v1/metrics", "authorization: BEARER key-metrics\r\n")))
        == 200);
}

TEST_CASE("the key of one person is refused wherever it is not expected") {
  auto endpoints = scoped_routes();
  endpoints.push_back({.method = "GET",
                       .pattern = "/v1/mine",
                       .scope = "runs:read",
                       .call = [](const request&, responder to) { to({}); },
                       .for_one_person = true});
  http_server_options how;
  how.authenticate = [](std::string_view) -> std::optional<caller> {
    return caller{.key_id = "ann's",
                  .scopes = {scopes.begin(), scopes.end()},
                  .session_id = "s",
                  .participant_id = "ann"};
  };
  const test_server server{std::move(endpoints), {}, std::move(how)};
  for (const auto& each : scopes)
    CHECK(status_of(server.ask(server.get("/v1/" + each, bearer("key"))))
          == 403);
  CHECK(status_of(server.ask(server.get("/v1/runs/r", bearer("key")))) == 403);
  CHECK(status_of(server.ask(server.get("/v1/mine", bearer("key")))) == 200);
  CHECK(status_of(server.ask(server.get("/open", bearer("key")))) == 200);
}

TEST_CASE("errors have the form of the endpoint, and no more members") {
  const test_server server{scoped_routes(), {}, with_keys()};
  CHECK_THAT(server.ask(server.get("/v1/runs/r", bearer("key-metrics"))),
             Catch::EndsWith(
               R"({"error":"forbidden","message":"the key does not allow )"
               R"(this","details":{"scopeRequired":"runs:read"}})"));
  CHECK_THAT(
    server.ask(server.get("/v1/runs/r/x", bearer("key-runs:read"))),
    Catch::EndsWith(
      R"({"error":"not_found","message":"there is nothing at this path"})"));
  CHECK_THAT(server.ask(server.get("/v1/metrics", bearer("key-runs:read"))),
             Contains(R"({"error":{"code":"forbidden",)"));
}

TEST_CASE("nobody without a key makes the server read a body") {
  auto how = with_keys();
  const test_server server{
    {{.method = "POST",
      .pattern = "/make",
      .scope = "runs:create",
      .call = [](const request&, responder to) { to({}); }}},
    {},
    std::move(how)};
  auto client = server.connect();
  client.send("POST /make HTTP/1.1\r\n" + server.host()
              + "Content-Type: application/json\r\nContent-Length: "
                "1000000\r\n\r\n");
  const auto answer = client.all();
  CHECK(status_of(answer) == 401);
}

TEST_CASE("without a list of keys everybody is the one who is given") {
  http_server_options how;
  how.anybody = {.scopes = {"metrics"}};
  const test_server server{scoped_routes(), {}, std::move(how)};
  CHECK(status_of(server.ask(server.get("/v1/metrics"))) == 200);
  CHECK(status_of(server.ask(server.get("/v1/runs:read"))) == 403);
}

TEST_CASE("without keys, what a proxy passed on is refused") {
  const bool has_keys = GENERATE(true, false);
  const test_server server{scoped_routes(),
                           {},
                           has_keys ? with_keys() : http_server_options{}};
  for (const std::string header :
       {"Forwarded: for=10.0.0.1", "X-Forwarded-For: 10.0.0.1",
        "x-forwarded-proto: https", "X-Forwarded-Anything: 1", "Via: 1.1 proxy",
        "X-Real-IP: 10.0.0.1", "CF-Connecting-IP: 10.0.0.1",
        "Fastly-Client-IP: 10.0.0.1", "X-Envoy-External-Address: 10.0.0.1",
        "X-Amzn-Trace-Id: Root=1", "X-Azure-ClientIP: 10.0.0.1",
        "Tailscale-User-Login: ann", "X-ProxyUser-Ip: 10.0.0.1",
        "X-Original-URL: /", "X-MS-Client-Principal: ann"})
    for (const auto* path : {"/open", "/hello", "/nowhere"}) {
      INFO(header);
      const auto answer = server.ask(server.get(path, header + "\r\n"));
      if (has_keys) {
        CHECK(status_of(answer) != 403);
        continue;
      }
      CHECK(status_of(answer) == 403);
      CHECK_THAT(answer,
                 Contains(R"("code":"forwarded")") && Contains("--keys"));
    }
  CHECK(status_of(server.ask(server.get("/open", "X-Forward: no\r\n"))) == 200);
}

TEST_CASE("a key has its own rate, whatever others do") {
  http_limits limits;
  limits.requests_per_second = 1;
  const test_server server{scoped_routes(), limits, with_keys()};
  unsigned last = 0;
  for (int tries = 0; tries < 1'000 && last != 429; ++tries)
    last
      = status_of(server.ask(server.get("/v1/metrics", bearer("key-metrics"))));
  CHECK(last == 429);
  CHECK(
    status_of(server.ask(server.get("/v1/runs:read", bearer("key-runs:read"))))
    == 200);
}

TEST_CASE("each request has an id of its own, which its handler knows") {
  std::string seen;
  std::mutex mutex;
  const test_server server{{{.method = "GET",
                             .pattern = "/id",
                             .call = [&](const request& what, responder to) {
                               const std::scoped_lock lock{mutex};
                               seen = what.id;
                               to({});
                             }}}};
  std::set<std::string> ids;
  for (int count = 0; count < 5; ++count) {
    const auto answer = server.ask(server.get("/id", "X-Request-Id: mine\r\n"));
    const auto at = answer.find("X-Request-Id: ") + 14;
    const auto id = answer.substr(at, answer.find('\r', at) - at);
    CHECK(id == seen);
    ids.insert(id);
  }
  CHECK(ids.size() == 5);
}

TEST_CASE("a request with an Idempotency-Key is carried out once") {
  std::atomic<int> made = 0;
  std::promise<responder> slow;
  const test_server server{
    {{.method = "POST",
      .pattern = "/make/{what}",
      .call =
        [&made](const request&, responder to) {
          to({.status = 201,
              .body = std::to_string(++made),
              .headers = {{"Location", "/made"}}});
        }},
     {.method = "POST",
      .pattern = "/slow",
      .call = [&slow](const request&,
                      responder to) { slow.set_value(std::move(to)); }},
     {.method = "POST",
      .pattern = "/each",
      .call = [&made](const request&,
                      responder to) { to({.body = std::to_string(++made)}); },
      .repeatable_by_key = false}}};
  const std::string key = "Idempotency-Key: k\r\n";
  const auto first = server.ask(server.post("/make/a", "{}", key));
  CHECK(status_of(first) == 201);
  CHECK_THAT(first, Catch::EndsWith("\r\n\r\n1")
                      && !Contains("openwop-Idempotent-Replay"));
  CHECK_THAT(server.ask(server.post("/make/a", "{}", key)),
             Contains("201") && Contains("Location: /made\r\n")
               && Contains("openwop-Idempotent-Replay: true\r\n")
               && Catch::EndsWith("\r\n\r\n1"));
  const auto other = server.ask(server.post("/make/a", "{ }", key));
  CHECK(status_of(other) == 409);
  CHECK_THAT(other, Contains("idempotency_key_mismatch"));
  CHECK(status_of(server.ask(server.post("/make/a?x=1", "{}", key))) == 409);
  CHECK_THAT(server.ask(server.post("/make/b", "{}", key)),
             Catch::EndsWith("\r\n\r\n2"));
  CHECK_THAT(server.ask(server.post("/make/a", "{}")),
             Catch::EndsWith("\r\n\r\n3"));
  CHECK(status_of(server.ask(
          server.post("/make/a", "{}",
                      "Idempotency-Key: " + std::string(256, 'k') + "\r\n")))
        == 400);
  CHECK_THAT(server.ask(server.post("/each", "{}", key)),
             Catch::EndsWith("\r\n\r\n4"));
  CHECK_THAT(server.ask(server.post("/each", "{}", key)),
             Catch::EndsWith("\r\n\r\n5"));

  // Whoever sent it may go away: the answer waits for the next try.
  auto gone = server.connect();
  gone.send(server.post("/slow", "{}", key));
  const auto to = slow.get_future().get();
  gone.reset();
  const auto running = server.ask(server.post("/slow", "{}", key));
  CHECK(status_of(running) == 409);
  CHECK_THAT(running, Contains("idempotency_in_flight")
                        && Contains(R"("retryAfter":1)"));
  to({.status = 202});
  CHECK(status_of(server.ask(server.post("/slow", "{}", key))) == 202);
}

TEST_CASE("headers of an answer are lines, whatever a handler puts there") {
  const test_server server{
    {{.method = "GET",
      .pattern = "/split",
      .call = [](const request&, responder to) {
        to({.headers = {{"Good", "1"}, {"Bad", "x\r\nInjected: 1"}}});
      }}}};
  CHECK_THAT(server.ask(server.get("/split")),
             Contains("Good: 1\r\n") && !Contains("Injected"));
}
