#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/mock_model/dialect_form.hpp>
#include <convene/runtime/outside/models/answer_calls.hpp>
#include <convene/runtime/outside/models/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace convene::host::mock {
namespace {

namespace json = boost::json;

answer thoughtful() {
  return {.id = "0123456789abcdef",
          .text = "I write both.",
          .thoughts = "APPROVED?",
          .tools = {{"f", {{"a", 1}}}, {"f", {{"a", 2}}}},
          .ends = finish::tools,
          .tokens = 5};
}

std::string bytes_of(const asked_for& by, const answer& what, bool streams) {
  if (!streams)
    return whole_body(by, what);
  const answer_events events{by, what};
  std::string out;
  for (const auto& one : events.steps())
    out += events.bytes(one);
  return out;
}

/// What a client reads of it.
model_answer read_all(const std::string& bytes) {
  const auto stream = stream_of(model_provider::openai, {});
  static_cast<void>(stream->feed(bytes));
  auto got = stream->finish().value();
  complete_ids(got.calls, "key");
  return got;
}

/// The body of the next request.
std::string next_body(const model_answer& got) {
  const model_prompt asked{.model = "m",
                           .messages = {{.text = "go"},
                                        {.by = speaker::model,
                                         .text = got.text,
                                         .calls = got.calls,
                                         .original = got.original}}};
  return json::serialize(body_for(model_provider::openai, asked));
}

} // namespace

TEST_CASE("answers of all dialects are read alike, and go back as wanted") {
  const auto by = GENERATE(dialect::openai, dialect::azure, dialect::deepseek,
                           dialect::gemini, dialect::groq, dialect::llama_cpp,
                           dialect::lmdeploy, dialect::mistral, dialect::ollama,
                           dialect::openrouter, dialect::tags, dialect::tgi,
                           dialect::vllm);
  const bool streams = GENERATE(true, false);
  INFO("dialect " << static_cast<int>(by) << ", streamed: " << streams);
  const asked_for asked{
    .speaks = by, .model = "m", .wants_usage = true, .prompt_tokens = 3};
  const auto bytes = bytes_of(asked, thoughtful(), streams);
  const auto got = read_all(bytes);
  CHECK(got.text == "I write both.");
  CHECK(got.finish == finish_reason::tool_calls);
  REQUIRE(got.calls.size() == 2);
  CHECK(got.calls[0].name == "f");
  CHECK(got.calls[0].arguments == R"({"a":1})");
  CHECK(got.calls[1].arguments == R"({"a":2})");
  CHECK(got.calls[0].id != got.calls[1].id);
  CHECK((got.usage.completion_tokens == 5) == (by != dialect::tgi));
  const bool has_thoughts = bytes.find("APPROVED?") != std::string::npos;
  CHECK(got.original.empty() != has_thoughts);
  CHECK_FALSE(history_fault(by, next_body(got)));
}

TEST_CASE("a dialect ends answers with its own words") {
  const auto [by, why, is_cut] = GENERATE(
    table<dialect, finish, bool>({{dialect::tgi, finish::stop, false},
                                  {dialect::mistral, finish::length, true},
                                  {dialect::openai, finish::stop, false}}));
  answer what{.id = "1", .text = "x", .ends = why, .tokens = 1};
  const auto got = read_all(bytes_of({.speaks = by}, what, true));
  CHECK((got.finish == finish_reason::length) == is_cut);
}

TEST_CASE("a dialect refuses messages that lack what it needs, with words") {
  const auto [by, status]
    = GENERATE(table<dialect, unsigned>({{dialect::deepseek, 400},
                                         {dialect::gemini, 400},
                                         {dialect::llama_cpp, 500},
                                         {dialect::mistral, 422},
                                         {dialect::ollama, 400},
                                         {dialect::vllm, 400}}));
  const std::string body
    = R"({"messages":[{"role":"assistant","content":"","name":"x",)"
      R"("tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}]})";
  const auto fault = history_fault(by, body);
  REQUIRE(fault);
  CHECK(fault->status == status);
  const auto error = shape_error(
    by, status, error_body(wire_form::openai, status, fault->message));
  CHECK_THAT(error_words(error), Catch::Contains(fault->message));
  CHECK_FALSE(history_fault(dialect::openai, body));
}

} // namespace convene::host::mock
