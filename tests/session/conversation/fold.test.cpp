#include <convene/protocol/conversation/ids.hpp>
#include <session/conversation/talk.hpp>
#include <support/dice.hpp>

#include <limits>
#include <map>
#include <set>
#include <utility>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;

namespace {

/// A log with one conversation of two exchanges.
std::vector<run_event> short_log() {
  talk made;
  REQUIRE(made
            .open({.node_id = "ask",
                   .schema = json::object{{"type", "string"}},
                   .timeout_ms = 50})
            .answer);
  REQUIRE(made.exchange(1, "m1").answer);
  REQUIRE(made.exchange(2, "m2").answer);
  REQUIRE(made.feed(closing(turn_of(3, "m3"))).answer);
  return made.log;
}

std::string rule_of(const std::vector<run_event>& log) {
  const auto made = folded("r", log);
  return made ? "" : made.error().rule;
}

std::vector<run_event> numbered(std::vector<run_event> log) {
  for (std::size_t i = 0; i < log.size(); ++i)
    log[i].sequence = static_cast<std::int64_t>(i);
  return log;
}

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

/// Random inputs to three nodes, and what they must not do.
class random_talk {
public:
  explicit random_talk(std::uint32_t seed) : dice_{seed} {}

  void step() {
    uut_.now += dice_.below(20);
    if (dice_.chance(5))
      uut_.restart();
    const auto before = uut_.log.size();
    if (dice_.chance(10)) {
      uut_.close_due();
    } else {
      const auto& node = dice_.one_of(nodes_);
      const auto input = random_input(node);
      const auto* opening = std::get_if<open_conversation>(&input);
      judge(node, input,
            opening ? uut_.open(*opening) : uut_.feed(input, node));
    }
    judge_events(before);
  }

private:
  conversation_input random_input(const std::string& node) {
    const auto* const known = uut_.book.find(node);
    const auto turns = known ? known->state().turns.size() : 1;
    if (!known || dice_.chance(10))
      return open_conversation{.node_id = node,
                               .attempt = dice_.below(3),
                               .interrupt_count = dice_.below(3),
                               .prompt = {"?"},
                               .schema = json::object{{"type", "integer"}},
                               .timeout_ms
                               = dice_.chance(50) ? 1 + dice_.below(200) : 0};
    if (dice_.chance(4))
      return cancel_conversation{"x"};
    if (dice_.chance(4))
      return check_deadline{};
    const auto index = dice_.chance(80) ? turns : dice_.below(turns + 2);
    // Those of the conversation, or such as another one of the node may have.
    const auto of = dice_.chance(80) ? known ? known->state().key : ""
                                     : "r:" + node + ":0";
    const auto id = "m" + of + "."
                    + std::to_string(dice_.chance(80) ? index
                                                      : dice_.below(turns + 2));
    auto turn = turn_of(static_cast<std::int64_t>(index), id,
                        dice_.chance(90) ? json::value(dice_.below(2))
                                         : json::value("no number"));
    if (!dice_.chance(12))
      return exchange_resume{std::move(turn)};
    auto made = closing();
    if (dice_.chance(70))
      made.answer.turn = std::move(turn);
    if (dice_.chance(70))
      made.answer.outcome.emplace(json::value(dice_.below(2)));
    return made;
  }

  void judge(const std::string& node, const conversation_input& input,
             const conversation_effects& effects) {
    if (effects.is_duplicate || effects.refusal)
      for (const auto& event : effects.events)
        CHECK(event.payload.held.at("finalTurn").at("content").at("reason")
              == "timed_out");
    if (!effects.answer)
      return;
    const auto& state = uut_.book.find(node)->state();
    if (!effects.is_duplicate) {
      CHECK(effects.answer->turn_index
            == static_cast<std::int64_t>(state.turns.size()) - 1);
      CHECK_FALSE(effects.events.empty());
    }
    const auto* taken = std::get_if<exchange_resume>(&input);
    if (!taken)
      return;
    // Once taken, the same turn is answered like this for ever.
    const auto key = node + " "
                     + json::serialize(protocol::encode(taken->turn));
    const auto [known, is_new] = answers_.try_emplace(key, *effects.answer);
    CHECK(is_new != effects.is_duplicate);
    CHECK(known->second == *effects.answer);
  }

