#include <catch2/catch.hpp>
#include <convene/server/http/host_rules.hpp>
#include <convene/server/http/router.hpp>

using namespace convene::server;

namespace {

route at(std::string method, std::string pattern,
         error_form errors = error_form::native) {
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .errors = errors};
}

const router& sample() {
  static const router routes{
    {at("GET", "/"), at("GET", "/v1/sessions"), at("POST", "/v1/sessions"),
     at("GET", "/v1/sessions/{id}"), at("GET", "/v1/sessions/{id}/events"),
     at("GET", "/v1/sessions/open"),
     at("GET", "/v1/runs/{id}", error_form::openwop),
     at("POST", "/v1/runs/{id}:fork", error_form::openwop)}};
  return routes;
}

std::string pattern_at(const std::string& method,
                       const std::vector<std::string>& segments) {
  const auto found = sample().find(method, segments);
  return found.to == nullptr ? "" : found.to->pattern;
}

} // namespace

TEST_CASE("a path leads to the endpoint that fits it best") {
  CHECK(pattern_at("GET", {""}) == "/");
  CHECK(pattern_at("GET", {"v1", "sessions"}) == "/v1/sessions");
  CHECK(pattern_at("HEAD", {"v1", "sessions"}) == "/v1/sessions");
  CHECK(pattern_at("GET", {"v1", "sessions", "open"}) == "/v1/sessions/open");
  CHECK(pattern_at("POST", {"v1", "runs", "r:fork"}) == "/v1/runs/{id}:fork");
  CHECK(pattern_at("GET", {"v1", "sessions", ""}).empty());
  CHECK(pattern_at("GET", {"v1", "sessions", "a", "events", ""}).empty());
  CHECK(pattern_at("GET", {"v1"}).empty());
  CHECK(pattern_at("POST", {"v1", "runs", ":fork"}).empty());
  const auto named = sample().find("GET", {"v1", "sessions", "a/b", "events"});
  CHECK(named.parameters.find("id")->second == "a/b");
  const auto forked = sample().find("POST", {"v1", "runs", "r:fork"});
  CHECK(forked.parameters.find("id")->second == "r");
}

TEST_CASE("a path without that method tells those that it has") {
  const auto sessions = sample().find("DELETE", {"v1", "sessions"});
  CHECK(sessions.to == nullptr);
  CHECK(sessions.methods
        == std::set<std::string, std::less<>>{"GET", "HEAD", "POST"});
  CHECK(sample().find("GET", {"v1", "runs", "r:fork"}).methods
        == std::set<std::string, std::less<>>{"POST"});
  CHECK(sample().find("GET", {"nothing"}).methods.empty());
}

TEST_CASE("errors beside an endpoint look like its own") {
  CHECK(sample().find("GET", {"v1", "runs", "r", "nothing"}).errors
        == error_form::openwop);
  CHECK(sample().find("GET", {"v1", "sessions", "r", "nothing"}).errors
        == error_form::native);
}

TEST_CASE("a server answers to its own names alone") {
  const auto status = [](const host_rules& rules, const std::string& host,
                         const std::string& origin = {}) {
    request_head head{.host = host};
    if (!origin.empty())
      head.headers["origin"] = origin;
    const auto refused = rules.refusal(head);
    return refused ? refused->status : 0;
  };
  const host_rules local{.address = "127.0.0.1", .port = 8080, .names = {"me"}};
  for (const auto* const own : {"127.0.0.1:8080", "localhost:8080",
                                "[::1]:8080", "me", "me:443", "me:8080"})
    CHECK(status(local, own) == 0);
  for (const auto* const other :
       {"127.0.0.1", "localhost:80", "evil.example:8080", "evil.example",
        "localhost.evil.example:8080", "10.0.0.1:8080",
        "127.evil.example:8080"})
    CHECK(status(local, other) == 421);
  const host_rules wide{.address = "0.0.0.0", .port = 80};
  CHECK(status(wide, "10.0.0.1") == 0);
  CHECK(status(wide, "evil.example") == 421);
  const host_rules one{.address = "10.0.0.1", .port = 80};
  CHECK(status(one, "10.0.0.1") == 0);
  CHECK(status(one, "localhost") == 421);
}

TEST_CASE("pages of another origin are refused, unless they are named") {
  const host_rules rules{.address = "127.0.0.1",
                         .port = 8080,
                         .names = {"me"},
                         .origins = {"https://app.example"}};
  const auto status = [&rules](const std::string& host,
                               const std::string& origin) {
    request_head head{.headers = {{"origin", origin}}, .host = host};
    const auto refused = rules.refusal(head);
    return refused ? refused->status : 0;
  };
  CHECK(status("localhost:8080", "http://localhost:8080") == 0);
  CHECK(status("me", "https://me") == 0);
  CHECK(status("me", "https://app.example") == 0);
  for (const auto* const foreign :
       {"http://localhost:3000", "null", "https://evil.example",
        "https://app.example.evil.example", "http://app.example"})
    CHECK(status("localhost:8080", foreign) == 403);
}
