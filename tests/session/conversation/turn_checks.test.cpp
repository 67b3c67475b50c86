#include <convene/protocol/conversation/ids.hpp>
#include <convene/session/conversation/limits.hpp>
#include <session/conversation/talk.hpp>

#include <limits>

using namespace convene;
using namespace convene::test;
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
    CHECK(refusal_of(uut.feed(closing(turn_of(1, "m"))))
          == "validation_error: turn_schema");
  };
  check();
  uut.restart();
  check();
  CHECK(uut.exchange(1, "m", {{"n", 1}}).answer);
  // The host's own turn is not an answer.
  CHECK(uut.feed(closing()).answer);
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
  CHECK(refusal_of(uut.feed(closing(turn))) == "validation_error: turn_role");
  CHECK(uut.feed(exchange_resume{turn_of(1, "m", 1, "agent")}).answer);
}

TEST_CASE("nobody takes an id that the host will need") {
  talk uut;
  REQUIRE(uut.open().answer);
  for (const auto* id : {"r:ask:0:1:system", "r:ask:0:2:user", "r:ask:0:",
                         "r:ask:0:1:agent", "r:b:0:0:system", "r:"}) {
    INFO(id);
    CHECK(refusal_of(uut.exchange(1, id))
          == "validation_error: message_id_reserved");
  }
  CHECK(uut.exchange(1, "r:ask:0:1:user").answer);
  CHECK(uut.exchange(2, "rb:0:0:system").answer);
  // That of another node, for its first turn.
  REQUIRE(uut.open({.node_id = "b", .agent_id = "ann"}).answer);
  CHECK(uut.book.find("b")->state().turns.front().turn.message_id
        == "r:b:0:0:agent");
  // A fork keeps the ids of its source, and makes its own besides.
  REQUIRE(uut.open({.node_id = "c", .conversation_id = "s:c:0"}).answer);
  for (const auto* id : {"s:b:0:1:system", "r:b:0:1:system"})
    CHECK(refusal_of(uut.feed(exchange_resume{turn_of(1, id)}, "c"))
          == "validation_error: message_id_reserved");
  CHECK(uut.feed(exchange_resume{turn_of(1, "s:c:0:1:user")}, "c").answer);
  // Nor does anybody take those of another run, which a fork may have.
  REQUIRE(uut.open({.node_id = "e"}).answer);
  for (const auto* id :
       {"s:ask:0:3:system", "s:a:b:0:3:user", "s:b:12:0:agent"})
    CHECK(refusal_of(uut.feed(exchange_resume{turn_of(1, id)}, "e"))
          == "validation_error: message_id_reserved");
  for (const auto* id :
       {"s:b:0:3:sys", "s:b:x:3:user", "s:b::3:user", "s:0:3:user"})
    CHECK(uut
            .feed(exchange_resume{turn_of(
                    static_cast<std::int64_t>(
                      uut.book.find("e")->state().turns.size()),
                    id)},
                  "e")
            .answer);
  // An id that is given may be of any form.
  REQUIRE(uut.open({.node_id = "d", .conversation_id = ":x"}).answer);
  CHECK(refusal_of(uut.feed(exchange_resume{turn_of(1, ":x:2:system")}, "d"))
        == "validation_error: message_id_reserved");
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
        == "uniqueItems /capabilities");
  CHECK(rule({.node_id = "n",
              .capabilities
              = std::vector(2, protocol::conversation_capability::streaming)})
        == "uniqueItems /capabilities");
  for (const auto& key :
       {std::string{}, std::string(protocol::conversation_id_max + 1, 'x')})
    CHECK(rule({.node_id = "n", .key = key}) == "conversation_id /key");
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
  first.message_id = "m";
  first.agent = protocol::turn_agent{
    .agent_sharing = protocol::agent_sharing::shared_in_group};
  CHECK(rule({.node_id = "n", .initial_turn = first})
        == "group_id /initialTurn/groupId");
  first.from.clear();
  CHECK(rule({.node_id = "n", .initial_turn = first})
        == "length /initialTurn/from");
}

