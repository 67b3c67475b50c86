#include "runtime/outside/participants/llm_turns.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <utility>

// Turns with servers that need, or send, more than the format says.

namespace convene::tests::dialects {
namespace {

actors::turn_request some_turn() {
  actors::turn_request asked;
  asked.participant = "ann";
  asked.task = "go";
  asked.turn = 1;
  return asked;
}

raw_answer whole_answer(const std::string& message,
                        const std::string& finish = "stop") {
  return answer_with(R"({"choices":[{"index":0,"message":)" + message
                     + R"(,"finish_reason":")" + finish + "\"}]}");
}

const std::string write_call
  = R"("function":{"name":"write_resource","arguments":)"
    R"("{\"resource_type\":\"f\",\"resource_id\":\"a\",\"value\":1}"})";

/// A server that gives these answers and keeps what it was asked.
struct answering_server {
  std::vector<raw_answer> script;
  std::mutex mutex;
  std::vector<json::value> prompts = {};
  raw_server server{[this](const std::string& request, std::size_t number) {
    const std::lock_guard lock{mutex};
    prompts.push_back(
      json::parse(request.substr(request.find("\r\n\r\n") + 4)));
    return script.at(number);
  }};

  turn_outcome turn(std::int64_t retries = 2) {
    return run_turn({.base_url = server.url("/v1"),
                     .model = "m",
                     .stream = false,
                     .retries = retries},
                    {}, some_turn());
  }

  /// The n-th message from the end of the latest prompt.
  json::value message(std::size_t n) {
    const std::lock_guard lock{mutex};
    const auto& all = prompts.back().at("messages").as_array();
    return all.at(all.size() - n);
  }
};

} // namespace

TEST_CASE("a model's thoughts and signatures go back with its calls") {
  answering_server model{
    {whole_answer(R"({"content":null,"reasoning_content":"I write",)"
                  R"("reasoning_details":[{"type":"reasoning.encrypted",)"
                  R"("data":"x"}],"tool_calls":[{"id":"a",)"
                    + write_call
                    + R"(,"extra_content":{"google":{)"
                      R"("thought_signature":"abc"}}}]})",
                  "tool_calls"),
     whole_answer(R"({"content":"written"})")}};
  const auto got = model.turn();
  CHECK(got.reply.content == "written");
  CHECK(got.reply.writes.size() == 1);
  const auto said = model.message(2);
  CHECK(said.at("reasoning_content") == "I write");
  CHECK(said.at("reasoning_details").at(0).at("data") == "x");
  CHECK(said.at("tool_calls")
          .at(0)
          .at("extra_content")
          .at("google")
          .at("thought_signature")
        == "abc");
  CHECK(got.actions.at(0).result.output.at("original").at("reasoning_content")
        == "I write");
}

TEST_CASE("a model's thoughts are not what it says") {
  const auto* const thoughts
    = GENERATE(R"({"content":"<think>APPROVED?</think>\nNo."})",
               R"({"content":"No.","reasoning_content":"APPROVED?"})",
               R"({"content":[{"type":"thinking","thinking":"APPROVED?"},)"
               R"({"type":"text","text":"No."}]})");
  answering_server model{{whole_answer(thoughts)}};
  const auto got = model.turn();
  CHECK(got.reply.content == "No.");
  CHECK(json::serialize(got.actions.at(0).result.output).find("APPROVED?")
        != std::string::npos);
}

