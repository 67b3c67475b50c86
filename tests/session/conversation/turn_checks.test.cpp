#include <convene/protocol/conversation/ids.hpp>
#include <convene/session/conversation/limits.hpp>
#include <session/conversation/talk.hpp>

using namespace convene;
using namespace convene::test;
using protocol::close_resume;
using protocol::exchange_resume;

namespace {

open_conversation with_schema(const char* text) {
  return {.node_id = "ask", .schema = json::parse(text).as_object()};
}

const conversation_refusal& refused(const conversation_effects& effects) {
  REQUIRE(effects.refusal);
  CHECK(effects.events.empty());
  return *effects.refusal;
}

} // namespace

TEST_CASE("what a turn says is of the schema that came with the opening") {
  talk uut;
  REQUIRE(uut
            .open(with_schema(R"({"type":"object","required":["n"],"properties":
    {"n":{"type":"integer"}}})"))
            .answer);
  const auto check = [&] {
    const auto effects = uut.exchange(1, "m", {{"n", "one"}});
    CHECK(refusal_of(effects) == "validation_error: turn_schema");
    CHECK(refused(effects).what.pointer == "/turn/content/n");
    CHECK(refusal_of(uut.feed(close_resume{turn_of(1, "m")}))
          == "validation_error: turn_schema");
  };
  check();
  uut.restart();
  check();
  CHECK(uut.exchange(1, "m", {{"n", 1}}).answer);
  // The host's own turn is not an answer.
  CHECK(uut.feed(close_resume{}).answer);
}

