#include "runtime/outside/participants/fake_agent.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/a2a_agent.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

namespace json = protocol::json;
using host::host_access;

/// A card with one usable interface and these members.
std::string card_of(const std::string& url, const std::string& more = {}) {
  return R"({"supportedInterfaces": [{"url": ")" + url
         + R"(", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}])"
         + more + '}';
}

constexpr auto schemes = R"(, "securitySchemes": {
  "b": {"httpAuthSecurityScheme": {"scheme": "bearer"}},
  "k": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
  "q": {"apiKeySecurityScheme": {"location": "query", "name": "key"}},
  "h": {"apiKeySecurityScheme": {"location": "header", "name": "Host"}},
  "o": {"oauth2SecurityScheme": {}}})";

/// A card that wants one of these.
std::string secured(const std::string& requirements) {
  return card_of("https://a.example/x",
                 schemes + (R"(, "securityRequirements": [)" + requirements)
                   + ']');
}

std::string code_of(const std::string& text, const std::string& key = {},
                    host_access may = host_access::with_key) {
  const auto got
    = host::read_agent_card(text, "https://a.example/card", key,
                            [&](const host::url_origin&) { return may; });
  return got ? "" : got.error().code;
}

/// The header in which the key goes, as one line.
std::string header_for(const std::string& text) {
  const auto got = host::read_agent_card(
    text, "https://a.example/card", "planted",
    [](const host::url_origin&) { return host_access::allowed; });
  return got ? got->key.name + ": " + got->key.value : got.error().code;
}

} // namespace

TEST_CASE("a card that cannot be used fails the turn with the reason") {
  const auto [card, code, part]
    = GENERATE(table<std::string, std::string, std::string>(
      {{"hello", "agent_card_invalid", "not JSON"},
       {"[]", "agent_card_invalid", "not a JSON object"},
       {"{}", "agent_card_invalid", "supportedInterfaces"},
       {R"({"protocolVersion": "0.3.0"})", "agent_card_invalid", "nor url"},
       {R"({"protocolVersion": "0.3.0", "url": 7})", "agent_card_invalid",
        "nor url"},
       {R"({"protocolVersion": "0.2.6", "url": "http://a/"})",
        "agent_version_unsupported", R"("JSONRPC" "0.2.6")"},
       {R"({"protocolVersion": "0.3.0", "url": "http://a/",
           "preferredTransport": "GRPC"})",
        "agent_version_unsupported", R"("GRPC" "0.3.0")"},
       {R"({"protocolVersion": "0.3.0", "url": "ftp://a/"})",
        "agent_host_refused", "cannot be called"},
       {R"({"supportedInterfaces": [1, {"protocolBinding": "GRPC",
           "protocolVersion": "1.0"}, {"protocolBinding": "JSONRPC",
           "protocolVersion": "0.30"}, {"protocolBinding": "JSONRPC",
           "protocolVersion": "1.00"}]})",
        "agent_version_unsupported",
        R"("GRPC" "1.0", "JSONRPC" "0.30", "JSONRPC" "1.00")"},
       {card_of("ftp://a/"), "agent_host_refused", "cannot be called"},
       {card_of("http://a/?b"), "agent_card_invalid", "query"},
       {card_of("http://a/" + std::string(3000, 'x')), "agent_host_refused",
        "2048 bytes"},
       {card_of("http://a/", R"(, "capabilities": {"extensions": [
          {"uri": "urn:x"}, {"uri": "urn:y", "required": true}]})"),
        "agent_extension_required", R"("urn:y")"}}));
  CAPTURE(card);
  fake_agent agent{[](const auto&, auto) { return message_answer("1"); }};
  agent.card = card;
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.error.code == code);
  CHECK_THAT(got.error.message, Catch::Contains(part));
  CHECK(agent.lines() == std::vector<std::string>{"GET /card"});
}

TEST_CASE("a card does not lead to a host that is not allowed") {
  const auto* second = GENERATE("HTTP+JSON", "JSONRPC");
  fake_agent agent{[](const auto&, auto) { return message_answer("1"); }};
  agent.card = R"({"supportedInterfaces": [
    {"url": ")" + agent.url("/a2a")
               + R"(", "protocolBinding": "HTTP+JSON",
     "protocolVersion": "1.0"},
    {"url": "http://elsewhere.example:81/", "protocolVersion": "1.0",
     "protocolBinding": ")"
               + second + R"("}]})";
  const auto got = ask_agent({.card = agent.url("/card")}, {},
                             [](const host::url_origin& origin) {
                               return origin.host == "127.0.0.1"
                                        ? host_access::with_key
                                        : host_access::refused;
                             });
  CHECK(got.error.code == "agent_host_refused");
  CHECK_THAT(got.error.message,
             Catch::Contains("the agent card of " + agent.url(""))
               && Catch::Contains("leads to http://elsewhere.example:81")
               && Catch::Contains("--allow net=elsewhere.example:81"));
  CHECK(agent.lines() == std::vector<std::string>{"GET /card"});
}

