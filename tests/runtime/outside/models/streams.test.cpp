#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/models/answer_codec.hpp>
#include <convene/runtime/outside/models/provider.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace convene::host;
namespace json = convene::protocol::json;

namespace {

constexpr auto openai = model_provider::openai;
constexpr auto anthropic = model_provider::anthropic;

std::string event(const std::string& data, const std::string& name = {}) {
  return (name.empty() ? "" : "event: " + name + "\n") + "data: " + data
         + "\n\n";
}

/// A chunk with this delta, or this choice's end.
std::string chunk(const std::string& delta, const std::string& finish = {}) {
  return event(R"({"object":"chat.completion.chunk","choices":[{"index":0,)"
               R"("delta":)"
               + delta + R"(,"finish_reason":)"
               + (finish.empty() ? "null" : '"' + finish + '"') + "}]}");
}

std::string call_piece(int index, const std::string& id,
                       const std::string& name, const std::string& arguments) {
  json::object function{{"arguments", arguments}};
  if (!name.empty())
    function["name"] = name;
  json::object call{{"index", index}, {"function", function}};
  if (!id.empty())
    call["id"] = id;
  return json::serialize(json::object{{"tool_calls", json::array{call}}});
}

std::string block_start(int index, const std::string& block) {
  return event(R"({"type":"content_block_start","index":)"
                 + std::to_string(index) + R"(,"content_block":)" + block + "}",
               "content_block_start");
}

std::string block_delta(int index, const std::string& type,
                        const std::string& member, const std::string& text) {
  return event(json::serialize(json::object{
                 {"type", "content_block_delta"},
                 {"index", index},
                 {"delta", json::object{{"type", type}, {member, text}}}}),
               "content_block_delta");
}

std::string message_end(const std::string& why = "tool_use") {
  return event(R"({"type":"message_delta","delta":{"stop_reason":")" + why
               + "\"}}")
         + event(R"({"type":"message_stop"})");
}

const std::string done = "data: [DONE]\n\n";

struct heard {
  answer_outcome outcome;
  std::string text; ///< as it arrived
};

heard read(model_provider whose, std::string_view bytes, std::size_t cut = 0) {
  heard all{.outcome = model_answer{}};
  const auto stream
    = stream_of(whose, [&](std::string_view text) { all.text += text; });
  if (stream->feed(bytes.substr(0, cut)))
    static_cast<void>(stream->feed(bytes.substr(cut)));
  all.outcome = stream->finish();
  return all;
}

std::string code_of(model_provider whose, std::string_view bytes) {
  const auto got = read(whose, bytes).outcome;
  return got ? "none" : got.error().code;
}

const std::string openai_talk
  = ": comment\n" + chunk(R"({"role":"assistant","content":"Grüß "})")
    + chunk(R"({"content":"dich 👋","refusal":null})")
    + chunk(call_piece(0, "a", "read", ""))
    + chunk(call_piece(0, "", "", R"({"x":)"))
    + chunk(call_piece(1, "b", "write", R"({"y")"))
    + chunk(call_piece(0, "", "read", R"( 1})"))
    + chunk(call_piece(1, "", "write", R"(:2})")) + chunk("{}", "tool_calls")
    + event(R"({"choices":[],"usage":{"prompt_tokens":7,)"
            R"("completion_tokens":3}})")
    + done;

const std::string anthropic_talk
  = event(R"({"type":"message_start","message":{"usage":{"input_tokens":5,)"
          R"("cache_read_input_tokens":2,"output_tokens":1}}})",
          "message_start")
    + event(R"({"type":"ping"})", "ping")
    + block_start(0, R"({"type":"thinking","thinking":""})")
    + block_delta(0, "thinking_delta", "thinking", "hm")
    + block_delta(0, "signature_delta", "signature", "xyz")
    + event(R"({"type":"content_block_stop","index":0})")
    + block_start(1, R"({"type":"text","text":""})")
    + block_delta(1, "text_delta", "text", "Grüß ")
    + block_delta(1, "text_delta", "text", "dich 👋")
    + block_start(2, R"({"type":"tool_use","id":"a","name":"read","input":{}})")
    + block_start(3,
                  R"({"type":"tool_use","id":"b","name":"write","input":{}})")
    + block_delta(2, "input_json_delta", "partial_json", R"({"x":)")
    + block_delta(3, "input_json_delta", "partial_json", R"({"y")")
    + block_delta(2, "input_json_delta", "partial_json", R"( 1})")
    + block_delta(3, "input_json_delta", "partial_json", R"(:2})")
    + event(R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},)"
            R"("usage":{"output_tokens":3}})")
    + event(R"({"type":"new_in_2027"})") + event(R"({"type":"message_stop"})");

const model_answer talk{.text = "Grüß dich 👋",
                        .calls = {{"a", "read", R"({"x": 1})"},
                                  {"b", "write", R"({"y":2})"}},
                        .finish = finish_reason::tool_calls,
                        .usage = {.prompt_tokens = 7, .completion_tokens = 3}};

} // namespace

