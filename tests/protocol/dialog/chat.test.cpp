#include "talk.hpp"

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
    CHECK(from_openai(to_openai(said).body, noon)->messages == said);
    CHECK(from_anthropic(to_anthropic(said).value().body, noon)->messages
          == said);
  }
  const auto agents = talk({{user, "u"}, {agent, "a"}});
  CHECK(from_openai(to_openai(agents).body, noon)->messages
        == talk({{user, "u"}, {assistant, "a"}}));
}
