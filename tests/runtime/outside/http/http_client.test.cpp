#include "runtime/outside/http/calls.hpp"
#include "runtime/outside/http/raw_server.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/outside/http/http_client.hpp>

#include <atomic>
#include <future>
#include <string>

using namespace convene::host;
using namespace convene::tests;

namespace {

/// However slow the machine is.
constexpr std::int64_t patient_ms = 120'000;

http_request ask_for(const raw_server& server,
                     std::int64_t timeout_ms = patient_ms) {
  return {.url = server.url("/v1?key=planted"),
          .headers = {{"Authorization", "Bearer planted"}},
          .body = R"({"a":1})",
          .timeout_ms = timeout_ms,
          .connect_timeout_ms = patient_ms};
}

/// The answer to one call of a server that always answers the same.
http_answer answer_to(raw_answer what, std::int64_t timeout_ms = patient_ms,
                      std::size_t body_bytes_max = 1U << 20) {
  raw_server server{[&](const auto&, auto) { return what; }};
  http_client client{local_options()};
  auto asked = ask_for(server, timeout_ms);
  asked.body_bytes_max = body_bytes_max;
  auto got = call(client, std::move(asked));
  CHECK(got.error.message.find("planted") == std::string::npos);
  return got;
}

} // namespace

TEST_CASE("a call sends its headers and body, and brings the answer") {
  std::string heard;
  raw_server server{[&](const std::string& request, std::size_t) {
    heard = request;
    return answer_with(R"({"ok":true})");
  }};
  http_client client{local_options()};
  auto asked = ask_for(server);
  asked.headers.push_back({"X-Empty", ""});
  const auto got = call(client, asked);
  CHECK(got.is_ok());
  CHECK(got.status == 200);
  CHECK(got.content_type == "application/json");
  CHECK(got.body == R"({"ok":true})");
  CHECK(heard.starts_with("POST /v1?key=planted HTTP/1.1\r\n"));
  CHECK(heard.find("\r\nAuthorization: Bearer planted\r\n") != heard.npos);
  CHECK(heard.find("\r\nX-Empty:\r\n") != heard.npos);
  CHECK(heard.find("Expect") == heard.npos);
  CHECK(heard.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST_CASE("an error status is an error that says whether to try again") {
  const auto [status, code, transient]
    = GENERATE(table<std::string, std::string, bool>(
      {{"429 Too Many Requests", "rate_limited", true},
       {"500 Internal Server Error", "server_error", true},
       {"501 Not Implemented", "server_error", false},
       {"502 Bad Gateway", "server_error", true},
       {"503 Service Unavailable", "server_error", true},
       {"504 Gateway Timeout", "server_error", true},
       {"529 Overloaded", "server_error", true},
       {"400 Bad Request", "http_status", false},
       {"401 Unauthorized", "http_status", false},
       {"304 Not Modified", "http_status", false}}));
  const auto got = answer_to(answer_with("why", "text/plain", status));
  CHECK(got.error.code == code);
  CHECK(got.error.transient == transient);
  if (code != "rate_limited")
    CHECK_THAT(got.error.message,
               Catch::Contains(" to POST /") && !Catch::Contains("?"));
  if (got.status == 304)
    CHECK_THAT(got.error.message,
               Catch::Contains("redirects are not followed"));
  CHECK(got.error.retry_after_ms == -1);
  CHECK(got.status == std::stoi(status));
  if (got.status != 304)
    CHECK(got.body == "why");
}

TEST_CASE("an error's Retry-After is told, in seconds and as a date") {
  CHECK(answer_to(answer_with("", "text/plain", "429 Too Many Requests",
                              "Retry-After: 7\r\n"))
          .error.retry_after_ms
        == 7000);
  // A date long past: at once.
  CHECK(answer_to(answer_with("", "text/plain", "503 Service Unavailable",
                              "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"))
          .error.retry_after_ms
        == 0);
}

TEST_CASE("a redirect is refused, and the error says where it points") {
  const auto got = answer_to(
    answer_with("", "text/plain", "302 Found",
                "Location: https://me:secret@evil.example/steal?token=7\r\n"));
  CHECK(got.error.code == "redirect_refused");
  CHECK_FALSE(got.error.transient);
  CHECK(got.error.message.find("https://evil.example/steal;")
        != std::string::npos);
  CHECK(got.error.message.find("secret") == std::string::npos);
  CHECK(got.error.message.find("token") == std::string::npos);
}

TEST_CASE(
  "an answer that is longer than allowed is an error, however it comes") {
  SECTION("it says so") {
    const auto got = answer_to({"HTTP/1.1 200 OK\r\nContent-Length: "
                                "104857600\r\n\r\nx",
                                then_do::hang},
                               patient_ms, 1000);
    CHECK(got.error.code == "answer_bytes_max");
  }
  SECTION("without a length, for ever") {
    const auto got
      = answer_to({"HTTP/1.1 200 OK\r\n\r\n" + std::string(10'000, 'x'),
                   then_do::repeat, 10'000},
                  patient_ms, 5U << 20);
    CHECK(got.error.code == "answer_bytes_max");
    CHECK(got.body.empty());
  }
  SECTION("in chunks, for ever") {
    std::string chunks; // small ones, but not each in a packet of its own
    for (int i = 0; i < 100; ++i)
      chunks += "10\r\n0123456789abcdef\r\n";
    const auto got = answer_to(
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
       then_do::repeat, chunks.size()},
      patient_ms, 1U << 20);
    CHECK(got.error.code == "answer_bytes_max");
  }
  SECTION("endless headers") {
    const std::string line = "X-Name: value value value\r\n";
    const auto got = answer_to(
      {"HTTP/1.1 200 OK\r\n" + line, then_do::repeat, line.size()}, patient_ms);
    CHECK(got.error.code == "answer_header_bytes_max");
  }
  SECTION("an error without end keeps its beginning") {
    const auto got
      = answer_to({"HTTP/1.1 500 Oh\r\n\r\n" + std::string(1000, 'x'),
                   then_do::repeat, 1000},
                  patient_ms);
    CHECK(got.error.code == "server_error");
    CHECK(got.body.size() == http_answer::error_body_bytes_max);
  }
}

TEST_CASE("100 MB arrive where they are allowed, piece by piece") {
  const std::string piece(1U << 20, 'x');
  constexpr std::size_t wanted = 100U << 20;
  raw_server server{[&](const auto&, auto) {
    return raw_answer{"HTTP/1.1 200 OK\r\n\r\n" + piece, then_do::repeat,
                      piece.size()};
  }};
  http_client client{local_options()};
  std::size_t bytes = 0;
  auto asked = ask_for(server);
  asked.body_bytes_max = wanted + piece.size();
  asked.on_data = [&](std::string_view data) {
    bytes += data.size();
    return bytes < wanted;
  };
  const auto got = call(client, std::move(asked));
  CHECK(got.is_ok());
  CHECK(got.body.empty());
  CHECK(bytes >= wanted);
}

TEST_CASE("a call ends by its time limit, whatever the server does") {
  const auto [bytes, after] = GENERATE(table<std::string, then_do>(
    {{"", then_do::hang},
     {"HTTP/1.1 200 OK\r\nContent-Le", then_do::hang},
     {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", then_do::hang},
     {"HTTP/1.1 200 OK\r\n\r\nx", then_do::drip},
     {"HTTP/1.1 100 Continue\r\n\r\n", then_do::drip}}));
  const auto got = answer_to({bytes, after}, 60);
  CHECK(got.error.code == "timed_out");
  CHECK(got.error.transient);
}

TEST_CASE("an answer cut at any byte is an error, never half an answer") {
  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  const auto how = GENERATE(then_do::reset, then_do::close);
  std::atomic<std::size_t> cut = 0;
  raw_server server{[&](const auto&, auto) {
    return raw_answer{whole.substr(0, cut), how};
  }};
  http_client client{local_options()};
  for (cut = 0; cut < whole.size(); ++cut) {
    auto asked = ask_for(server);
    asked.repeatable = false;
    const auto got = call(client, std::move(asked));
    INFO("cut after " << cut << ": " << got.error.message);
    CHECK_FALSE(got.is_ok());
    const bool is_known = got.error.code == "connection_lost"
                          || got.error.code == "answer_unreadable";
    CHECK(is_known);
  }
  CHECK(server.requests() == whole.size());
}

TEST_CASE("what is not HTTP is an error") {
  const std::string garbage
    = GENERATE(std::string{"\x16\x03\x01\x02 garbage\r\n\r\n"},
               std::string{"SSH-2.0-OpenSSH_9.2\r\n"},
               std::string{"HTTP/9.9 200 OK\r\n\r\n"});
  const auto got = answer_to({garbage, then_do::close});
  CHECK_FALSE(got.is_ok());
  CHECK(got.error.code == "answer_unreadable");
}

TEST_CASE("addresses that are not public are refused unless allowed") {
  raw_server server{[](const auto&, auto) { return answer_with("{}"); }};
  const auto port = std::to_string(server.port());
  http_client strict{{}};
  const auto host = GENERATE(as<std::string>{}, "127.0.0.1", "127.1",
                             "2130706433", "0x7f000001", "[::ffff:127.0.0.1]",
                             "[::1]", "localhost", "0.0.0.0", "[::]");
  const auto got = call(strict, {.url = "http://" + host + ":" + port + "/",
                                 .timeout_ms = patient_ms});
  CHECK(got.error.code == "address_refused");
  CHECK_THAT(got.error.message,
             Catch::EndsWith(":" + port) && Catch::Contains("--allow net="));
  CHECK_FALSE(got.error.transient);
  CHECK(server.requests() == 0);
  CHECK(server.connections() == 0);
}

TEST_CASE("the policy is asked about the very address, with host and port") {
  raw_server server{[](const auto&, auto) { return answer_with("{}"); }};
  http_peer asked;
  http_client client{{.may_connect = [&](const http_peer& peer) {
    asked = peer;
    return peer.host == "localhost";
  }}};
  const auto got
    = call(client, {.url = "http://LOCALHOST:" + std::to_string(server.port()),
                    .timeout_ms = patient_ms});
  CHECK(got.is_ok());
  CHECK(asked.host == "localhost");
  CHECK(asked.port == server.port());
  CHECK(asked.address == "127.0.0.1");
  CHECK_FALSE(asked.is_public);
}

TEST_CASE("URLs and headers that cannot be right are refused before sending") {
  http_client client{local_options()};
  const auto code_of = [&](http_request what) {
    return call(client, std::move(what)).error.code;
  };
  CHECK(code_of({.url = ""}) == "url_invalid");
  CHECK(code_of({.url = "http://"}) == "url_invalid");
  CHECK(code_of({.url = "http://me:secret@127.0.0.1:1/"}) == "url_invalid");
  CHECK(code_of({.url = "file:///etc/passwd"}) == "scheme_refused");
  CHECK(code_of({.url = "gopher://127.0.0.1/"}) == "scheme_refused");
  for (const http_header& wrong : {http_header{"X\r\nY", "1"},
                                   {"X", "1\r\nY: 2"},
                                   {"X", "1\n"},
                                   {"", "1"},
                                   {"X Y", "1"},
                                   {"X", std::string{"a\0b", 3}}})
    CHECK(code_of({.url = "http://127.0.0.1:1/", .headers = {wrong}})
          == "header_invalid");
  CHECK(
    code_of({.method = "GET / HTTP/1.1\r\nX:", .url = "http://127.0.0.1:1/"})
    == "header_invalid");
}

TEST_CASE("a refused connection is transient") {
  const closed_port nobody;
  http_client client{local_options()};
  const auto got = call(client, {.url = nobody.url()});
  CHECK(got.error.code == "connect_failed");
  CHECK(got.error.transient);
  CHECK_THAT(got.error.message,
             Catch::EndsWith(
               ": nothing listens there; is the server running?"));
}

TEST_CASE("a proxy of the environment is not used") {
  raw_server proxy{[](const auto&, auto) { return answer_with("{}"); }};
  raw_server server{[](const auto&, auto) { return answer_with("{}"); }};
  setenv("http_proxy", proxy.url().c_str(), 1);
  http_client client{local_options()};
  const auto got = call(client, ask_for(server));
  unsetenv("http_proxy");
  CHECK(got.is_ok());
  CHECK(proxy.requests() == 0);
  CHECK(server.requests() == 1);
}

TEST_CASE("a cancelled call closes its connection and does not call back") {
  std::promise<void> asked;
  raw_server server{[&](const auto&, auto) {
    asked.set_value();
    return raw_answer{"", then_do::hang};
  }};
  std::atomic<bool> called = false;
  {
    http_client client{local_options()};
    const auto cancel = client.start(ask_for(server),
                                     [&](const auto&) { called = true; });
    asked.get_future().wait();
    REQUIRE(server.connections() == 1);
    cancel();
    cancel();
    while (server.connections() != 0)
      std::this_thread::yield();
  }
  CHECK_FALSE(called);
}

TEST_CASE("calls of a client that is destroyed end with an error") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"", then_do::hang};
  }};
  std::vector<std::string> codes;
  std::vector<http_client::cancel_function> cancels;
  {
    http_client client{local_options()};
    for (int i = 0; i < 10; ++i)
      cancels.push_back(client.start(ask_for(server), [&](const auto& got) {
        codes.push_back(got.error.code);
      }));
  }
  CHECK(codes == std::vector<std::string>(10, "client_stopped"));
  for (const auto& each : cancels)
    each(); // does nothing
}

