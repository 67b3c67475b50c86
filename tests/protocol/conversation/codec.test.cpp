#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/conversation/resume.hpp>
#include <convene/protocol/conversation/run_event.hpp>
#include <convene/protocol/conversation/sound_turn.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <protocol/conversation/samples.hpp>

#include <cmath>
#include <functional>

using namespace convene::protocol;
using namespace convene::test;

namespace {

struct type_case {
  const char* schema;
  json::value sample;
  std::function<result<json::value>(const json::value&)> again;
};

template <class T>
type_case case_of(const char* schema, json::value sample) {
  return {schema, std::move(sample), [](const json::value& from) {
            return decode<T>(from).map(
              [](const T& made) { return encode(made); });
          }};
}

type_case request_case(json::value sample) {
  return {"suspend-request", std::move(sample), [](const json::value& from) {
            return decode_suspend_request(from).map(
              [](const suspend_request& made) { return encode(made); });
          }};
}

type_case resume_case(json::value sample) {
  return {"conversation-resume", std::move(sample),
          [](const json::value& from) {
            return decode_resume_value(interrupt_kind::conversation, from)
              .map(encode_resume_value);
          }};
}

json::value request(const char* kind, json::value data) {
  return {
    {"kind", kind}, {"key", "k"}, {"data", std::move(data)}, {"timeoutMs", 5}};
}

std::vector<type_case> all_cases() {
  const json::value turn = full_turn();
  const json::value schema{{"type", "string"}};
  const json::value opening{
    {"operation", "start"},   {"conversationId", "c"},
    {"agentId", "ann"},       {"initialTurn", turn},
    {"schema", schema},       {"capabilities", {"multi-turn", "streaming"}},
    {"title", "t"},           {"prompt", "Well?"},
    {"initialPrompt", "So?"}, {"turnIndex", 0},
    {"reason", "done"},       {"more", 1}};
  return {
    case_of<conversation_turn>("conversation-turn", turn),
    case_of<conversation_opened>("conversation-event#/definitions/opened",
                                 {{"conversationId", "c"},
                                  {"initialTurn", turn},
                                  {"agentId", "ann"},
                                  {"schema", schema},
                                  {"capabilities",
                                   {"multi-turn", "streaming"}}}),
    case_of<conversation_exchanged>(
      "conversation-event#/definitions/exchanged",
      {{"conversationId", "c"}, {"turnIndex", 1}, {"turn", turn}}),
    case_of<conversation_closed>("conversation-event#/definitions/closed",
                                 {{"conversationId", "c"},
                                  {"turnIndex", 1},
                                  {"finalTurn", turn},
                                  {"outcome", nullptr}}),
    case_of<run_event>("run-event", {{"eventId", "e"},
                                     {"runId", "r"},
                                     {"type", "conversation.opened"},
                                     {"payload", nullptr},
                                     {"timestamp", "2026-01-31T12:00:00.000Z"},
                                     {"sequence", 0},
                                     {"nodeId", "n"},
                                     {"causationId", "d"},
                                     {"schemaVersion", 1},
                                     {"engineVersion", "1"},
                                     {"more", json::object{}}}),
    request_case(request("approval", {{"title", "Ship it?"}})),
    request_case({{"kind", "custom"},
                  {"key", "k"},
                  {"data", json::object{}},
                  {"resumeSchema", schema},
                  {"timeoutMs", 0}}),
    request_case(request("conversation", opening)),
    request_case(request("conversation", {{"operation", "exchange"}})),
    request_case(request("conversation", {{"operation", "close"}})),
    request_case(request("conversation.start", {{"conversationId", "c"},
                                                {"title", "t"},
                                                {"initialPrompt", nullptr}})),
    request_case(request("conversation.exchange", {{"conversationId", "c"},
                                                   {"prompt", "Well?"},
                                                   {"outcomeSchema", schema},
                                                   {"turnIndex", 0}})),
    request_case(request("conversation.close",
                         {{"conversationId", "c"}, {"reason", "done"}})),
    resume_case({{"operation", "exchange"}, {"turn", turn}}),
    resume_case({{"operation", "close"}, {"turn", turn}, {"outcome", nullptr}}),
    resume_case({{"operation", "close"}}),
  };
}

/// Calls `visit` after each single change of one place in the value.
void for_each_change(json::value& at, const std::function<void()>& visit) {
  static const json::array others{nullptr,
                                  true,
                                  "",
                                  std::string(128, 'x'),
                                  std::string(129, 'x'),
                                  std::string(256, 'x'),
                                  std::string(257, 'x'),
                                  -1,
                                  0,
                                  1.5,
                                  json::array(),
                                  json::array{json::value(1)},
                                  json::object{}};
  for (const auto& other : others) {
    auto kept = std::exchange(at, other);
    visit();
    at = std::move(kept);
  }
  if (at.is_object()) {
    at.get_object().emplace("unheard-of", 1);
    visit();
    at.get_object().erase("unheard-of");
    const auto members = at.get_object();
    for (const auto& [name, value] : members) {
      for_each_change(at.get_object().at(name), visit);
      at.get_object().erase(name);
      visit();
      at = members;
    }
  }
}

} // namespace