TEST_CASE("what could not be read back from the log is refused") {
  const std::string broken = "\xff";
  const auto nested = [](std::size_t levels) {
    json::value made = 1;
    for (std::size_t i = 0; i < levels; ++i)
      made = json::array{std::move(made)};
    return made;
  };
  const auto most = nested(turn_depth_max - 1);
  const auto deep = nested(turn_depth_max);
  talk uut;
  const auto opening = [&](const open_conversation& input) {
    const auto effects = uut.open(input);
    return refused(effects).what.rule + " " + refused(effects).what.pointer;
  };
  CHECK(opening({.node_id = broken}) == "conversation_id ");
  CHECK(opening({.node_id = "n", .conversation_id = broken})
        == "conversation_id /conversationId");
  CHECK(opening({.node_id = "n", .key = broken}) == "conversation_id /key");
  CHECK(opening({.node_id = "n", .agent_id = broken}) == "maxLength /agentId");
  CHECK(opening({.node_id = "n", .title = broken}) == "utf8 /title");
  CHECK(opening({.node_id = "n", .prompt = {json::value(broken)}})
        == "utf8 /initialTurn/content");
  CHECK(opening({.node_id = "n", .prompt = {deep}})
          .starts_with("turn_depth_max /initialTurn/content/0/0"));
  CHECK(opening({.node_id = "n", .causation_id = broken})
        == "conversation_id /causationId");
  CHECK(opening({.node_id = "n",
                 .schema = json::object{{"default", nested(turn_depth_max)}}})
          .starts_with("turn_depth_max /schema/default/0/0"));
  REQUIRE(
    uut
      .open({.node_id = "ask",
             .prompt = {most},
             .schema = json::object{{"default", nested(turn_depth_max - 1)}}})
      .answer);
  const auto taking = [&](const conversation_input& input) {
    const auto effects = uut.feed(input);
    CHECK(refused(effects).code == protocol::interrupt_error::validation_error);
    return refused(effects).what.rule + " " + refused(effects).what.pointer;
  };
  auto turn = turn_of(1, "m");
  turn.others.emplace("mood", json::object{{"a", json::array{1, broken}}});
  CHECK(taking(exchange_resume{turn}) == "utf8 /turn/mood/a/1");
  turn.others = json::object{{broken, 1}};
  CHECK(taking(exchange_resume{turn}) == "utf8 /turn");
  turn.others = json::object{{"n", std::numeric_limits<double>::infinity()}};
  CHECK(taking(exchange_resume{turn}) == "number_range /turn/n");
  turn.others.clear();
  turn.content.held = deep;
  CHECK(taking(closing(turn)).starts_with("turn_depth_max /turn/content/0/0"));
  turn.content.held = most;
  CHECK(taking(closing(turn, protocol::any_value{nested(turn_depth_max + 1)}))
          .starts_with("turn_depth_max /outcome/0/0"));
  CHECK(taking(closing(turn, protocol::any_value{json::value(broken)}))
        == "utf8 /outcome");
  CHECK(uut.feed(exchange_resume{turn}).answer);
  CHECK(uut.feed(closing(turn_of(2, "n"), protocol::any_value{deep})).answer);
  // Also in the bodies in which a run is served, with levels to spare.
  json::array events;
  json::array turns;
  for (const auto& event : uut.log)
    events.push_back(protocol::encode(event));
  for (const auto& each : uut.state().turns)
    turns.push_back(protocol::encode(each.turn));
  const json::value snapshot{{"channels", {{"conversation", turns}}},
                             {"nodes",
                              {{"ask", {{"outputs", {{"outcome", deep}}}}}}}};
  for (const auto& body :
       {json::value{{"events", events}}, snapshot,
        json::value{{"records", {{{"entry", {{"event", events[3]}}}}}}}})
    CHECK(protocol::parse_json(json::serialize(body)));
}

TEST_CASE("ids that are given make up for a run and node whose ids are long") {
  const std::string run_id(128, 'r');
  const std::string node(128, 'n');
  run_conversations uut{run_id};
  const auto rule = [&](const open_conversation& input) {
    const auto effects = uut.open(input, 0, 0);
    return effects.refusal ? effects.refusal->what.rule : "";
  };
  CHECK(rule({.node_id = node}) == "conversation_id");
  CHECK(rule({.node_id = node, .key = "k"}) == "conversation_id");
  CHECK(rule({.node_id = node + "n", .conversation_id = "c", .key = "k"})
        == "conversation_id");
  CHECK(
    rule({.node_id = node, .attempt = -1, .conversation_id = "c", .key = "k"})
    == "conversation_id");
  REQUIRE(rule({.node_id = node, .conversation_id = "c", .key = "k"}) == "");
  CHECK(uut.find(node)->state().turns.front().turn.message_id == "c:0:system");
}

