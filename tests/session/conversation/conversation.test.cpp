// The turns of a conversation: their events, indexes and ids.
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
