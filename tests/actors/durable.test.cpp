// What waits until events are kept: ends, requests to those who act outside,
// and all requests while the sink cannot keep up.

#include "world.hpp"

#include <catch2/catch.hpp>

using namespace convene;
using namespace convene::actors;
using namespace convene::tests;

namespace {

using strings = std::vector<std::string>;

/// Remembers that it was asked.
struct watched final : behaviour {
  explicit watched(bool outside) : outside_{outside} {}

  answer respond(const turn_request&) override {
    ++asked;
    return {};
  }
  bool acts_outside() const noexcept override {
    return outside_;
  }

  int asked = 0;

private:
  bool outside_;
};

const protocol::error disk_full{.code = protocol::errc::io_failed,
                                .message = "No space left on device",
                                .file = "events.jsonl"};

} // namespace

TEST_CASE("the end of a session is told once it is kept") {
  world all;
  all.sink.keeps_later = true;
  ending end;
  all.begin({says("one"), says("two")}, end);
  all.run();
  CHECK(all.event_types().back() == "MAPSessionCompleted");
  CHECK_FALSE(end);
  all.pass(1000);
  CHECK_FALSE(end);
  all.sink.keep();
  all.run();
  REQUIRE(end);
  REQUIRE(*end);
  CHECK((*end)->counts.turns == 2);
}

TEST_CASE("an end that cannot be kept is the error of that") {
  world all;
  all.sink.keeps_later = true;
  ending end;
  all.begin({says("one"), says("two")}, end);
  all.run();
  all.sink.keep(protocol::fail(disk_full));
  all.run();
  REQUIRE(end);
  REQUIRE_FALSE(*end);
  CHECK(end->error() == disk_full);
}

TEST_CASE("in strict, who acts outside is asked once all before is kept") {
  world all;
  all.strict = true;
  all.sink.keeps_later = true;
  const auto inside = std::make_shared<watched>(false);
  const auto outside = std::make_shared<watched>(true);
  ending end;
  all.begin({inside, outside}, end);
  all.run();
  CHECK(inside->asked == 1);
  CHECK(outside->asked == 0);
  CHECK(all.told("MAPTurnDispatched", "participant_id") == strings{"p0", "p1"});
  all.sink.keep();
  all.run();
  CHECK(outside->asked == 1);
  CHECK_FALSE(end);
  all.sink.keep();
  all.run();
  CHECK((end && *end));
}

TEST_CASE("in strict, a request whose events are lost is never made") {
  world all;
  all.strict = true;
  all.sink.keeps_later = true;
  const auto outside = std::make_shared<watched>(true);
  ending end;
  all.begin({outside}, end);
  all.run();
  all.sink.keep(protocol::fail(disk_full));
  all.run();
  CHECK(outside->asked == 0);
  REQUIRE((end && !*end));
  CHECK(end->error() == disk_full);
}

TEST_CASE("a request that waits is dropped with its turn") {
  world all;
  all.strict = true;
  all.sink.keeps_later = true;
  const auto outside = std::make_shared<watched>(true);
  ending end;
  all.begin({outside, says("two")}, end, {.turn_timeout_ms = 50});
  all.pass(50);
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"timed_out"});
  all.sink.keep();
  all.run();
  all.sink.keep();
  all.run();
  CHECK(outside->asked == 0);
  CHECK((end && *end));
}

TEST_CASE("a sink that cannot keep up pauses requests, not threads") {
  world all;
  all.sink.full = true;
  all.sink.keeps_later = true;
  const auto inside = std::make_shared<watched>(false);
  ending end;
  all.begin({inside, says("two")}, end);
  all.run();
  CHECK(inside->asked == 0);
  all.sink.full = false;
  all.sink.keep();
  all.run();
  CHECK(inside->asked == 1);
  all.sink.keep();
  all.run();
  CHECK((end && *end));
}
