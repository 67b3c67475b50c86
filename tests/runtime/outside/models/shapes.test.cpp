#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/models/answer_calls.hpp>
#include <convene/runtime/outside/models/answer_errors.hpp>
#include <convene/runtime/outside/models/provider.hpp>

#include <string>
#include <vector>

// Answers in the shapes that servers were seen to send.

namespace convene::tests::shapes {
namespace {

using namespace convene::host;
namespace json = convene::protocol::json;

constexpr auto openai = model_provider::openai;
constexpr auto anthropic = model_provider::anthropic;

/// A server's answer, and what is read: the answer in short, or the code of the
/// error, with "!" if another attempt may succeed.
struct shape {
  std::string name;
  model_provider whose = openai;
  std::string bytes;
  std::string read;
};

std::string event(const std::string& data) {
  return "data: " + data + "\n\n";
}

std::string delta(const std::string& what, const std::string& finish = {}) {
  return event(R"({"choices":[{"index":0,"delta":)" + what
               + R"(,"finish_reason":)"
               + (finish.empty() ? "null" : '"' + finish + '"') + "}]}");
}

/// A delta with these pieces of tool calls.
std::string calls(const std::string& pieces) {
  return delta(R"({"tool_calls":[)" + pieces + "]}");
}

std::string whole(const std::string& message,
                  const std::string& finish = R"("stop")",
                  const std::string& more = {}) {
  return R"({"choices":[{"index":0,"message":)" + message
         + R"(,"finish_reason":)" + finish + "}]" + more + "}";
}

const std::string called = delta("{}", "tool_calls") + event("[DONE]");
const std::string stopped = delta("{}", "stop") + event("[DONE]");

std::string in_short(const answer_outcome& got) {
  if (!got)
    return got.error().code + (got.error().transient ? "!" : "");
  auto text = got->text;
  for (const auto& each : got->calls)
    text += " " + each.name + each.arguments
            + (each.id.empty() ? "" : "#" + each.id);
  if (got->finish == finish_reason::length)
    text += " cut";
  return text;
}

answer_outcome read_shape(model_provider whose, const std::string& bytes) {
  const auto stream = stream_of(whose, {});
  static_cast<void>(stream->feed(bytes));
  return stream->finish();
}

json::value original_of(const std::string& bytes,
                        model_provider whose = openai) {
  return read_shape(whose, bytes).value().original;
}

std::string block(int index, const std::string& what) {
  return event(R"({"type":"content_block_start","index":)"
               + std::to_string(index) + R"(,"content_block":)" + what + "}");
}

std::string block_delta(int index, const std::string& what) {
  return event(R"({"type":"content_block_delta","index":)"
               + std::to_string(index) + R"(,"delta":)" + what + "}");
}

std::string stop_reason(const std::string& word) {
  return event(R"({"type":"message_delta","delta":{"stop_reason":)" + word
               + "}}")
         + event(R"({"type":"message_stop"})");
}

void check(const std::vector<shape>& all) {
  for (const auto& each : all) {
    INFO(each.name);
    CHECK(in_short(read_shape(each.whose, each.bytes)) == each.read);
  }
}

} // namespace

TEST_CASE("tool calls are put together in all the ways they are sent") {
  check({
    {.name = "whole, without ids",
     .bytes = whole(R"({"content":null,"tool_calls":[)"
                    R"({"id":"","function":{"name":"f","arguments":"{}"}},)"
                    R"({"id":"","function":{"name":"f","arguments":"{}"}}]})"),
     .read = " f{} f{}"},
    {.name = "whole, all with index 0 and one id",
     .bytes = whole(
       R"({"tool_calls":[{"index":0,"id":"f","function":{"name":"f",)"
       R"("arguments":"{\"a\":1}"}},{"index":0,"id":"f","function":)"
       R"({"name":"f","arguments":"{\"a\":2}"}}]})"),
     .read = R"( f{"a":1}#f f{"a":2}#f)"},
    {.name = "streamed whole, no index, empty ids",
     .bytes = calls(R"({"id":"","function":{"name":"f","arguments":"{}"}})")
              + calls(R"({"id":"","function":{"name":"f","arguments":"{}"}})")
              + called,
     .read = " f{} f{}"},
    {.name = "streamed whole in one delta, all with index 0",
     .bytes = calls(R"({"index":0,"id":"a","function":{"name":"f",)"
                    R"("arguments":"{}"}},{"index":0,"id":"b","function":)"
                    R"({"name":"f","arguments":"{}"}})")
              + called,
     .read = " f{}#a f{}#b"},
    {.name = "all with index 0 and one id",
     .bytes = calls(R"({"index":0,"id":"x","function":{"name":"f",)"
                    R"("arguments":"{\"a\":1}"}})")
              + calls(R"({"index":0,"id":"x","function":{"name":"g",)"
                      R"("arguments":"{\"a\":2}"}})")
              + called,
     .read = R"( f{"a":1}#x g{"a":2}#x)"},
    {.name = "index 0 for all, in pieces",
     .bytes
     = calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":""}})")
       + calls(R"({"index":0,"function":{"arguments":"{\"a\":"}})")
       + calls(R"({"index":0,"function":{"arguments":"1}"}})")
       + calls(R"({"index":0,"id":"b","function":{"name":"f","arguments":""}})")
       + calls(R"({"index":0,"function":{"arguments":"{}"}})") + called,
     .read = R"( f{"a":1}#a f{}#b)"},
    {.name = "a new id with each piece",
     .bytes
     = calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":""}})")
       + calls(R"({"index":0,"id":"b","function":{"arguments":"{\"a\":"}})")
       + calls(R"({"index":0,"id":"c","function":{"arguments":"1}"}})")
       + called,
     .read = R"( f{"a":1}#a)"},
    {.name = "a new id with each piece, no index, name null",
     .bytes = calls(R"({"id":"a","function":{"name":"f","arguments":"{"}})")
              + calls(R"({"id":"b","function":{"name":null,"arguments":"}"}})")
              + called,
     .read = " f{}#a"},
    {.name = "the name with each piece",
     .bytes = calls(R"({"index":0,"function":{"name":"f","arguments":"{"}})")
              + calls(R"({"index":0,"function":{"name":"f","arguments":"}"}})")
              + calls(R"({"index":0,"function":{"name":"f","arguments":""}})")
              + called,
     .read = " f{}"},
    {.name = "an index that is 1.0",
     .bytes = calls(R"({"index":1.0,"id":"b","function":{"name":"g",)"
                    R"("arguments":"{}"}})")
              + calls(R"({"index":0.0,"id":"a","function":{"name":"f",)"
                      R"("arguments":"{}"}})")
              + called,
     .read = " f{}#a g{}#b"},
    {.name = "arguments as an object, finish stop",
     .bytes = calls(R"({"function":{"name":"f","arguments":{"a":1}}})")
              + stopped,
     .read = R"( f{"a":1})"},
    {.name = "the old function_call",
     .bytes = delta(R"({"function_call":{"name":"f","arguments":"{"}})")
              + delta(R"({"function_call":{"arguments":"}"}})")
              + delta("{}", "function_call"),
     .read = " f{}"},
    {.name = "brackets within texts do not end arguments",
     .bytes = calls(R"({"function":{"name":"f","arguments":"{\"a\":\"}"}})")
              + calls(R"({"function":{"name":"f","arguments":"\\\"}\"}"}})")
              + called,
     .read = R"( f{"a":"}\"}"})"},
  });
}

