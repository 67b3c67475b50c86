#include "runtime/outside/participants/llm_turns.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>

#include <algorithm>
#include <atomic>

using namespace convene;
using namespace convene::tests;

namespace {

actors::turn_request simple_turn() {
  actors::turn_request asked;
  asked.participant = "ann";
  asked.task = "go";
  asked.turn = 1;
  return asked;
}

/// A turn with a server of any kind.
turn_outcome turn_with(raw_server& server, std::int64_t timeout_ms = 120'000,
                       std::int64_t retries = 2) {
  return run_turn({.base_url = server.url("/v1"),
                   .model = "m",
                   .timeout_ms = timeout_ms,
                   .retries = retries},
                  {.api_key = "planted-key"}, simple_turn());
}

/// Tools of an MCP server, without one.
class fake_tools final : public host::tool_box {
public:
  std::vector<host::tool> tools;
  protocol::action_result result;
  std::mutex mutex;
  std::vector<std::pair<std::string, json::object>> called;
  std::vector<std::string> keys;

  void list(when_listed then) override {
    if (tools.empty())
      return then(protocol::fail(protocol::errc::io_failed, "it hangs"));
    then(tools);
  }

  actors::cancel_function
  call(std::string_view name, const json::object& arguments,
       const actors::attempt& which, actors::when_acted then) override {
    {
      const std::lock_guard lock{mutex};
      called.emplace_back(name, arguments);
      keys.push_back(which.idempotency_key);
    }
    then(result);
    return [] {};
  }
};

std::shared_ptr<fake_tools> some_tools() {
  auto box = std::make_shared<fake_tools>();
  box->tools = {{.name = "files/read",
                 .description = "reads",
                 .input_schema = {{"type", "object"}},
                 .read_only = true},
                {.name = "files/delete", .input_schema = {{"type", "object"}}},
                {.name = "web/get", .input_schema = {{"type", "object"}}}};
  box->result.output = json::parse(
    R"({"content":[{"type":"text","text":"hello"},{"type":"image"}]})");
  return box;
}

} // namespace

TEST_CASE("transient errors of a provider are retried, others are not") {
  std::atomic<int> status = 0;
  raw_server server{[&](const auto&, std::size_t number) {
    if (number >= 2)
      return streamed({.text = "here"});
    return status == 429
             ? answer_with(R"({"error":{"message":"slow down planted-key"}})",
                           "application/json", "429 Too Many Requests")
             : answer_with(R"({"error":{"message":"bad key planted-key"}})",
                           "application/json", "401 Unauthorized");
  }};
  status = GENERATE(429, 401);
  const auto got = turn_with(server);
  if (status == 429) {
    CHECK(got.reply.content == "here");
    CHECK(server.requests() == 3);
  } else {
    CHECK(got.reply.error.code == "http_status");
    CHECK(got.reply.error.message.find("bad key ***") != std::string::npos);
    CHECK(server.requests() == 1);
  }
}

TEST_CASE("a stream cut at any byte is retried, and what it brought is gone") {
  const auto whole = streamed({.text = "only once"}).bytes;
  const auto body = whole.find("\r\n\r\n") + 4;
  const auto how = GENERATE(then_do::reset, then_do::close);
  std::size_t cut = 0;
  raw_server server{[&](const auto&, std::size_t number) {
    return number % 2 == 0 ? raw_answer{whole.substr(0, cut), how}
                           : streamed({.text = "only once"});
  }};
  for (cut = body; cut + 1 < whole.size(); cut += 3) {
    const auto got = turn_with(server);
    INFO("cut at " << cut);
    REQUIRE(got.reply == protocol::reply{.content = "only once"});
  }
  CHECK(server.requests() % 2 == 0);
}

