#include "runtime/outside/http/calls.hpp"
#include "runtime/outside/http/raw_server.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/outside/http/paced_client.hpp>

#include <atomic>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace convene::host;
using namespace convene::tests;

TEST_CASE("only so many calls run at once") {
  call_pace pace{{.calls = 2}};
  CHECK(pace.wait_ms(0, 0) == 0);
  const auto first = pace.begin(0, 0);
  pace.begin(0, 0);
  CHECK(pace.wait_ms(5, 0) == call_pace::until_end);
  pace.end(first, -1);
  CHECK(pace.wait_ms(5, 0) == 0);
}

TEST_CASE("only so many calls begin within any minute") {
  call_pace pace{{.calls = 100, .calls_per_minute = 2}};
  pace.begin(0, 0);
  pace.begin(10'000, 0);
  CHECK(pace.wait_ms(20'000, 0) == 40'000);
  CHECK(pace.wait_ms(60'000, 0) == 0);
  pace.begin(60'000, 0);
  CHECK(pace.wait_ms(60'000, 0) == 10'000);
}

TEST_CASE("only so many tokens are used within any minute, as they turn out") {
  call_pace pace{{.calls = 100, .tokens_per_minute = 100}};
  const auto first = pace.begin(0, 60);
  CHECK(pace.wait_ms(1'000, 60) == 59'000);
  pace.end(first, 30);
  CHECK(pace.wait_ms(1'000, 60) == 0);
  // What is larger than the limit goes alone.
  CHECK(pace.wait_ms(1'000, 1'000) == 59'000);
  CHECK(pace.wait_ms(60'000, 1'000) == 0);
}

TEST_CASE("tokens that nobody can have used keep others waiting, no more") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  call_pace pace{{.calls = 100, .tokens_per_minute = 1'000'000'000'000}};
  for (const std::int64_t at : {0, 1'000}) {
    const auto call = pace.begin(at, 1);
    pace.end(call, most);
  }
  CHECK(pace.wait_ms(2'000, 60) == 59'000);
  CHECK(pace.wait_ms(60'000, 60) == 1'000);
  CHECK(pace.wait_ms(61'000, 60) == 0);
}

TEST_CASE("a pause holds every call back") {
  call_pace pace{{}};
  pace.pause(1'000, 500);
  pace.pause(1'000, 100);
  CHECK(pace.wait_ms(1'100, 0) == 400);
  CHECK(pace.wait_ms(1'500, 0) == 0);
}

namespace {

/// The HTTP client of a test, whose calls end with it: else the last of them
/// would end it on its own thread, while the program ends.
class ending_client {
public:
  ending_client() = default;
  ending_client(const ending_client&) = delete;
  ending_client& operator=(const ending_client&) = delete;
  ~ending_client() {
    http_->end();
  }

  [[nodiscard]] const std::shared_ptr<http_client>& http() const noexcept {
    return http_;
  }

private:
  std::shared_ptr<http_client> http_
    = std::make_shared<http_client>(local_options());
};

/// Starts a call whose answer the future brings.
std::future<http_answer> begin(paced_client& by, const raw_server& server,
                               const call_limits& limits,
                               std::int64_t timeout_ms = 120'000) {
  auto done = std::make_shared<std::promise<http_answer>>();
  by.start("p", limits, 0, {.url = server.url(), .timeout_ms = timeout_ms},
           [done](http_answer got) { done->set_value(std::move(got)); });
  return done->get_future();
}

} // namespace

TEST_CASE("calls of a provider wait for each other, and all are made") {
  std::atomic<std::size_t> most = 0;
  raw_server* self = nullptr;
  raw_server server{[&](const auto&, auto) {
    most = std::max<std::size_t>(most, self->connections());
    auto answer = answer_with("{}");
    answer.after = then_do::close;
    answer.delay = std::chrono::milliseconds{5};
    return answer;
  }};
  self = &server;
  const ending_client ends;
  paced_client client{ends.http()};
  std::vector<std::future<http_answer>> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(begin(client, server, {.calls = 3}));
  for (auto& each : all)
    CHECK(each.get().is_ok());
  CHECK(server.requests() == 20);
  CHECK(most <= 3);
}

TEST_CASE("a full queue refuses by name, and a cancelled call makes room") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"", then_do::hang};
  }};
  const ending_client ends;
  paced_client client{ends.http()};
  const call_limits limits{.calls = 1, .queue = 1};
  const auto cancel = client.start("p", limits, 0, {.url = server.url()},
                                   [](const auto&) {});
  auto waiting = begin(client, server, limits);
  const auto refused = begin(client, server, limits).get();
  CHECK(refused.error.code == "provider_queue_full");
  CHECK(refused.error.transient);
  const auto other = client.start("q", limits, 0, {.url = server.url()},
                                  [](const auto&) {});
  cancel();
  // Now the waiting one goes, and the queue has room again.
  auto last = begin(client, server, limits, 50);
  CHECK(last.get().error.code == "timed_out");
  CHECK(server.requests() <= 3);
}

TEST_CASE("a call that waits too long ends as timed out, and is never made") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"", then_do::hang};
  }};
  const ending_client ends;
  paced_client client{ends.http()};
  auto first = begin(client, server, {.calls = 1});
  const auto late = begin(client, server, {.calls = 1}, 30).get();
  CHECK(late.error.code == "timed_out");
  CHECK(late.error.message.find("waited for its turn") != std::string::npos);
  CHECK(server.requests() <= 1);
}

TEST_CASE("Retry-After holds the provider's other calls back") {
  raw_server server{[](const auto&, std::size_t number) {
    return number == 0 ? answer_with("", "text/plain", "429 Too Many Requests",
                                     "Retry-After: 3600\r\n")
                       : answer_with("{}");
  }};
  const ending_client ends;
  paced_client client{ends.http()};
  CHECK(begin(client, server, {}).get().error.retry_after_ms == 3'600'000);
  CHECK(begin(client, server, {}, 30).get().error.code == "timed_out");
  CHECK(server.requests() == 1);
}

TEST_CASE("calls that wait end when their client does") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"", then_do::hang};
  }};
  std::future<http_answer> waiting;
  std::future<http_answer> running;
  const ending_client ends;
  {
    paced_client client{ends.http()};
    running = begin(client, server, {.calls = 1});
    waiting = begin(client, server, {.calls = 1});
  }
  CHECK(waiting.get().error.code == "client_stopped");
  CHECK(running.wait_for(std::chrono::milliseconds{0})
        == std::future_status::timeout);
}

TEST_CASE(
  "a paced client may be destroyed before its call has begun to return") {
  for (int i = 0; i < 100; ++i) {
    auto client = std::make_unique<paced_client>(
      std::make_shared<http_client>(local_options()));
    const auto gone = std::make_shared<std::promise<void>>();
    auto* by = client.get();
    by->start("p", {}, 0, {.url = "no URL"},
              [gone, owner = std::make_shared<std::unique_ptr<paced_client>>(
                       std::move(client))](const auto&) {
                owner->reset();
                gone->set_value();
              });
    REQUIRE(gone->get_future().wait_for(std::chrono::minutes{2})
            == std::future_status::ready);
  }
}

TEST_CASE("the owner of an HTTP client ends calls that keep it") {
  raw_server server{[](const auto&, auto) {
    return raw_answer{"", then_do::hang};
  }};
  const auto client = std::make_shared<http_client>(local_options());
  std::future<http_answer> running;
  {
    paced_client paced{client};
    running = begin(paced, server, {});
  }
  CHECK(client.use_count() > 1); // the call is under way
  client->end();
  REQUIRE(running.wait_for(std::chrono::seconds{0})
          == std::future_status::ready);
  CHECK(running.get().error.code == "client_stopped");
  CHECK(client.use_count() == 1);
}