TEST_CASE("ids that are missing are made up, and those that are there stay") {
  std::vector<tool_call> all{{"", "f", ""}, {"x", "f", ""}, {"x", "f", ""}};
  complete_ids(all, "key-1.0");
  CHECK(all[0].id.size() == 9);
  CHECK(all[1].id == "x");
  CHECK(all[2].id.size() == 9);
  CHECK(all[0].id != all[2].id);
  auto again = all;
  complete_ids(again, "key-2.0");
  CHECK(again == all);
  std::vector<tool_call> next{{"", "f", ""}};
  complete_ids(next, "key-2.0");
  CHECK(next[0].id != all[0].id);
}

TEST_CASE("an answer that may be cut is never complete") {
  const auto words = GENERATE(as<std::string>{}, "abort", "error", "LENGTH",
                              "insufficient_system_resource", "pause_turn",
                              "STOP", "unknown");
  INFO(words);
  const std::string half = R"({"content":"half of"})";
  check({
    {.name = "streamed",
     .bytes = delta(half) + delta("{}", words) + event("[DONE]"),
     .read = "answer_incomplete!"},
    {.name = "whole",
     .bytes = whole(half, '"' + words + '"'),
     .read = "answer_incomplete!"},
    {.name = "then stop",
     .bytes = delta(half, words) + stopped,
     .read = "answer_incomplete!"},
    {.name = "messages",
     .whose = anthropic,
     .bytes = block(0, R"({"type":"text","text":"half of"})")
              + stop_reason('"' + words + '"'),
     .read = "answer_incomplete!"},
    {.name = "messages, whole",
     .whose = anthropic,
     .bytes = R"({"content":[{"type":"text","text":"half of"}],)"
              R"("stop_reason":")"
              + words + "\"}",
     .read = "answer_incomplete!"},
  });
}

