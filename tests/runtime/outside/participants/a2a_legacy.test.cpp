#include "runtime/outside/participants/fake_agent.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/a2a_legacy.hpp>
#include <convene/runtime/outside/participants/a2a_message.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

namespace json = protocol::json;

/// The card of an agent that has never heard of 1.0.
std::string legacy_card(const fake_agent& agent, const std::string& more = {}) {
  return R"({"name": "old", "protocolVersion": "0.3.0", "version": "1",
    "url": ")"
         + agent.url("/a2a") + R"(", "capabilities": {}, "skills": [],
    "defaultInputModes": [], "defaultOutputModes": [])"
         + more + '}';
}

raw_answer rpc_result(const std::string& result) {
  return answer_with(R"({"jsonrpc": "2.0", "id": 1, "result": )" + result
                     + '}');
}

std::string legacy_task(const std::string& state,
                        const std::string& more = {}) {
  return R"({"kind": "task", "id": "t/1", "contextId": "c", "history": [7],
    "status": {"state": ")"
         + state + R"(", "message": {"kind": "message", "role": "agent",
    "messageId": "m", "parts": [{"kind": "text", "text": "said"}]}})"
         + more + '}';
}

std::string method_of(const heard_request& request) {
  return std::string{json::parse(request.body).at("method").as_string()};
}

/// What a card makes of its agent: "0.3 http_json https://a.example/x", or the
/// code of its error.
std::string read_as(const std::string& card) {
  const auto got = host::read_agent_card(card, "https://a.example/card", {},
                                         [](const host::url_origin&) {
                                           return host::host_access::with_key;
                                         });
  if (!got)
    return got.error().code;
  return std::string{got->is_legacy ? "0.3" : "1.0"}
         + (got->binding == host::a2a_binding::json_rpc ? " JSONRPC "
                                                        : " HTTP+JSON ")
         + got->url;
}

} // namespace

TEST_CASE("an agent of A2A 0.3 is called by JSON-RPC as it is used to") {
  fake_agent agent{[](const heard_request&, std::size_t number) {
    if (number == 0)
      return rpc_result(legacy_task("submitted"));
    if (number == 1)
      return rpc_result(legacy_task("working"));
    return rpc_result(legacy_task("completed", R"(, "artifacts": [
      {"artifactId": "a", "parts": [{"kind": "text", "text": "one"},
        {"kind": "file", "file": {"uri": "https://a/", "mimeType": "x/y"}}]},
      {"artifactId": "b", "parts": [{"kind": "text", "text": "two"},
        {"kind": "data", "data": {"n": 1}, "metadata": null}]}])"));
  }};
  agent.card = legacy_card(agent);
  CHECK(ask_agent({.card = agent.url("/card")})
        == protocol::reply{.content = "one\ntwo", .result = {{"n", 1}}});
  const auto heard = agent.heard();
  REQUIRE(heard.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(heard[i].line == "POST /a2a");
    CHECK(header_in(heard[i], "A2A-Version") == "0.3");
    CHECK(header_in(heard[i], "Content-Type") == "application/json");
    CHECK(method_of(heard[i]) == (i == 1 ? "message/send" : "tasks/get"));
  }
  const auto params = json::parse(heard[1].body).at("params");
  const auto& message = params.at("message").as_object();
  CHECK(message.at("kind") == "message");
  CHECK(message.at("role") == "user");
  CHECK(message.at("messageId").as_string().size() == 36);
  const auto& parts = message.at("parts").as_array();
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].at("kind") == "text");
  CHECK(parts[0].at("text").as_string().find("The task: go")
        != std::string::npos);
  CHECK(parts[1].at("kind") == "data");
  CHECK(parts[1].at("data").at("task") == "go");
  CHECK(parts[1].at("metadata").at("mediaType")
        == "application/vnd.convene.request+json");
  for (const auto& part : parts)
    CHECK_FALSE(part.as_object().contains("mediaType"));
  const auto& how = params.at("configuration").as_object();
  CHECK(how.at("blocking") == false);
  CHECK(how.at("acceptedOutputModes").as_array().size() == 4);
  CHECK_FALSE(how.contains("returnImmediately"));
  CHECK(json::parse(heard[2].body).at("params").at("id") == "t/1");
}

