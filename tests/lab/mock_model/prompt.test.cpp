#include <catch2/catch.hpp>
#include <convene/lab/mock_model/prompt.hpp>
#include <convene/protocol/json/json_text.hpp>

using namespace convene::host::mock;

namespace {

tl::expected<prompt, bad_prompt> read(wire_form form, std::string_view text) {
  return read_prompt(form, *convene::protocol::parse_json(text));
}

std::string wrong(wire_form form, std::string_view text) {
  const auto got = read(form, text);
  return got ? "nothing" : got.error().member;
}

} // namespace

TEST_CASE("prompts of both forms are read into the same words") {
  const auto one = read(wire_form::openai, R"({
    "model": "m", "stream": true, "stream_options": {"include_usage": true},
    "max_completion_tokens": 9, "tool_choice": "required",
    "messages": [{"role": "system", "content": "Be short."},
                 {"role": "user", "content": [{"type": "text", "text": "Go"}]}],
    "tools": [{"type": "function", "function": {"name": "f",
               "parameters": {"type": "object"}}}]})");
  const auto other = read(wire_form::anthropic, R"({
    "model": "m", "stream": true, "max_tokens": 9, "system": "Be short.",
    "tool_choice": {"type": "any"},
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Go"}]}],
    "tools": [{"name": "f", "input_schema": {"type": "object"}}]})");
  for (const auto* got : {&one, &other}) {
    REQUIRE(*got);
    CHECK((*got)->model == "m");
    CHECK((*got)->streams);
    CHECK((*got)->tokens_max == 9);
    CHECK((*got)->said == "Be short.\nGo\n");
    CHECK((*got)->choice == tool_choice::required);
    REQUIRE((*got)->tools.size() == 1);
    CHECK((*got)->tools[0].name == "f");
    CHECK((*got)->tools[0].parameters.contains("type"));
  }
  CHECK(one->wants_usage);
}

TEST_CASE("a request counts as the same, streamed or not") {
  const auto whole
    = read(wire_form::openai,
           R"({"model": "m", "messages": [{"role": "user", "content": "a"}]})");
  const auto streamed
    = read(wire_form::openai,
           R"({"stream": true, "model": "m", "messages": [{"role": "user",
               "content": "a"}]})");
  const auto other
    = read(wire_form::openai,
           R"({"model": "m", "messages": [{"role": "user", "content": "b"}]})");
  CHECK(whole->content == streamed->content);
  CHECK(whole->content != other->content);
}

TEST_CASE("a request that is none is refused with the member that is wrong") {
  constexpr auto openai = wire_form::openai;
  CHECK(wrong(openai, "[]") == "body");
  CHECK(wrong(openai, R"({"messages": [{"role": "user"}]})") == "model");
  CHECK(wrong(openai, R"({"model": ")" + std::string(257, 'm')
                        + R"(", "messages": [{"role": "user"}]})")
        == "model");
  CHECK(wrong(openai, R"({"model": "m"})") == "messages");
  CHECK(wrong(openai, R"({"model": "m", "messages": []})") == "messages");
  CHECK(wrong(openai, R"({"model": "m", "messages": [1]})") == "messages");
  CHECK(wrong(openai, R"({"model": "m", "n": 2,
                          "messages": [{"role": "user"}]})")
        == "n");
  CHECK(wrong(openai, R"({"model": "m", "tools": [{}],
                          "messages": [{"role": "user"}]})")
        == "tools");
  CHECK(wrong(openai, R"({"model": "m", "max_tokens": -1,
                          "messages": [{"role": "user"}]})")
        == "max_tokens");
}