TEST_CASE("an answer without a reason for its end is not complete") {
  const std::string half = R"({"content":"half of"})";
  check({
    {.name = "[DONE] too early",
     .bytes = delta(half) + event("[DONE]"),
     .read = "answer_incomplete!"},
    {.name = "no end", .bytes = delta(half), .read = "answer_incomplete!"},
    {.name = "whole, null",
     .bytes = whole(half, "null"),
     .read = "answer_incomplete!"},
    {.name = "no choices",
     .bytes = R"({"choices":[]})",
     .read = "answer_incomplete!"},
    {.name = "calls that are not there",
     .bytes = delta(half, "tool_calls"),
     .read = "answer_incomplete!"},
    {.name = "messages, calls that are not there",
     .whose = anthropic,
     .bytes = block(0, R"({"type":"text","text":"half of"})")
              + stop_reason(R"("tool_use")"),
     .read = "answer_incomplete!"},
    {.name = "cut then stop",
     .bytes = delta(half, "length") + stopped,
     .read = "half of cut"},
    {.name = "JSON that ends early",
     .bytes = whole(half).substr(0, 40),
     .read = "answer_incomplete!"},
    {.name = "messages, null",
     .whose = anthropic,
     .bytes = block(0, R"({"type":"text","text":"half of"})")
              + stop_reason("null"),
     .read = "answer_incomplete!"},
    {.name = "messages, no end",
     .whose = anthropic,
     .bytes = block(0, R"({"type":"text","text":"half of"})")
              + event(R"({"type":"message_delta","delta":)"
                      R"({"stop_reason":"end_turn"}})"),
     .read = "answer_incomplete!"},
    {.name = "messages, whole, null",
     .whose = anthropic,
     .bytes = R"({"content":[{"type":"text","text":"half"}],)"
              R"("stop_reason":null})",
     .read = "answer_incomplete!"},
  });
}

TEST_CASE("the reasons of all servers are known") {
  const std::string text = R"({"content":"x"})";
  check({{"TGI", openai, delta(text, "eos_token"), "x"},
         {"TGI", openai, delta(text, "stop_sequence"), "x"},
         {"Mistral", openai, delta(text, "model_length"), "x cut"},
         {"a gateway", openai, delta(text, "end_turn"), "x"},
         {"a gateway", openai, delta(text, "max_tokens"), "x cut"}});
}