TEST_CASE(
  "thoughts that are dropped go back with calls, but are not recorded") {
  answering_server model{
    {whole_answer(R"({"content":"<think>a secret</think>","reasoning_content":)"
                  R"("I write","tool_calls":[{"id":"a",)"
                    + write_call + R"(,"extra_content":{"signature":"abc"}}]})",
                  "tool_calls"),
     whole_answer(R"({"content":"written","reasoning_content":"a secret"})")}};
  const host::llm_settings settings{.base_url = model.server.url("/v1"),
                                    .model = "m",
                                    .stream = false,
                                    .thoughts = host::llm_thoughts::drop};
  const auto got = run_turn(settings, {.log_prompts = true}, some_turn());
  CHECK(got.reply.content == "written");
  CHECK(model.message(2).at("reasoning_content") == "I write");
  REQUIRE(got.actions.size() == 2);
  for (const auto& each : got.actions)
    for (const auto& part : {json::serialize(each.result.output),
                             json::serialize(each.what.arguments)})
      for (const auto* thought : {"a secret", "I write"})
        CHECK(part.find(thought) == part.npos);
  CHECK(json::serialize(got.actions.at(0).result.output).find("abc")
        != std::string::npos);
  const auto again = run_turn(settings, {.log_prompts = true}, some_turn(),
                              got.actions);
  CHECK(again.reply == got.reply);
  CHECK(model.prompts.size() == 2);
}

TEST_CASE("thoughts do not go back where the model called no tool") {
  answering_server model{
    {whole_answer(R"({"content":"","reasoning_content":"hm"})"),
     whole_answer(R"({"content":"said"})")}};
  CHECK(model.turn().reply.content == "said");
  CHECK_FALSE(model.message(2).as_object().contains("reasoning_content"));
}

TEST_CASE("a fallback model does not get another endpoint's thoughts") {
  answering_server first{
    {whole_answer(R"({"content":"","reasoning_content":"hm","tool_calls":[)"
                  R"({"id":"a","extra_content":{"x":1},)"
                    + write_call + "}]}",
                  "tool_calls"),
     answer_with("", "application/json", "401 Unauthorized")}};
  answering_server second{{whole_answer(R"({"content":"written"})")}};
  host::llm_settings settings{.base_url = first.server.url("/v1"),
                              .model = "m",
                              .stream = false};
  settings.fallback
    = {{.base_url = second.server.url("/v1"), .model = "n", .stream = false}};
  const auto got = run_turn(settings, {.fallback = {{}}}, some_turn());
  CHECK(got.reply.content == "written");
  CHECK(first.message(2).as_object().contains("reasoning_content"));
  const auto said = second.message(2);
  CHECK(said.at("tool_calls").at(0).at("id") == "a");
  CHECK_FALSE(said.as_object().contains("reasoning_content"));
  CHECK_FALSE(
    said.at("tool_calls").at(0).as_object().contains("extra_content"));
}

TEST_CASE("ids that a server leaves out are other ones in each round") {
  const auto calls = R"({"content":"","tool_calls":[{"id":"",)" + write_call
                     + "}]}";
  answering_server model{{whole_answer(calls, "tool_calls"),
                          whole_answer(calls, "tool_calls"),
                          whole_answer(R"({"content":"done"})")}};
  CHECK(model.turn().reply.content == "done");
  const auto first = model.message(3);
  const auto second = model.message(1);
  CHECK(first.at("tool_call_id") != second.at("tool_call_id"));
  CHECK(model.message(2).at("tool_calls").at(0).at("id")
        == second.at("tool_call_id"));
}

TEST_CASE("arguments that are no JSON go back as {}, with what was wrong") {
  answering_server model{
    {whole_answer(R"({"content":"","tool_calls":[{"id":"a","function":)"
                  R"({"name":"write_resource","arguments":"{\"x\": 1"}}]})",
                  "tool_calls"),
     whole_answer(R"({"content":"never mind"})")}};
  CHECK(model.turn().reply.content == "never mind");
  CHECK(model.message(2).at("tool_calls").at(0).at("function").at("arguments")
        == "{}");
  CHECK(std::string{model.message(1).at("content").as_string()}.find(
          R"(you wrote: {"x": 1)")
        != std::string::npos);
}

TEST_CASE("arguments that max_tokens cut are a cut answer") {
  answering_server model{{answer_with(
    R"({"choices":[{"index":0,"message":{"tool_calls":[{"id":"a","function":)"
    R"({"name":"write_resource","arguments":"{\"x\": 1"}}]},"finish_reason":)"
    R"("tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":4096}})")}};
  CHECK(model.turn().reply.error.code == "model_length");
}

