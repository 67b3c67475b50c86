#include "talk.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/dialog/chat.hpp>

#include <algorithm>

using namespace convene::protocol;
namespace json = boost::json;
using Catch::Contains;
using reader = result<read_chat> (*)(const json::value&, const std::string&);
/// Who says what.
using lines = std::vector<std::pair<std::string, std::string>>;

namespace {

lines said(const read_chat& in) {
  lines all;
  for (const auto& one : in.messages)
    all.emplace_back(to_word(one.role), one.content);
  return all;
}

lines read_from(reader how, const std::string& body) {
  const auto read = how(json::parse(body), noon);
  if (!read)
    return {{"refused", to_string(read.error())}};
  return said(*read);
}

/// The text of the one message, and of the note.
std::pair<std::string, std::string> one_of_openai(const std::string& body) {
  const auto read = from_openai(json::parse(body), noon);
  if (!read || read->messages.size() != 1)
    return {};
  return {read->messages.front().content, read->note};
}

} // namespace

TEST_CASE("chats are read as their interfaces write them") {
  const auto [how, body, expected]
    = GENERATE(table<reader, std::string, lines>({
      {from_openai, R"([{"role":"developer","content":"d"},
        {"role":"assistant","content":[{"type":"text","text":"a"}],
         "tool_calls":null}])",
       lines{{"system", "d"}, {"assistant", "a"}}},
      {from_openai, R"([{"role":"user","content":["a",{"type":"text",
        "text":"b"}]},{"role":"user","content":""}])",
       lines{{"user", "a\nb"}, {"user", ""}}},
      {from_anthropic, R"({"model":"m","messages":[],
        "system":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})",
       lines{{"system", "a"}, {"system", "b"}}},
      {from_openai, R"({"role":"user","content":"a"})", lines{{"user", "a"}}},
      {from_openai, R"({"id":"chatcmpl-1","object":"chat.completion","choices":[
        {"index":0,"message":{"role":"assistant","content":"a"}}]})",
       lines{{"assistant", "a"}}},
      {from_openai, R"({"custom_id":"1","method":"POST","body":{"messages":[
        {"role":"user","content":"u"}]}})",
       lines{{"user", "u"}}},
      {from_openai, R"({"custom_id":"1","response":{"status_code":200,"body":{
        "choices":[{"message":{"role":"assistant","content":"a"}}]}}})",
       lines{{"assistant", "a"}}},
      {from_openai, R"({"request":{"messages":[{"role":"user","content":"u"}]},
        "response":{"choices":[{"message":{"role":"assistant",
        "content":"a"}}]}})",
       lines{{"user", "u"}, {"assistant", "a"}}},
      {from_openai, R"({"instructions":"s","input":"u","output":[
        {"type":"message","role":"assistant","content":[
        {"type":"output_text","text":"a","annotations":[]}]}]})",
       lines{{"system", "s"}, {"user", "u"}, {"assistant", "a"}}},
      {from_openai, R"([{"role":"user","content":[{"type":"text",
        "text":{"value":"a"}}]}])",
       lines{{"user", "a"}}},
      {from_openai, R"([{"type":"response_item","payload":{"type":"message",
        "role":"user","content":[{"type":"input_text","text":"u"}]}}])",
       lines{{"user", "u"}}},
      {from_anthropic, R"([{"type":"assistant","message":{"role":"assistant",
        "content":[{"type":"text","text":"a"}]}}])",
       lines{{"assistant", "a"}}},
      {from_openai, "[]", lines{}},
    }));
  CAPTURE(body);
  CHECK(read_from(how, body) == expected);
  CHECK(how(json::parse(body), noon)->note.empty());
}

TEST_CASE("calls of tools are said by the assistant and answered by an agent") {
  const auto body = GENERATE(
    as<std::string>{},
    R"([{"role":"assistant","content":null,"tool_calls":[
          {"id":"c1","type":"function",
           "function":{"name":"look","arguments":"{\"at\": 1}"}}]},
        {"role":"tool","tool_call_id":"c1","name":"look","content":"a lake"}])",
    R"([{"role":"assistant","content":"","tool_calls":[
          {"id":"c1","type":"custom",
           "custom":{"name":"look","input":"{\"at\": 1}"}}]},
        {"role":"tool","tool_call_id":"c1","name":"look",
         "content":[{"type":"text","text":"a lake"}]}])",
    R"({"output":[{"type":"function_call","id":"fc","call_id":"c1",
          "name":"look","arguments":"{\"at\": 1}"},
        {"type":"function_call_output","call_id":"c1","name":"look",
         "output":"a lake"}]})",
    R"([{"type":"mcp_call","id":"c1","name":"look","arguments":"{\"at\": 1}",
         "output":"a lake"}])");
  CAPTURE(body);
  const auto read = from_openai(json::parse(body), noon);
  REQUIRE(read);
  CHECK(said(*read)
        == lines{{"assistant", R"([tool call c1: look {"at": 1}])"},
                 {"agent", "[tool result c1: look]\na lake"}});
  CHECK(read->note == "kept as text: tool call (1), tool result (1)");
}