TEST_CASE("a message of an agent of A2A 0.3 is the reply, or has one") {
  const auto [parts, content, code]
    = GENERATE(table<std::string, std::string, std::string>(
      {{R"({"kind": "text", "text": "hello"})", "hello", ""},
       {R"({"kind": "data", "data": {"content": "own"}, "metadata":
          {"mediaType": "application/vnd.convene.reply+json"}})",
        "own", ""},
       {R"({"kind": "text", "text": "a", "data": {}})", "",
        "agent_answer_invalid"},
       {R"({"kind": "file", "file": {"name": "a.txt"}})", "",
        "agent_answer_invalid"},
       {R"({"kind": "text"})", "", "agent_answer_invalid"},
       {R"({"kind": "form", "form": {}})", "", "agent_answer_invalid"}}));
  CAPTURE(parts);
  fake_agent agent{[&, parts = parts](const auto&, auto) {
    return rpc_result(R"({"kind": "message", "role": "agent",
                       "messageId": "m", "parts": [)"
                      + parts + "]}");
  }};
  agent.card = legacy_card(agent);
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.content == content);
  CHECK(got.error.code == code);
}

TEST_CASE("an agent of A2A 0.3 is called by HTTP+JSON as it is used to") {
  const bool as_task = GENERATE(true, false);
  fake_agent agent{[&](const heard_request&, std::size_t number) {
    const std::string message = R"({"messageId": "m", "role": "ROLE_AGENT",
      "content": [{"text": "hello"}, {"data": {"data": {"n": 1}}},
                  {"file": {"fileWithUri": "https://a/"}}]})";
    if (!as_task)
      return answer_with(R"({"message": )" + message + '}');
    return number == 0
             ? answer_with(R"({"task": {"id": "t/1", "contextId": "c",
                            "status": {"state": "TASK_STATE_WORKING"}}})")
             : answer_with(R"({"id": "t/1", "status": {"message": )" + message
                           + R"(, "state": "TASK_STATE_COMPLETED"}})");
  }};
  agent.card = legacy_card(agent, R"(, "preferredTransport": "HTTP+JSON")");
  CHECK(ask_agent({.card = agent.url("/card")})
        == protocol::reply{.content = "hello", .result = {{"n", 1}}});
  const auto heard = agent.heard();
  CHECK(heard.at(1).line == "POST /a2a/v1/message:send");
  if (as_task)
    CHECK(heard.at(2).line == "GET /a2a/v1/tasks/t%2F1?historyLength=0");
  CHECK(header_in(heard[1], "A2A-Version") == "0.3");
  const auto body = json::parse(heard[1].body);
  const auto& message = body.at("message").as_object();
  CHECK(message.at("role") == "ROLE_USER");
  CHECK_FALSE(message.contains("parts"));
  const auto& parts = message.at("content").as_array();
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].as_object().size() == 1);
  CHECK(parts[0].as_object().contains("text"));
  CHECK(parts[1].at("data").at("data").at("task") == "go");
  CHECK(body.at("configuration").at("blocking") == false);
}

TEST_CASE("how a task of A2A 0.3 ends is the turn's error") {
  const auto [state, code] = GENERATE(table<std::string, std::string>(
    {{"failed", "agent_failed"},
     {"rejected", "agent_rejected"},
     {"canceled", "agent_cancelled"},
     {"TASK_STATE_CANCELLED", "agent_cancelled"},
     {"input-required", "agent_input_required"},
     {"auth-required", "agent_auth_required"},
     {"unknown", "agent_answer_invalid"}}));
  CAPTURE(state);
  fake_agent agent{[state = state](const auto&, auto) {
    return rpc_result(legacy_task(state));
  }};
  agent.card = legacy_card(agent);
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.error.code == code);
  if (state != "unknown")
    CHECK(got.error.message.ends_with(": said"));
  // Nobody gives it what it waits for.
  if (state.ends_with("-required"))
    CHECK(method_of(agent.heard().back()) == "tasks/cancel");
}

