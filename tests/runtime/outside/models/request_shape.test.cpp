#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/models/dialect.hpp>
#include <convene/runtime/outside/models/request_hint.hpp>
#include <convene/runtime/outside/models/tool_schema.hpp>

using namespace convene::host;
namespace json = convene::protocol::json;

namespace {

model_prompt shaped(request_shape shape) {
  return {.model = "m",
          .messages = {{.text = "x"},
                       {.by = speaker::model, .calls = {{"call_long", "f"}}},
                       {.by = speaker::tool, .call_id = "call_long"}},
          .tools = {{"f", "", json::object{{"type", "object"}}}},
          .reply_schema = {{"type", "object"}},
          .shape = std::move(shape)};
}

json::object body_of(request_shape shape) {
  return body_for(model_provider::openai, shaped(std::move(shape)));
}

json::value fitted(const char* schema, schema_subset subset) {
  return fit_schema(json::parse(schema).as_object(), subset);
}

std::string hint(const char* request, int status, const char* answer,
                 model_provider whose = model_provider::openai) {
  return setting_hint(whose, request, status, answer);
}

} // namespace

TEST_CASE("a request has what its server knows, and nothing else") {
  const auto plain = body_of({});
  CHECK(plain.contains("max_tokens"));
  CHECK(plain.contains("stream_options"));
  CHECK_FALSE(plain.contains("top_p"));
  CHECK_FALSE(
    plain.at("tools").at(0).at("function").as_object().contains("description"));
  const auto bare = body_of({.max_tokens_name = "",
                             .format = response_format::none,
                             .stream_options = false});
  for (const auto* name :
       {"max_tokens", "response_format", "stream_options", "top_p",
        "reasoning_effort", "parallel_tool_calls", "temperature"})
    CHECK_FALSE(bare.contains(name));
  const auto full = body_of({.max_tokens_name = "max_completion_tokens",
                             .format = response_format::json_object,
                             .top_p = 0.5,
                             .reasoning_effort = "low",
                             .parallel_tool_calls = false,
                             .extra = {{"top_p", 0.25}, {"seed", 7}}});
  CHECK(full.at("max_completion_tokens") == 4096);
  CHECK_FALSE(full.contains("max_tokens"));
  CHECK(full.at("response_format") == json::parse(R"({"type":"json_object"})"));
  CHECK(full.at("reasoning_effort") == "low");
  CHECK(full.at("parallel_tool_calls") == false);
  CHECK(full.at("top_p") == 0.25);
  CHECK(full.at("seed") == 7);
}

TEST_CASE("parallel tool calls are only named where there are tools") {
  auto what = shaped({.parallel_tool_calls = false});
  CHECK(json::value(body_for(model_provider::anthropic, what))
          .at_pointer("/tool_choice/disable_parallel_tool_use")
        == true);
  what.tools.clear();
  CHECK_FALSE(
    body_for(model_provider::openai, what).contains("parallel_tool_calls"));
  CHECK_FALSE(
    body_for(model_provider::anthropic, what).contains("tool_choice"));
}

TEST_CASE("a call and its result have the same short id where that is needed") {
  const json::value body = body_of({.short_call_ids = true});
  const auto& id = body.at_pointer("/messages/1/tool_calls/0/id").as_string();
  CHECK(id.size() == 9);
  CHECK(body.at_pointer("/messages/2/tool_call_id") == id);
  auto short_one = shaped({.short_call_ids = true});
  short_one.messages[1].calls[0].id = "abcDEF123";
  CHECK(json::value(body_for(model_provider::openai, short_one))
          .at_pointer("/messages/1/tool_calls/0/id")
        == "abcDEF123");
}

TEST_CASE("a server is known by its host, and a model by its name") {
  CHECK(dialect_of_host("api.openai.com") == model_dialect::openai);
  CHECK(dialect_of_host("x.openai.azure.com") == model_dialect::azure);
  CHECK(dialect_of_host("api.mistral.ai.") == model_dialect::mistral);
  for (const auto* other :
       {"localhost", "api.openai.com.example", "openai.azure.com", ""})
    CHECK_FALSE(dialect_of_host(other));
  for (const auto* name :
       {"gpt-5.2", "gpt-10", "o1", "o3-mini", "openai/gpt-5-mini", "gpt-6"})
    CHECK(refuses_max_tokens(name));
  for (const auto* name : {"gpt-4o", "gpt-35-turbo", "gpt-oss-20b", "m", "",
                           "olmo-2", "openai/o", "gpt-5/local"})
    CHECK_FALSE(refuses_max_tokens(name));
}

