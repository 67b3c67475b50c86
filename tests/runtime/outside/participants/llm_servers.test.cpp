#include "runtime/outside/participants/llm_turns.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>

#include <atomic>
#include <fstream>
#include <iterator>

using namespace convene;
using namespace convene::tests;
using host::llm_settings;

namespace {

actors::turn_request turn_for_ann() {
  actors::turn_request asked;
  asked.participant = "ann";
  asked.task = "go";
  asked.turn = 1;
  return asked;
}

protocol::result<llm_settings> settings_in(const std::string& members) {
  return host::read_llm_settings(json::parse(R"({"type":"llm","model":"m")"
                                             + members + "}"),
                                 "/behaviours/a");
}

json::object body_of(const std::string& request) {
  return json::parse(request.substr(request.find("\r\n\r\n") + 4)).as_object();
}

raw_answer refusal(const std::string& words, const char* status) {
  return answer_with(R"({"error":{"message":")" + words + R"("}})",
                     "application/json", status);
}

/// As strict as Mistral, Databricks or FastAPI: each member that is not among
/// `known` is refused.
raw_answer strictly(const std::string& request,
                    const std::vector<std::string>& known) {
  for (const auto& [name, value] : body_of(request))
    if (std::ranges::find(known, std::string_view{name}) == known.end())
      return refusal("extra member " + std::string{name},
                     "422 Unprocessable Entity");
  return streamed({.text = R"({"content":"fine"})"});
}

} // namespace

TEST_CASE("each dialect's server accepts what it is sent") {
  struct example {
    const char* dialect;
    std::vector<std::string> known; ///< besides model, messages and stream
    std::string format;             ///< of a reply in JSON
  };
  const auto each = GENERATE(values<example>({
    {"openai", {"max_completion_tokens", "stream_options"}, "json_schema"},
    {"azure", {"max_completion_tokens", "stream_options"}, "json_schema"},
    {"gemini", {"max_tokens", "stream_options"}, "json_schema"},
    {"deepseek", {"max_tokens", "stream_options"}, "json_object"},
    {"openrouter", {"max_tokens", "stream_options"}, "json_schema"},
    {"vllm", {"max_tokens", "stream_options"}, "json_schema"},
    {"llama.cpp", {"max_tokens", "stream_options"}, "json_schema"},
    {"ollama", {"max_tokens", "stream_options"}, "json_schema"},
    {"mistral", {"max_tokens"}, "json_schema"},
  }));
  CAPTURE(each.dialect);
  std::string seen;
  raw_server server{[&](const std::string& request, auto) {
    seen = request;
    auto known = each.known;
    known.insert(known.end(),
                 {"model", "messages", "stream", "response_format"});
    return strictly(request, known);
  }};
  const auto read
    = settings_in(R"(,"reply":"json","dialect":")" + std::string{each.dialect}
                  + R"(","base_url":")" + server.url("/b") + "\"");
  REQUIRE(read);
  const auto got = run_turn(*read, {.api_key = "k-1"}, turn_for_ann());
  CHECK(got.reply.content == "fine");
  CHECK(body_of(seen).at("response_format").at("type")
        == json::value(each.format));
  CHECK(seen.find("POST /b/chat/completions ") == 0);
  const bool is_azure = std::string_view{each.dialect} == "azure";
  CHECK(seen.find(is_azure ? "api-key: k-1" : "Authorization: Bearer k-1")
        != seen.npos);
}

TEST_CASE("a setting wins over its dialect, and none leaves a member out") {
  scripted_model model{{{.text = R"({"content":"x"})"}}};
  auto read = settings_in(R"(,"reply":"json","dialect":"openai",
    "max_tokens_name":"none","response_format":"none","stream_options":false,
    "reasoning_effort":"none","base_url":")"
                          + model.settings().base_url + "\"")
                .value();
  CHECK(run_turn(read, {}, turn_for_ann()).reply.content == "x");
  const auto prompt = model.prompt(0);
  CHECK(prompt.as_object().size() == 4); // model, messages, stream, and
  CHECK(prompt.at("reasoning_effort") == "none");
}

