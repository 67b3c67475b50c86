#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/models/answer_codec.hpp>
#include <convene/runtime/outside/models/provider.hpp>

using namespace convene::host;
namespace json = convene::protocol::json;

namespace {

/// A conversation with everything in it.
model_prompt full_prompt() {
  return {
    .model = "m",
    .system = "be kind",
    .messages
    = {{.text = "hello"},
       {.by = speaker::model,
        .calls = {{"a", "f", R"({"x":1})"}, {"b", "g", "{"}}},
       {.by = speaker::tool, .text = "1", .call_id = "a"},
       {.by = speaker::tool, .text = "no JSON", .call_id = "b", .failed = true},
       {.by = speaker::model, .text = "well"},
       {.text = "go on"}},
    .tools = {{"f", "does f", {{"type", "object"}}}},
    .max_tokens = 9,
    .temperature = 0.5};
}

answer_outcome read_body(model_provider whose, std::string_view body) {
  const auto stream = stream_of(whose, {});
  static_cast<void>(stream->feed(body));
  return stream->finish();
}

} // namespace

TEST_CASE("a prompt is written as chat completions want it") {
  CHECK(json::value(body_for(model_provider::openai, full_prompt()))
        == json::parse(R"({
    "model": "m",
    "messages": [
      {"role": "system", "content": "be kind"},
      {"role": "user", "content": "hello"},
      {"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function",
         "function": {"name": "f", "arguments": "{\"x\":1}"}},
        {"id": "b", "type": "function",
         "function": {"name": "g", "arguments": "{}"}}]},
      {"role": "tool", "tool_call_id": "a", "content": "1"},
      {"role": "tool", "tool_call_id": "b", "content": "Error: no JSON"},
      {"role": "assistant", "content": "well"},
      {"role": "user", "content": "go on"}],
    "tools": [{"type": "function", "function": {"name": "f",
      "description": "does f",
      "parameters": {"type": "object", "properties": {}}}}],
    "max_tokens": 9, "temperature": 0.5,
    "stream": true, "stream_options": {"include_usage": true}})"));
}

TEST_CASE("a prompt is written as messages want it, roles in turns") {
  CHECK(json::value(body_for(model_provider::anthropic, full_prompt()))
        == json::parse(R"({
    "model": "m", "max_tokens": 9, "system": "be kind",
    "messages": [
      {"role": "user", "content": [{"type": "text", "text": "hello"}]},
      {"role": "assistant", "content": [
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "g",
         "input": {}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "tool_result", "tool_use_id": "b", "content": "no JSON",
         "is_error": true}]},
      {"role": "assistant", "content": [{"type": "text", "text": "well"}]},
      {"role": "user", "content": [{"type": "text", "text": "go on"}]}],
    "tools": [{"name": "f", "description": "does f",
               "input_schema": {"type": "object", "properties": {}}}],
    "temperature": 0.5, "stream": true})"));
}

TEST_CASE("what is not asked for is not in a prompt") {
  const model_prompt bare{.model = "m",
                          .messages = {{.text = "x"}},
                          .stream = false};
  const auto first = body_for(model_provider::openai, bare);
  CHECK(first.size() == 3); // model, messages, max_tokens
  const auto second = body_for(model_provider::anthropic, bare);
  CHECK(second.size() == 3);
  auto with_schema = bare;
  with_schema.reply_schema = {{"type", "object"}};
  CHECK(json::value(body_for(model_provider::openai, with_schema))
          .at_pointer("/response_format/json_schema/schema/type")
        == "object");
}

