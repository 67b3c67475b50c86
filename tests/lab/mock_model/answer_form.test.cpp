#include <catch2/catch.hpp>
#include <convene/lab/mock_model/answer_form.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string>

using namespace convene::host::mock;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

answer sample() {
  return {.id = "7",
          .text = "I look, ü.",
          .tools = {{"f", {{"a", 1}}}},
          .ends = finish::tools,
          .tokens = 5};
}

std::string streamed(const asked_for& by, answer what) {
  const answer_events events{by, std::move(what)};
  std::string out;
  for (const auto& one : events.steps())
    out += events.bytes(one);
  return out;
}

boost::json::value parsed(const std::string& text) {
  return *convene::protocol::parse_json(text);
}

} // namespace

TEST_CASE("a whole chat completion has text, calls, reason and usage") {
  const auto got
    = parsed(whole_body({.model = "m", .prompt_tokens = 3}, sample()));
  const auto& choice = got.at_pointer("/choices/0");
  CHECK(choice.at_pointer("/message/content") == "I look, ü.");
  CHECK(choice.at_pointer("/message/tool_calls/0/function/name") == "f");
  CHECK(choice.at_pointer("/message/tool_calls/0/function/arguments")
        == R"({"a":1})");
  CHECK(choice.at("finish_reason") == "tool_calls");
  CHECK(got.at_pointer("/usage/total_tokens") == 8);
}

TEST_CASE("a whole message has blocks, reason and usage") {
  const auto got = parsed(
    whole_body({.form = wire_form::anthropic, .model = "m", .prompt_tokens = 3},
               sample()));
  CHECK(got.at_pointer("/content/0/text") == "I look, ü.");
  CHECK(got.at_pointer("/content/1/input/a") == 1);
  CHECK(got.at("stop_reason") == "tool_use");
  CHECK(got.at_pointer("/usage/output_tokens") == 5);
}

TEST_CASE("a streamed answer has an event for each token") {
  const answer_events events{{.model = "m"}, sample()};
  int pieces = 0;
  for (const auto& one : events.steps())
    pieces += one.what == stream_step::kind::piece ? 1 : 0;
  CHECK(pieces == 5);
  const auto openai = streamed({.model = "m", .wants_usage = true}, sample());
  CHECK_THAT(openai, Contains(R"("content":"I lo")")
                       && Contains(R"("arguments":"{\"a\"")")
                       && Contains(R"("choices":[],"usage":)")
                       && EndsWith("data: [DONE]\n\n"));
  const auto anthropic = streamed({.form = wire_form::anthropic, .model = "m"},
                                  sample());
  CHECK_THAT(anthropic, StartsWith("event: message_start\n")
                          && Contains(R"("partial_json":"{\"a\"")")
                          && Contains(R"("stop_reason":"tool_use")")
                          && Contains("event: message_stop\n"));
}

TEST_CASE("errors look like the provider's") {
  CHECK(parsed(error_body(wire_form::openai, 429, "slow", "rate"))
          .at_pointer("/error/code")
        == "rate");
  const auto other = parsed(error_body(wire_form::anthropic, 529, "busy"));
  CHECK(other.at("type") == "error");
  CHECK(other.at_pointer("/error/type") == "overloaded_error");
}

TEST_CASE("models are listed in the caller's form") {
  CHECK(model_list(wire_form::openai, {"a", "b"}).at("data").at(1).at("object")
        == "model");
  const auto list = model_list(wire_form::anthropic, {"a", "b"});
  CHECK(list.at("last_id") == "b");
  CHECK(list.at("has_more") == false);
}