TEST_CASE("the name of OpenAI's models is enough for their token limit") {
  scripted_model model{{{.text = "x"}, {.text = "x"}}};
  auto settings = model.settings();
  settings.model = "gpt-5.2";
  static_cast<void>(run_turn(settings, {}, turn_for_ann()));
  CHECK(model.prompt(0).as_object().contains("max_completion_tokens"));
  settings.max_tokens_name = "max_tokens";
  static_cast<void>(run_turn(settings, {}, turn_for_ann()));
  CHECK(model.prompt(1).as_object().contains("max_tokens"));
}

TEST_CASE("the first example of the documentation works where max_tokens is "
          "refused") {
  std::ifstream page{CONVENE_SOURCE_DIR "/docs/agents/llm.md"};
  const std::string text{std::istreambuf_iterator<char>{page}, {}};
  const auto begin = text.find("\"behaviours\":") + 13;
  const auto end = text.find("\n}\n", begin) + 2;
  const auto example = json::parse(text.substr(begin, end - begin));
  auto settings = host::read_llm_settings(example.at("coder"), "").value();
  raw_server server{[](const std::string& request, auto) {
    return strictly(request, {"model", "messages", "stream", "stream_options",
                              "tools", "max_completion_tokens"});
  }};
  settings.base_url = server.url("/v1");
  CHECK(run_turn(settings, {}, turn_for_ann()).reply.status
        == protocol::reply_status::completed);
}

TEST_CASE("a refused member is refused once, with the setting that helps") {
  raw_server server{[](const auto&, auto) {
    return refusal("Unsupported parameter: max_tokens", "400 Bad Request");
  }};
  const auto got = run_turn({.base_url = server.url(), .model = "m"}, {},
                            turn_for_ann());
  CHECK(server.requests() == 1);
  CHECK(got.reply.error.code == "http_status");
  CHECK_THAT(got.reply.error.message,
             Catch::Contains("Unsupported parameter")
               && Catch::Contains(R"(set "max_tokens_name" to)"));
}

TEST_CASE("headers are sent as they are set, and their secrets not repeated") {
  std::string seen;
  raw_server server{[&](const std::string& request, auto) {
    seen = request;
    return refusal("bad token s-1 for k-1", "401 Unauthorized");
  }};
  const auto got
    = run_turn({.base_url = server.url(), .model = "m"},
               {.api_key = "k-1",
                .headers = {{"authorization", "Token s-1"}, {"X-Team", "t"}},
                .secrets = {"s-1"}},
               turn_for_ann());
  CHECK(seen.find("Authorization: Token s-1") != seen.npos);
  CHECK(seen.find("X-Team: t") != seen.npos);
  CHECK(seen.find("Bearer") == seen.npos);
  CHECK_THAT(got.reply.error.message, Catch::Contains("bad token *** for ***"));
}

