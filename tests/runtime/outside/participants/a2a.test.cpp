#include "runtime/outside/participants/fake_agent.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

using namespace convene;
using namespace convene::tests;

TEST_CASE("a turn is a message to the agent, and its answer is the reply") {
  fake_agent agent{[](const auto&, auto) {
    return message_answer(R"({"text": "hello"}, {"text": "there"},
                      {"data": {"n": 1}, "mediaType": "application/json"})");
  }};
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got
        == protocol::reply{.content = "hello\nthere", .result = {{"n", 1}}});
  const auto heard = agent.heard();
  REQUIRE(agent.lines()
          == std::vector<std::string>{"GET /card", "POST /a2a/message:send"});
  CHECK(header_in(heard[1], "A2A-Version") == "1.0");
  CHECK(header_in(heard[1], "Content-Type") == "application/a2a+json");
  const auto body = boost::json::parse(heard[1].body);
  const auto& sent = body.at("message");
  CHECK(sent.at("role") == "ROLE_USER");
  CHECK(sent.at("messageId").as_string().size() == 36);
  const auto& parts = sent.at("parts").as_array();
  REQUIRE(parts.size() == 2);
  CHECK(std::string{parts[0].at("text").as_string()}.find("The task: go")
        != std::string::npos);
  CHECK(parts[1].at("mediaType") == "application/vnd.convene.request+json");
  CHECK(parts[1].at("data").at("task") == "go");
  CHECK_FALSE(parts[1].at("data").as_object().contains("token"));
  CHECK_FALSE(parts[1].at("data").as_object().contains("deadline"));
  CHECK(body.at("configuration").at("returnImmediately") == true);
}

TEST_CASE("turns of a participant share a context, and have the card once") {
  fake_agent agent{
    [](const auto&, auto) { return message_answer(R"({"text": "x"})"); }};
  const bool shared = GENERATE(true, false);
  caller by{
    {.card = agent.url("/card"),
     .context = shared ? host::a2a_context::session : host::a2a_context::turn}};
  test::answer_of(by.who, test::a_turn_of("one"));
  test::answer_of(by.who, test::a_turn_of("two"));
  auto other = test::a_turn_of("three");
  other.session_id = "s-2";
  test::answer_of(by.who, std::move(other));
  const auto heard = agent.heard();
  REQUIRE(heard.size() == 4);
  std::vector<std::string> contexts;
  for (std::size_t i = 1; i < heard.size(); ++i) {
    const auto body = boost::json::parse(heard[i].body);
    const auto* id = body.at("message").as_object().if_contains("contextId");
    contexts.push_back(id ? std::string{id->as_string()} : "");
  }
  CHECK(contexts[0] == contexts[1]);
  CHECK(contexts[0].empty() == !shared);
  CHECK((contexts[0] != contexts[2]) == shared);
}

TEST_CASE("an agent that speaks JSON-RPC is called so, with its tenant") {
  fake_agent agent{[](const heard_request& request, std::size_t number) {
    const auto method = boost::json::parse(request.body).at("method");
    CHECK(method == (number == 0 ? "SendMessage" : "GetTask"));
    return number == 0
             ? answer_with(R"({"jsonrpc": "2.0", "id": 1, "result":
                           {"task": )"
                           + task_text("WORKING") + "}}")
             : answer_with(R"({"jsonrpc": "2.0", "id": 1, "result": )"
                           + task_text("COMPLETED", status_message("done"))
                           + "}");
  }};
  agent.card = R"({"supportedInterfaces": [
    {"url": "grpc.example:1", "protocolBinding": "GRPC",
     "protocolVersion": "1.0"},
    {"url": ")" + agent.url("/old")
               + R"(", "protocolBinding": "JSONRPC",
     "protocolVersion": "0.3"},
    {"url": ")" + agent.url("/rpc")
               + R"(", "protocolBinding": "JSONRPC",
     "protocolVersion": "1.0", "tenant": "blue"}]})";
  CHECK(ask_agent({.card = agent.url("/card")}).content == "done");
  const auto heard = agent.heard();
  REQUIRE(heard.size() == 3);
  CHECK(heard[1].line == "POST /rpc");
  const auto params = boost::json::parse(heard[2].body).at("params");
  CHECK(params.at("id") == "t/1");
  CHECK(params.at("tenant") == "blue");
}