TEST_CASE("the longest ids that are allowed make ids that are allowed") {
  talk uut{std::string(99, 'r')};
  const std::string node(128, 'n');
  REQUIRE(uut.open({.node_id = node, .timeout_ms = conversation_timeout_max_ms})
            .answer);
  CHECK(uut.feed(exchange_resume{turn_of(1, "m")}, node).answer);
  CHECK(uut.feed(closing(), node).answer);
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
  // However long it would take to look at it.
  auto more = turn_of(conversation_turns_max + 1, "more");
  more.content.held = std::string(turn_bytes_max, 'x');
  const auto effects = feed(exchange_resume{more});
  CHECK(refused(effects).what.rule == "conversation_turns_max");
  CHECK(refused(effects).what.code == protocol::errc::limit_reached);
  CHECK(feed(closing(turn_of(conversation_turns_max + 1, "end"))).answer);
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
  CHECK(refuses(closing({}, protocol::any_value{json::value(large)}))
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

TEST_CASE("what a conversation keeps are its schema, turns and outcome") {
  talk uut;
  const json::object schema{{"maxLength", 1'000}};
  REQUIRE(
    uut.open({.node_id = "ask", .prompt = {"?"}, .schema = schema}).answer);
  const auto first
    = json::serialize(protocol::encode(uut.state().turns[0].turn)).size();
  CHECK(uut.state().bytes == json::serialize(schema).size() + first);
  const auto last = turn_of(1, "m");
  REQUIRE(uut.feed(closing(last, protocol::any_value{"all is said"})).answer);
  CHECK(uut.state().bytes
        == json::serialize(schema).size() + first
             + json::serialize(protocol::encode(last)).size()
             + json::serialize(json::value("all is said")).size());
}

TEST_CASE("all conversations of a run have 64 MiB") {
  run_conversations uut{"r"};
  run_conversations again{"r"}; // of the log
  std::int64_t sequence = 0;
  const auto kept = [&](conversation_effects effects) {
    sequence += static_cast<std::int64_t>(effects.events.size());
    for (const auto& event : effects.events)
      REQUIRE(again.fold(event));
    return effects;
  };
  const std::string most(turn_bytes_max - 200, 'x');
  const json::object schema{{"$comment", most}};
  std::size_t bytes = 0;
  std::string node;
  for (std::size_t i = 0;; ++i) {
    node = "n" + std::to_string(i);
    const open_conversation input{.node_id = node,
                                  .prompt = {json::value(most)},
                                  .schema = schema};
    const auto effects = kept(uut.open(input, 0, sequence));
    if (!effects.answer) {
      CHECK(refused(effects).what.rule == "run_conversations_bytes_max");
      CHECK(refused(effects).what.code == protocol::errc::limit_reached);
      break;
    }
    bytes += uut.find(node)->state().bytes;
    REQUIRE(bytes <= run_conversations_bytes_max);
  }
  CHECK(bytes + 2 * turn_bytes_max > run_conversations_bytes_max);
  CHECK(uut.find(node) == nullptr);
  const auto feed = [&](const conversation_input& input) {
    return kept(uut.feed("n0", input, 0, sequence));
  };
  const json::value large(most);
  std::int64_t next = 1;
  for (;; ++next) {
    const auto effects
      = feed(exchange_resume{turn_of(next, std::to_string(next), large)});
    if (effects.answer)
      continue;
    CHECK(refused(effects).what.rule == "run_conversations_bytes_max");
    break;
  }
  CHECK(next < 4);
  for (const auto& input : {closing(turn_of(next, "m", large)),
                            closing({}, protocol::any_value{large})}) {
    CHECK(refused(feed(input)).what.rule == "run_conversations_bytes_max");
    CHECK(refused(again.feed("n0", input, 0, sequence)).what.rule
          == "run_conversations_bytes_max");
  }
  // What is left is less than the host's own turns: those are taken.
  const auto small = [&](const std::string& of) {
    const auto at
      = static_cast<std::int64_t>(uut.find(of)->state().turns.size());
    return exchange_resume{turn_of(at, "s" + std::to_string(sequence))};
  };
  while (kept(uut.feed("n1", small("n1"), 0, sequence)).answer)
    ;
  CHECK(feed(closing()).answer);
  for (auto* each : {&uut, &again})
    CHECK(refused(each->feed("n2", small("n2"), 0, sequence)).what.rule
          == "run_conversations_bytes_max");
  CHECK(kept(uut.feed("n2", closing(), 0, sequence)).answer);
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
