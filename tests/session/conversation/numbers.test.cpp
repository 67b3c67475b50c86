// Numbers and times of events, and events that cannot be recorded.
#include <convene/session/conversation/recorder.hpp>
#include <session/conversation/talk.hpp>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;
using status = conversation_status;

TEST_CASE("events are numbered after those before") {
  conversation uut{"r"};
  REQUIRE(uut.feed(open_conversation{.node_id = "n"}, 0, 7).answer);
  const auto before = uut.state();
  for (const std::int64_t wrong : {std::int64_t{9}, sequence_max + 1}) {
    CHECK(refusal_of(uut.feed(closing(), 0, wrong))
          == "internal_error: sequence");
    CHECK(uut.state() == before);
  }
  CHECK(uut.feed(closing(), 0, 10).events.front().sequence == 10);
}

TEST_CASE("a number that cannot be given is told by those who close, too") {
  run_conversations uut{"r"};
  REQUIRE(uut.open({.node_id = "n", .timeout_ms = 5}, 0, 0).answer);
  for (const auto& made : {uut.close_due(5, 2), uut.cancel_all("over", 0, 2)}) {
    CHECK(made.events.empty());
    REQUIRE(made.refusal);
    CHECK(made.refusal->what.rule == "sequence");
  }
  CHECK(uut.next_deadline() == 5);
}