TEST_CASE("a client may be destroyed by its own callback") {
  raw_server server{[](const auto&, auto) { return answer_with("{}"); }};
  auto client = std::make_unique<http_client>(local_options());
  const auto gone = std::make_shared<std::promise<void>>();
  auto* by = client.get();
  by->start(ask_for(server),
            [gone, owner = std::make_shared<std::unique_ptr<http_client>>(
                     std::move(client))](const auto&) {
              owner->reset();
              gone->set_value();
            });
  CHECK(gone->get_future().wait_for(std::chrono::minutes{2})
        == std::future_status::ready);
}

TEST_CASE("a client may be destroyed before its call has begun to return") {
  raw_server server{[](const auto&, auto) { return answer_with("{}"); }};
  for (int i = 0; i < 100; ++i) {
    auto client = std::make_unique<http_client>(local_options());
    const auto gone = std::make_shared<std::promise<void>>();
    auto* by = client.get();
    by->after(std::chrono::milliseconds{0},
              [gone, owner = std::make_shared<std::unique_ptr<http_client>>(
                       std::move(client))] {
                owner->reset();
                gone->set_value();
              });
    REQUIRE(gone->get_future().wait_for(std::chrono::minutes{2})
            == std::future_status::ready);
  }
}

TEST_CASE("what a client is asked for after its end is dropped") {
  http_client client{local_options()};
  client.end();
  const auto kept = std::make_shared<int>();
  const auto cancel = client.start({.url = "http://127.0.0.1:1/"},
                                   [kept](const auto&) {});
  client.after(std::chrono::milliseconds{0}, [kept] {});
  CHECK(kept.use_count() == 1);
  cancel(); // does nothing
  client.end();
}

TEST_CASE("more calls than allowed are refused by name") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"", then_do::hang};
  }};
  auto options = local_options();
  options.calls_max = 1;
  http_client client{options};
  client.start(ask_for(server), [](const auto&) {});
  CHECK(call(client, ask_for(server)).error.code == "http_calls_max");
}

TEST_CASE("a request that must not be sent twice has a connection of its own") {
  std::atomic<std::size_t> dropped = 0;
  // Answers the first request of a connection, drops the second one.
  raw_server server{[&](const auto&, std::size_t number) {
    if (number == 0)
      return answer_with("{}");
    ++dropped;
    return raw_answer{"", then_do::close};
  }};
  http_client client{local_options()};
  REQUIRE(call(client, ask_for(server)).is_ok());
  auto once = ask_for(server);
  once.repeatable = false;
  CHECK(call(client, std::move(once)).error.code == "connection_lost");
  CHECK(dropped == 1);
}