TEST_CASE("a schema that cannot be checked is refused when it is given") {
  const auto [text, rule, pointer]
    = GENERATE(table<const char*, const char*, const char*>({
      {R"({"items":{"prefixItems":[]}})", "schema_keyword",
       "/schema/items/prefixItems"},
      {R"({"type":"text"})", "schema", "/schema/type"},
      {R"({"$ref":"#/$defs/none"})", "unresolved_ref", "/schema/$ref"},
    }));
  talk uut;
  const auto effects = uut.open(with_schema(text));
  CHECK(refused(effects).code == protocol::interrupt_error::validation_error);
  CHECK(refused(effects).what.rule == rule);
  CHECK(refused(effects).what.pointer == pointer);
  CHECK(uut.book.all().empty());
}

TEST_CASE("turns of the system are the host's alone") {
  talk uut;
  REQUIRE(uut.open().answer);
  const auto turn = turn_of(1, "m", json::object{{"reason", "timed_out"}},
                            "system");
  CHECK(refusal_of(uut.feed(exchange_resume{turn}))
        == "validation_error: turn_role");
  CHECK(refusal_of(uut.feed(close_resume{turn}))
        == "validation_error: turn_role");
  CHECK(uut.feed(exchange_resume{turn_of(1, "m", 1, "agent")}).answer);
}

TEST_CASE("nobody takes an id that the host will need") {
  talk uut;
  REQUIRE(uut.open().answer);
  for (const auto* id :
       {"r:ask:0:1:system", "r:ask:0:2:user", "r:ask:0:", "r:ask:0:1:agent"}) {
    INFO(id);
    CHECK(refusal_of(uut.exchange(1, id))
          == "validation_error: message_id_reserved");
  }
  CHECK(uut.exchange(1, "r:ask:0:1:user").answer);
}

TEST_CASE("a turn that is shared with a group says with which") {
  talk uut;
  REQUIRE(uut.open().answer);
  auto turn = turn_of(1, "m", 1, "agent");
  turn.agent = protocol::turn_agent{
    .agent_sharing = protocol::agent_sharing::shared_in_group};
  CHECK(refusal_of(uut.feed(exchange_resume{turn}))
        == "validation_error: group_id");
  turn.group_id = "";
  CHECK(refusal_of(uut.feed(exchange_resume{turn}))
        == "validation_error: group_id");
  turn.group_id = "g";
  CHECK(uut.feed(exchange_resume{turn}).answer);
}

TEST_CASE("a turn that no JSON could be is refused like one that is wrong") {
  talk uut;
  REQUIRE(uut.open().answer);
  auto turn = turn_of(1, "m");
  turn.message_id.clear();
  const auto effects = uut.feed(exchange_resume{turn});
  CHECK(refusal_of(effects) == "validation_error: length");
  CHECK(refused(effects).what.pointer == "/turn/messageId");
}

TEST_CASE("an opening is refused where it is wrong, and opens nothing") {
  talk uut;
  const auto rule = [&](const open_conversation& input) {
    const auto effects = uut.open(input);
    CHECK(refused(effects).code == protocol::interrupt_error::validation_error);
    CHECK(uut.book.all().empty());
    return refused(effects).what.rule + " " + refused(effects).what.pointer;
  };
  auto first = turn_of(0, "m");
  CHECK(rule({.node_id = ""}) == "conversation_id ");
  CHECK(rule({.node_id = "n", .attempt = -1}) == "conversation_id ");
  CHECK(rule({.node_id = "n", .interrupt_count = -1}) == "conversation_id ");
  CHECK(rule({.node_id = "n", .conversation_id = ""})
        == "conversation_id /conversationId");
  CHECK(rule({.node_id = "n",
              .conversation_id = std::string(protocol::conversation_id_max + 1,
                                             'x')})
        == "conversation_id /conversationId");
  CHECK(rule({.node_id = "n", .agent_id = std::string(257, 'a')})
        == "maxLength /agentId");
  CHECK(rule({.node_id = "n",
              .capabilities
              = std::vector(3, protocol::conversation_capability::streaming)})
        == "maxItems /capabilities");
  CHECK(rule({.node_id = "n", .causation_id = std::string(129, 'e')})
        == "conversation_id /causationId");
  CHECK(rule({.node_id = "n", .timeout_ms = -1})
        == "conversation_timeout_max_ms /timeoutMs");
  CHECK(rule({.node_id = "n", .timeout_ms = conversation_timeout_max_ms + 1})
        == "conversation_timeout_max_ms /timeoutMs");
  CHECK(rule({.node_id = "n", .title = std::string(turn_bytes_max + 1, 't')})
        == "turn_bytes_max /title");
  CHECK(rule({.node_id = "n",
              .prompt = {json::value(std::string(turn_bytes_max, 'p'))}})
        == "turn_bytes_max /initialTurn");
  first.turn_index = 1;
  CHECK(rule({.node_id = "n", .initial_turn = first})
        == "turn_index /initialTurn/turnIndex");
  first.turn_index = 0;
  first.message_id = "r:n:0:1:system";
  CHECK(rule({.node_id = "n", .initial_turn = first})
        == "message_id_reserved /initialTurn/messageId");
  first.from.clear();
  CHECK(rule({.node_id = "n", .initial_turn = first})
        == "length /initialTurn/from");
}

TEST_CASE("the longest ids that are allowed make ids that are allowed") {
  talk uut{std::string(99, 'r')};
  const std::string node(128, 'n');
  REQUIRE(uut.open({.node_id = node, .timeout_ms = conversation_timeout_max_ms})
            .answer);
  CHECK(uut.feed(exchange_resume{turn_of(1, "m")}, node).answer);
  CHECK(uut.feed(close_resume{}, node).answer);
}

TEST_CASE("a conversation has 1,000 turns between its first and its last") {
  conversation uut{"r"};
  std::int64_t sequence = 0;
  const auto feed = [&](const conversation_input& input) {
    auto effects = uut.feed(input, 0, sequence);
    sequence += static_cast<std::int64_t>(effects.events.size());
    return effects;
  };
  REQUIRE(feed(open_conversation{.node_id = "n"}).answer);
  for (int i = 1; i <= int{conversation_turns_max}; ++i)
    REQUIRE(feed(exchange_resume{turn_of(i, std::to_string(i))}).answer);
  const auto effects
    = feed(exchange_resume{turn_of(conversation_turns_max + 1, "more")});
  CHECK(refused(effects).what.rule == "conversation_turns_max");
  CHECK(refused(effects).what.code == protocol::errc::limit_reached);
  CHECK(feed(close_resume{turn_of(conversation_turns_max + 1, "end")}).answer);
}

TEST_CASE("what is said is bounded, and the host can always close") {
  conversation uut{"r"};
  REQUIRE(uut.feed(open_conversation{.node_id = "n"}, 0, 0).answer);
  const auto refuses = [&](const conversation_input& input) {
    return refused(uut.feed(input, 0, 1'000)).what.rule;
  };
  const std::string large(turn_bytes_max, 'x');
  CHECK(refuses(exchange_resume{turn_of(1, "m", large.c_str())})
        == "turn_bytes_max");
  CHECK(refuses(close_resume{{}, protocol::any_value{json::value(large)}})
        == "turn_bytes_max");
  const json::value much(large.substr(0, turn_bytes_max - 200));
  std::int64_t i = 1;
  for (;; ++i) {
    const auto effects = uut.feed(
      exchange_resume{turn_of(i, "m" + std::to_string(i), much)}, 0, 10 + i);
    if (effects.answer)
      continue;
    CHECK(refused(effects).what.rule == "conversation_bytes_max");
    break;
  }
  CHECK(uut.state().bytes <= conversation_bytes_max);
  CHECK(i > 60);
  CHECK(
    uut.feed(cancel_conversation{std::string(10'000, 'x')}, 0, 1'000).answer);
  CHECK(
    uut.state().turns.back().turn.content.held.at("message").as_string().size()
    == cancel_reason_max);
}

TEST_CASE("a run has 1,000 conversations and no more") {
  run_conversations uut{"r"};
  std::vector<run_event> log;
  const auto open = [&](std::size_t which) {
    auto effects = uut.open({.node_id = "n" + std::to_string(which)}, 0,
                            static_cast<std::int64_t>(log.size()));
    log.insert(log.end(), effects.events.begin(), effects.events.end());
    return effects;
  };
  for (std::size_t i = 0; i < conversations_max; ++i)
    REQUIRE(open(i).answer);
  const auto effects = open(conversations_max);
  CHECK(refused(effects).what.rule == "conversations_max");
  auto more = log.front();
  more.sequence = static_cast<std::int64_t>(log.size());
  more.payload.held.as_object()["interruptId"] = "another";
  REQUIRE(folded("r", log));
  log.push_back(more);
  CHECK(folded("r", log).error().rule == "conversations_max");
}