TEST_CASE("an address is joined before the query of a base URL") {
  const auto url = [](const char* base,
                      model_provider whose = model_provider::openai) {
    return endpoint_of(whose, base, "", "").url;
  };
  const std::string azure = "http://a/openai/deployments/d/chat/completions"
                            "?api-version=2024-10-21";
  CHECK(url("http://a/openai/deployments/d?api-version=2024-10-21") == azure);
  CHECK(url("http://a/openai/deployments/d/?api-version=2024-10-21") == azure);
  CHECK(url(azure.c_str()) == azure);
  CHECK(url("http://a/v1//") == "http://a/v1/chat/completions");
  CHECK(url("http://a/v1/chat/completions/") == "http://a/v1/chat/completions");
  CHECK(url("http://a/v1?") == "http://a/v1/chat/completions");
  CHECK(url("http://a/v1#there") == "http://a/v1/chat/completions");
  CHECK(url("http://a?x=/y") == "http://a/chat/completions?x=/y");
  for (const auto* base :
       {"http://a?k=1", "http://a/v1?k=1", "http://a/v1/messages?k=1"})
    CHECK(url(base, model_provider::anthropic) == "http://a/v1/messages?k=1");
}

TEST_CASE("a path is added to a base URL that has none") {
  const auto with_path = [](std::string base) {
    add_path(base, "/v1");
    return base;
  };
  CHECK(with_path("http://a:80") == "http://a:80/v1");
  CHECK(with_path("http://a//") == "http://a/v1");
  CHECK(with_path("http://a/?q") == "http://a/v1?q");
  CHECK(with_path("http://a?q") == "http://a/v1?q");
  CHECK(with_path("http://a/x") == "http://a/x");
}

TEST_CASE("a header replaces one of the same name") {
  auto of = endpoint_of(model_provider::openai, "http://a", "k", "");
  set_header(of, "authorization", "Basic x");
  set_header(of, "x-team", "t");
  CHECK(of.headers.size() == 3);
  CHECK(of.headers.at(1).second == "Basic x");
  CHECK(endpoint_of(model_provider::openai, "http://a", "k", "", "api-key")
          .headers.back()
        == std::pair<std::string, std::string>{"api-key", "k"});
}

TEST_CASE("a tool's schema is sent in what providers accept") {
  const auto [given, wanted] = GENERATE(table<const char*, const char*>({
    {"{}", R"({"type":"object","properties":{}})"},
    // An enum needs its type, at any depth.
    {R"({"properties":{"a":{"enum":["x","y"]},"b":{"items":{"enum":[1,2]}},
         "c":{"enum":["x",null]},"d":{"const":true}}})",
     R"({"properties":{"a":{"enum":["x","y"],"type":"string"},
         "b":{"items":{"enum":[1,2],"type":"integer"}},
         "c":{"enum":["x",null],"type":["string","null"]},
         "d":{"const":true,"type":"boolean"}},"type":"object"})"},
    {R"({"$schema":"s","type":"object","properties":{"a":{"type":"array"}}})",
     R"({"type":"object",
         "properties":{"a":{"type":"array","items":{}}}})"},
    // Alternatives at the top become one object.
    {R"({"anyOf":[{"properties":{"a":{},"b":{}},"required":["a","b"]},
                  {"properties":{"a":{},"c":{}},"required":["a"]}],
         "additionalProperties":false})",
     R"({"properties":{"a":{},"b":{},"c":{}},"required":["a"],
         "type":"object"})"},
    {R"({"type":"object","properties":{"x":{"type":"null"}},"required":["x"],
         "allOf":[{"$ref":"#/$defs/p"}],
         "$defs":{"p":{"properties":{"y":{}},"required":["y"]}}})",
     R"({"type":"object","properties":{"x":{"type":"null"},"y":{}},
         "required":["x","y"],
         "$defs":{"p":{"properties":{"y":{}},"required":["y"]}}})"},
    // Below the top, alternatives are accepted.
    {R"({"type":"object","properties":{"a":{"anyOf":[{"enum":["x"]}]}}})",
     R"({"type":"object","properties":
         {"a":{"anyOf":[{"enum":["x"],"type":"string"}]}}})"},
    // A property may have the name of a keyword.
    {R"({"type":"object","properties":{"enum":{"type":"string"},
         "$schema":{"type":"string"}}})",
     R"({"type":"object","properties":{"enum":{"type":"string"},
         "$schema":{"type":"string"}}})"},
  }));
  CHECK(fitted(given, schema_subset::common) == json::parse(wanted));
}