  void judge_events(std::size_t from) {
    for (; from < uut_.log.size(); ++from) {
      const auto& event = uut_.log[from];
      CHECK(ids_.insert(event.event_id).second);
      if (!event.type.starts_with("conversation."))
        continue;
      const std::string id{event.payload.held.at("conversationId").as_string()};
      CHECK_FALSE(closed_.contains(id));
      if (event.type == "conversation.closed")
        closed_.insert(id);
    }
  }

  talk uut_;
  dice dice_;
  const std::vector<std::string> nodes_{"a", "b", "c"};
  std::map<std::string, conversation_answer> answers_;
  std::set<std::string> ids_;
  std::set<std::string> closed_;
};

} // namespace

TEST_CASE("whatever comes, the log alone gives the state that it left") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    random_talk uut{seed};
    for (int i = 0; i < 60; ++i)
      uut.step();
  }
}

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

TEST_CASE("an event that does not fit is refused by its rule") {
  const auto log = short_log();
  const auto with = [&](std::size_t event, const auto& change) {
    auto made = log;
    change(made[event], made[event].payload.held.as_object());
    return rule_of(made);
  };
  const auto at = [](json::object& in, const char* name) -> json::object& {
    return in.at(name).as_object();
  };
  CHECK(with(3, [](auto& e, auto&) { e.run_id = "s"; })
        == "conversation_event");
  CHECK(with(3, [](auto& e, auto&) { e.sequence = 2; })
        == "conversation_event");
  CHECK(with(3, [](auto& e, auto&) { e.timestamp = "2026-01-31T12:00:00"; })
        == "conversation_event");
  CHECK(with(2, [](auto& e, auto&) { e.causation_id = "x"; })
        == "conversation_order");
  CHECK(with(4, [](auto& e, auto&) { e.causation_id.reset(); })
        == "conversation_event");
  CHECK(with(3, [](auto&, auto& p) { p["conversationId"] = "other"; })
        == "conversation_order");
  CHECK(with(3, [](auto&, auto& p) { p["turnIndex"] = 2; }) == "turn_index");
  CHECK(with(3, [&](auto&, auto& p) { at(p, "turn")["turnIndex"] = 2; })
        == "turn_index");
  CHECK(with(2, [&](auto&, auto& p) { at(p, "initialTurn")["turnIndex"] = 1; })
        == "turn_index");
  CHECK(with(4, [&](auto&, auto& p) { at(p, "turn")["messageId"] = "m1"; })
        == "message_id_reused");
  CHECK(with(1, [](auto&, auto& p) { p["kind"] = "approval"; })
        == "conversation_order");
  CHECK(with(2, [&](auto&, auto& p) { at(p, "schema")["prefixItems"] = 1; })
        == "schema_keyword");
  CHECK(with(5, [](auto&, auto& p) { p["openedBy"] = "ann"; })
        == "additionalProperties");
  for (const auto* time :
       {"9999-12-31T23:59:59.999-23:59", "1969-12-31T23:59:59.999Z"})
    CHECK(with(3, [=](auto& e, auto&) { e.timestamp = time; })
          == "conversation_event");
  CHECK(with(2, [](auto&, auto& p) { p["conversationId"] = "r:ask:1"; })
        == "conversation_event");
  CHECK(with(3, [&](auto&, auto& p) { at(p, "turn")["role"] = "system"; })
        == "turn_role");
  for (const auto* id : {"r:ask:0:2:system", "r:b:0:0:agent"}) {
    CHECK(with(3, [&](auto&, auto& p) { at(p, "turn")["messageId"] = id; })
          == "message_id_reserved");
    CHECK(
      with(2, [&](auto&, auto& p) { at(p, "initialTurn")["messageId"] = id; })
      == "message_id_reserved");
  }
}

TEST_CASE("an event of another node, run, key or cause is refused") {
  const auto log = short_log();
  const auto with = [&](std::size_t event, const auto& change) {
    auto made = log;
    change(made[event], made[event].payload.held.as_object());
    INFO("event " << event);
    CHECK(rule_of(made) == "conversation_event");
  };
  for (std::size_t i = 0; i < log.size(); ++i)
    with(i, [](auto& e, auto&) { e.node_id = "b"; });
  for (auto i : {1, 6, 7}) {
    with(i, [](auto&, auto& p) { p["nodeId"] = "b"; });
    with(i, [](auto& e, auto&) { e.causation_id = "x"; });
    with(i, [](auto& e, auto&) { e.causation_id.reset(); });
  }
  for (auto i : {1, 6})
    with(i, [](auto&, auto& p) { p["runId"] = "s"; });
  with(1, [](auto&, auto& p) { p["key"] = "r:ask:1"; });
  with(1, [](auto&, auto& p) {
    p["kind"] = "conversation.close";
    p["data"] = {{"conversationId", "r:ask:0"}};
  });
  with(6, [](auto&, auto& p) { p["kind"] = "approval"; });
  for (auto i : {6, 7}) {
    with(i, [](auto&, auto& p) { p["resumeValue"] = "another"; });
    with(i, [](auto&, auto& p) { p.erase("resumeValue"); });
  }
}

