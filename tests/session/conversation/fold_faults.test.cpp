// Logs that no conversations could have written.
#include <convene/protocol/conversation/ids.hpp>
#include <session/conversation/short_log.hpp>

#include <limits>

using namespace convene;
using namespace convene::test;

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
