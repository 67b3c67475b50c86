// Subscribers of a runtime see what is on its log.

#include "log_texts.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::tests;

namespace {

/// The lines that a subscription got until its runtime was closed.
texts lines_of(const subscription& from) {
  texts all;
  while (const auto next = from.next()) {
    REQUIRE(std::holds_alternative<event_delivered>(*next));
    all.push_back(*std::get<event_delivered>(*next).line);
  }
  CHECK(from.ended() == subscription_end::runtime_closed);
  return all;
}

} // namespace

TEST_CASE("subscribers see all events of all sessions as they are on the log") {
  const auto kept = GENERATE(durability::none, durability::group);
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  runtime_options how{.log = log, .durability = kept};
  std::optional<convene::runtime> rt{std::in_place, how};
  const auto first = rt->subscribe();
  const auto second = rt->subscribe();
  const auto ends
    = rt->subscribe({.filter = {.types = {"MAPSessionCompleted"}}});
  REQUIRE((first && second && ends));
  std::vector<session_handle> sessions;
  for (int i = 0; i < 20; ++i)
    sessions.push_back(rt->start(two_in(mode::pair)));
  for (const auto& each : sessions)
    REQUIRE(each.await());
  REQUIRE(rt->close());
  const auto expected = events_of(log);
  CHECK(lines_of(*first) == expected);
  CHECK(lines_of(*second) == expected);
  CHECK(lines_of(*ends).size() == sessions.size());
}

TEST_CASE("under virtual time subscribers see the log, which stays the same") {
  const scratch_folder folder;
  texts logged;
  for (const bool subscribes : {false, true}) {
    const auto log = folder
                     / (subscribes ? "subscribed.jsonl" : "events.jsonl");
    convene::runtime rt{{.log = log, .seed = 3}};
    std::optional<result<subscription>> to;
    if (subscribes)
      to = rt.subscribe();
    REQUIRE(rt.start(two_in(mode::pair)).await());
    REQUIRE(rt.close());
    logged.push_back(read_bytes(log));
    if (subscribes)
      CHECK(lines_of(**to) == events_of(log));
  }
  CHECK(logged[0] == logged[1]);
}

TEST_CASE("without a log, events are delivered at once") {
  convene::runtime rt;
  const auto to = rt.subscribe({.filter = {.types = {"MAPSessionCompleted"}}});
  REQUIRE(to);
  const auto session = rt.start(two_in(mode::pair));
  REQUIRE(session.await());
  const auto next = to->next();
  REQUIRE(next);
  CHECK(std::get<event_delivered>(*next).line->find(session.id())
        != std::string::npos);
}

TEST_CASE("a session does not wait for a subscriber who reads nothing") {
  convene::runtime rt;
  const auto idle = rt.subscribe({.events_max = 1});
  REQUIRE(idle);
  REQUIRE(rt.start(two_in(mode::pair)).await());
  REQUIRE(rt.close());
  REQUIRE(idle->next());
  const auto next = idle->next();
  REQUIRE(next);
  CHECK(std::get<events_missed>(*next).count > 1);
  CHECK_FALSE(idle->next());
}
