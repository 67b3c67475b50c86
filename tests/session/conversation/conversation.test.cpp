#include <convene/session/conversation/recorder.hpp>
#include <session/conversation/talk.hpp>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;
using status = conversation_status;
using texts = std::vector<std::string>;

namespace {

std::string cause_of(const talk& of, std::size_t event) {
  const auto& cause = of.log.at(event).causation_id;
  for (std::size_t i = 0; cause && i < of.log.size(); ++i)
    if (of.log[i].event_id == *cause)
      return std::to_string(i);
  return cause.value_or("none");
}

close_conversation close_with(std::int64_t index, const std::string& id,
                              json::value outcome) {
  return closing(turn_of(index, id), protocol::any_value{std::move(outcome)});
}

} // namespace

TEST_CASE("three exchanges leave a chain of events, and only the end resumes "
          "the node") {
  talk uut;
  const auto opened = uut.open({.node_id = "ask",
                                .agent_id = "ann",
                                .title = "Colours",
                                .prompt = {"Which?"},
                                .timeout_ms = 500});
  CHECK(opened.answer->message_id == "r:ask:0:0:agent");
  for (int i = 1; i <= 3; ++i) {
    CHECK(uut.exchange(i, "m" + std::to_string(i)).answer->turn_index == i);
    CHECK(uut.state().status == status::open);
  }
  const auto closed = uut.feed(close_with(4, "m4", {{"colour", "blue"}}));
  CHECK(closed.answer->operation == protocol::conversation_operation::close);
  CHECK(closed.answer->turn_index == 4);
  CHECK(uut.types()
        == texts{"node.suspended", "interrupt.requested", "conversation.opened",
                 "conversation.exchanged", "conversation.exchanged",
                 "conversation.exchanged", "conversation.closed",
                 "interrupt.resolved", "node.resumed"});
  texts causes;
  for (std::size_t i = 0; i < uut.log.size(); ++i)
    causes.push_back(cause_of(uut, i));
  CHECK(causes == texts{"none", "0", "0", "2", "3", "4", "5", "6", "6"});
  CHECK(uut.log[0].payload.held.at("reason") == "conversation-input");
  const auto& request = uut.log[1].payload.held;
  CHECK(request.at("timeoutMs") == 500);
  CHECK(request.at("key") == "r:ask:0");
  CHECK(request.at("data").at("initialPrompt") == "Which?");
  CHECK(request.at("data").at("title") == "Colours");
  CHECK(uut.log[8].payload.held.at("resumeValue").at("colour") == "blue");
  CHECK(uut.state().status == status::closed);
  CHECK_FALSE(uut.book.next_deadline());
}

TEST_CASE("an opening requests what the published schema of requests takes, "
          "and is caused by what led to it") {
  talk uut;
  CHECK(uut.open({.node_id = "ask", .causation_id = "decided"}).answer);
  CHECK(cause_of(uut, 0) == "decided");
  const auto& request = uut.log[1].payload.held;
  CHECK(is_valid("suspend-request", {{"kind", request.at("kind")},
                                     {"key", request.at("key")},
                                     {"data", request.at("data")}}));
  CHECK_FALSE(request.as_object().contains("timeoutMs"));
}

TEST_CASE("the same inputs give the same events, on any host") {
  const auto run = [] {
    talk made;
    static_cast<void>(made.open());
    made.now += 7;
    static_cast<void>(made.exchange(1, "m1"));
    static_cast<void>(made.feed(closing()));
    return made.log;
  };
  CHECK(run() == run());
  CHECK(run()[3].timestamp == "2023-11-14T22:13:20.007Z");
}

TEST_CASE("a turn has the index after the last one") {
  talk uut;
  REQUIRE(uut.open().answer);
  for (auto wrong : {0, 2, 9}) {
    const auto effects = uut.exchange(wrong, "m");
    CHECK(refusal_of(effects) == "validation_error: turn_index");
    CHECK(effects.refusal->what.pointer == "/turn/turnIndex");
    CHECK(effects.events.empty());
    CHECK(refusal_of(uut.feed(close_with(wrong, "m", 1)))
          == "validation_error: turn_index");
  }
  CHECK(uut.exchange(1, "m").answer);
  CHECK(refusal_of(uut.exchange(1, "n")) == "validation_error: turn_index");
  CHECK(uut.feed(close_with(2, "n", 1)).answer);
}

