#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/bindings/c/text_feeds.hpp>
#include <convene/runtime/log/event_bus/event_bus.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>

using namespace convene;
using namespace convene::c_api;

namespace {

constexpr auto session = "3f2c1a90-5b7d-4c1e-9a53-0d6a8a7b1c11";
constexpr auto other_session = "3f2c1a90-5b7d-4c1e-9a53-0d6a8a7b1c12";

/// What a feed subscribes to.
struct source {
  host::event_bus bus;
  host::event_bus::place at = 0;
  text_feeds feeds;

  std::shared_ptr<text_feed> feed(host::event_filter texts = {}) {
    auto made = std::make_shared<text_feed>(
      bus.subscribe({}, [] { return host::event_bus::place{}; }).value(),
      std::move(texts));
    feeds.add(made);
    return made;
  }

  void log(const std::string& line) {
    const auto lines = line + '\n';
    bus.appended(lines, at, at + lines.size());
    at += lines.size();
    bus.kept(at);
  }
};

std::string content_of(const std::optional<std::string>& item) {
  const auto read = boost::json::parse(item.value_or("{}"));
  const auto* text = read.as_object().if_contains("text");
  return text == nullptr ? "no text"
                         : std::string{text->at("content").as_string()};
}

} // namespace

TEST_CASE("a feed has events and the texts that its filter selects") {
  source from;
  const auto all = from.feed();
  const auto one = from.feed(
    {.session = protocol::parse_uuid(session), .participants = {"b"}});
  from.log(R"({"event_type":"A"})");
  CHECK(all->next(std::nullopt) == R"({"event_type":"A"})");
  CHECK(one->next(std::nullopt) == R"({"event_type":"A"})");
  from.feeds.say(session, "a", "first");
  from.feeds.say(other_session, "b", "second");
  from.feeds.say(session, "b", "third \xC3\xA9");
  CHECK(content_of(all->next(std::nullopt)) == "first");
  CHECK(content_of(all->next(std::nullopt)) == "second");
  CHECK(content_of(all->next(std::nullopt)) == "third \xC3\xA9");
  CHECK(content_of(one->next(std::nullopt)) == "third \xC3\xA9");
  CHECK_FALSE(one->next(std::chrono::milliseconds{0}));
  CHECK_FALSE(one->has_ended());
}

TEST_CASE("a feed that is full counts what it drops, and continues once it is "
          "read") {
  source from;
  const auto feed = from.feed();
  for (int i = 0; i < 10'003; ++i)
    from.feeds.say(session, "a", std::to_string(i));
  for (int i = 0; i < 10'000; ++i)
    REQUIRE(content_of(feed->next(std::nullopt)) == std::to_string(i));
  CHECK(feed->next(std::nullopt) == R"({"missed":3})");
  from.feeds.say(session, "a", "again");
  CHECK(content_of(feed->next(std::nullopt)) == "again");
}

TEST_CASE("a full feed also counts the events that its subscription missed") {
  source from;
  const auto events = from.bus
                        .subscribe({.events_max = 10'002},
                                   [] { return host::event_bus::place{}; })
                        .value();
  for (int i = 0; i < 10'005; ++i)
    from.log(R"({"event_type":"A"})");
  from.bus.end(subscription_end::runtime_closed);
  text_feed feed{events, {}};
  while (!events.ended())
    std::this_thread::yield();
  std::int64_t count = 0;
  while (const auto item = feed.next(std::nullopt)) {
    const auto read = boost::json::parse(*item);
    const auto* missed = read.as_object().if_contains("missed");
    count += missed == nullptr ? 1 : missed->to_number<std::int64_t>();
  }
  CHECK(count == 10'005);
}

TEST_CASE("a feed ends with its runtime, after what is in it") {
  source from;
  const auto feed = from.feed();
  from.feeds.say(session, "a", "last");
  std::jthread waits{[&] {
    CHECK(content_of(feed->next(std::nullopt)) == "last");
    CHECK_FALSE(feed->next(std::nullopt));
    CHECK(feed->has_ended());
  }};
  from.bus.end(subscription_end::runtime_closed);
}

TEST_CASE("a feed can be freed while others speak and while it waits") {
  source from;
  auto feed = from.feed();
  std::jthread says{[&] {
    for (int i = 0; i < 1'000; ++i)
      from.feeds.say(session, "a", "x");
  }};
  static_cast<void>(feed->next(std::nullopt));
  feed.reset();
}