TEST_CASE("a streamed answer is the same wherever it is cut") {
  const auto [whose, bytes] = GENERATE(table<model_provider, std::string>(
    {{openai, openai_talk}, {anthropic, anthropic_talk}}));
  auto wanted = talk;
  if (whose == anthropic)
    wanted.original["content"] = json::parse(
      R"([{"type":"thinking","thinking":"hm","signature":"xyz"},)"
      R"({"type":"text","text":"Grüß dich 👋"},)"
      R"({"type":"tool_use"},{"type":"tool_use"}])");
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto got = read(whose, bytes, cut);
    REQUIRE(got.outcome.value() == wanted);
    REQUIRE(got.text == talk.text);
  }
}

TEST_CASE("tokens that are too many to be added up are as many as can be") {
  const auto got = read(
    anthropic, event(R"({"type":"message_start","message":{"usage":{)"
                     R"("input_tokens":9223372036854775807,)"
                     R"("cache_creation_input_tokens":9223372036854775807,)"
                     R"("cache_read_input_tokens":1,"output_tokens":1}}})")
                 + message_end("end_turn"));
  CHECK(got.outcome.value().usage
        == convene::protocol::usage{.prompt_tokens
                                    = std::numeric_limits<std::int64_t>::max(),
                                    .completion_tokens = 1});
}

TEST_CASE("a stream that ends anywhere before its end is no answer") {
  const auto [whose, bytes] = GENERATE(table<model_provider, std::string>(
    {{openai, openai_talk}, {anthropic, anthropic_talk}}));
  // OpenAI's may end after its finish_reason, as some servers do.
  const auto whole = whose == openai
                       ? bytes.find("\n\n", bytes.find("\"tool_calls\"}]")) + 2
                       : bytes.size();
  for (std::size_t end = 0; end < whole; ++end) {
    const auto got = read(whose, std::string_view{bytes}.substr(0, end));
    REQUIRE_FALSE(got.outcome);
    REQUIRE(got.outcome.error().code == "answer_incomplete");
    REQUIRE(got.outcome.error().transient);
  }
}

TEST_CASE("a tool's arguments may come in pieces of any size") {
  const std::string arguments = R"({"path":"a \"b\" ü.txt","n":[1,2]})";
  for (std::size_t a = 0; a <= arguments.size(); ++a)
    for (std::size_t b = a; b <= arguments.size(); ++b) {
      const std::vector<std::string> pieces{arguments.substr(0, a),
                                            arguments.substr(a, b - a),
                                            arguments.substr(b)};
      // Pieces are text of their own, so a character is not cut.
      const bool whole = (a == 0 || (arguments[a] & 0xc0) != 0x80)
                         && (b == 0 || (arguments[b] & 0xc0) != 0x80);
      if (!whole)
        continue;
      std::string first = chunk(call_piece(0, "a", "f", ""));
      std::string second
        = block_start(0, R"({"type":"tool_use","id":"a","name":"f"})");
      for (const auto& piece : pieces) {
        first += chunk(call_piece(0, "", "", piece));
        second += block_delta(0, "input_json_delta", "partial_json", piece);
      }
      first += chunk("{}", "tool_calls");
      second += message_end();
      for (const auto& got : {read(openai, first), read(anthropic, second)})
        REQUIRE(got.outcome.value().calls
                == std::vector<tool_call>{{"a", "f", arguments}});
    }
}

TEST_CASE("servers number tool calls in their own ways") {
  const auto calls_of = [](const std::string& deltas) {
    return read(openai, deltas + chunk("{}", "tool_calls"))
      .outcome.value()
      .calls;
  };
  const std::vector<tool_call> two{{"a", "f", "1"}, {"b", "g", "2"}};
  // All of them 0: a new id is a new call.
  CHECK(calls_of(chunk(call_piece(0, "a", "f", "1"))
                 + chunk(call_piece(0, "b", "g", "2")))
        == two);
  // With gaps, and the later one first.
  CHECK(calls_of(chunk(call_piece(9, "b", "g", "2"))
                 + chunk(call_piece(3, "a", "f", "1")))
        == two);
  // None.
  CHECK(calls_of(chunk(R"({"tool_calls":[{"id":"a","function":{"name":"f"}}]})")
                 + chunk(R"({"tool_calls":[{"function":{"arguments":"1"}}]})")
                 + chunk(R"({"tool_calls":[{"id":"b","function":{"name":"g",)"
                         R"("arguments":"2"}}]})"))
        == two);
  // The id with every piece.
  CHECK(calls_of(chunk(call_piece(0, "a", "f", R"({)"))
                 + chunk(call_piece(0, "a", "f", R"(})")))
        == std::vector<tool_call>{{"a", "f", "{}"}});
  // No id at all, and arguments as an object.
  CHECK(calls_of(chunk(R"({"tool_calls":[{"index":0,"function":{"name":"f",)"
                       R"("arguments":{"x":1}}}]})"))
        == std::vector<tool_call>{{"", "f", R"({"x":1})"}});
}