TEST_CASE("a stream is read where none was asked for, and the other way") {
  answering_server model{{streamed({.text = "streamed"})}};
  CHECK(model.turn().reply.content == "streamed");
  raw_server whole{
    [](const auto&, auto) { return whole_answer(R"({"content":"whole"})"); }};
  CHECK(run_turn({.base_url = whole.url("/v1"), .model = "m"}, {}, some_turn())
          .reply.content
        == "whole");
}

TEST_CASE("a page in place of an answer is quoted after one call") {
  raw_server server{[](const auto&, auto) {
    return answer_with("<html><title>Sign in</title></html>", "text/html");
  }};
  const auto got = run_turn({.base_url = server.url("/v1"), .model = "m"}, {},
                            some_turn());
  CHECK(got.reply.error.code == "answer_invalid");
  CHECK(got.reply.error.message.find("Sign in") != std::string::npos);
  CHECK(server.requests() == 1);
}

TEST_CASE("status, headers and body decide whether a call is repeated") {
  const auto [status, headers, body, calls]
    = GENERATE(table<std::string, std::string, std::string, std::size_t>({
      {"408 Timeout", "", "", 2},
      {"409 Conflict", "", "", 2},
      {"520 Unknown", "", "", 2},
      {"503 Busy", "", R"({"error":{"message":"Loading model"}})", 2},
      {"429 Too Many", "", R"({"error":{"message":"slow"}})", 2},
      {"429 Too Many", "", R"({"error":{"code":"insufficient_quota"}})", 1},
      {"402 Pay", "", "", 1},
      {"400 Bad", "", R"({"error":{"code":"tool_use_failed"}})", 2},
      {"400 Bad", "", "no", 1},
      {"500 Error", "x-should-retry: false\r\n", "", 1},
      {"400 Bad", "X-Should-Retry: true\r\n", "", 2},
    }));
  INFO(status << ' ' << headers << body);
  answering_server model{
    {answer_with(body, "application/json", status, headers),
     whole_answer(R"({"content":"here"})")}};
  const auto got = model.turn();
  CHECK(model.server.requests() == calls);
  CHECK((got.reply.content == "here") == (calls == 2));
}

TEST_CASE("a header retry-after-ms counts before Retry-After") {
  const auto* const headers
    = GENERATE("Retry-After: 9\r\nRetry-After-Ms: 1500\r\n",
               "retry-after-ms: 1500\r\nretry-after: 9\r\n",
               "retry-after: 1.5\r\n");
  answering_server model{
    {answer_with("", "application/json", "409 Conflict", headers)}};
  const auto got = model.turn(0);
  CHECK(got.actions.at(0).result.error.retry_after_ms == 1500);
}

TEST_CASE("a JSON reply is found among words, thoughts and fences") {
  const auto [text, is_found] = GENERATE(table<std::string, bool>({
    {R"(Here it is: {"content":"yes"} I hope it helps.)", true},
    {R"(<think>{"content":"draft"}</think>{"content":"yes"})", true},
    {"Use {braces}, {}, and \"{\":\n```json\n{\"content\":\"yes\"}\n```\nok",
     true},
    {R"([{"content":"yes"}])", true},
    {R"({"content":"yes"} {"content":"no"})", false},
    {R"({"content":"yes")", false},
    {"yes", false},
  }));
  INFO(text);
  scripted_model model{{{.text = text}}};
  auto settings = model.settings();
  settings.reply = host::llm_reply::json;
  settings.repairs = 0;
  const auto got = run_turn(settings, {}, some_turn());
  CHECK((got.reply.status == protocol::reply_status::completed) == is_found);
  if (is_found)
    CHECK(got.reply.content == "yes");
}

} // namespace convene::tests::dialects