TEST_CASE("content is read in all its shapes") {
  check({
    {.name = "parts, with thoughts",
     .bytes
     = delta(R"({"content":[{"type":"thinking","thinking":[)"
             R"({"type":"text","text":"hm"}]}]})")
       + delta(R"({"content":[{"type":"text","text":"Do NOT deploy: "}]})")
       + delta(R"({"content":"it is ready."})") + stopped,
     .read = "Do NOT deploy: it is ready."},
    {.name = "parts, whole",
     .bytes = whole(R"({"content":[{"type":"reasoning","summary":[)"
                    R"({"type":"summary_text","text":"APPROVED?"}]},)"
                    R"({"type":"text","text":"no"},{"type":"image"}]})"),
     .read = "no"},
    {.name = "parts as texts, one part as an object",
     .bytes = delta(R"({"content":["a","b"]})")
              + delta(R"({"content":{"type":"output_text","text":"c"}})")
              + stopped,
     .read = "abc"},
    {.name = "a whole message within a stream",
     .bytes = event(whole(R"({"content":"all"})")) + event("[DONE]"),
     .read = "all"},
    {.name = "a whole message after its pieces",
     .bytes = delta(R"({"content":"all"})")
              + event(whole(R"({"content":"all"})")) + event("[DONE]"),
     .read = "all"},
    {.name = "one body", .bytes = whole(R"({"content":"all"})"), .read = "all"},
    {.name = "one body after blanks and a byte order mark",
     .bytes = "\xef\xbb\xbf\r\n  " + whole(R"({"content":"all"})"),
     .read = "all"},
    {.name = "messages in one body",
     .whose = anthropic,
     .bytes = R"({"content":"all","stop_reason":"end_turn"})",
     .read = "all"},
    {.name = "events without data, comments, a CR",
     .bytes = "\r\n: hello\r\n\r\nid: 1\r\ndata:\r\n\r\n"
              + delta(R"({"content":"all"})") + stopped,
     .read = "all"},
    {.name = "first chunk without choices, last without delta",
     .bytes = event(R"({"choices":[],"prompt_filter_results":[]})")
              + delta(R"({"content":"all"})")
              + event(R"({"choices":[{"index":0,"finish_reason":"stop"}]})"),
     .read = "all"},
    {.name = "half surrogates in two events",
     .bytes = delta(R"({"content":"fine \ud83d"})")
              + delta(R"({"content":"\ude00!"})") + stopped,
     .read = "fine \xef\xbf\xbd\xef\xbf\xbd!"},
    {.name = "bytes that are no UTF-8, and NaN",
     .bytes = delta("{\"content\":\"caf\xe9\",\"logprob\":NaN}") + stopped,
     .read = "caf\xef\xbf\xbd"},
    {.name = "a list of one",
     .bytes = "[" + whole(R"({"content":"all"})") + "]",
     .read = "all"},
  });
}

TEST_CASE("what is no answer of a model is quoted, and not asked for again") {
  const auto why = [](const std::string& bytes) {
    const auto got = read_shape(openai, bytes);
    REQUIRE_FALSE(got);
    CHECK(got.error().code == "answer_invalid");
    CHECK_FALSE(got.error().transient);
    return got.error().message;
  };
  CHECK_THAT(why("<!DOCTYPE html><html><head><title>Sign in</title></head>"),
             Catch::Contains("Sign in"));
  CHECK_THAT(why("<html><body><h1>It works!</h1></body></html>"),
             Catch::Contains("It works!"));
  CHECK_THAT(why("no healthy upstream"), Catch::Contains("healthy upstream"));
  CHECK_THAT(why(R"({"hello":"world"})"), Catch::Contains("world"));
  CHECK_THAT(why(R"("just text")"), Catch::Contains("just text"));
}

TEST_CASE("tokens are counted wherever and however they stand") {
  const auto used = [](const std::string& more) {
    const auto got = read_shape(openai, delta(R"({"content":"x"})")
                                          + delta("{}", "stop") + more
                                          + event("[DONE]"))
                       .value()
                       .usage;
    return std::pair{got.prompt_tokens, got.completion_tokens};
  };
  const std::pair<std::int64_t, std::int64_t> wanted{7, 3};
  for (
    const auto* more :
    {R"({"choices":[],"usage":{"prompt_tokens":7.0,"completion_tokens":3.0}})",
     R"({"choices":[{"index":0,"usage":{"prompt_tokens":7,"completion_tokens":3}}]})",
     R"({"x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3}}})",
     R"({"usage":{"input_tokens":7,"output_tokens":3}})"}) {
    INFO(more);
    CHECK(used(event(more)) == wanted);
  }
  const std::string full
    = event(R"({"usage":{"prompt_tokens":7,"completion_tokens":3}})");
  CHECK(
    used(event(R"({"usage":{"prompt_tokens":7,"completion_tokens":1}})") + full)
    == wanted);
  CHECK(used(full + event(R"({"usage":null})")
             + event(R"({"usage":{"prompt_tokens":0}})"))
        == wanted);
}

