#include "runtime/outside/http/calls.hpp"
#include "runtime/outside/http/raw_server.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/outside/participants/http.hpp>

#include <future>

using namespace convene;
using namespace convene::tests;

namespace {

/// What a service's participant replies.
protocol::reply reply_of(const host::http_settings& settings,
                         const std::string& secret = {}) {
  const auto http = std::make_shared<host::paced_client>(
    std::make_shared<host::http_client>(local_options()));
  host::http_behaviour service{settings, http, secret};
  std::promise<protocol::reply> answered;
  actors::turn_request asked;
  asked.participant = "ann";
  asked.task = "go";
  asked.live = std::make_shared<actors::live_turn>(
    [&](protocol::reply what) { answered.set_value(std::move(what)); });
  service.begin(std::move(asked));
  return answered.get_future().get();
}

std::string header_of(const std::string& request, const std::string& name) {
  const auto at = request.find("\r\n" + name + ": ");
  if (at == request.npos)
    return {};
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

} // namespace

TEST_CASE("a service gets the request, signed, and its answer is the reply") {
  std::string heard;
  raw_server server{[&](const std::string& request, std::size_t) {
    heard = request;
    return answer_with(R"({"content":"ok","end":true})");
  }};
  const auto got = reply_of(
    {.url = server.url("/agent"), .headers = {{"X-Team", "blue"}}}, "planted");
  CHECK(got == protocol::reply{.content = "ok", .end = true});
  const auto body = heard.substr(heard.find("\r\n\r\n") + 4);
  CHECK(boost::json::parse(body).at("task") == "go");
  CHECK(header_of(heard, "X-Team") == "blue");
  CHECK(header_of(heard, "Content-Type") == "application/json");
  CHECK_FALSE(header_of(heard, "Idempotency-Key").empty());
  CHECK(
    header_of(heard, "X-Convene-Signature")
    == "sha256="
         + protocol::hex_of(host::hmac_sha256(
           "planted", header_of(heard, "X-Convene-Timestamp") + '.' + body)));
  CHECK(heard.find("planted") == heard.npos);
}

TEST_CASE("without a secret nothing is signed") {
  std::string heard;
  raw_server server{[&](const std::string& request, std::size_t) {
    heard = request;
    return answer_with("{}");
  }};
  CHECK(reply_of({.url = server.url()}) == protocol::reply{});
  CHECK(header_of(heard, "X-Convene-Signature").empty());
}

TEST_CASE("a service is asked again with the same key, if that is harmless") {
  std::vector<std::string> keys;
  raw_server server{[&](const std::string& request, std::size_t number) {
    keys.push_back(header_of(request, "Idempotency-Key"));
    return number < 2 ? answer_with("", "text/plain", "503 Busy")
                      : answer_with(R"({"content":"ok"})");
  }};
  SECTION("it is") {
    CHECK(reply_of({.url = server.url()}).content == "ok");
    REQUIRE(keys.size() == 3);
    CHECK(keys[0] == keys[2]);
  }
  SECTION("it is not") {
    CHECK(reply_of({.url = server.url(), .repeatable = false}).error.code
          == "server_error");
    CHECK(keys.size() == 1);
  }
}

TEST_CASE("what a service answers wrongly fails the turn with the reason") {
  const auto [body, part] = GENERATE(
    table<std::string, std::string>({{"", "not JSON"},
                                     {"hello", "not JSON"},
                                     {"\xff", "not JSON"},
                                     {"[]", "object"},
                                     {R"({"contents":"x"})", "contents"},
                                     {R"({"end":"yes"})", "/end"}}));
  raw_server server{[&](const auto&, auto) { return answer_with(body); }};
  const auto got = reply_of({.url = server.url()});
  CHECK(got.status == protocol::reply_status::failed);
  CHECK(got.error.code == "service_reply_invalid");
  CHECK(got.error.message.find(part) != std::string::npos);
  CHECK(got.error.message.find(": :1:") == std::string::npos);
}

TEST_CASE("a reply that comes later needs a server that takes it") {
  raw_server server{
    [](const auto&, auto) { return answer_with("", "", "202 Accepted"); }};
  const auto got = reply_of({.url = server.url()});
  CHECK(got.status == protocol::reply_status::failed);
  CHECK(got.error.code == "service_reply_later");
  CHECK(got.error.message.find("convene serve") != std::string::npos);
}

TEST_CASE("a reply comes later by the status 202 alone, not by a body") {
  raw_server server{
    [](const auto&, auto) { return answer_with(R"({"http_status":202})"); }};
  const auto got = reply_of({.url = server.url()});
  CHECK(got.status == protocol::reply_status::failed);
  CHECK(got.error.code == "service_reply_invalid");
}

TEST_CASE("a service that answers too much is cut off") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"HTTP/1.1 200 OK\r\n\r\n" + std::string(1000, ' '),
                      then_do::repeat, 1000};
  }};
  CHECK(reply_of({.url = server.url()}).error.code == "answer_bytes_max");
}

TEST_CASE("a service's settings are read strictly") {
  const auto read = [](const char* text) {
    return host::read_http_settings(boost::json::parse(text), "/b/a");
  };
  CHECK(read(R"({"type":"http","url":"https://a.example/x"})").value()
        == host::http_settings{.url = "https://a.example/x"});
  const auto full
    = read(R"({"type":"http","url":"http://a/","headers":{"A":"b"},
    "secret_env":"S","workspace":"changes","timeout_ms":5,"retries":0,
    "repeatable":false,"limits":{"calls":2}})");
  REQUIRE(full);
  CHECK(full->headers.at("A") == "b");
  CHECK_FALSE(full->repeatable);
  for (const auto& [text, pointer] :
       std::vector<std::pair<const char*, const char*>>{
         {R"({"type":"http"})", "/b/a"},
         {R"({"url":"ftp://a/"})", "/b/a/url"},
         {R"({"url":"http://u:p@a/"})", "/b/a/url"},
         {R"({"url":"http://a/","headers":{"Host":"b"}})", "/b/a/headers/Host"},
         {R"({"url":"http://a/","headers":{"Traceparent":"b"}})",
          "/b/a/headers/Traceparent"},
         {R"({"url":"http://a/","headers":{"tracestate":"b"}})",
          "/b/a/headers/tracestate"},
         {R"({"url":"http://a/","headers":{"x-convene-signature":"b"}})",
          "/b/a/headers/x-convene-signature"},
         {R"({"url":"http://a/","secret":"b"})", "/b/a/secret"}}) {
    const auto got = read(text);
    INFO(text);
    REQUIRE_FALSE(got);
    CHECK(got.error().pointer == pointer);
  }
}
