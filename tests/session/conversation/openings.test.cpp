// How conversations are opened, and opened again.
#include <session/conversation/talk.hpp>

using namespace convene;
using namespace convene::test;
using protocol::exchange_resume;
using status = conversation_status;
using texts = std::vector<std::string>;

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