TEST_CASE("a log on which the deadline was passed over is refused") {
  // Opened at 0 with 50 ms, closed by an answer with outcome 1 or by the host.
  const auto rule = [](bool by_host, std::int64_t ms, json::value outcome) {
    talk made;
    REQUIRE(made.open({.node_id = "ask", .timeout_ms = 50}).answer);
    if (by_host)
      made.now += 50;
    REQUIRE(made.feed(closing(turn_of(1, "m"))).events.size() > 0);
    auto log = made.log;
    for (std::size_t i = 3; i < log.size(); ++i)
      log[i].timestamp = protocol::format_timestamp(talk_start + ms);
    if (by_host)
      log[3].payload.held.as_object()["outcome"] = std::move(outcome);
    return rule_of(log);
  };
  CHECK(rule(false, 49, nullptr) == "");
  CHECK(rule(false, 50, nullptr) == "conversation_event");
  CHECK(rule(true, 50, nullptr) == "");
  CHECK(rule(true, 49, nullptr) == "conversation_event");
  CHECK(rule(true, 50, 1) == "conversation_event");
  auto exchanged = short_log();
  exchanged.resize(4);
  CHECK(rule_of(exchanged) == "");
  exchanged[3].timestamp = protocol::format_timestamp(talk_start + 50);
  CHECK(rule_of(exchanged) == "conversation_event");
  auto endless = short_log();
  endless[1].payload.held.as_object().erase("timeoutMs");
  CHECK(rule_of(endless) == "");
  endless.resize(6);
  endless[5].payload.held
    = {{"conversationId", "r:ask:0"},
       {"turnIndex", 3},
       {"finalTurn",
        protocol::encode(
          turn_of(3, "m3", json::object{{"reason", "timed_out"}}, "system"))},
       {"outcome", nullptr}};
  CHECK(rule_of(endless) == "conversation_event");
}

TEST_CASE("a cancelled conversation has the outcome null on the log") {
  talk made;
  REQUIRE(made.open().answer);
  REQUIRE(made.feed(cancel_conversation{}).answer);
  auto log = made.log;
  log[3].payload.held.as_object()["outcome"] = 1;
  CHECK(rule_of(log) == "conversation_event");
  log[3].payload.held.as_object().erase("outcome");
  CHECK(rule_of(log) == "conversation_event");
}

TEST_CASE("no log leaves a conversation that its host could not close") {
  talk made;
  REQUIRE(made.open({.node_id = "ask", .timeout_ms = 50}).answer);
  REQUIRE(made.exchange(1, "m1").answer);
  auto taken = made.log;
  taken[3].payload.held.as_object()["turn"].as_object()["messageId"]
    = "r:ask:0:2:system";
  CHECK(rule_of(taken) == "message_id_reserved");
  auto long_id = made.log;
  const std::string id(protocol::conversation_id_max + 1, 'c');
  long_id[1].payload.held.as_object()["data"] = {{"conversationId", id}};
  long_id[2].payload.held.as_object()["conversationId"] = id;
  long_id.resize(3);
  CHECK(rule_of(long_id) == "conversation_id");
  // With the longest id, each way to end it is open.
  const auto fits = id.substr(1);
  long_id[1].payload.held.as_object()["data"] = {{"conversationId", fits}};
  long_id[2].payload.held.as_object()["conversationId"] = fits;
  for (int way = 0; way < 3; ++way) {
    auto uut = folded("r", long_id);
    REQUIRE(uut);
    if (way == 0)
      CHECK(uut->close_due(talk_start + 50, 3).events.size() == 1);
    if (way == 1)
      CHECK(uut->cancel_all("over", talk_start, 3).events.size() == 1);
    if (way == 2)
      CHECK(uut->feed("ask", closing(), talk_start, 3).events.size() == 3);
    CHECK(uut->find("ask")->state().status != conversation_status::open);
  }
}

