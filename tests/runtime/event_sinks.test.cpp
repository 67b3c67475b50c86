#include "sample.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <future>
#include <optional>
#include <stdexcept>

using namespace convene;
using namespace convene::tests;

namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

struct taken {
  std::size_t events = 0;
  std::uint64_t missed = 0;
};

event_sink counts(taken& into, subscription_options how = {}) {
  return {.how = std::move(how), .take = [&into](const delivery& what) {
            if (const auto* gap = std::get_if<events_missed>(&what))
              into.missed += gap->count;
            else
              ++into.events;
          }};
}

} // namespace

TEST_CASE("a sink gets every event, and closing waits for the last one") {
  const bool is_virtual = GENERATE(false, true);
  taken got;
  std::string seen;
  runtime_options options;
  if (is_virtual)
    options.seed = 1;
  options.sinks = {counts(got)};
  {
    convene::runtime rt{options};
    const auto session = rt.start(two_in(mode::pair),
                                  [&](auto, auto lines) { seen += lines; });
    REQUIRE(session.await());
    REQUIRE(rt.close());
    CHECK(got.events == lines_of(seen));
    CHECK(got.missed == 0);
  }
  CHECK(got.events > 4);
}

TEST_CASE(
  "a slow sink gets the number of missed events, or keeps sessions waiting") {
  const auto behind = GENERATE(when_behind::skip, when_behind::wait);
  std::promise<void> go_on;
  const auto told = go_on.get_future().share();
  taken got;
  runtime_options options;
  options.threads = 1;
  auto sink = counts(got, {.events_max = 2, .behind = behind});
  sink.take = [&, count = sink.take](const delivery& what) {
    told.wait();
    count(what);
  };
  options.sinks = {std::move(sink)};
  convene::runtime rt{options};
  std::string seen;
  const auto session = rt.start(two_in(mode::pair),
                                [&](auto, auto lines) { seen += lines; });
  if (behind == when_behind::skip)
    REQUIRE(session.await());
  else
    CHECK_FALSE(session.await_for(std::chrono::milliseconds{50}));
  go_on.set_value();
  REQUIRE(session.await());
  REQUIRE(rt.close());
  CHECK(got.events + got.missed == lines_of(seen));
  CHECK((got.missed == 0) == (behind == when_behind::wait));
}

TEST_CASE("a sink that throws gets nothing more, and sessions continue") {
  std::size_t calls = 0;
  runtime_options options;
  options.sinks = {{.take = [&](const delivery&) {
    ++calls;
    throw std::runtime_error{"no"};
  }}};
  convene::runtime rt{options};
  CHECK(rt.start(two_in(mode::pair)).await());
  REQUIRE(rt.close());
  CHECK(calls == 1);
}

TEST_CASE("a sink without a function, or of an unknown family, is refused") {
  runtime_options options;
  options.sinks = {{}};
  CHECK(runtime::open(options).error().rule == "event_sink");
  options.sinks = {{.how = {.filter = {.families = {"none"}}},
                    .take = [](const delivery&) {}}};
  CHECK(runtime::open(options).error().rule == "event_family");
}

TEST_CASE("sessions stop waiting for a subscription that is gone") {
  convene::runtime rt;
  CHECK(
    rt.subscribe({.events_max = 0, .behind = when_behind::wait}).error().rule
    == "events_max");
  auto slow = std::optional{
    *rt.subscribe({.events_max = 1, .behind = when_behind::wait})};
  const auto session = rt.start(two_in(mode::pair));
  CHECK_FALSE(session.await_for(std::chrono::milliseconds{50}));
  slow.reset();
  CHECK(session.await());
}