TEST_CASE("a provider that sends nonsense fails the turn by name") {
  const auto [bytes, after, repeated, code]
    = GENERATE(table<std::string, then_do, std::size_t, std::string>(
      {{"HTTP/1.1 200 OK\r\n\r\ndata: {nonsense}\n\n", then_do::hang, 0,
        "answer_invalid"},
       {"HTTP/1.1 200 OK\r\n\r\ndata: \xff\xfe\n\n", then_do::hang, 0,
        "answer_invalid"},
       {"HTTP/1.1 200 OK\r\n\r\ndata: {\"error\":{\"message\":\"busy\"}}\n\n",
        then_do::hang, 0, "provider_error"},
       {"HTTP/1.1 200 OK\r\n\r\n: " + std::string(65'532, 'p') + "\n\n",
        then_do::repeat, 65'536, "answer_bytes_max"},
       {"HTTP/1.1 200 OK\r\n\r\ndata: " + std::string(65'536, 'x'),
        then_do::repeat, 65'536, "answer_event_bytes_max"},
       {"HTTP/1.1 200 OK\r\n\r\n: drip\n\n", then_do::drip, 0, "timed_out"},
       {"HTTP/1.1 301 Moved\r\nLocation: https://elsewhere.example/\r\n"
        "Content-Length: 0\r\n\r\n",
        then_do::close, 0, "redirect_refused"}}));
  std::int64_t timeout_ms = code == "timed_out" ? 60 : 120'000;
  for (;; timeout_ms *= 2) {
    // Each time another one: it may hear a call when nobody waits any more.
    raw_server server{[&](const auto&, auto) {
      return raw_answer{bytes, after, repeated};
    }};
    const auto got = turn_with(server, timeout_ms, 0);
    const auto requests = server.requests();
    // A call that did not get there shows nothing: more time.
    if (requests == 0 && timeout_ms < 120'000)
      continue;
    CHECK(got.reply.status == protocol::reply_status::failed);
    CHECK(got.reply.error.code == code);
    CHECK(requests == 1);
    return;
  }
}

TEST_CASE("an answer of a provider that does not stream is read whole") {
  raw_server server{[](const auto&, auto) {
    return answer_with(R"({"choices":[{"index":0,"message":{"content":"hi"},)"
                       R"("finish_reason":"stop"}]})");
  }};
  const auto got = run_turn({.base_url = server.url(),
                             .model = "m",
                             .stream = false,
                             .price = {.prompt = 1}},
                            {}, simple_turn());
  CHECK(got.reply.content == "hi");
  // It does not count its tokens: that is estimated.
  CHECK(got.actions.at(0).result.usage.prompt_tokens > 100);
  CHECK(got.actions.at(0).result.usage.cost_microusd > 100);
}

TEST_CASE("tools of MCP servers are offered, called and told about") {
  const auto box = some_tools();
  scripted_model model{{{.calls = {{"files__read", R"({"path":"a"})"},
                                   {"files__delete", R"({"path":"b"})"}}},
                        {.text = "Read."}}};
  auto settings = model.settings();
  settings.tools = {"files/*"};
  const auto got = run_turn(settings, {.tools = box}, simple_turn());
  CHECK(got.reply.content == "Read.");
  const auto prompt = model.prompt(0);
  const auto& tools = prompt.at("tools").as_array();
  // end_session, hand_off, write_resource are ours.
  CHECK(tools.size() == 5);
  CHECK(tools.back().at("function").at("name") == "files__read");
  REQUIRE(box->called.size() == 2);
  CHECK(box->called[0].first == "files/read");
  CHECK(box->called[1].second == json::object{{"path", "b"}});
  REQUIRE(got.actions.size() == 4);
  CHECK(got.actions[1].what.position == "1.1");
  CHECK(got.actions[1].what.kind == protocol::action_kind::mcp);
  CHECK(got.actions[1].what.repeatable);
  CHECK(got.actions[2].what.position == "1.2");
  CHECK_FALSE(got.actions[2].what.repeatable);
  CHECK(got.actions[3].what.position == "2.0");
  CHECK(model.prompt(1).at("messages").at(3).at("content")
        == "hello\n[image is not shown]");
}

TEST_CASE(
  "a failed tool is told to the model, an unknown outcome ends the turn") {
  const auto box = some_tools();
  box->result = {.status = protocol::action_status::failed,
                 .error = {.code = "server_died", .message = "it died"}};
  scripted_model model{
    {{.calls = {{"files__delete", "{}"}}}, {.text = "Sad."}}};
  auto settings = model.settings();
  settings.tools = {"files/delete"};
  SECTION("failed") {
    CHECK(run_turn(settings, {.tools = box}, simple_turn()).reply.content
          == "Sad.");
    CHECK(model.prompt(1).at("messages").as_array().back().at("content")
          == "Error: the call failed: server_died: it died");
  }
  SECTION("unknown") {
    box->result.error.code = "outcome_unknown";
    CHECK(run_turn(settings, {.tools = box}, simple_turn()).reply.error.code
          == "outcome_unknown");
    CHECK(model.requests().size() == 1);
  }
}

TEST_CASE("servers that cannot list their tools fail the turn") {
  const auto box = some_tools();
  box->tools.clear();
  scripted_model model{{}};
  auto settings = model.settings();
  settings.tools = {"files/*"};
  for (const auto& tools : {box, std::shared_ptr<fake_tools>{}}) {
    const auto got = run_turn(settings, {.tools = tools}, simple_turn());
    CHECK(got.reply.error.code == "tools_unavailable");
  }
  CHECK(model.requests().empty());
}

TEST_CASE("participants of one provider share its limits") {
  raw_server* self = nullptr;
  std::atomic<std::size_t> most = 0;
  raw_server server{[&](const auto&, auto) {
    most = std::max<std::size_t>(most, self->connections());
    auto answer = streamed({.text = "x"});
    answer.after = then_do::close;
    return answer;
  }};
  self = &server;
  const auto http = std::make_shared<host::paced_client>(
    std::make_shared<host::http_client>(local_options()));
  const host::llm_settings settings{.base_url = server.url(),
                                    .model = "m",
                                    .limits = {.calls = 2}};
  std::vector<std::thread> all;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i)
    all.emplace_back([&] {
      good += run_turn(settings, {.http = http}, simple_turn()).reply.content
              == "x";
    });
  for (auto& each : all)
    each.join();
  CHECK(good == 8);
  CHECK(most <= 2);
}

TEST_CASE("a turn is the same by a live turn's own means") {
  scripted_model model{{{.text = "live"}}};
  std::promise<protocol::reply> answered;
  auto asked = simple_turn();
  asked.live = std::make_shared<actors::live_turn>(
    [&](protocol::reply what) { answered.set_value(std::move(what)); });
  host::llm_behaviour behaviour{
    model.settings(),
    {.http = std::make_shared<host::paced_client>(
       std::make_shared<host::http_client>(local_options()))}};
  behaviour.begin(asked);
  CHECK(answered.get_future().get().content == "live");
}

TEST_CASE("settings are read strictly, with their defaults") {
  const auto read = [](const char* text) {
    return host::read_llm_settings(json::parse(text), "/behaviours/a");
  };
  const auto bare = read(R"({"type":"llm","model":"m"})").value();
  CHECK(bare
        == host::llm_settings{.base_url = "https://api.openai.com/v1",
                              .model = "m"});
  CHECK(read(R"({"type":"llm","model":"m","provider":"anthropic"})")
          .value()
          .base_url
        == "https://api.anthropic.com");
  const auto full = read(R"({"type":"llm","provider":"anthropic",
    "base_url":"http://localhost:1/","model":"m","api_key_env":"KEY",
    "system":"s","stream":false,"max_tokens":1,"temperature":0.5,
    "context_tokens":1000,"workspace":"changes","tools":["a/*"],"repairs":0,
    "rounds_max":1,"reply":"tools","price":{"prompt":1.5},"timeout_ms":1,
    "retries":0,"limits":{"calls":1,"calls_per_minute":2,
    "tokens_per_minute":3},"anthropic_version":"2026-10-21"})");
  REQUIRE(full);
  CHECK(full->temperature == 0.5);
  CHECK(full->price.prompt == 1.5);
  CHECK(full->limits.tokens_per_minute == 3);
  CHECK(full->workspace == host::workspace_part::changes);
  for (const auto& [text, pointer] :
       std::vector<std::pair<const char*, const char*>>{
         {R"({"type":"llm"})", "/behaviours/a"},
         {R"({"model":""})", "/behaviours/a/model"},
         {R"({"model":"m","provider":"other"})", "/behaviours/a/provider"},
         {R"({"model":"m","base_url":"localhost"})", "/behaviours/a/base_url"},
         {R"({"model":"m","max_tokens":0})", "/behaviours/a/max_tokens"},
         {R"({"model":"m","max_tokens":32000})", "/behaviours/a/max_tokens"},
         {R"({"model":"m","temperature":3})", "/behaviours/a/temperature"},
         {R"({"model":"m","rounds_max":0})", "/behaviours/a/rounds_max"},
         {R"({"model":"m","limits":{"calls":0}})",
          "/behaviours/a/limits/calls"},
         {R"({"model":"m","reply":"json","tools":["a/*"]})",
          "/behaviours/a/tools"},
         {R"({"model":"m","api_key":"secret"})", "/behaviours/a/api_key"}}) {
    const auto got = read(text);
    INFO(text);
    REQUIRE_FALSE(got);
    CHECK(got.error().pointer == pointer);
  }
}