TEST_CASE("a conversation that is closed at once has one more turn") {
  talk uut;
  REQUIRE(uut.open().answer);
  const auto closed = uut.feed(closing());
  CHECK(closed.answer->turn_index == 1);
  CHECK(closed.answer->message_id == "r:ask:0:1:system");
  const auto& last = uut.state().turns.back().turn;
  CHECK(last.content.held == json::value{{"reason", "closed"}});
  CHECK(last.ts == uut.now);
  CHECK(uut.log[5].payload.held.at("resumeValue").is_null());
  CHECK_FALSE(uut.log[3].payload.held.as_object().contains("outcome"));
}

TEST_CASE("the same message again gives the same answer and no event") {
  talk uut;
  REQUIRE(uut.open().answer);
  const auto first = uut.exchange(1, "m1", {{"a", 1}, {"b", 2}});
  REQUIRE(uut.exchange(2, "m2").answer);
  const auto again = [&] {
    const auto effects = uut.exchange(1, "m1", {{"b", 2.0}, {"a", 1}});
    CHECK(effects.is_duplicate);
    CHECK(effects.answer == first.answer);
    CHECK(effects.events.empty());
  };
  again();
  uut.restart();
  again();
  REQUIRE(uut.feed(close_with(3, "m3", 1)).answer);
  again();
  uut.restart();
  again();
}

TEST_CASE("a message id with another turn is refused") {
  talk uut;
  REQUIRE(uut.open().answer);
  REQUIRE(uut.exchange(1, "m1").answer);
  for (const auto& effects :
       {uut.exchange(1, "m1", "no"), uut.exchange(2, "m1"),
        uut.exchange(1, "r:ask:0:0:system"),
        uut.feed(close_with(2, "m1", 1))}) {
    CHECK(refusal_of(effects) == "validation_error: message_id_reused");
    CHECK(effects.refusal->what.pointer == "/turn/messageId");
    CHECK(effects.events.empty());
  }
}

TEST_CASE("opening again under the same key gives the same answer") {
  talk uut;
  const auto first = uut.open({.node_id = "ask", .prompt = {"A?"}});
  const auto again = uut.open({.node_id = "ask", .prompt = {"B?"}});
  CHECK(again.is_duplicate);
  CHECK(again.answer == first.answer);
  CHECK(again.events.empty());
  CHECK(refusal_of(uut.open({.node_id = "ask", .interrupt_count = 1}))
        == "validation_error: conversation_open");
  REQUIRE(uut.feed(closing()).answer);
  CHECK(uut.open({.node_id = "ask"}).is_duplicate);
  CHECK(refusal_of(uut.open({.node_id = "ask", .interrupt_count = 1}))
        == "validation_error: conversation_open");
  const auto retried
    = uut.open({.node_id = "ask", .attempt = 1, .interrupt_count = 1});
  CHECK(retried.answer->conversation_id == "r:ask:1");
  CHECK(uut.state().status == status::open);
}

TEST_CASE("what came of a key is found by it, whatever came later") {
  talk uut;
  REQUIRE(uut.open().answer);
  REQUIRE(uut.feed(close_with(1, "x", "A")).answer);
  REQUIRE(
    uut.open({.node_id = "ask", .attempt = 1, .interrupt_count = 1}).answer);
  REQUIRE(uut.feed(close_with(1, "y", "B")).answer);
  const auto check = [&] {
    for (const auto* node : {"ask", "other"})
      CHECK(uut.open({.node_id = node, .key = "r:ask:0"}).is_duplicate);
    REQUIRE(uut.book.find_key("r:ask:0") != nullptr);
    CHECK(uut.book.find_key("r:ask:0")->state().outcome->held == "A");
    CHECK(uut.book.find_key("r:ask:1")->state().outcome->held == "B");
    CHECK(uut.book.find_key("r:other:0") == nullptr);
    CHECK(uut.book.find("other") == nullptr);
  };
  check();
  uut.restart();
  check();
}