TEST_CASE("answers that are not streamed are read alike") {
  const model_answer wanted{.text = "x",
                            .calls = {{"a", "f", R"({"y":1})"}},
                            .finish = finish_reason::tool_calls,
                            .usage = {.prompt_tokens = 2,
                                      .completion_tokens = 1}};
  CHECK(read_body(model_provider::openai, R"({"choices": [{"index": 0,
    "message": {"role": "assistant", "content": "x", "tool_calls": [{"id": "a",
    "type": "function", "function": {"name": "f", "arguments": "{\"y\":1}"}}]},
    "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 2, "completion_tokens": 1}})")
          .value()
        == wanted);
  CHECK(read_body(model_provider::anthropic, R"({"type": "message",
    "content": [{"type": "text", "text": "x"},
                {"type": "tool_use", "id": "a", "name": "f", "input": {"y": 1}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 2, "output_tokens": 1}})")
          .value()
        == wanted);
  for (auto whose : {model_provider::openai, model_provider::anthropic}) {
    CHECK_FALSE(read_body(whose, "{}"));
    CHECK_FALSE(read_body(whose, ""));
    CHECK_FALSE(read_body(whose, "\xff"));
    CHECK(read_body(whose, R"({"error":{"message":"m","type":"t"}})")
            .error()
            .message
          == "the provider reports: m (t)");
  }
}

TEST_CASE("an answer is recorded and read back unchanged") {
  const model_answer all{.text = "x",
                         .calls = {{"a", "f", "{", {{"extra_content", 1}}},
                                   {"", "g", ""}},
                         .finish = finish_reason::refusal,
                         .refusal = "no",
                         .usage = {.prompt_tokens = 2, .completion_tokens = 1},
                         .original = {{"reasoning", "hm"}}};
  CHECK(decode_model_answer(encode(all)).value() == all);
  CHECK(decode_model_answer(encode(model_answer{})).value() == model_answer{});
  for (const auto* wrong :
       {"null", "[]", R"({"finish":"never"})", R"({"tool_calls":[{}]})",
        R"({"text":7})", R"({"more":1})"})
    CHECK_FALSE(decode_model_answer(json::parse(wrong)));
}

TEST_CASE("an endpoint is what the provider's own client would call") {
  const auto first = endpoint_of(model_provider::openai,
                                 "http://localhost:8080/v1/", "k", "");
  CHECK(first.url == "http://localhost:8080/v1/chat/completions");
  CHECK(first.headers.back().second == "Bearer k");
  CHECK(endpoint_of(model_provider::openai, "http://a", "", "").headers.size()
        == 1);
  for (const auto* base : {"https://a", "https://a/", "https://a/v1"})
    CHECK(endpoint_of(model_provider::anthropic, base, "k", "2026-10-21").url
          == "https://a/v1/messages");
  const auto second = endpoint_of(model_provider::anthropic, "https://a", "k",
                                  "2026-10-21");
  CHECK(second.headers
        == std::vector<std::pair<std::string, std::string>>{
          {"Content-Type", "application/json"},
          {"anthropic-version", "2026-10-21"},
          {"x-api-key", "k"}});
  CHECK(error_words(R"({"error":"full"})") == "the provider reports: full");
  CHECK(error_words("<html>").empty());
}

TEST_CASE("a call goes back with a name and arguments that servers take") {
  const model_prompt with_slips{
    .messages = {{.by = speaker::model,
                  .text = "said",
                  .calls = {{"a", "functions.f x", "[1]"},
                            {"b", "", ""},
                            {"c",
                             std::string(99, 'n'),
                             R"({"x":1})",
                             {{"extra_content", json::object{{"s", 1}}},
                              {"function", json::object{{"thought", 2}}}}}},
                  .original = {{"reasoning_content", "hm"}}}}};
  const auto body = json::value(body_for(model_provider::openai, with_slips));
  const auto& message = body.at("messages").at(0);
  CHECK(message.at("content") == "said");
  CHECK(message.at("reasoning_content") == "hm");
  const auto& calls = message.at("tool_calls").as_array();
  CHECK(calls[0].at("function")
        == json::parse(R"({"name":"functions_f_x","arguments":"{}"})"));
  CHECK(calls[1].at("function")
        == json::parse(R"({"name":"unknown","arguments":"{}"})"));
  CHECK(calls[2].at("function").at("name").as_string().size() == 64);
  CHECK(calls[2].at("function").at("arguments") == R"({"x":1})");
  CHECK(calls[2].at("function").at("thought") == 2);
  CHECK(calls[2].at("extra_content").at("s") == 1);
  const auto blocks
    = json::value(body_for(model_provider::anthropic, with_slips));
  CHECK(blocks.at_pointer("/messages/0/content/1")
        == json::parse(R"({"type":"tool_use","id":"a",)"
                       R"("name":"functions_f_x","input":{}})"));
}
