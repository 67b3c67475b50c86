#include "server/http/test_server.hpp"

#include <catch2/catch.hpp>
#include <convene/lab/mock_endpoint/mock_routes.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <chrono>
#include <string>
#include <thread>

using namespace convene::server;
using namespace convene::tests;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string chat = "/v1/chat/completions";
const std::string messages = "/v1/messages";

/// A mock that a profile describes.
class mock_server {
public:
  explicit mock_server(const std::string& profile)
    : server_{mock_routes(*convene::host::mock::parse_profile(profile, "p"))} {}

  [[nodiscard]] std::string
  ask(const std::string& path, const std::string& model,
      const std::string& more = {}, const std::string& headers = {}) const {
    return all(server_.post(
      path,
      R"({"max_tokens": 50, "messages": [{"role": "user", "content": "hi"}],)"
      R"("model": ")"
        + model + '"' + more + '}',
      headers + "Connection: close\r\n"));
  }

  [[nodiscard]] std::string get(const std::string& path,
                                const std::string& headers = {}) const {
    return server_.ask(server_.get(path, headers));
  }

  /// All that comes until the connection ends.
  [[nodiscard]] std::string all(const std::string& bytes) const {
    auto client = server_.connect();
    client.send(bytes);
    return client.all();
  }

  [[nodiscard]] const test_server& server() const {
    return server_;
  }

private:
  test_server server_;
};

const std::string streamed = R"(, "stream": true)";

} // namespace

TEST_CASE("a mock answers in both forms, streamed and whole") {
  const mock_server mock{
    R"({"models": {"m": {"answers": [{"text": "Hello there."}]}}})"};
  CHECK_THAT(mock.ask(chat, "m"), StartsWith("HTTP/1.1 200")
                                    && Contains(R"("content":"Hello there.")"));
  CHECK_THAT(mock.ask("/chat/completions", "m"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(mock.ask(chat, "m", streamed),
             Contains("text/event-stream") && Contains("data: [DONE]"));
  CHECK_THAT(mock.ask(messages, "m"),
             Contains(R"("type":"text","text":"Hello there.")"));
  CHECK_THAT(mock.ask(messages, "m", streamed), Contains("message_stop"));
}

TEST_CASE("a mock refuses what is no request, and models that it has not") {
  const mock_server mock{R"({"models": {"m": {}}})"};
  CHECK_THAT(mock.ask(chat, "x"),
             StartsWith("HTTP/1.1 404") && Contains("model_not_found"));
  CHECK_THAT(mock.ask(messages, "x"),
             StartsWith("HTTP/1.1 404") && Contains("not_found_error"));
  CHECK_THAT(mock.ask(chat, "m", R"(, "n": 3)"),
             StartsWith("HTTP/1.1 400") && Contains("'n' has to be 1"));
  CHECK_THAT(mock.server().ask(mock.server().post(chat, "{")),
             StartsWith("HTTP/1.1 400") && Contains("the body is not JSON"));
}

TEST_CASE("a mock gives the errors of its profile") {
  const mock_server mock{R"({"models": {"*": {"answers": [
    {"status": 529, "message": "busy now", "retry_after_s": 3}]}}})"};
  CHECK_THAT(mock.ask(messages, "m"),
             StartsWith("HTTP/1.1 529") && Contains("retry-after: 3\r\n")
               && Contains("overloaded_error") && Contains("busy now"));
  CHECK_THAT(mock.ask(chat, "m"), Contains("server_error"));
}

TEST_CASE("a mock limits each key") {
  const mock_server mock{R"({"limits": {"requests_per_minute": 1}})"};
  const auto second_of = [&mock](const std::string& who) {
    const auto key = "Authorization: Bearer " + who + "\r\n";
    CHECK_THAT(mock.ask(chat, "m", {}, key),
               StartsWith("HTTP/1.1 200")
                 && Contains("x-ratelimit-remaining-requests: 0\r\n"));
    return mock.ask(chat, "m", {}, key);
  };
  auto refused = second_of("ann");
  // A second later it says 59.
  for (int tries = 0;
       tries < 20 && refused.find("retry-after: 60\r\n") == std::string::npos;
       ++tries)
    refused = second_of("ann" + std::to_string(tries));
  CHECK_THAT(refused, StartsWith("HTTP/1.1 429")
                        && Contains("retry-after: 60\r\n")
                        && Contains("rate_limit_exceeded"));
  CHECK_THAT(second_of("ben"), StartsWith("HTTP/1.1 429"));
  CHECK_THAT(mock.ask(messages, "m", {}, "x-api-key: bob\r\n"),
             StartsWith("HTTP/1.1 200")
               && Contains("anthropic-ratelimit-requests-remaining: 0\r\n"));
}

TEST_CASE("an answer that is to be cut ends with the connection") {
  const mock_server mock{R"({"models": {"*": {"answers": [
    {"text": "this text does not arrive", "cut_after_bytes": 60}]}}})"};
  for (const std::string& more : {std::string{}, streamed}) {
    const auto got = mock.all(mock.server().post(
      chat, R"({"model": "m", "messages": [{"role": "user"}])" + more + "}"));
    CHECK_THAT(got, StartsWith("HTTP/1.1 200"));
    CHECK_THAT(got, !Contains("\r\n0\r\n\r\n"));
    CHECK_THAT(got, !Contains("arrive"));
  }
}

TEST_CASE("a call that is to hang is open until its caller goes") {
  const mock_server mock{R"({"models": {"*": {"answers": [{"hang": true}]}}})"};
  auto client = mock.server().connect();
  client.send(mock.server().post(
    chat, R"({"model": "m", "messages": [{"role": "user"}]})"));
  const auto open = [&] {
    return mock.get("/mock/calls").find(R"("open":1)") != std::string::npos;
  };
  const auto becomes = [&](bool wanted) {
    for (int tries = 0; open() != wanted; ++tries) {
      REQUIRE(tries < 12'000);
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  };
  becomes(true);
  client.reset();
  becomes(false);
}

TEST_CASE("a mock says what it was asked") {
  const mock_server mock{R"({"models": {"m": {}, "n": {}}})"};
  static_cast<void>(mock.ask(chat, "m", {}, "Idempotency-Key: k\r\n"));
  static_cast<void>(mock.ask(chat, "m", {}, "Idempotency-Key: k\r\n"));
  CHECK_THAT(mock.get("/mock/calls"),
             Contains(
               R"("calls":2,"open":0,"open_most":1,"by_model":{"m":2})"));
  CHECK_THAT(mock.get("/mock/keys"), Contains(R"({"k":2})"));
  CHECK_THAT(mock.get("/mock/prompts/m"), Contains(R"("content": "hi")"));
  CHECK_THAT(mock.get("/mock/prompts/n"), StartsWith("HTTP/1.1 404"));
}

TEST_CASE("a mock lists its models and counts tokens") {
  const mock_server mock{R"({"models": {"a": {}, "b": {}}})"};
  CHECK_THAT(mock.get("/v1/models"),
             Contains(R"("object":"list")") && Contains(R"("id":"b")"));
  CHECK_THAT(mock.get("/v1/models", "anthropic-version: 2023-06-01\r\n"),
             Contains(R"("last_id":"b")"));
  CHECK_THAT(mock.get("/v1/models/a"), Contains(R"("id":"a")"));
  CHECK_THAT(mock.get("/v1/models/c"), StartsWith("HTTP/1.1 404"));
  // "hi" and the line's end, and four for the message.
  CHECK_THAT(mock.ask("/v1/messages/count_tokens", "a"),
             Contains(R"({"input_tokens":5})"));
}