TEST_CASE("an opening that comes after the deadline closes what was open") {
  talk uut;
  REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
  const open_conversation next{.node_id = "ask",
                               .attempt = 1,
                               .interrupt_count = 1};
  uut.now += 99;
  CHECK(refusal_of(uut.open(next)) == "validation_error: conversation_open");
  CHECK(uut.log.size() == 3);
  uut.now += 1;
  // What is refused may be late, too.
  const auto taken = uut.open(
    {.node_id = "ask", .interrupt_count = 1, .conversation_id = "r:ask:0"});
  CHECK(refusal_of(taken) == "validation_error: conversation_open");
  CHECK(taken.events.size() == 1);
  CHECK(uut.state().status == status::timed_out);
  talk late;
  REQUIRE(late.open({.node_id = "ask", .timeout_ms = 100}).answer);
  late.now += 100;
  CHECK(late.open(next).answer->conversation_id == "r:ask:1");
  CHECK(late.types()
        == texts{"node.suspended", "interrupt.requested", "conversation.opened",
                 "conversation.closed", "node.suspended", "interrupt.requested",
                 "conversation.opened"});
  CHECK(late.book.find_key("r:ask:0")->state().status == status::timed_out);
}

TEST_CASE("a client who asks again gets its answer though the node was tried "
          "again") {
  talk uut;
  REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
  const auto first = uut.exchange(1, "m1");
  REQUIRE(first.answer);
  uut.now += 100;
  uut.close_due();
  REQUIRE(
    uut.open({.node_id = "ask", .attempt = 1, .interrupt_count = 1}).answer);
  const auto check = [&] {
    const auto again = uut.exchange(1, "m1");
    CHECK(again.is_duplicate);
    CHECK(again.answer == first.answer);
    for (const auto& effects :
         {uut.exchange(1, "m1", "no"), uut.exchange(2, "m1"),
          uut.feed(close_with(1, "m1", 1)),
          uut.exchange(1, "r:ask:0:0:system")}) {
      CHECK(refusal_of(effects) == "validation_error: message_id_reused");
      CHECK(effects.refusal->what.pointer == "/turn/messageId");
    }
    CHECK(uut.log.size() == 8);
  };
  check();
  uut.restart();
  check();
  const auto closed = uut.feed(close_with(1, "m2", 1));
  REQUIRE(closed.answer);
  REQUIRE(
    uut.open({.node_id = "ask", .attempt = 2, .interrupt_count = 2}).answer);
  CHECK(uut.feed(close_with(1, "m2", 1)).answer == closed.answer);
  CHECK(refusal_of(uut.feed(close_with(1, "m2", 2)))
        == "validation_error: message_id_reused");
  // Another node's ids are its own.
  REQUIRE(uut.open({.node_id = "b"}).answer);
  CHECK(uut.feed(exchange_resume{turn_of(1, "m1")}, "b").events.size() == 1);
}

TEST_CASE("after the end a conversation takes no turn") {
  talk uut;
  REQUIRE(uut.open().answer);
  REQUIRE(uut.feed(close_with(1, "m1", 1)).answer);
  CHECK(refusal_of(uut.exchange(2, "m2"))
        == "validation_error: conversation_closed");
  // The closing turn is no exchange.
  CHECK(refusal_of(uut.exchange(1, "m1"))
        == "validation_error: conversation_closed");
  CHECK(uut.log.size() == 6);
}

TEST_CASE("of two who close at once one wins, and may ask again") {
  talk uut;
  REQUIRE(uut.open().answer);
  const auto won = uut.feed(close_with(1, "r:ask:0:1:user", "mine"));
  REQUIRE(won.answer);
  for (const auto& effects :
       {uut.feed(close_with(1, "m", "mine")),
        uut.feed(close_with(1, "r:ask:0:1:user", "yours")),
        uut.feed(closing())}) {
    CHECK(refusal_of(effects)
          == "interrupt_already_resolved: conversation_closed");
    CHECK(effects.events.empty());
  }
  const auto again = uut.feed(close_with(1, "r:ask:0:1:user", "mine"));
  CHECK(again.is_duplicate);
  CHECK(again.answer == won.answer);
  CHECK(refusal_of(uut.feed(cancel_conversation{}))
        == "interrupt_already_resolved: conversation_closed");
  CHECK(uut.state().outcome->held == "mine");
}

