// What a log gives: the same conversations again.
#include <session/conversation/short_log.hpp>

#include <set>

using namespace convene;
using namespace convene::test;

namespace {

std::vector<run_event> numbered(std::vector<run_event> log) {
  for (std::size_t i = 0; i < log.size(); ++i)
    log[i].sequence = static_cast<std::int64_t>(i);
  return log;
}

} // namespace

TEST_CASE("a log that lacks an event, or has one twice, is refused") {
  const auto log = short_log();
  REQUIRE(rule_of(log).empty());
  for (std::size_t i = 0; i < log.size(); ++i) {
    INFO("event " << i << ", " << log[i].type);
    // Each exchange is the cause of what follows it.
    const bool is_exchange = i == 3 || i == 4;
    const std::string rule = is_exchange ? "conversation_event"
                                         : "conversation_order";
    auto without = log;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(rule_of(numbered(without))
          == (i + 1 == log.size() ? "conversation_torn" : rule));
    auto twice = log;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), log[i]);
    CHECK(rule_of(numbered(twice)) == rule);
    if (i + 1 < log.size()) {
      auto swapped = log;
      std::swap(swapped[i], swapped[i + 1]);
      CHECK(rule_of(numbered(swapped)) == rule);
    }
  }
}

TEST_CASE("a log is cut between inputs, or refused") {
  const auto log = short_log();
  const std::set<std::size_t> whole{0, 3, 4, 5, 8};
  for (std::size_t i = 0; i <= log.size(); ++i) {
    INFO(i << " events");
    CHECK(rule_of({log.begin(), log.begin() + static_cast<std::ptrdiff_t>(i)})
          == (whole.contains(i) ? "" : "conversation_torn"));
  }
}

TEST_CASE("an event that is refused changes nothing") {
  const auto log = short_log();
  run_conversations uut{"r"};
  for (std::size_t i = 0; i < 4; ++i)
    REQUIRE(uut.fold(log[i]));
  const auto before = states_of(uut);
  CHECK_FALSE(uut.fold(log[5]));
  CHECK_FALSE(uut.fold(log[3]));
  CHECK(states_of(uut) == before);
  CHECK(uut.fold(log[4]));
}

TEST_CASE("events of other nodes and interrupts are passed over") {
  const auto other = [](std::int64_t sequence, const char* type,
                        json::value payload) {
    return run_event{.event_id = "o" + std::to_string(sequence),
                     .run_id = "r",
                     .type = type,
                     .payload = {std::move(payload)},
                     .timestamp = "2026-01-31T12:00:00Z",
                     .sequence = sequence};
  };
  // Members that are unknown there lead to no conversation.
  const json::value stray{{"nodeId", "gate"},
                          {"interruptId", "i"},
                          {"conversationId", "r:ask:0"}};
  std::vector<run_event> log{
    other(0, "run.started", {{"workflowId", "w"}}),
    other(1, "node.suspended", {{"nodeId", "gate"}, {"interruptId", "i"}}),
    other(2, "interrupt.requested", {{"interruptId", "i"}}),
    other(3, "something.new", nullptr), other(4, "node.resumed", nullptr)};
  for (auto event : short_log()) {
    event.sequence += 5;
    if (event.type == "interrupt.resolved")
      event.payload.held.as_object()["conversationId"] = "another";
    log.push_back(event);
  }
  log.push_back(other(13, "interrupt.resolved", stray));
  log.push_back(other(14, "node.resumed", stray));
  const auto made = folded("r", log);
  REQUIRE(made);
  CHECK(made->all().size() == 1);
  CHECK(made->find("ask")->state().turns.size() == 4);
  CHECK(made->find("gate") == nullptr);
}

TEST_CASE("RFC 0005's own kind is folded like that of the schemas") {
  auto log = short_log();
  auto& request = log[1].payload.held.as_object();
  request["kind"] = "conversation";
  request["data"] = {{"operation", "start"}};
  const auto made = folded("r", log);
  REQUIRE(made);
  CHECK(states_of(*made) == states_of(*folded("r", short_log())));
}
