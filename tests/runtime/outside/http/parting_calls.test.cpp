#include <catch2/catch.hpp>
#include <convene/runtime/outside/http/parting_calls.hpp>

#include <future>

using namespace convene::host;

TEST_CASE("the end waits for calls that nobody else waits for") {
  const auto calls = std::make_shared<parting_calls>();
  auto first = calls->begin();
  auto second = calls->begin();
  auto waited = std::async(std::launch::async,
                           [&] { calls->wait(std::chrono::hours{1}); });
  auto copy = first;
  first.reset();
  second.reset();
  using namespace std::chrono_literals;
  CHECK(waited.wait_for(20ms) == std::future_status::timeout);
  copy.reset();
  waited.get();
}

TEST_CASE("the end does not wait for ever for calls that do not end") {
  const auto calls = std::make_shared<parting_calls>();
  const auto open = calls->begin();
  calls->wait(std::chrono::milliseconds{1});
  CHECK(open);
}