TEST_CASE("what a JSON-RPC agent reports fails the turn with its words") {
  const std::string answer = GENERATE(
    R"({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602,
        "message": "no such"}})",
    R"({"jsonrpc": "2.0", "id": 1})");
  fake_agent agent{[&](const auto&, auto) { return answer_with(answer); }};
  agent.card = agent.interface_card(R"("JSONRPC")");
  const auto got = ask_agent({.card = agent.url("/card")});
  const bool reported = answer.find("error") != answer.npos;
  CHECK(got.error.code == (reported ? "agent_error" : "agent_answer_invalid"));
  CHECK((got.error.message.find("no such (-32602)") != std::string::npos)
        == reported);
}

TEST_CASE("an answer is read whole: texts, data, and what a null leaves out") {
  fake_agent agent{[](const auto&, auto) {
    return message_answer(R"({"text": "one", "data": null, "url": null},
      {"data": {"n": 1}, "text": null}, {"url": "https://a.example/"},
      {"text": "two", "kind": "text"})");
  }};
  CHECK(ask_agent({.card = agent.url("/card")})
        == protocol::reply{.content = "one\ntwo", .result = {{"n", 1}}});
}

TEST_CASE("an agent hears which media types its answer may have") {
  fake_agent agent{
    [](const auto&, auto) { return message_answer(R"({"text": "x"})"); }};
  ask_agent({.card = agent.url("/card")});
  const auto body = boost::json::parse(agent.heard().at(1).body);
  CHECK(body.at("configuration").at("acceptedOutputModes")
        == boost::json::array{"text/plain", "text/markdown", "application/json",
                              "application/vnd.convene.reply+json"});
}

TEST_CASE("a data part that says so is the reply") {
  const std::string type = "application/vnd.convene.reply+json";
  const auto part = [&](const std::string& reply) {
    return R"({"data": )" + reply + R"(, "mediaType": ")" + type + R"("})";
  };
  const auto [parts, content, code]
    = GENERATE_COPY(table<std::string, std::string, std::string>(
      {{part(R"({"content": "own", "end": true})") + R"(,{"text": "text"})",
        "own", ""},
       {part(R"({"end": true})") + R"(,{"text": "text"})", "text", ""},
       {part(R"({"ends": true})"), "", "agent_reply_invalid"},
       {part(R"([])"), "", "agent_reply_invalid"},
       {part("{}") + ',' + part("{}"), "", "agent_reply_invalid"}}));
  const bool as_task = GENERATE(false, true);
  fake_agent agent{[&, parts = parts](const auto&, auto) {
    return as_task
             ? answer_with(R"({"task": {"id": "t", "artifacts": [{"parts": [)"
                           + parts + R"(]}], "status": {"state":
                                "TASK_STATE_COMPLETED"}}})")
             : message_answer(parts);
  }};
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.content == content);
  CHECK(got.error.code == code);
  CHECK(got.end == code.empty());
}

TEST_CASE("a message is sent again with the same id, if that is harmless") {
  fake_agent agent{[](const auto&, std::size_t number) {
    return number < 2 ? answer_with("", "text/plain", "503 Busy")
                      : message_answer(R"({"text": "ok"})");
  }};
  SECTION("it is") {
    CHECK(ask_agent({.card = agent.url("/card")}).content == "ok");
    std::vector<std::string> bodies;
    for (const auto& each : agent.heard())
      if (!each.body.empty())
        bodies.push_back(each.body);
    REQUIRE(bodies.size() == 3);
    CHECK(bodies[0] == bodies[2]);
  }
  SECTION("it is not") {
    CHECK(
      ask_agent({.card = agent.url("/card"), .repeatable = false}).error.code
      == "server_error");
    CHECK(agent.lines().size() == 2);
  }
}