TEST_CASE("a card that came by https does not lead to http") {
  CHECK(code_of(card_of("https://b.example/")).empty());
  CHECK(code_of(card_of("http://b.example/")) == "agent_host_refused");
}

TEST_CASE("a key goes where the card wants it") {
  const auto [wanted, header] = GENERATE(table<std::string, std::string>(
    {{R"({"schemes": {"b": {"list": []}}})", "Authorization: Bearer planted"},
     {R"({"schemes": {"k": {}}})", "X-Key: planted"},
     {R"({"schemes": {"o": {}}}, {"schemes": {"k": {}}})", "X-Key: planted"},
     {R"({"schemes": {"b": {}, "k": {}}})", "agent_security_unsupported"},
     {R"({"schemes": {"q": {}}})", "agent_security_unsupported"},
     {R"({"schemes": {"h": {}}})", "agent_security_unsupported"},
     {R"({"schemes": {"o": {}}})", "agent_security_unsupported"},
     {R"({"schemes": {"gone": {}}})", "agent_security_unsupported"}}));
  CHECK(header_for(secured(wanted)) == header);
}

TEST_CASE("a key that a card has no use for is refused") {
  CHECK(header_for(card_of("https://a.example/"))
        == "agent_security_unsupported");
  CHECK(code_of(card_of("https://a.example/")).empty());
  // The schemes alone say enough.
  CHECK(header_for(card_of("https://a.example/", schemes))
        == "Authorization: Bearer planted");
}

TEST_CASE("without a key an agent is called only if it wants none") {
  CHECK(code_of(secured(R"({"schemes": {"b": {}}})")) == "agent_key_missing");
  CHECK(code_of(secured(R"({"schemes": {"o": {}}})"))
        == "agent_security_unsupported");
  CHECK(code_of(secured(R"({"schemes": {"b": {}}}, {})")).empty());
  CHECK(code_of(secured("")).empty());
}

TEST_CASE("a key goes to the card's own host, or to one that was named") {
  const auto card = card_of("https://b.example/", schemes);
  CHECK(code_of(card, "k", host_access::with_key).empty());
  CHECK(code_of(card, "k", host_access::allowed) == "agent_key_refused");
  CHECK(code_of(card_of("https://a.example:444/", schemes), "k",
                host_access::allowed)
        == "agent_key_refused");
}

TEST_CASE("a key is a header of every call, and not of the card") {
  fake_agent agent{[](const auto&, std::size_t number) {
    return number == 0 ? task_answer("WORKING")
                       : answer_with(task_text("COMPLETED"));
  }};
  agent.card = agent.interface_card(R"("HTTP+JSON")", schemes);
  const auto got = ask_agent({.card = agent.url("/card")}, "planted");
  CHECK(got.status == protocol::reply_status::completed);
  const auto heard = agent.heard();
  REQUIRE(heard.size() == 3);
  CHECK(header_in(heard[0], "Authorization").empty());
  CHECK(header_in(heard[1], "Authorization") == "Bearer planted");
  CHECK(header_in(heard[2], "Authorization") == "Bearer planted");
}

TEST_CASE("a card is read again after a call that failed") {
  fake_agent agent{[](const auto&, std::size_t number) {
    return number == 0 ? answer_with("", "text/plain", "404 Not Found")
                       : message_answer(R"({"text": "ok"})");
  }};
  caller by{{.card = agent.url("/card")}};
  CHECK(test::answer_of(by.who, test::a_turn_of("go")).error.code
        == "http_status");
  CHECK(test::answer_of(by.who, test::a_turn_of("go")).content == "ok");
  CHECK(agent.lines()
        == std::vector<std::string>{"GET /card", "POST /a2a/message:send",
                                    "GET /card", "POST /a2a/message:send"});
}

TEST_CASE("an agent's settings are read strictly") {
  const auto read = [](const char* text) {
    return host::read_a2a_settings(boost::json::parse(text), "/b/a");
  };
  CHECK(read(R"({"type":"a2a","card":"https://a.example/x"})").value()
        == host::a2a_settings{.card = "https://a.example/x"});
  const auto full = read(R"({"type":"a2a","card":"https://a/","context":"turn",
    "api_key_env":"S","workspace":"changes","timeout_ms":5,"retries":0,
    "repeatable":false,"limits":{"calls":2}})");
  REQUIRE(full);
  CHECK(full->context == host::a2a_context::turn);
  CHECK_FALSE(full->repeatable);
  for (const auto& [text, pointer] :
       std::vector<std::pair<const char*, const char*>>{
         {R"({"type":"a2a"})", "/b/a"},
         {R"({"card":"ftp://a/"})", "/b/a/card"},
         {R"({"card":"http://u:p@a/"})", "/b/a/card"},
         {R"({"card":"http://a/","context":"x"})", "/b/a/context"},
         {R"({"card":"http://a/","headers":{}})", "/b/a/headers"}}) {
    const auto got = read(text);
    INFO(text);
    REQUIRE_FALSE(got);
    CHECK(got.error().pointer == pointer);
  }
}