TEST_CASE("older calls of functions, text beside calls and odd results stay") {
  CHECK(read_from(from_openai, R"([
      {"role":"assistant","content":"Let me see.",
       "function_call":{"name":"look","arguments":"not JSON"}},
      {"role":"function","name":"look","content":null},
      {"role":"tool","tool_call_id":"c 2]","content":{"found":[1,2]}}])")
        == lines{{"assistant", "Let me see.\n[tool call: look not JSON]"},
                 {"agent", "[tool result: look]"},
                 {"agent", "[tool result \"c 2]\"]\n{\"found\":[1,2]}"}});
  CHECK(read_from(from_anthropic, R"({"messages":[
      {"role":"assistant","content":[{"type":"text","text":"Hm."},
        {"type":"tool_use","id":"t1","name":"look","input":{"at":1}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",
        "content":[{"type":"text","text":"a lake"}]},
        {"type":"text","text":"And?"}]}]})")
        == lines{{"assistant", "Hm."},
                 {"assistant", R"([tool call t1: look {"at":1}])"},
                 {"agent", "[tool result t1]\na lake"},
                 {"user", "And?"}});
}

TEST_CASE("images, files and audio become references") {
  const auto [part, text] = GENERATE(table<std::string, std::string>({
    {R"({"type":"image_url","image_url":{"url":"https://a.example/b.png",
         "detail":"low"}})",
     "[image https://a.example/b.png low]"},
    {R"({"type":"image_url","image_url":"https://a.example/b.png"})",
     "[image https://a.example/b.png]"},
    {R"({"type":"input_image","file_id":"file-1"})", "[image file-1]"},
    {R"({"type":"input_image","image_url":"https://a.example/a b]"})",
     R"([image "https://a.example/a b]"])"},
    {R"({"type":"file","file":{"file_id":"file-1"}})", "[file file-1]"},
    {R"({"type":"input_file","filename":"a.pdf"})", "[file a.pdf]"},
    {R"({"type":"image","source":{"type":"url","url":"https://a.example"}})",
     "[image https://a.example]"},
    {R"({"type":"hologram","depth":3})", "[hologram]"},
  }));
  CAPTURE(part);
  const auto [content, note] = one_of_openai(
    R"([{"role":"user","content":[{"type":"text","text":"What is it?"},)" + part
    + "]}]");
  CHECK(content == "What is it?\n" + text);
  CHECK_THAT(note, Contains("kept as text: "));
  CHECK_THAT(note, !Contains("not kept"));
}

TEST_CASE("data in a chat is described and never copied") {
  const std::string data(30'000, 'A');
  const auto part = GENERATE_COPY(
    as<std::string>{},
    R"({"type":"image_url","image_url":{"url":"data:image/png;base64,)" + data
      + "\"}}",
    R"({"type":"input_image","image_url":"DATA:image/png;base64,)" + data
      + "\"}",
    R"({"type":"input_audio","input_audio":{"format":"wav","data":")" + data
      + "\"}}",
    R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:a/b,)" + data
      + "\"}}",
    R"({"type":"image","source":{"type":"base64","data":")" + data + "\"}}",
    R"({"type":"image_url","image_url":{"url":"https://a.example/)" + data
      + "\"}}");
  const auto [content, note]
    = one_of_openai(R"([{"role":"user","content":[)" + part + "]}]");
  CHECK_FALSE(content.empty());
  CHECK(content.size() < 300);
  CHECK_THAT(content, Contains(" bytes, sha256 "));
  CHECK_THAT(note, Contains("not kept: data of "));
}

TEST_CASE("a call that returns an image refers to it") {
  const auto [content, note] = one_of_openai(
    R"([{"type":"computer_call_output","call_id":"c1","output":{
      "type":"computer_screenshot","image_url":"data:image/png,abc"}}])");
  CHECK_THAT(content, Catch::StartsWith("[tool result c1]\n"
                                        "[computer_screenshot data:image/png, "
                                        "18 bytes, sha256 "));
  CHECK_THAT(note, Contains("data of computer_screenshot (1)"));
}