TEST_CASE("what an agent of A2A 0.3 reports fails the turn with its words") {
  const auto [answer, code] = GENERATE(table<std::string, std::string>(
    {{R"({"jsonrpc": "2.0", "id": 1, "error": {"code": -32005,
          "message": "no such mode"}})",
      "agent_error"},
     {R"({"jsonrpc": "2.0", "id": 1, "result": {"kind": "status-update",
          "status": {"state": "no such mode"}}})",
      "agent_answer_invalid"}}));
  fake_agent agent{
    [answer = answer](const auto&, auto) { return answer_with(answer); }};
  agent.card = legacy_card(agent);
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.error.code == code);
  CHECK(got.error.message.find(code == "agent_error"
                                 ? "no such mode (-32005)"
                                 : "neither a message nor a task")
        != std::string::npos);
}

TEST_CASE("an error of HTTP+JSON of A2A 0.3 is told in its words") {
  fake_agent agent{[](const auto&, auto) {
    return answer_with(R"({"code": -32005, "message": "no such mode"})",
                       "application/json", "400 Bad Request");
  }};
  agent.card = legacy_card(agent, R"(, "preferredTransport": "HTTP+JSON")");
  CHECK(ask_agent({.card = agent.url("/card")})
          .error.message.ends_with(": no such mode"));
}

TEST_CASE("a card is read in the version that it or its interfaces name") {
  const auto [card, wanted] = GENERATE(table<std::string, std::string>(
    {{R"({"supportedInterfaces": [{"url": "https://a.example/x",
          "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]})",
      "1.0 JSONRPC https://a.example/x"},
     // The card says nothing, nor does the interface, whose form is of 1.0.
     {R"({"supportedInterfaces": [{"url": "https://a.example/x",
          "protocolBinding": "HTTP+JSON"}]})",
      "1.0 HTTP+JSON https://a.example/x"},
     {R"({"supportedInterfaces": [{"url": "https://a.example/x",
          "protocolBinding": "HTTP+JSON", "protocolVersion": ""}]})",
      "1.0 HTTP+JSON https://a.example/x"},
     {R"({"protocolVersion": "0.3.0", "url": "https://a.example/y",
          "supportedInterfaces": [{"url": "https://a.example/x",
          "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}]})",
      "1.0 HTTP+JSON https://a.example/x"},
     {R"({"protocolVersion": "0.3.0", "supportedInterfaces": [
          {"url": "https://a.example/x", "protocolBinding": "JSONRPC"}]})",
      "0.3 JSONRPC https://a.example/x"},
     // 1.0 comes first, wherever it stands.
     {R"({"supportedInterfaces": [{"url": "https://a.example/x",
          "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
          {"url": "https://a.example/y", "protocolBinding": "HTTP+JSON",
          "protocolVersion": "1.0.1"}]})",
      "1.0 HTTP+JSON https://a.example/y"},
     {R"({"supportedInterfaces": [{"url": "https://a.example/x",
          "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
          {"url": "https://a.example/y", "protocolBinding": "HTTP+JSON",
          "protocolVersion": "0.3"}]})",
      "0.3 JSONRPC https://a.example/x"},
     {R"({"url": "https://a.example/x"})", "0.3 JSONRPC https://a.example/x"},
     {R"({"url": "https://a.example/x", "supportedInterfaces": []})",
      "0.3 JSONRPC https://a.example/x"},
     {R"({"protocolVersion": "0.3.2", "url": "https://a.example/x",
          "preferredTransport": "HTTP+JSON"})",
      "0.3 HTTP+JSON https://a.example/x"},
     {R"({"protocolVersion": "0.3.0", "url": "https://a.example/x",
          "preferredTransport": "GRPC", "additionalInterfaces": [
          {"url": "https://a.example/x", "transport": "GRPC"}, 7,
          {"url": "https://a.example/y", "transport": "JSONRPC"}]})",
      "0.3 JSONRPC https://a.example/y"},
     {R"({"protocolVersion": "1.0", "url": "https://a.example/x"})",
      "1.0 JSONRPC https://a.example/x"},
     // Where a card leads is judged alike.
     {R"({"protocolVersion": "0.3.0", "url": "http://a.example/x"})",
      "agent_host_refused"},
     {R"({"protocolVersion": "0.3.0", "url": "https://a.example/x",
          "additionalInterfaces": [{"url": "http://a.example/",
          "transport": "HTTP+JSON"}]})",
      "agent_host_refused"},
     {R"({"protocolVersion": "0.3.0", "url": "https://a.example/x",
          "capabilities": {"extensions": [{"uri": "u", "required": true}]}})",
      "agent_extension_required"}}));
  CAPTURE(card);
  CHECK(read_as(card) == wanted);
}