TEST_CASE("Gemini gets a type everywhere and no keyword that it refuses") {
  const auto [given, wanted] = GENERATE(table<const char*, const char*>({
    {R"({"$schema":"s","additionalProperties":false,"properties":{
         "a":{"enum":["x",""]},"b":{"const":"x"},"c":{"type":["string","null"]},
         "d":{"$ref":"#/$defs/d"},"e":{"type":"array"}},
         "required":["a","gone"],"$defs":{"d":{"type":"integer","format":"x",
         "exclusiveMinimum":0,"minimum":1}}})",
     R"({"type":"object","properties":{
         "a":{"type":"string"},"b":{"type":"string","enum":["x"]},
         "c":{"nullable":true,"type":"string"},
         "d":{"type":"integer","minimum":1},
         "e":{"type":"array","items":{"anyOf":[{"type":"string"},
           {"type":"number"},{"type":"boolean"},{"type":"object"},
           {"type":"array","items":{"type":"string"}}]}}},
         "required":["a"]})"},
    {R"({"properties":{"a":{"oneOf":[{"type":"null"},{"type":"string"}]},
         "b":{"type":["string","integer"]}}})",
     R"({"type":"object","properties":{
         "a":{"nullable":true,"type":"string"},
         "b":{"anyOf":[{"type":"string"},{"type":"integer"}]}}})"},
  }));
  CHECK(fitted(given, schema_subset::gemini) == json::parse(wanted));
  // A schema that is within itself ends.
  const auto endless
    = fitted(R"({"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}})",
             schema_subset::gemini);
  CHECK(json::serialize(endless).size() < 1'000'000);
  CHECK_FALSE(json::value(body_of({.schemas = schema_subset::gemini}))
                .at_pointer("/tools/0/function")
                .as_object()
                .contains("parameters"));
}

TEST_CASE("a refused parameter is answered by the setting that changes it") {
  const auto [request, answer, part] = GENERATE(table<const char*, const char*,
                                                      const char*>({
    {R"({"max_tokens":1})",
     R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use )"
     R"('max_completion_tokens' instead.","param":"max_tokens"}})",
     R"("max_tokens_name" to "max_completion_tokens")"},
    {R"({"max_completion_tokens":1,"temperature":1})",
     R"({"detail":[{"type":"extra_forbidden",
           "loc":["body","max_completion_tokens"],
           "input":{"temperature":1}}]})",
     R"("max_tokens_name" to "max_tokens")"},
    {R"({"response_format":{}})",
     R"({"error":{"message":"This response_format type is unavailable now"}})",
     "response_format"},
    {R"({"stream":true,"stream_options":{}})",
     R"({"message":"Unknown field stream_options"})",
     R"("stream_options": false)"},
    {R"({"temperature":0})",
     R"({"error":{"message":"does not support 0 with this model.",
           "param":"temperature"}})",
     R"(leave out "temperature")"},
    {R"({"tools":[]})", "registry.ollama.ai/m does not support tools",
     R"("reply": "json")"},
    {R"({"tools":[]})",
     R"({"error":{"message":"Function tools with reasoning_effort are not )"
     R"(supported; set reasoning_effort to 'none'","param":"x"}})",
     R"("reasoning_effort")"},
    {R"({"stream":true})", "streaming is not supported", R"("stream": false)"},
    {R"({"top_k":3})", R"({"error":"top_k: extra fields not permitted"})",
     R"("top_k" in "extra_body")"},
  }));
  for (const int status : {400, 422})
    CHECK_THAT(hint(request, status, answer), Catch::Contains(part));
}

TEST_CASE("other errors get no advice") {
  CHECK(hint(R"({"max_tokens":1})", 401, "max_tokens").empty());
  CHECK(hint(R"({"max_tokens":1})", 500, "max_tokens").empty());
  CHECK(hint(R"({"max_tokens":1})", 400, "the prompt is too long").empty());
  // It was not sent.
  CHECK(hint(R"({"model":"m"})", 400, "temperature is wrong").empty());
  // A word within another one.
  CHECK(hint(R"({"stream":true})", 400, "upstream is full").empty());
  CHECK(hint("no JSON", 400, "temperature").empty());
  CHECK(hint(R"({"max_tokens":1})", 400, "max_tokens: too large",
             model_provider::anthropic)
        == "; lower \"max_tokens\"");
}