TEST_CASE("each value of a conversation is written as it was read") {
  for (const auto& each : all_cases()) {
    INFO(each.schema << ": " << json::serialize(each.sample));
    const auto again = each.again(each.sample);
    REQUIRE(again);
    CHECK(json::serialize(*again) == json::serialize(each.sample));
  }
}

TEST_CASE("values of a conversation are read if their schema takes them") {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (auto& each : all_cases()) {
    const auto schema = embedded_schema(each.schema);
    REQUIRE(schema);
    const auto agree = [&] {
      const bool valid = validate(*schema, each.sample).valid;
      const auto read = each.again(each.sample);
      ++(valid ? accepted : refused);
      INFO(each.schema << ": " << json::serialize(each.sample));
      INFO((read ? "read" : to_string(read.error())));
      CHECK(read.has_value() == valid);
    };
    agree();
    for_each_change(each.sample, agree);
  }
  CHECK(accepted > 100);
  CHECK(refused > 1000);
}

TEST_CASE("both forms of a request ask for the same") {
  const auto asked = [](const char* kind, json::value data) {
    const auto made = decode_suspend_request(request(kind, std::move(data)));
    REQUIRE(made);
    const auto found = read_conversation_request(*made);
    REQUIRE(found);
    return *found;
  };
  CHECK(asked("conversation", {{"operation", "start"}, {"conversationId", "c"}})
        == asked("conversation.start", {{"conversationId", "c"}}));
  CHECK(asked("conversation", {{"operation", "close"}, {"conversationId", "c"}})
        == asked("conversation.close", {{"conversationId", "c"}}));
  const auto start = asked("conversation", {{"operation", "start"},
                                            {"agentId", "ann"},
                                            {"initialTurn", full_turn(0)},
                                            {"schema", {{"minLength", 1}}},
                                            {"capabilities", {"streaming"}}});
  CHECK(start.agent_id == "ann");
  CHECK(start.initial_turn->message_id == "m1");
  CHECK(start.schema->at("minLength") == 1);
  CHECK(start.capabilities == std::vector{conversation_capability::streaming});
  const auto named = asked("conversation", {{"operation", "exchange"},
                                            {"conversationId", "c"},
                                            {"prompt", "Well?"},
                                            {"schema", {{"minLength", 2}}},
                                            {"turnIndex", 3}});
  CHECK(
    named
    == asked("conversation.exchange", {{"conversationId", "c"},
                                       {"prompt", "Well?"},
                                       {"outcomeSchema", {{"minLength", 2}}},
                                       {"turnIndex", 3}}));
  CHECK(asked("conversation", {{"operation", "start"},
                               {"conversationId", "c"},
                               {"title", "t"},
                               {"prompt", "passed over"},
                               {"initialPrompt", "So?"}})
        == asked("conversation.start", {{"conversationId", "c"},
                                        {"title", "t"},
                                        {"initialPrompt", "So?"}}));
  CHECK(
    asked("conversation",
          {{"operation", "close"}, {"conversationId", "c"}, {"reason", "done"}})
    == asked("conversation.close",
             {{"conversationId", "c"}, {"reason", "done"}}));
  CHECK(named.timeout_ms == 5);
  const auto exchange = asked("conversation.exchange",
                              {{"conversationId", "c"},
                               {"prompt", "Well?"},
                               {"outcomeSchema", {{"minLength", 2}}},
                               {"turnIndex", 3}});
  CHECK(exchange.operation == conversation_operation::exchange);
  CHECK(exchange.prompt->held == "Well?");
  CHECK(exchange.turn_index == 3);
  CHECK(exchange.schema->at("minLength") == 2);
}