TEST_CASE("numbers and times are of the run, whichever conversation has an "
          "input") {
  run_conversations uut{"r"};
  REQUIRE(uut.open({.node_id = "a"}, 1'000, 0).answer);
  CHECK(refusal_of(uut.open({.node_id = "b"}, 1'000, 2))
        == "internal_error: sequence");
  CHECK(uut.find("b") == nullptr);
  REQUIRE(uut.open({.node_id = "b", .timeout_ms = 500}, 1'000, 7).answer);
  const auto before = states_of(uut);
  for (const std::int64_t used : {3, 9}) {
    CHECK(refusal_of(uut.feed("a", exchange_resume{turn_of(1, "m")}, 0, used))
          == "internal_error: sequence");
    CHECK(uut.close_due(2'000, used).refusal->what.rule == "sequence");
    CHECK(uut.cancel_all("over", 0, used).refusal->what.rule == "sequence");
    CHECK(states_of(uut) == before);
  }
  const auto taken = uut.feed("a", exchange_resume{turn_of(1, "m")}, 1'400, 10);
  REQUIRE(taken.answer);
  const auto written = [](const conversation_effects& effects) {
    REQUIRE_FALSE(effects.events.empty());
    return effects.events.front().timestamp;
  };
  CHECK(written(uut.feed("b", exchange_resume{turn_of(1, "m")}, 900, 11))
        == taken.events.front().timestamp);
  CHECK(written(uut.open({.node_id = "c"}, 0, 12))
        == taken.events.front().timestamp);
  // The time that one has seen is that of all.
  REQUIRE(uut.feed("a", exchange_resume{turn_of(2, "n")}, 1'500, 15).answer);
  CHECK(uut.close_due(0, 16).events.size() == 1);
  CHECK(uut.find("b")->state().status == status::timed_out);
}

TEST_CASE("the time of the last conversation's event is that of the run, also "
          "on another host") {
  talk uut;
  REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
  REQUIRE(uut.open({.node_id = "b"}).answer);
  uut.now += 100;
  REQUIRE(uut.feed(exchange_resume{turn_of(1, "m")}, "b").answer);
  uut.restart();
  uut.now -= 60;
  REQUIRE(
    uut.open({.node_id = "ask", .attempt = 1, .interrupt_count = 1}).answer);
  CHECK(uut.book.find_key("r:ask:0")->state().status == status::timed_out);
  CHECK(uut.log.back().timestamp == uut.log[6].timestamp);
}

TEST_CASE("what is opened and said leaves numbers to close all with") {
  run_conversations uut{"r"};
  std::int64_t next = 0;
  for (std::size_t i = 1; i < conversations_max; ++i, next += 3)
    REQUIRE(uut.open({.node_id = "n" + std::to_string(i)}, 0, next).answer);
  CHECK(refusal_of(uut.open({.node_id = "last"}, 0, turn_sequence_max + 1))
        == "internal_error: sequence");
  REQUIRE(uut.open({.node_id = "last"}, 0, turn_sequence_max).answer);
  next = turn_sequence_max + 3;
  CHECK(refusal_of(uut.feed("last", exchange_resume{turn_of(1, "m")}, 0, next))
        == "internal_error: sequence");
  for (const auto& each : uut.all()) {
    REQUIRE(uut.feed(each.state().node_id, closing(), 0, next).answer);
    next += 3;
  }
  CHECK(next > sequence_max);
}

TEST_CASE("no event of the log may leave a conversation without a number to "
          "close it") {
  talk made;
  REQUIRE(made.open().answer);
  REQUIRE(made.exchange(1, "m1").answer);
  const auto with_last = [&](std::size_t events, std::int64_t number) {
    std::vector<run_event> log{
      made.log.begin(), made.log.begin() + static_cast<std::ptrdiff_t>(events)};
    log.back().sequence = number;
    const auto again = folded("r", log);
    return again ? "" : again.error().rule + again.error().pointer;
  };
  for (const std::size_t events : {3, 4}) {
    CHECK(with_last(events, turn_sequence_max + 2) == "");
    CHECK(with_last(events, turn_sequence_max + 3)
          == "conversation_event/sequence");
  }
}

TEST_CASE("an input whose events cannot be recorded has not happened") {
  conversation uut{"r"};
  REQUIRE(uut
            .feed(open_conversation{.node_id = "n",
                                    .schema = json::object{{"type", "string"}}},
                  0, 0)
            .answer);
  const auto before = uut.state();
  conversation_effects made;
  conversation::recorder to{uut, made, 0, 3, conversation_bytes_max};
  const auto turn = turn_of(1, "m1");
  to.record(protocol::run_event_type::conversation_closed, "n",
            protocol::encode(protocol::conversation_closed{
              "r:n:0", 1, turn, protocol::any_value{"so"}}),
            before.turns.back().event_id);
  CHECK_FALSE(to.has_failed());
  CHECK(uut.state().status == status::closed);
  to.record(protocol::run_event_type::interrupt_resolved, "n",
            json::object{{"nodeId", "n"}, {"interruptId", "another"}}, {});
  CHECK(to.has_failed());
  to.record(protocol::run_event_type::node_resumed, "n", json::object{}, {});
  to.answer();
  CHECK(refusal_of(made) == "internal_error: conversation_order");
  CHECK(made.refusal->what.code == protocol::errc::internal);
  CHECK(made.events.empty());
  CHECK(uut.state() == before);
  // Its message id is free again, and its schema holds.
  CHECK(refusal_of(uut.feed(exchange_resume{turn_of(1, "m1", 1)}, 0, 3))
        == "validation_error: turn_schema");
  CHECK(uut.feed(exchange_resume{turn}, 0, 3).answer);
}

TEST_CASE("an opening that cannot be recorded opens nothing") {
  conversation uut{"r"};
  const auto before = uut.state();
  conversation_effects made;
  conversation::recorder to{uut, made, 0, 0, conversation_bytes_max};
  to.record(protocol::run_event_type::node_suspended, "n",
            json::object{{"nodeId", "n"}, {"interruptId", "i"}}, {});
  to.record(protocol::run_event_type::conversation_opened, "n", json::object{},
            {});
  to.answer();
  CHECK(refusal_of(made) == "internal_error: required");
  CHECK(uut.state() == before);
  CHECK(uut.feed(open_conversation{.node_id = "n"}, 0, 0).answer);
}
