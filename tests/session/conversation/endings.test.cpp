// How conversations end: by an answer, a deadline, a cancellation.
#include <session/conversation/talk.hpp>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;
using status = conversation_status;

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