TEST_CASE("what a dialog cannot hold is counted in one line") {
  const auto read = from_openai(json::parse(R"([
      {"messages":[{"role":"user","name":"ann","content":"a"},
        {"role":"assistant","content":null},
        {"role":"assistant","content":null,"refusal":"I will not."},
        {"role":"assistant","content":"b","reasoning_content":"Hm.",
         "annotations":[{"type":"url_citation"}],"audio":null},
        {"role":"assistant","content":null,
         "audio":{"id":"audio_1","data":"AAAA","transcript":"Hello."}}]},
      {"output":[{"type":"reasoning","summary":[]},
        {"type":"web_search_call","id":"ws_1"}],
       "choices":[{"message":{"role":"assistant","content":"1"}},
                  {"message":{"role":"assistant","content":"2"}}]}])"),
                                noon);
  REQUIRE(read);
  CHECK(said(*read)
        == lines{{"user", "a"},
                 {"assistant", "I will not."},
                 {"assistant", "b"},
                 {"assistant", "Hello.\n[audio audio_1 4 bytes, sha256 "
                               "63c1dd951ffedf6f7fd968ad4efa39b8ed584f162f46"
                               "e715114ee184f8de9201]"},
                 {"assistant", "1"}});
  CHECK(read->note
        == "2 chats joined into one dialog; kept as text: refusal (1), audio "
           "(1); not kept: name (1), message without content (1), "
           "reasoning_content (1), annotations (1), data of audio (1), choice "
           "(1), reasoning (1), web_search_call (1)");
}

TEST_CASE("the line of what is not kept stays short") {
  json::array all;
  for (int i = 0; i < 100; ++i)
    all.push_back(
      json::object{{"role", "user"},
                   {"content", "x"},
                   {"n" + std::to_string(i) + std::string(500, 'x'), 1}});
  const auto read = from_openai(all, noon);
  REQUIRE(read);
  CHECK(read->note.size() < 2'000);
  CHECK_THAT(read->note, Contains("others (84)"));
}

TEST_CASE("a message that grows too long is refused before it is built") {
  json::array parts;
  for (int i = 0; i < 3; ++i)
    parts.emplace_back(std::string(6U << 20, 'x'));
  const auto refused = from_openai(
    json::array{json::object{{"role", "user"}, {"content", std::move(parts)}}},
    noon);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "message_bytes_max");
  CHECK(refused.error().pointer == "/0/content/2");
}

TEST_CASE("a chat of another form is refused with its place") {
  const auto [how, body, pointer]
    = GENERATE(table<reader, std::string, std::string>({
      {from_openai, "1", ""},
      {from_openai, R"({"messages":{}})", "/messages"},
      {from_openai, R"({"messages":"x"})", "/messages"},
      {from_openai, R"({"mapping":{}})", ""},
      {from_openai, R"({"body":{}})", "/body"},
      {from_openai, R"({"choices":[{"text":"x"}]})", "/choices/0"},
      {from_openai, R"({"choices":[{"message":{"content":"x"}}]})",
       "/choices/0/message"},
      {from_openai, "[1]", "/0"},
      {from_openai, R"([{"content":"x"}])", "/0"},
      {from_openai, R"([{"type":"message","content":"x"}])", "/0"},
      {from_openai, R"([{"role":"user"}])", "/0"},
      {from_openai, R"([{"role":"assistant","audio":null}])", "/0"},
      {from_openai, R"([{"role":"agent","content":"x"}])", "/0/role"},
      {from_openai, R"([{"role":7,"content":"x"}])", "/0/role"},
      {from_openai, R"({"messages":[{"role":"critic","content":"x"}]})",
       "/messages/0/role"},
      {from_openai, R"([{"role":"user","content":7}])", "/0/content"},
      {from_openai, R"([{"role":"user","content":[{"type":"text"}]}])",
       "/0/content/0"},
      {from_openai, R"([{"role":"user","content":[[]]}])", "/0/content/0"},
      {from_openai, R"([{"role":"user","content":[{"text":"x"}]}])",
       "/0/content/0"},
      {from_openai,
       R"([{"role":"assistant","content":"","tool_calls":[{"id":"1"}]}])",
       "/0/tool_calls/0"},
      {from_openai, R"([{"role":"assistant","tool_calls":{}}])",
       "/0/tool_calls"},
      {from_anthropic, R"([{"role":"system","content":"x"}])", "/0/role"},
      {from_anthropic, R"({"system":1,"messages":[]})", "/system"},
      {from_anthropic, R"({"system":"s"})", ""},
    }));
  CAPTURE(body);
  const auto refused = how(json::parse(body), noon);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == pointer);
  CHECK_FALSE(refused.error().message.empty());
}