TEST_CASE("a request about a conversation is refused where it is wrong") {
  const auto [text, rule, pointer]
    = GENERATE(table<const char*, const char*, const char*>({
      {R"({"kind":"conversation","key":"k","data":{}})", "required", "/x/data"},
      {R"({"kind":"conversation","key":"k","data":{"operation":"end"}})",
       "enum", "/x/data/operation"},
      {R"({"kind":"conversation.end","key":"k","data":{}})", "enum", "/x/kind"},
      {R"({"kind":"conversation.start","key":"k","data":{"conversationId":"c",
          "prompt":1}})",
       "additionalProperties", "/x/data/prompt"},
      {R"({"kind":"conversation","key":"k","data":{"operation":"start",
          "initialTurn":{"messageId":""}}})",
       "length", "/x/data/initialTurn/messageId"},
      {R"({"kind":"conversation.start","key":"k","resumeSchema":{},
          "data":{"conversationId":"c"}})",
       "resume_schema", "/x/resumeSchema"},
    }));
  const auto refused = decode_suspend_request(json::parse(text), "/x");
  INFO(text);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == rule);
  CHECK(refused.error().pointer == pointer);
}

TEST_CASE("a request that is not about a conversation is no such request") {
  const auto made = decode_suspend_request(request("custom", json::object{}));
  REQUIRE(made);
  CHECK_FALSE(is_conversation(made->kind));
  CHECK(read_conversation_request(*made).error().rule == "interrupt_kind");
}

TEST_CASE("turns are the same whichever way they are written") {
  const auto turn = *decode<conversation_turn>(json::parse(
    R"({"messageId":"m","from":"user","content":{"a":1,"b":2},"ts":5,
        "role":"user","turnIndex":1})"));
  const auto read = [](const char* text) {
    return *decode<conversation_turn>(json::parse(text));
  };
  CHECK(same_turn(
    turn, read(
            R"({"turnIndex":1.0,"role":"user","ts":5,"content":{"b":2.0,"a":1},
        "from":"user","messageId":"m"})")));
  CHECK_FALSE(same_turn(
    turn, read(
            R"({"messageId":"m","from":"user","content":{"a":1,"b":3},"ts":5,
        "role":"user","turnIndex":1})")));
  CHECK_FALSE(same_turn(
    turn, read(
            R"({"messageId":"m","from":"user","content":{"a":1,"b":2},"ts":5,
        "role":"user","turnIndex":1,"x":0})")));
}

TEST_CASE("a turn is sound if decoding what is written of it gives it again") {
  auto members = full_turn();
  members.erase("mood");
  members["agent"].as_object().erase("more");
  const auto turn = decode<conversation_turn>(members);
  REQUIRE(turn);
  const auto bytes = json::serialize(encode(*turn)).size();
  CHECK(is_sound(*turn, bytes));
  CHECK_FALSE(is_sound(*turn, bytes - 1));
  const auto changed = [&](auto change) {
    auto other = *turn;
    change(other);
    return is_sound(other, std::size_t{1} << 16);
  };
  CHECK(changed([](auto& t) { t.agent.reset(); }));
  CHECK_FALSE(changed([](auto& t) { t.message_id.clear(); }));
  CHECK_FALSE(changed([](auto& t) { t.message_id = std::string(257, 'x'); }));
  CHECK_FALSE(changed([](auto& t) { t.ts = -1; }));
  CHECK_FALSE(changed([](auto& t) { t.turn_index = -1; }));
  CHECK_FALSE(changed([](auto& t) { t.from = "\xff"; }));
  CHECK_FALSE(changed([](auto& t) { t.content.held = HUGE_VAL; }));
  CHECK_FALSE(changed([](auto& t) {
    for (int level = 0; level < 40; ++level)
      t.content.held = json::array{std::move(t.content.held)};
  }));
  // One of another member's name would be read as that.
  CHECK_FALSE(changed([](auto& t) { t.others["agent"] = 1; }));
  CHECK_FALSE(changed([](auto& t) { t.agent->others["agentId"] = 1; }));
}