TEST_CASE("a cancelled conversation is closed by the host and not resumed") {
  talk uut;
  REQUIRE(uut.open().answer);
  const auto first = uut.feed(cancel_conversation{"Nobody needs it"});
  CHECK(first.answer->turn_index == 1);
  CHECK(uut.types().back() == "conversation.closed");
  const auto& payload = uut.log.back().payload.held;
  CHECK(payload.at("outcome").is_null());
  CHECK(payload.at("finalTurn").at("role") == "system");
  CHECK(
    payload.at("finalTurn").at("content")
    == json::value{{"reason", "cancelled"}, {"message", "Nobody needs it"}});
  const auto again = uut.feed(cancel_conversation{});
  CHECK(again.is_duplicate);
  CHECK(again.answer == first.answer);
  CHECK(refusal_of(uut.exchange(1, "m"))
        == "interrupt_cancelled: conversation_closed");
  CHECK(refusal_of(uut.feed(closing()))
        == "interrupt_cancelled: conversation_closed");
  CHECK(uut.log.size() == 4);
}

TEST_CASE("the reason of a cancellation is cut to whole characters") {
  const auto written = [](const std::string& reason) {
    talk uut;
    REQUIRE(uut.open().answer);
    REQUIRE(uut.feed(cancel_conversation{reason}).answer);
    return std::string{
      uut.state().turns.back().turn.content.held.at("message").as_string()};
  };
  const std::string most(cancel_reason_max, 'x');
  const std::string replaced = "\xef\xbf\xbd";
  CHECK(written("\xff") == replaced);
  CHECK(written(most) == most);
  CHECK(written(most + "x") == most);
  CHECK(written(most.substr(1) + "\xc3\xa4" + "bc") == most.substr(1));
  CHECK(written(most.substr(2) + "\xc3\xa4" + "bc")
        == most.substr(2) + "\xc3\xa4");
  CHECK(written(most.substr(3) + "\xf0\x9f\x98\x80") == most.substr(3));
  const auto broken = written(std::string(cancel_reason_max, '\xff'));
  CHECK(broken.size() == cancel_reason_max - 1);
  CHECK(broken.starts_with(replaced));
  CHECK(protocol::valid_utf8(broken));
}

TEST_CASE("the deadline runs from the opening, and no turn moves it") {
  talk uut;
  REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
  uut.now += 99;
  uut.close_due();
  REQUIRE(uut.exchange(1, "m1").answer);
  CHECK(uut.book.next_deadline() == talk_start + 100);
  uut.restart();
  CHECK(uut.book.next_deadline() == talk_start + 100);
  uut.now += 1;
  uut.close_due();
  CHECK(uut.state().status == status::timed_out);
  CHECK(uut.types().back() == "conversation.closed");
  const auto& payload = uut.log.back().payload.held;
  CHECK(payload.at("outcome").is_null());
  CHECK(payload.at("finalTurn").at("content").at("reason") == "timed_out");
  CHECK(payload.at("turnIndex") == 2);
  CHECK(refusal_of(uut.feed(closing()))
        == "interrupt_already_resolved: conversation_closed");
}

TEST_CASE("an answer after the deadline is late though no timer has fired") {
  const auto late = [](const conversation_input& input) {
    talk uut;
    REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
    uut.restart();
    uut.now += 100;
    const auto effects = uut.feed(input);
    CHECK(effects.events.size() == 1);
    CHECK(uut.state().status == status::timed_out);
    return refusal_of(effects);
  };
  CHECK(late(exchange_resume{turn_of(1, "m1")})
        == "validation_error: conversation_closed");
  CHECK(late(close_with(1, "m1", 1))
        == "interrupt_already_resolved: conversation_closed");
  CHECK(late(cancel_conversation{})
        == "interrupt_already_resolved: conversation_closed");
}