TEST_CASE("errors in answers have their words, and say whether to try again") {
  const auto [body, words, again]
    = GENERATE(table<std::string, std::string, bool>({
      {R"({"error":{"code":503,"message":"Service Unavailable"}})",
       "Service Unavailable", true},
      {R"({"error":{"code":"429","message":"slow down"}})", "slow down", true},
      {R"({"error":{"message":"m","type":"InternalServerError","code":500}})",
       "m", true},
      {R"({"error":{"message":"m","code":"rate_limit_exceeded"}})", "m", true},
      {R"({"error":{"message":"m","code":429,"status":"RESOURCE_EXHAUSTED"}})",
       "m", true},
      {R"({"error":{"message":"m","type":"insufficient_quota","code":429}})",
       "m", false},
      {R"({"error":{"message":"INSUFFICIENT QUOTA","code":429}})",
       "INSUFFICIENT QUOTA", true},
      {R"({"error":{"message":"m","code":402}})", "m", false},
      {R"({"error":{"message":"bad","type":"tool_use_failed"}})", "bad", true},
      {R"({"error":{"message":"bad","type":"invalid_request_error"}})", "bad",
       false},
      {R"({"code":"The service is currently unavailable","error":"busy"})",
       "busy", true},
      {R"([{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}])", "m",
       true},
      {R"({"object":"error","message":"too long","code":400})", "too long",
       false},
      {R"({"message":{"detail":[{"loc":["body"],"msg":"too hot"}]}})",
       "too hot", false},
      {R"({"detail":"Not Found"})", "Not Found", false},
      {R"({"error_code":"BAD_REQUEST","message":"no stream_options"})",
       "no stream_options", false},
      {R"({"error":"model runner has stopped"})", "model runner has stopped",
       false},
      {R"({"error":{"message":"Provider returned error","code":502,)"
       R"("metadata":{"raw":"upstream died"}}})",
       "upstream died", true},
      {R"({"choices":[{"index":0,"delta":{"content":""},"error":{"code":502,)"
       R"("message":"late"},"finish_reason":"error"}]})",
       "late", true},
      {R"({"error":{"message":{"error":{"message":"nested"}}}})", "nested",
       false},
    }));
  INFO(body);
  for (const auto& bytes : {body, event(body)}) {
    const auto got = read_shape(openai, bytes);
    REQUIRE_FALSE(got);
    CHECK(got.error().code == "provider_error");
    CHECK_THAT(got.error().message, Catch::Contains(words));
    CHECK(got.error().transient == again);
  }
}

TEST_CASE("an event of type error is an error, whatever it says") {
  const auto got = read_shape(openai, "event: error\ndata: it broke\n\n");
  CHECK(got.error().message == "the provider reports: it broke");
  CHECK(got.error().code == "provider_error");
}

TEST_CASE("an answer with an empty error is no error") {
  for (const auto* none : {"null", "false", "{}", "\"\"", "[]"})
    CHECK(
      in_short(read_shape(openai, whole(R"({"content":"x"})", R"("stop")",
                                        std::string{R"(,"error":)"} + none)))
      == "x");
}

TEST_CASE("a status and the body decide whether to try again") {
  const auto quota = R"({"error":{"code":"insufficient_quota"}})";
  CHECK(may_succeed_later(429, "slow down"));
  CHECK_FALSE(may_succeed_later(429, quota));
  for (int status : {408, 409, 500, 501, 503, 520, 529})
    CHECK(may_succeed_later(status, ""));
  for (int status : {400, 401, 402, 403, 404, 413, 422})
    CHECK_FALSE(may_succeed_later(status, "<html>busy</html>"));
  CHECK(may_succeed_later(400, R"({"error":{"code":"tool_use_failed"}})"));
  CHECK(may_succeed_later(503, R"({"error":{"message":"Loading model"}})"));
  CHECK_FALSE(may_succeed_later(402, R"({"error":{"code":"rate_limit"}})"));
}

TEST_CASE("the words of an error body are found in any shape") {
  for (const auto* body :
       {R"({"error":{"message":"too hot"}})", R"({"message":"too hot"})",
        R"({"detail":"too hot"})", R"({"detail":[{"msg":"too hot"}]})",
        R"({"errors":["too hot"]})", R"([{"error":{"message":"too hot"}}])",
        "too hot", "<html><title>too hot</title>",
        "<body><h1>too\nhot</h1></body>", R"({"error":"too hot"})",
        R"({"title":"too hot","status":400})", R"({"strange":"too hot"})"}) {
    INFO(body);
    CHECK_THAT(error_words(body), Catch::Contains("too hot"));
  }
  CHECK(error_words("").empty());
}