TEST_CASE("a card of A2A 0.3 says where the key goes") {
  const auto [security, header] = GENERATE(table<std::string, std::string>(
    {{R"([{"b": []}])", "Authorization: Bearer planted"},
     {R"([{"k": ["read"]}])", "X-Key: planted"},
     {R"([{"o": []}, {"k": []}])", "X-Key: planted"},
     {R"([{"b": [], "k": []}])", "agent_security_unsupported"},
     {R"([{"q": []}])", "agent_security_unsupported"},
     {R"([{"gone": []}])", "agent_security_unsupported"}}));
  const auto got = host::read_agent_card(
    R"({"protocolVersion": "0.3.0", "url": "https://a.example/x",
        "securitySchemes": {
          "b": {"type": "http", "scheme": "Bearer"},
          "k": {"type": "apiKey", "in": "header", "name": "X-Key"},
          "q": {"type": "apiKey", "in": "query", "name": "key"},
          "o": {"type": "oauth2", "flows": {}}},
        "security": )"
      + security + '}',
    "https://a.example/card", "planted",
    [](const host::url_origin&) { return host::host_access::allowed; });
  CHECK((got ? got->key.name + ": " + got->key.value : got.error().code)
        == header);
}

TEST_CASE("data that A2A 0.3 can only wrap is taken out of its wrapping") {
  const auto [part, wanted] = GENERATE(table<std::string, std::string>(
    {{R"({"kind": "data", "data": {"value": [1]},
          "metadata": {"data_part_compat": true}})",
      "[1]"},
     {R"({"kind": "data", "data": {"value": [1]}})", R"({"value": [1]})"},
     {R"({"kind": "data", "data": {"data": 1}})", R"({"data": 1})"},
     {R"({"data": {"data": {"value": 1}}})", R"({"value": 1})"},
     {R"({"data": {"data": 1, "more": 2}})", R"({"data": 1, "more": 2})"}}));
  CAPTURE(part);
  const auto got = host::modern_answer(
    json::parse(R"({"kind": "message", "parts": [)" + part + "]}").as_object());
  CHECK(got.at("message").at("parts").at(0).at("data") == json::parse(wanted));
}

TEST_CASE("an answer of A2A 0.3 is known without its kind") {
  const auto [answer, name] = GENERATE(table<std::string, std::string>(
    {{R"({"id": "t", "status": {"state": "working"}})", "task"},
     {R"({"messageId": "m", "parts": [{"text": "a"}]})", "message"},
     {R"({"msg": {"content": [{"text": "a"}]}})", "message"},
     {R"({"kind": "status-update", "status": {"state": "working"}})", ""},
     {"{}", ""}}));
  CAPTURE(answer);
  const auto got = host::read_a2a_answer(
    host::modern_answer(json::parse(answer).as_object()));
  CHECK(got.has_value() != name.empty());
  if (got)
    CHECK((got->state == host::a2a_state::message) == (name == "message"));
}

TEST_CASE("a file of A2A 0.3 is one of 1.0") {
  const auto got = host::modern_answer(
    json::parse(R"({"kind": "message", "role": "agent", "parts": [
      {"kind": "file", "file": {"bytes": "aGk=", "mimeType": "text/x",
                                "name": "a"}},
      {"file": {"fileWithUri": "https://a/"}}]})")
      .as_object());
  CHECK(json::value(got) == json::parse(R"({"message": {"role": "ROLE_AGENT",
    "parts": [{"raw": "aGk=", "mediaType": "text/x", "filename": "a"},
              {"url": "https://a/"}]}})"));
}
