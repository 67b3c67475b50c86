#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/conversation/resume.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <protocol/conversation/samples.hpp>

using namespace convene::protocol;
using namespace convene::test;
using kind = interrupt_kind;

namespace {

error refusal(kind of, const char* text) {
  const auto refused = decode_resume_value(of, json::parse(text), "/v");
  INFO(text);
  REQUIRE_FALSE(refused);
  return refused.error();
}

std::string again(kind of, const char* text) {
  const auto read = decode_resume_value(of, json::parse(text));
  INFO(text);
  REQUIRE(read);
  return json::serialize(encode_resume_value(*read));
}

} // namespace

TEST_CASE("what answers an interrupt has one member") {
  CHECK(decode<resume_body>(json::parse(R"({"resumeValue":null})"))
          ->resume_value.held.is_null());
  CHECK(decode<resume_body>(json::object{}).error().rule == "required");
  CHECK(decode<resume_body>(json::parse(R"({"resumeValue":1,"a":2})"))
          .error()
          .pointer
        == "/a");
}

TEST_CASE("an approval is answered by its action and whatever comes with it") {
  CHECK(again(kind::approval, R"({"action":"accept","comment":"fine"})")
        == R"({"action":"accept","comment":"fine"})");
  CHECK(refusal(kind::approval, R"({"action":""})").pointer == "/v/action");
  CHECK(refusal(kind::approval, R"({"decision":"accept"})").rule == "required");
  CHECK(refusal(kind::approval, R"("accept")").rule == "type");
}

TEST_CASE("a clarification's answers are an object or a list of pairs") {
  const auto* const object = R"({"answers":{"q1":"blue","q2":null}})";
  CHECK(again(kind::clarification, object) == object);
  CHECK(again(kind::clarification, R"({"answers":[
    {"id":"q2","answer":null},{"id":"q1","answer":"blue"}]})")
        == object);
  CHECK(again(kind::clarification, R"({"answers":[]})") == R"({"answers":{}})");
}

TEST_CASE("answers of a clarification are refused where they are wrong") {
  const auto [text, rule, pointer]
    = GENERATE(table<const char*, const char*, const char*>({
      {R"({})", "required", "/v"},
      {R"([])", "type", "/v"},
      {R"({"answers":{},"m/e":1})", "additionalProperties", "/v/m~1e"},
      {R"({"answers":"blue"})", "type", "/v/answers"},
      {R"({"answers":[1]})", "type", "/v/answers/0"},
      {R"({"answers":[{"id":"a"}]})", "required", "/v/answers/0"},
      {R"({"answers":[{"id":"","answer":1}]})", "minLength", "/v/answers/0/id"},
      {R"({"answers":{"":1}})", "minLength", "/v/answers/"},
      {R"({"answers":[{"id":1,"answer":1}]})", "type", "/v/answers/0/id"},
      {R"({"answers":[{"id":"a","answer":1,"b":1}]})", "additionalProperties",
       "/v/answers/0/b"},
      {R"({"answers":[{"id":"a","answer":1},{"id":"a","answer":1}]})",
       "unique_answer_id", "/v/answers/1/id"},
    }));
  const auto refused = refusal(kind::clarification, text);
  CHECK(refused.rule == rule);
  CHECK(refused.pointer == pointer);
}

TEST_CASE("a clarification has 256 answers and no more") {
  json::object answers;
  for (std::size_t i = 0; i < clarification_answers_max; ++i)
    answers.emplace(std::to_string(i), nullptr);
  CHECK(decode_resume_value(kind::clarification, {{"answers", answers}}));
  answers.emplace("more", nullptr);
  const auto refused = decode_resume_value(kind::clarification,
                                           {{"answers", answers}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_reached);
  CHECK(refused.error().rule == "clarification_answers_max");
}

TEST_CASE("a conversation is answered by a turn or its end") {
  const auto kinds = {kind::conversation, kind::conversation_start,
                      kind::conversation_exchange, kind::conversation_close};
  for (auto each : kinds) {
    CHECK(again(each, R"({"operation":"close","outcome":null})")
          == R"({"operation":"close","outcome":null})");
    CHECK(refusal(each, R"({"operation":"start"})").pointer == "/v/operation");
    CHECK(refusal(each, R"({"operation":"start"})").rule == "enum");
    CHECK(refusal(each, R"({"turn":{}})").rule == "required");
    CHECK(refusal(each, R"({"operation":"exchange"})").rule == "required");
    CHECK(refusal(each, R"({"operation":"close","reason":"x"})").pointer
          == "/v/reason");
    CHECK(refusal(each, "null").rule == "type");
    CHECK(refusal(each, R"({"operation":"exchange","turn":{"messageId":"m",
      "from":"user","content":1,"ts":-1,"role":"user","turnIndex":1}})")
            .pointer
          == "/v/turn/ts");
  }
}

TEST_CASE("other interrupts are answered by any value") {
  for (auto each : {kind::external_event, kind::custom, kind::low_confidence}) {
    CHECK(again(each, "[1,null]") == "[1,null]");
    CHECK(again(each, R"({"operation":"start"})")
          == R"({"operation":"start"})");
  }
}

TEST_CASE("ids of a conversation are made of run, node and number") {
  CHECK(conversation_id("r", "ask", 0) == "r:ask:0");
  CHECK(conversation_id("r", "a:b/c", 12) == "r:a:b/c:12");
  CHECK(message_id("r:ask:0", 4, turn_role::system) == "r:ask:0:4:system");
  CHECK(run_event_id("r", 1) == run_event_id("r", 1));
  CHECK(run_event_id("r", 1) != run_event_id("r", 2));
  CHECK(run_event_id("r", 1) != run_event_id("s", 1));
  CHECK(run_event_id("r:1", 1) != run_event_id("r", 11));
}

TEST_CASE("ids of a conversation that could be another's are refused") {
  const auto rule = [](std::string_view run, std::string_view node,
                       std::int64_t number) {
    const auto made = conversation_id(run, node, number);
    return made ? "taken: " + *made : made.error().rule;
  };
  const std::string long_id(129, 'x');
  for (const auto* run : {"", "a:b", "a/b", long_id.c_str()})
    CHECK(rule(run, "n", 0) == "conversation_id");
  CHECK(rule("r", "", 0) == "conversation_id");
  CHECK(rule("r", long_id, 0) == "conversation_id");
  CHECK(rule("r", "n", -1) == "conversation_id");
  CHECK(rule("r\xff", "n", 0) == "conversation_id");
  CHECK(rule("r", "n\xff", 0) == "conversation_id");
  const std::string most(128, 'x');
  CHECK(conversation_id(std::string(99, 'r'), most, 0)->size()
        == conversation_id_max);
  CHECK(rule(std::string(100, 'r'), most, 0) == "conversation_id");
}
