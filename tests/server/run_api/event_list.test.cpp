#include <catch2/catch.hpp>
#include <convene/server/run_api/event_list.hpp>

#include <memory>
#include <string>

using namespace convene::server;

namespace {

run_record::slice list_of(std::size_t count, std::size_t bytes) {
  run_record::slice made{.is_complete = true};
  for (std::size_t i = 0; i < count; ++i)
    made.events.push_back(std::make_shared<const std::string>(
      '"' + std::string(bytes, static_cast<char>('a' + i % 26)) + '"'));
  return made;
}

std::string text_of(const run_record::slice& list) {
  std::string made = R"({"events":[)";
  for (const auto& each : list.events)
    made += (made.back() == '[' ? "" : ",") + *each;
  return made + R"(],"isComplete":true})";
}

} // namespace

TEST_CASE("a short list of a run's events is a body") {
  CHECK(event_list({}).body == R"({"events":[],"isComplete":false})");
  const auto list = list_of(3, 10);
  const auto made = event_list(list);
  CHECK(made.stream == nullptr);
  CHECK(made.body == text_of(list));
}

TEST_CASE("a long list of a run's events is sent part by part, not copied") {
  auto list = list_of(30, event_list_body_max / 10);
  const auto expected = text_of(list);
  const std::weak_ptr first{list.events.front()};
  const auto made = event_list(std::move(list));
  CHECK(made.body.empty());
  REQUIRE(made.stream != nullptr);
  const std::size_t most = GENERATE(1, event_list_body_max / 4);
  std::string all;
  for (bool ended = false; !ended;) {
    const auto part = made.stream->read(most, {});
    REQUIRE_FALSE(part.bytes.empty());
    CHECK(part.bytes.size() < most + event_list_body_max / 5);
    all += part.bytes;
    ended = part.is_last;
    CHECK(first.expired()); // what was sent is not held for the reader
  }
  CHECK((all == expected));
}