TEST_CASE("what a model has to get back is kept as it came") {
  const auto call = R"({"index":0,"id":"a","function":{"name":"f",)"
                    R"("arguments":"{}"},"extra_content":{"google":)"
                    R"({"thought_signature":"abc"}}})";
  CHECK(original_of(delta(R"({"reasoning_content":"I "})")
                    + delta(R"({"reasoning_content":"write"})") + calls(call)
                    + called)
        == json::object{{"reasoning_content", "I write"}});
  const auto signed_call = read_shape(openai, calls(call) + called).value();
  CHECK(json::serialize(signed_call.calls.at(0).extra)
        == R"({"extra_content":{"google":{"thought_signature":"abc"}}})");
  const auto late
    = read_shape(openai,
                 calls(R"({"index":0,"id":"a","function":{"name":"f",)"
                       R"("arguments":"{}"}})")
                   + calls(R"({"index":0,"extra_content":{"vertex":{"s":1}}})")
                   + called)
        .value();
  CHECK(json::serialize(late.calls.at(0).extra)
        == R"({"extra_content":{"vertex":{"s":1}}})");
  const std::string details
    = R"({"reasoning_details":[{"type":"reasoning.text","text":"a","index":0},)"
      R"({"type":"reasoning.text","text":"b","index":1},)"
      R"({"type":"reasoning.encrypted","data":"x"},)"
      R"({"type":"reasoning.encrypted","data":"y"}]})";
  CHECK(json::serialize(original_of(whole(details))) == details);
  CHECK(json::serialize(original_of(
          delta(R"({"reasoning_details":[{"type":"reasoning.text",)"
                R"("text":"a","index":0}]})")
          + delta(R"({"reasoning_details":[{"type":"reasoning.text",)"
                  R"("text":"b","signature":null,"index":0}]})")
          + delta(R"({"reasoning_details":[{"type":"reasoning.text",)"
                  R"("signature":"s","index":0}]})")
          + stopped))
        == R"({"reasoning_details":[{"type":"reasoning.text","text":"ab",)"
           R"("index":0,"signature":"s"}]})");
  CHECK(json::serialize(
          original_of(delta(R"({"content":[{"type":"thinking","thinking":[)"
                            R"({"type":"text","text":"h"}]}]})")
                      + delta(R"({"content":[{"type":"thinking","thinking":[)"
                              R"({"type":"text","text":"m"}]}]})")
                      + delta(R"({"content":"no"})") + stopped))
        == R"({"content":[{"type":"thinking","thinking":[{"type":"text",)"
           R"("text":"hm"}]},{"type":"text","text":"no"}]})");
  CHECK(original_of(whole(R"({"content":"x","refusal":null,"annotations":[],)"
                          R"("reasoning":null})"))
        == json::object{});
}

TEST_CASE("thoughts of messages are kept with their signatures, in order") {
  const auto got
    = read_shape(anthropic,
                 block(0, R"({"type":"thinking","thinking":""})")
                   + block_delta(0, R"({"type":"thinking_delta",)"
                                    R"("thinking":"hm"})")
                   + block_delta(0, R"({"type":"signature_delta",)"
                                    R"("signature":"s"})")
                   + block(1, R"({"type":"redacted_thinking","data":"d"})")
                   + block(2, R"({"type":"text","text":"so"})")
                   + block(3, R"({"type":"tool_use","id":"a","name":"f",)"
                              R"("input":{"x":1}})")
                   + stop_reason(R"("tool_use")"))
        .value();
  CHECK(got.text == "so");
  const model_prompt next{.messages = {{.by = speaker::model,
                                        .text = got.text,
                                        .calls = got.calls,
                                        .original = got.original}}};
  CHECK(json::serialize(
          body_for(anthropic, next).at("messages").at(0).at("content"))
        == R"([{"type":"thinking","thinking":"hm","signature":"s"},)"
           R"({"type":"redacted_thinking","data":"d"},)"
           R"({"type":"text","text":"so"},)"
           R"({"type":"tool_use","id":"a","name":"f","input":{"x":1}}])");
}

} // namespace convene::tests::shapes