TEST_CASE("what an agent answers wrongly fails the turn with the reason") {
  const auto [body, part] = GENERATE(table<std::string, std::string>(
    {{"", "not JSON"},
     {"hello", "not JSON"},
     {"[]", "not a JSON object"},
     {"{}", "neither a message nor a task"},
     {R"({"task": {}, "message": {}})", "neither a message nor a task"},
     {R"({"message": 1})", "no object"},
     {R"({"message": {"parts": []}})", "without parts"},
     {R"({"task": {"status": {"state": "TASK_STATE_WORKING"}}})",
      R"(usable id: "")"},
     {R"({"task": {"id": "..", "status": {"state": "TASK_STATE_WORKING"}}})",
      R"(usable id: "..")"},
     {R"({"task": {"id": "t", "status": {"state": "working"}}})",
      "unknown state: \"working\""},
     {R"({"message": {"parts": [{"text": "a"}, {"text": "b", "data": {}}]}})",
      "/message/parts/1 of the agent's answer has `text` and `data`"},
     {R"({"message": {"parts": [{}]}})", "/message/parts/0"},
     {R"({"message": {"parts": ["a"]}})", "must be an object"},
     {R"({"message": {"parts": [{"text": ["a"]}]}})",
      "/message/parts/0/text of the agent's answer must be a text"},
     {R"({"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"},
          "artifacts": [{"parts": [{"text": "a"}]},
                        {"parts": [{"raw": "aGk=", "data": [1]}]}]}})",
      "/task/artifacts/1/parts/0 of the agent's answer has `data` and `raw`"},
     {R"({"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED",
          "message": {"parts": [{"mediaType": "text/plain"}]}}}})",
      "/task/status/message/parts/0 of the agent's answer has no content"}}));
  fake_agent agent{
    [&, body = body](const auto&, auto) { return answer_with(body); }};
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.error.code == "agent_answer_invalid");
  CHECK_THAT(got.error.message, Catch::Contains(part));
}

TEST_CASE("an agent that answers with another task than asked for is refused") {
  fake_agent agent{[](const heard_request& request, std::size_t number) {
    return number == 0 || request.line.ends_with(":cancel")
             ? task_answer("WORKING")
             : answer_with(R"({"id": "u", "status":
                             {"state": "TASK_STATE_COMPLETED"}})");
  }};
  CHECK(ask_agent({.card = agent.url("/card")}).error.code
        == "agent_answer_invalid");
}

TEST_CASE("an agent's or a card's answer that is too long is cut off") {
  const bool card = GENERATE(true, false);
  const raw_answer endless{"HTTP/1.1 200 OK\r\n\r\n" + std::string(1000, ' '),
                           then_do::repeat, 1000};
  fake_agent agent{[&](const auto&, auto) { return endless; }};
  CHECK(ask_agent({.card = agent.url(card ? "/endless" : "/card")}).error.code
        == "answer_bytes_max");
}

TEST_CASE("an agent's error is told in its words, and without the key") {
  fake_agent agent{[](const auto&, auto) {
    return answer_with(R"({"error": {"code": 400, "message":
      "bad planted message"}})",
                       "application/json", "400 Bad Request");
  }};
  agent.card = agent.interface_card(R"("HTTP+JSON")", R"(, "securitySchemes":
    {"b": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}})");
  const auto got = ask_agent({.card = agent.url("/card")}, "planted");
  CHECK(got.error.code == "http_status");
  CHECK(got.error.message.ends_with(": bad *** message"));
}

TEST_CASE("a redirect to another place is refused, of a card too") {
  const bool card = GENERATE(true, false);
  fake_agent agent{[](const auto&, auto) {
    return answer_with("", "text/plain", "302 Found",
                       "Location: http://elsewhere.example/\r\n");
  }};
  CHECK(ask_agent({.card = agent.url(card ? "/moved" : "/card")}).error.code
        == "redirect_refused");
}
