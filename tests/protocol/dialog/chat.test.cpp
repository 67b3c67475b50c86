#include "talk.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/dialog/chat.hpp>

#include <random>

using namespace convene::protocol;
constexpr auto user = message_role::user;
constexpr auto agent = message_role::agent;
constexpr auto assistant = message_role::assistant;

namespace {

std::string text(const json::value& what) {
  return json::serialize(what);
}

using reader = result<std::vector<dialog_message>> (*)(const json::value&,
                                                       const std::string&);

} // namespace

TEST_CASE("for OpenAI an agent is the assistant and the order stays") {
  const auto made = to_openai(talk({{message_role::system, "s"},
                                    {user, "u"},
                                    {agent, "a"},
                                    {assistant, "b"}}));
  CHECK(made.notes.empty());
  CHECK(text(made.body)
        == R"({"messages":[{"role":"system","content":"s"},)"
           R"({"role":"user","content":"u"},)"
           R"({"role":"assistant","content":"a"},)"
           R"({"role":"assistant","content":"b"}]})");
}

TEST_CASE("for Anthropic the system stands apart and neighbours join") {
  const auto made = to_anthropic(talk({{message_role::system, "s"},
                                       {user, "u"},
                                       {agent, "a"},
                                       {assistant, "b"}}));
  REQUIRE(made);
  CHECK(made->notes.empty());
  CHECK(text(made->body)
        == R"({"system":"s","messages":[{"role":"user","content":"u"},)"
           R"({"role":"assistant","content":[{"type":"text","text":"a"},)"
           R"({"type":"text","text":"b"}]}]})");
}

TEST_CASE("what Anthropic's form cannot say is told in notes") {
  const auto made = to_anthropic(talk(
    {{user, "u"}, {agent, ""}, {message_role::system, "late"}, {agent, "a"}}));
  REQUIRE(made);
  REQUIRE(made->notes.size() == 2);
  CHECK_THAT(made->notes[0], Catch::Contains("message 2 is empty"));
  CHECK_THAT(made->notes[1], Catch::Contains("message 3"));
  CHECK(text(made->body)
        == R"({"system":"late","messages":[{"role":"user","content":"u"},)"
           R"({"role":"assistant","content":"a"}]})");
}

TEST_CASE("for Anthropic the user speaks first, with an opening if need be") {
  const auto said = talk({{message_role::system, "s"}, {agent, "a"}});
  const auto refused = to_anthropic(said);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "user_speaks_first");
  CHECK(refused.error().pointer == "/messages/1/role");
  const auto made = to_anthropic(said, "Begin.");
  REQUIRE(made);
  CHECK(made->notes.size() == 1);
  CHECK(made->body.at("messages").at(0).at("role") == "user");
  CHECK(made->body.at("messages").at(0).at("content") == "Begin.");
  CHECK(to_anthropic(talk({{user, "u"}}), "Begin.")->notes.empty());
}

TEST_CASE("a chat comes back as the dialog it was, agents as assistants") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 300; ++round) {
    auto said = talk({{message_role::system, "s"}, {user, "u"}});
    for (auto left = random() % 10; left > 0; --left)
      said.push_back({.role = random() % 2 == 0 ? user : assistant,
                      .content = std::string(1 + random() % 5, 'x'),
                      .timestamp = noon});
    CHECK(from_openai(to_openai(said).body, noon) == said);
    CHECK(from_anthropic(to_anthropic(said).value().body, noon) == said);
  }
  const auto agents = talk({{user, "u"}, {agent, "a"}});
  CHECK(from_openai(to_openai(agents).body, noon)
        == talk({{user, "u"}, {assistant, "a"}}));
}

TEST_CASE("chats are read as their interfaces write them") {
  CHECK(from_openai(json::parse(R"([{"role":"developer","content":"d"},
      {"role":"assistant","content":[{"type":"text","text":"a"}],
       "tool_calls":null,"name":"n"}])"),
                    noon)
        == talk({{message_role::system, "d"}, {assistant, "a"}}));
  CHECK(from_anthropic(json::parse(R"({"model":"m","messages":[],
      "system":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})"),
                       noon)
        == talk({{message_role::system, "a"}, {message_role::system, "b"}}));
}

TEST_CASE("a chat that is no text of known roles is refused with its place") {
  const auto [read, body, pointer]
    = GENERATE(table<reader, std::string, std::string>({
      {from_openai, "1", ""},
      {from_openai, R"({"messages":{}})", ""},
      {from_openai, "[1]", "/0"},
      {from_openai, R"([{"content":"x"}])", "/0"},
      {from_openai, R"([{"role":"user"}])", "/0"},
      {from_openai, R"([{"role":"agent","content":"x"}])", "/0/role"},
      {from_openai, R"({"messages":[{"role":"tool","content":"x"}]})",
       "/messages/0/role"},
      {from_openai, R"([{"role":"user","content":null}])", "/0/content"},
      {from_openai, R"([{"role":"user","content":[{"type":"image_url"}]}])",
       "/0/content/0/type"},
      {from_openai, R"([{"role":"user","content":[{"type":"text"}]}])",
       "/0/content/0"},
      {from_openai, R"([{"role":"user","content":[[]]}])", "/0/content/0"},
      {from_openai,
       R"([{"role":"assistant","content":"","tool_calls":[{"id":"1"}]}])",
       "/0/tool_calls"},
      {from_anthropic, R"([{"role":"system","content":"x"}])", "/0/role"},
      {from_anthropic, R"({"system":1,"messages":[]})", "/system"},
      {from_anthropic, R"({"system":"s"})", ""},
    }));
  CAPTURE(body);
  const auto refused = read(json::parse(body), noon);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == pointer);
  CHECK_FALSE(refused.error().message.empty());
}