TEST_CASE("tool calls that cannot be put together are errors") {
  CHECK(code_of(openai, chunk(call_piece(-1, "", "", "x")))
        == "answer_invalid");
  std::string more;
  for (int i = 0; i <= 128; ++i)
    more += chunk(call_piece(i, "", "f", "{}"));
  CHECK(code_of(openai, more) == "tool_calls_max");
  CHECK(code_of(openai, chunk(call_piece(0, "a", "f", ""))
                          + chunk(call_piece(0, "a", "g", "")))
        == "answer_invalid");
  CHECK(code_of(openai,
                chunk(call_piece(0, "a", "", "{}")) + chunk("{}", "tool_calls"))
        == "answer_invalid");
  CHECK(code_of(openai, chunk(R"({"tool_calls":["f"]})")) == "answer_invalid");
  CHECK(code_of(anthropic, block_delta(0, "text_delta", "text", "x"))
        == "answer_invalid");
  const auto text = block_start(0, R"({"type":"text","text":""})");
  CHECK(code_of(anthropic, text + text) == "answer_invalid");
  CHECK(code_of(anthropic,
                text + block_delta(0, "input_json_delta", "partial_json", "{"))
        == "answer_invalid");
  CHECK(code_of(anthropic, block_start(-1, R"({"type":"text"})"))
        == "answer_invalid");
  CHECK(code_of(anthropic, block_start(0, R"({"type":"tool_use","id":"a"})")
                             + message_end())
        == "answer_invalid");
  std::string many;
  for (int i = 0; i <= 128; ++i)
    many += block_start(
      i, R"({"type":"tool_use","id":"a","name":"f","input":{}})");
  CHECK(code_of(anthropic, many + message_end()) == "tool_calls_max");
}

TEST_CASE("broken JSON is an error, and nothing after it counts") {
  for (auto whose : {openai, anthropic}) {
    for (const auto* wrong :
         {"}", "[]", "null", "{\"a\":\xff}", "hello", "{\"a\":1,\"a\":2}"}) {
      const auto& rest = whose == openai ? openai_talk : anthropic_talk;
      const auto got = read(whose, event(wrong) + rest);
      REQUIRE_FALSE(got.outcome);
      CHECK(got.outcome.error().code == "answer_invalid");
      CHECK(got.text.empty());
    }
    CHECK(code_of(whose, "data: " + std::string(5U << 20, 'x'))
          == "answer_event_bytes_max");
    CHECK(code_of(whose, "") == "answer_incomplete");
    CHECK(code_of(whose, "<html>busy</html>") == "answer_invalid");
  }
}

TEST_CASE("errors within a stream are told with the provider's words") {
  const auto got = read(
    anthropic, event(R"({"type":"error","error":{"type":"overloaded_error",)"
                     R"("message":"Overloaded"}})",
                     "error"));
  CHECK(got.outcome.error().code == "provider_error");
  CHECK(got.outcome.error().transient);
  CHECK(got.outcome.error().message
        == "the provider reports: Overloaded (overloaded_error)");
  CHECK(code_of(openai, event(R"({"error":"no such model"})"))
        == "provider_error");
  CHECK(code_of(anthropic, event(R"({"type":"error"})")) == "provider_error");
}

TEST_CASE("why a model stopped is told") {
  const auto of_openai = [](const std::string& word) {
    return read(openai, chunk(R"({"content":"x"})", word))
      .outcome.value()
      .finish;
  };
  CHECK(of_openai("stop") == finish_reason::stop);
  CHECK(of_openai("length") == finish_reason::length);
  CHECK(of_openai("content_filter") == finish_reason::content_filter);
  const auto refused = read(openai, chunk(R"({"refusal":"I "})")
                                      + chunk(R"({"refusal":"won't"})")
                                      + chunk("{}", "stop"))
                         .outcome.value();
  CHECK(refused.finish == finish_reason::refusal);
  CHECK(refused.refusal == "I won't");
  CHECK(refused.text.empty());
  const auto of_anthropic = [](const std::string& word) {
    return read(anthropic,
                event(R"({"type":"message_delta","delta":{"stop_reason":")"
                      + word + "\"}}")
                  + event(R"({"type":"message_stop"})"))
      .outcome.value()
      .finish;
  };
  CHECK(of_anthropic("end_turn") == finish_reason::stop);
  CHECK(of_anthropic("stop_sequence") == finish_reason::stop);
  CHECK(of_anthropic("max_tokens") == finish_reason::length);
  CHECK(of_anthropic("model_context_window_exceeded") == finish_reason::length);
  CHECK(of_anthropic("refusal") == finish_reason::refusal);
}