TEST_CASE("a log with two conversations that could not both be opened is "
          "refused") {
  // Two of nodes ask and b, whose events change one after another.
  const auto rule = [](const auto& change) {
    talk made;
    REQUIRE(made.open({.node_id = "ask"}).answer);
    REQUIRE(made.open({.node_id = "b"}).answer);
    auto log = made.log;
    for (std::size_t i = 3; i < log.size(); ++i)
      change(log[i], log[i].payload.held.as_object());
    return rule_of(log);
  };
  CHECK(rule([](auto&, auto&) {}) == "");
  CHECK(rule([](auto& e, auto& p) {
          if (e.type == "interrupt.requested")
            p["data"].as_object()["conversationId"] = "r:ask:0";
          if (e.type == "conversation.opened")
            p["conversationId"] = "r:ask:0";
        })
        == "conversation_order");
  CHECK(rule([](auto& e, auto& p) {
          e.node_id = "ask";
          if (p.contains("nodeId"))
            p["nodeId"] = "ask";
        })
        == "conversation_order");
  CHECK(rule([](auto&, auto& p) {
          if (p.contains("key"))
            p["key"] = "r:ask:0";
        })
        == "conversation_order");
}

TEST_CASE("a log whose numbers do not grow is refused, whatever has them") {
  talk made;
  REQUIRE(made.open({.node_id = "ask"}).answer);
  REQUIRE(made.open({.node_id = "b"}).answer);
  REQUIRE(made.exchange(1, "m").answer);
  const auto with_last = [&](std::int64_t number, const char* type) {
    auto log = made.log;
    log[6].sequence = number;
    log[6].type = type;
    return rule_of(log);
  };
  for (const auto* type : {"conversation.exchanged", "something.new"}) {
    CHECK(with_last(6, type) == "");
    CHECK(with_last(60, type) == "");
    CHECK(with_last(5, type) == "conversation_event");
    // After those of its own conversation.
    CHECK(with_last(3, type) == "conversation_event");
  }
  // What was passed over has a number, too.
  auto uut = folded("r", made.log);
  REQUIRE(uut);
  auto other = made.log[6];
  other.type = "something.new";
  other.sequence = 20;
  REQUIRE(uut->fold(other));
  CHECK(uut->feed("ask", closing(), talk_start, 20).refusal->what.rule
        == "sequence");
  CHECK(uut->feed("ask", closing(), talk_start, 21).answer);
}

TEST_CASE("a node is suspended for one conversation at a time, by an event of "
          "its own") {
  const auto log = short_log();
  const auto suspended = [&](std::int64_t sequence, const char* node,
                             const char* key, const std::string& id) {
    auto made = log[0];
    made.event_id = id;
    made.sequence = sequence;
    made.node_id = node;
    auto& payload = made.payload.held.as_object();
    payload["nodeId"] = node;
    payload["interruptId"] = key;
    payload["key"] = key;
    return made;
  };
  run_conversations uut{"r"};
  REQUIRE(uut.fold(log[0]));
  const auto rule = [&](const run_event& event) {
    const auto done = uut.fold(event);
    return done ? "" : done.error().rule;
  };
  CHECK(rule(suspended(1, "ask", "r:ask:1", "e1")) == "conversation_order");
  CHECK(rule(suspended(1, "b", "r:b:0", log[0].event_id))
        == "conversation_order");
  CHECK(rule(suspended(1, "b", "r:b:0", "e1")) == "");
}

TEST_CASE("time on the log that goes back is taken for that of the last "
          "event") {
  auto log = short_log();
  log.resize(5);
  log[3].timestamp = protocol::format_timestamp(talk_start + 40);
  log[4].timestamp = protocol::format_timestamp(talk_start + 10);
  auto uut = folded("r", log);
  REQUIRE(uut);
  CHECK(uut->find("ask")->state().last_time == talk_start + 40);
  const auto closed = uut->feed("ask", closing(), talk_start, 5);
  CHECK(closed.events.front().timestamp == log[3].timestamp);
}

TEST_CASE("what the log says is not judged by the bounds of inputs") {
  auto log = short_log();
  log.resize(3);
  log[1].payload.held.as_object()["timeoutMs"]
    = std::numeric_limits<std::int64_t>::max();
  log[2].payload.held.as_object()["initialTurn"].as_object()["content"]
    = std::string(2 * turn_bytes_max, 'x');
  const auto uut = folded("r", log);
  REQUIRE(uut);
  CHECK(uut->next_deadline() == protocol::timestamp_max);
  CHECK(uut->find("ask")->state().bytes > 2 * turn_bytes_max);
}

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
