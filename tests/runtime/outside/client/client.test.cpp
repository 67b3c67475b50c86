#include "runtime/outside/http/raw_server.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace convene;
using namespace convene::tests;

namespace {

client client_of(const raw_server& server) {
  auto made = client::open(
    {.server = server.url(""), .key = "planted-key", .timeout_ms = 120'000});
  REQUIRE(made);
  return *std::move(made);
}

/// What a list of questions ends as, if this is answered.
protocol::error error_of(const raw_answer& what) {
  const raw_server server{[&](const auto&, auto) { return what; }};
  const auto got = client_of(server).questions();
  REQUIRE_FALSE(got);
  CHECK(got.error().message.find("planted-key") == std::string::npos);
  return got.error();
}

std::string event_of(int number) {
  return "id: " + std::to_string(number)
         + "\nevent: MAPTurnCompleted\ndata: {\"n\":" + std::to_string(number)
         + "}\n\n";
}

raw_answer stream_of(std::string bytes) {
  return {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                   + std::move(bytes)};
}

const raw_answer no_more{
  .bytes = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"};

/// The event that a request wants to go on after.
std::size_t last_id_of(const std::string& request) {
  const auto at = request.find("Last-Event-ID: ");
  return at == request.npos ? 0 : std::stoul(request.substr(at + 15));
}

} // namespace

TEST_CASE("a stream that is cut at any byte is joined without gap or repeat") {
  constexpr std::size_t events = 4;
  std::vector<std::string> from_each;
  for (std::size_t after = 0; after <= events; ++after) {
    from_each.emplace_back();
    for (auto number = after + 1; number <= events; ++number)
      from_each.back() += event_of(static_cast<int>(number));
  }
  for (std::size_t cut = 0; cut < from_each[0].size(); ++cut) {
    const raw_server server{[&](const std::string& request, std::size_t count) {
      const auto last = last_id_of(request);
      if (last == events)
        return no_more;
      return stream_of(count == 0 ? from_each[0].substr(0, cut)
                                  : from_each.at(last));
    }};
    std::vector<std::uint64_t> seen;
    const auto got
      = client_of(server).observe_session("s", [&](const auto& event) {
          seen.push_back(event.sequence);
          return event.text == "{\"n\":" + std::to_string(event.sequence) + "}";
        });
    REQUIRE(got);
    REQUIRE(got->ended);
    REQUIRE(seen == std::vector<std::uint64_t>{1, 2, 3, 4});
  }
}

TEST_CASE("events that a server repeats, leaves out or does not number are an "
          "error") {
  const auto second = GENERATE(event_of(1), event_of(3), event_of(-2),
                               std::string{"id: 2x\ndata: {}\n\n"},
                               std::string{"data: {}\n\n"});
  const raw_server server{[&](const auto&, auto) {
    return stream_of(event_of(1) + second + event_of(2));
  }};
  int seen = 0;
  const auto got = client_of(server).observe_session("s", [&](const auto&) {
    ++seen;
    return true;
  });
  REQUIRE_FALSE(got);
  CHECK(got.error().rule == "event_sequence");
  CHECK(seen == 1);
}

TEST_CASE("an observer stops when it wants to, and when it is told to") {
  const raw_server server{[](const auto&, auto) {
    auto made = stream_of(event_of(1) + event_of(2));
    made.after = then_do::hang;
    return made;
  }};
  const auto by = client_of(server);
  const auto first = by.observe_session("s", [](const auto&) { return false; });
  REQUIRE(first);
  CHECK(first->last == 1);
  CHECK_FALSE(first->ended);
  std::stop_source stop;
  const auto told = by.observe_session(
    "s",
    [&stop](const auto& event) {
      if (event.sequence == 2)
        stop.request_stop();
      return true;
    },
    {}, stop.get_token());
  REQUIRE(told);
  CHECK(told->last == 2);
  CHECK_FALSE(told->ended);
}

TEST_CASE("a stream that is silent is joined again") {
  // However often it is asked for the first event: it may be late.
  const raw_server server{[](const std::string& request, std::size_t) {
    const auto last = last_id_of(request);
    if (last == 2)
      return no_more;
    auto made = stream_of(event_of(static_cast<int>(last) + 1));
    made.after = last == 0 ? then_do::hang : then_do::close;
    return made;
  }};
  const auto by = client::open({.server = server.url(""), .silence_ms = 50});
  const auto got = by->observe_session("s", [](const auto&) { return true; });
  REQUIRE(got);
  CHECK(got->ended);
  CHECK(got->last == 2);
}

TEST_CASE("a run's stream is over with the run's last event") {
  std::string asked;
  const raw_server server{[&](const std::string& request, auto) {
    asked = request.substr(0, request.find('\r'));
    return stream_of("id: 0\nevent: run.started\ndata: {}\n\n"
                     "id: 1\nevent: run.completed\ndata: {}\n\n");
  }};
  const auto got
    = client_of(server).observe_run("r/../x", [](const auto&) { return true; });
  REQUIRE(got);
  CHECK(got->ended);
  CHECK(got->last == 1);
  CHECK(asked == "GET /v1/runs/r%2F..%2Fx/events?streamMode=debug HTTP/1.1");
}

TEST_CASE("a server that is gone is an error once the time for it has passed") {
  const closed_port nobody;
  const auto by = client::open({.server = nobody.url(), .reconnect_ms = 1});
  REQUIRE(by);
  const auto got = by->observe_session("s", [](const auto&) { return true; });
  REQUIRE_FALSE(got);
  CHECK(got.error().code == protocol::errc::io_failed);
  CHECK(got.error().rule == "connect_failed");
}

TEST_CASE("what is no answer of a server is an error with a name") {
  const auto [answer, rule] = GENERATE(table<raw_answer, std::string>({
    {answer_with(R"({"requests":[],"more":false})", "text/html"),
     "answer_unreadable"},
    {answer_with("{"), "answer_unreadable"},
    {answer_with("[]"), "answer_unreadable"},
    {answer_with(R"({"requests":{}})"), "answer_unreadable"},
    {answer_with(R"({"requests":[{"wanted":"turn","token":7}]})"),
     "answer_unreadable"},
    {answer_with(R"({"requests":)" + std::string(200, '[')),
     "answer_unreadable"},
    {answer_with("", "", "302 Found", "Location: http://elsewhere/\r\n"),
     "redirect_refused"},
    {{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
               "Content-Length: 99999999999\r\n\r\n{"},
     "answer_bytes_max"},
    {answer_with(R"({"error":{"code":"Not a \u001b word","message":"x"}})",
                 "application/json", "409 Conflict"),
     "http_status"},
  }));
  CHECK(error_of(answer).rule == rule);
}

TEST_CASE("more questions than were asked for are none") {
  const raw_server server{[](const auto&, auto) {
    return answer_with(R"({"requests":[{},{}],"more":false})");
  }};
  const auto got = client_of(server).questions({.limit = 1});
  REQUIRE_FALSE(got);
  CHECK(got.error().message.find("more requests than") != std::string::npos);
}

TEST_CASE("a server's errors keep their code, in either form") {
  const auto [status, body, rule, code, value] = GENERATE(
    table<std::string, std::string, std::string, protocol::errc, std::string>({
      {"410 Gone",
       R"({"error":{"code":"request_over","message":"m","details":)"
       R"({"how":"timed_out"}}})",
       "request_over", protocol::errc::not_allowed, "timed_out"},
      {"401 Unauthorized", R"({"error":{"code":"unauthorized","message":"m"}})",
       "unauthorized", protocol::errc::not_allowed, ""},
      {"400 Bad Request",
       R"({"error":"validation_error","message":"m","details":{"value":"v"}})",
       "validation_error", protocol::errc::usage, "v"},
      {"503 Service Unavailable",
       R"({"error":{"code":"server_stopping","message":"m"}})",
       "server_stopping", protocol::errc::io_failed, ""},
    }));
  const auto got = error_of(answer_with(body, "application/json", status));
  CHECK(got.rule == rule);
  CHECK(got.code == code);
  CHECK(got.message == "m");
  CHECK(got.value == value);
}

TEST_CASE("a key is sent in a header, and to nobody who could read it on the "
          "way") {
  std::string request;
  const raw_server server{[&](const std::string& what, auto) {
    request = what;
    return answer_with(R"({"requests":[],"more":false})");
  }};
  REQUIRE(client_of(server).questions({.participant = "a&b"}));
  CHECK(request.find("\r\nAuthorization: Bearer planted-key\r\n")
        != request.npos);
  CHECK(request.starts_with(
    "GET /v1/requests?limit=100&wait_ms=0&participant=a%26b HTTP/1.1"));

  const auto rule_of = [](client_options how) {
    const auto made = client::open(std::move(how));
    return made ? std::string{} : made.error().rule;
  };
  const std::string plain = "http://convene.example";
  CHECK(rule_of({.server = plain, .key = "k"}) == "key_in_clear");
  CHECK(rule_of({.server = plain, .key = "k", .key_in_clear = true}).empty());
  CHECK(rule_of({.server = "http://127.0.0.1.example", .key = "k"})
        == "key_in_clear");
  CHECK(rule_of({.server = "http://127.0.0.2:8080", .key = "k"}).empty());
  CHECK(rule_of({.server = plain}).empty());
  CHECK(rule_of({.server = "https://convene.example", .key = "k"}).empty());
  CHECK(rule_of({.key = "two words"}) == "key_invalid");
  CHECK(rule_of({.key = "k\r\nX: y"}) == "key_invalid");
  CHECK(rule_of({.server = "http://127.0.0.1?key=k"}) == "url_invalid");
  CHECK(rule_of({.server = "http://k@127.0.0.1"}) == "url_invalid");
  CHECK(rule_of({.server = "file:///etc/passwd"}) == "scheme_refused");
}

TEST_CASE("waiting for a question ends when it is told to") {
  const raw_server server{[](const auto&, auto) {
    return raw_answer{.bytes = "HTTP/1.1 200 OK\r\n", .after = then_do::hang};
  }};
  const auto by = client_of(server);
  std::stop_source stop;
  std::thread soon{[&] {
    while (server.requests() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    stop.request_stop();
  }};
  const auto got = by.questions({.wait_ms = 60'000}, stop.get_token());
  soon.join();
  REQUIRE(got);
  CHECK(got->all.empty());
}
