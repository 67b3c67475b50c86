// What a fork inherits of conversations.
#include <convene/protocol/conversation/ids.hpp>
#include <session/conversation/talk.hpp>

#include <map>
#include <set>
#include <utility>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;

namespace {

/// What a fork copies of its source's log: docs/conversations.md.
std::vector<run_event> copied(const std::string& run_id,
                              std::vector<run_event> log) {
  std::map<std::string, std::string> ids;
  for (auto& event : log) {
    auto made = protocol::run_event_id(run_id, event.sequence);
    ids.emplace(std::exchange(event.event_id, made), made);
    if (event.causation_id)
      event.causation_id = ids.at(*event.causation_id);
    event.run_id = run_id;
    if (auto& payload = event.payload.held.as_object();
        payload.contains("runId"))
      payload["runId"] = run_id;
  }
  return log;
}

} // namespace

TEST_CASE("a fork gets the answers of its source") {
  talk source;
  REQUIRE(source.open().answer);
  REQUIRE(source.feed(closing(turn_of(1, "m"))).answer);
  const auto log = copied("f", source.log);
  auto uut = folded("f", log);
  REQUIRE(uut);
  const auto next = static_cast<std::int64_t>(log.size());
  const open_conversation again{.node_id = "ask",
                                .conversation_id = "r:ask:0",
                                .key = "r:ask:0"};
  const auto known = uut->open(again, talk_start, next);
  CHECK(known.is_duplicate);
  CHECK(known.events.empty());
  CHECK(known.answer->message_id == "r:ask:0:0:system");
  // What the source did not ask is asked by the fork.
  const auto other
    = uut->open({.node_id = "ask", .interrupt_count = 1, .key = "r:ask:1"},
                talk_start, next);
  CHECK(other.answer->conversation_id == "f:ask:0");
  CHECK(other.events.front().payload.held.at("key") == "r:ask:1");
}

TEST_CASE("what a branch inherits is live again, up to its deadline") {
  talk source;
  REQUIRE(source.open({.node_id = "ask", .timeout_ms = 100}).answer);
  REQUIRE(source.open({.node_id = "b", .timeout_ms = 10}).answer);
  source.now += 30;
  source.close_due();
  REQUIRE(source.exchange(1, "m1").answer);
  const auto log = copied("f", source.log);
  std::set<std::string> ids;
  for (const auto& event : source.log)
    ids.insert(event.event_id);
  for (const auto& event : log)
    CHECK(ids.insert(event.event_id).second);
  const auto next = static_cast<std::int64_t>(log.size());
  const auto branch = [&] {
    auto made = folded("f", log);
    REQUIRE(made);
    CHECK(made->find("b")->state().status == conversation_status::timed_out);
    CHECK(made->next_deadline() == talk_start + 100);
    return *std::move(made);
  };
  auto uut = branch();
  const exchange_resume second{turn_of(2, "m2")};
  const auto taken = uut.feed("ask", second, talk_start + 99, next);
  REQUIRE(taken.answer);
  CHECK(taken.answer->conversation_id == "r:ask:0");
  CHECK(taken.events.front().run_id == "f");
  CHECK(uut.feed("ask", exchange_resume{turn_of(1, "m1")}, talk_start, next + 1)
          .is_duplicate);
  auto late = branch();
  const auto refused = late.feed("ask", second, talk_start + 3'600'000, next);
  CHECK(refusal_of(refused) == "validation_error: conversation_closed");
  CHECK(refused.events.size() == 1);
}