TEST_CASE("a dialect says where its server is and how it speaks") {
  const auto url = [](const std::string& members) {
    const auto read = settings_in(members);
    REQUIRE(read);
    return read->base_url;
  };
  CHECK(url(R"(,"dialect":"ollama")") == "http://localhost:11434/v1");
  CHECK(url(R"(,"dialect":"vllm","base_url":"http://h:1/")")
        == "http://h:1/v1");
  CHECK(url(R"(,"dialect":"gemini")")
        == "https://generativelanguage.googleapis.com/v1beta/openai");
  CHECK(url(R"(,"base_url":"http://h:1/")") == "http://h:1/");
  CHECK(settings_in(R"(,"dialect":"anthropic")")->provider
        == host::model_provider::anthropic);
  CHECK(
    host::shape_of(*settings_in(R"(,"base_url":"https://api.mistral.ai/v1")"))
      .short_call_ids);
}

TEST_CASE("settings that no server could have are refused at their place") {
  const auto [members, pointer] = GENERATE(table<const char*, const char*>({
    {R"(,"dialect":"azure")", "/base_url"},
    {R"(,"dialect":"gpt")", "/dialect"},
    {R"(,"dialect":"anthropic","provider":"openai")", "/dialect"},
    {R"(,"dialect":"ollama","provider":"anthropic")", "/dialect"},
    {R"(,"provider":"anthropic","response_format":"none")", "/response_format"},
    {R"(,"provider":"anthropic","reasoning_effort":"low")",
     "/reasoning_effort"},
    {R"(,"max_tokens_name":"")", "/max_tokens_name"},
    {R"(,"max_tokens_name":"a b")", "/max_tokens_name"},
    {R"(,"max_tokens_name":"messages")", "/max_tokens_name"},
    {R"(,"response_format":"xml")", "/response_format"},
    {R"(,"top_p":2)", "/top_p"},
    {R"(,"extra_body":{"messages":[]})", "/extra_body/messages"},
    {R"(,"headers":{"Host":"x"})", "/headers/Host"},
    {R"(,"headers":{"a b":"x"})", "/headers/a b"},
    {R"(,"headers":{"a":"x\r\ny"})", "/headers/a"},
    {R"(,"headers":{"a":7})", "/headers/a"},
    {R"(,"headers":{"a":{"prefix":"x"}})", "/headers/a"},
    {R"(,"fallback":{})", "/fallback"},
    {R"(,"fallback":[7])", "/fallback/0"},
    {R"(,"fallback":[{"modle":"x"}])", "/fallback/0/modle"},
    {R"(,"fallback":[{"tools":["a/*"]}])", "/fallback/0/tools"},
    {R"(,"fallback":[{},{"base_url":"x"}])", "/fallback/1/base_url"},
    {R"(,"fallback":[{},{},{},{},{},{},{},{},{}])", "/fallback"},
    {R"(,"stream_optoins":false)", "/stream_optoins"},
  }));
  CAPTURE(members);
  const auto got = settings_in(members);
  REQUIRE_FALSE(got);
  CHECK(got.error().pointer == std::string{"/behaviours/a"} + pointer);
}

TEST_CASE("a misspelled setting is refused with the nearest name") {
  CHECK_THAT(settings_in(R"(,"max_token_name":"x")").error().message,
             Catch::Contains("max_tokens_name"));
  CHECK_THAT(settings_in(R"(,"fallback":[{"base_ur":"x"}])").error().message,
             Catch::Contains("base_url"));
}

TEST_CASE("a fallback has the first model's server, or nothing of it") {
  const auto got = settings_in(R"(,"base_url":"http://h:1","api_key_env":"K",
    "headers":{"a":{"env":"H","prefix":"p "}},"retries":5,"system":"s",
    "temperature":1,"fallback":[{"model":"n"},
      {"model":"o","dialect":"deepseek","api_key_env":"L"}])");
  REQUIRE(got);
  CHECK(got->headers.at("a") == host::header_setting{"p ", "H"});
  CHECK(settings_in(R"(,"headers":{"a":"p ${env:H}"})")->headers
        == got->headers);
  REQUIRE(got->fallback.size() == 2);
  const auto& near = got->fallback[0];
  CHECK(near.model == "n");
  CHECK(near.base_url == "http://h:1");
  CHECK(near.api_key_env == "K");
  CHECK(near.headers == got->headers);
  const auto& far = got->fallback[1];
  CHECK(far.base_url == "https://api.deepseek.com");
  CHECK(far.api_key_env == "L");
  CHECK(far.headers.empty());
  CHECK_FALSE(far.temperature);
  CHECK(far.retries == 5);
}

TEST_CASE("a fallback answers when the first model fails after its retries") {
  std::atomic<int> broken = 0;
  raw_server down{[&](const auto&, auto) {
    ++broken;
    return refusal("down", "503 Service Unavailable");
  }};
  scripted_model second{
    {{.calls = {{"write_resource", R"({"resource_type":"f",)"
                                   R"("resource_id":"a","value":1})"}}},
     {.text = "Done."}}};
  llm_settings settings{.base_url = down.url(), .model = "m", .retries = 1};
  settings.fallback = {second.settings()};
  settings.fallback[0].model = "n";
  const auto got = run_turn(settings,
                            {.api_key = "k-1", .fallback = {{"k-2", {}, {}}}},
                            turn_for_ann());
  CHECK(got.reply.content == "Done.");
  CHECK(got.reply.writes.size() == 1);
  // It answers the rest of the turn, too.
  CHECK(broken == 2);
  REQUIRE(got.actions.size() == 3);
  CHECK(got.actions[0].what.position == "1.0");
  CHECK(got.actions[0].result.error.code == "server_error");
  CHECK(got.actions[1].what.position == "1.0.1");
  CHECK(got.actions[1].what.arguments.at("model") == "n");
  CHECK(got.actions[2].what.position == "2.0.1");
  CHECK(second.prompt(0).at("model") == "n");
  for (const auto& each : second.requests()) {
    CHECK(each.find("Bearer k-2") != each.npos);
    CHECK(each.find("k-1") == each.npos);
  }
  // From the log: no model is called.
  auto replayed = settings;
  replayed.base_url = "http://127.0.0.1:1";
  replayed.fallback[0].base_url = "http://127.0.0.1:1";
  CHECK(run_turn(replayed, {}, turn_for_ann(), got.actions).reply.content
        == "Done.");
}

TEST_CASE("a turn whose models all fail says why each of them did") {
  raw_server down{[](const std::string& request, auto) {
    return body_of(request).at("model") == "m"
             ? refusal("no such model", "404 Not Found")
             : refusal("bad key", "401 Unauthorized");
  }};
  llm_settings settings{.base_url = down.url(), .model = "m"};
  settings.fallback = {{.base_url = down.url(), .model = "n"}};
  const auto got = run_turn(settings, {}, turn_for_ann());
  CHECK(got.reply.error.code == "http_status");
  CHECK_THAT(got.reply.error.message, Catch::Contains("m: http_status:")
                                        && Catch::Contains("no such model")
                                        && Catch::Contains("; n: http_status:")
                                        && Catch::Contains("bad key"));
  CHECK(down.requests() == 2);
}

TEST_CASE("what the session refuses is not asked of another model") {
  scripted_model model{{{.text = "b"}, {.text = "c"}}};
  auto settings = model.settings();
  settings.fallback = {model.settings()};
  auto recorded = run_turn(settings, {}, turn_for_ann()).actions;
  auto asked = turn_for_ann();
  asked.task = "something else";
  CHECK(run_turn(settings, {}, asked, recorded).reply.error.code
        == "action_changed");
  CHECK(model.requests().size() == 1);
}

TEST_CASE("more tools than providers accept are refused by their number") {
  scripted_model model{{{.text = "x"}}};
  auto settings = model.settings();
  host::llm_surroundings with;
  // Three are the session's own.
  for (int i = 0; i < 126; ++i) {
    settings.tools.push_back(std::to_string(i));
    with.functions.push_back(std::make_shared<const actors::executor>(
      actors::executor{.name = settings.tools.back()}));
  }
  auto fewer = with;
  fewer.functions.pop_back();
  CHECK(run_turn(settings, fewer, turn_for_ann()).reply.content == "x");
  const auto first = model.prompt(0);
  const auto& tools = first.at("tools").as_array();
  CHECK(tools.size() == 128);
  CHECK(tools.back().at("function").at("name").as_string().starts_with("_"));
  const auto got = run_turn(settings, with, turn_for_ann());
  CHECK(got.reply.error.code == "tools_max");
  CHECK_THAT(got.reply.error.message,
             Catch::Contains("129") && Catch::Contains("128"));
}