TEST_CASE("what the host closed is no answer's to repeat") {
  const auto repeated = [](const conversation_input& ending) {
    talk uut;
    REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
    if (std::holds_alternative<check_deadline>(ending))
      uut.now += 100;
    static_cast<void>(uut.feed(ending));
    return refusal_of(
      uut.feed(closing(uut.state().turns.back().turn, uut.state().outcome)));
  };
  CHECK(repeated(closing())
        == "interrupt_already_resolved: conversation_closed");
  CHECK(repeated(check_deadline{})
        == "interrupt_already_resolved: conversation_closed");
}

TEST_CASE("who closed a conversation is told, if the host knows") {
  const auto resolved = [](std::optional<std::string> by) {
    talk uut;
    REQUIRE(uut.open().answer);
    auto input = closing(turn_of(1, "m"), protocol::any_value{"so"});
    input.resolved_by = std::move(by);
    uut.now += 3;
    REQUIRE(uut.feed(input).answer);
    return uut.log[4].payload.held;
  };
  CHECK(resolved("ann")
        == json::value{{"runId", "r"},
                       {"nodeId", "ask"},
                       {"interruptId", "r:ask:0"},
                       {"kind", "conversation.start"},
                       {"resumeValue", "so"},
                       {"resolvedAt", "2023-11-14T22:13:20.003Z"},
                       {"resolvedBy", "ann"}});
  CHECK_FALSE(resolved(std::nullopt).as_object().contains("resolvedBy"));
  for (const auto& wrong : {std::string(257, 'a'), std::string("\xff")}) {
    talk uut;
    REQUIRE(uut.open().answer);
    CHECK(refusal_of(uut.feed(close_conversation{{}, wrong}))
          == "internal_error: resolved_by");
  }
}

TEST_CASE("the last time that can be written ends every conversation") {
  conversation uut{"r"};
  const auto last = protocol::timestamp_max;
  REQUIRE(
    uut.feed(open_conversation{.node_id = "n", .timeout_ms = 5}, last - 1, 0)
      .answer);
  CHECK(uut.next_deadline() == last);
  CHECK(refusal_of(uut.feed(exchange_resume{turn_of(1, "m")}, last + 9, 3))
        == "validation_error: conversation_closed");
  CHECK(uut.state().status == status::timed_out);
}

TEST_CASE("a clock that goes back delays nothing that was in order") {
  talk uut;
  REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 100}).answer);
  uut.now += 50;
  REQUIRE(uut.exchange(1, "m1").answer);
  uut.now -= 5'000;
  REQUIRE(uut.exchange(2, "m2").answer);
  CHECK(uut.log.back().timestamp == uut.log[3].timestamp);
  CHECK(uut.book.next_deadline() == talk_start + 100);
}

TEST_CASE("the first of two that are due closes first") {
  talk uut;
  REQUIRE(uut.open({.node_id = "ask", .timeout_ms = 200}).answer);
  REQUIRE(uut.open({.node_id = "b", .timeout_ms = 100}).answer);
  REQUIRE(uut.open({.node_id = "c"}).answer);
  CHECK(uut.book.next_deadline() == talk_start + 100);
  uut.now += 1'000;
  uut.close_due();
  REQUIRE(uut.log.size() == 11);
  CHECK(uut.log[9].node_id == "b");
  CHECK(uut.log[10].node_id == "ask");
  CHECK_FALSE(uut.book.next_deadline());
  uut.cancel_all();
  CHECK(uut.log.size() == 12);
  CHECK(uut.log[11].node_id == "c");
}

TEST_CASE("what nobody opened is not found") {
  talk uut;
  for (const conversation_input& input :
       {conversation_input{exchange_resume{turn_of(1, "m")}},
        conversation_input{closing()},
        conversation_input{cancel_conversation{}}}) {
    CHECK(refusal_of(uut.feed(input))
          == "interrupt_not_found: conversation_missing");
    conversation alone{"r"};
    CHECK(refusal_of(alone.feed(input, 0, 0))
          == "interrupt_not_found: conversation_missing");
  }
}

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
