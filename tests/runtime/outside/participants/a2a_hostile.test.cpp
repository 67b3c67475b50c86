#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/a2a_agent.hpp>
#include <convene/runtime/outside/participants/a2a_message.hpp>
#include <convene/runtime/outside/participants/a2a_wire.hpp>
#include <support/dice.hpp>

#include <array>
#include <iterator>
#include <random>
#include <string>

using namespace convene;

namespace {

namespace json = protocol::json;

/// Something else in the place of a value.
json::value anything(test::dice& from) {
  static const std::array others{"null",
                                 "true",
                                 "-1",
                                 "1e300",
                                 R"("")",
                                 R"("..")",
                                 R"("1.0")",
                                 R"("http://[")",
                                 R"("HTTP+JSON")",
                                 R"("TASK_STATE_COMPLETED")",
                                 R"("application/vnd.convene.reply+json")",
                                 "[]",
                                 "[[]]",
                                 "{}",
                                 R"({"text": 1})",
                                 R"([{"data": [{}]}])"};
  return json::parse(others[from.below(others.size())]);
}

/// Replaces or removes something at some depth.
void disturb(json::value& what, test::dice& from) {
  auto* at = &what;
  for (;;) {
    auto* object = at->if_object();
    auto* array = at->if_array();
    const auto size = object ? object->size() : array ? array->size() : 0;
    if (size == 0 || from.below(8) == 0) {
      *at = anything(from);
      return;
    }
    const auto chosen = static_cast<std::ptrdiff_t>(from.below(size));
    if (object) {
      const auto member = std::next(object->begin(), chosen);
      if (from.below(8) == 0) {
        object->erase(member);
        return;
      }
      at = &member->value();
    } else {
      at = &*std::next(array->begin(), chosen);
    }
  }
}

constexpr auto a_card = R"({"name": "n", "version": "1",
  "supportedInterfaces": [{"url": "https://a.example/x", "tenant": "t",
    "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
    {"url": "https://a.example/y", "protocolBinding": "JSONRPC",
     "protocolVersion": "1.0"}],
  "capabilities": {"extensions": [{"uri": "urn:x", "required": false}]},
  "securitySchemes": {"b": {"httpAuthSecurityScheme": {"scheme": "bearer"}},
    "k": {"apiKeySecurityScheme": {"location": "header", "name": "X"}}},
  "securityRequirements": [{"schemes": {"b": {"list": []}}},
                           {"schemes": {"k": {"list": []}}}]})";

constexpr auto an_old_card = R"({"name": "n", "protocolVersion": "0.3.0",
  "url": "https://a.example/x", "preferredTransport": "HTTP+JSON",
  "additionalInterfaces": [{"url": "https://a.example/y",
                            "transport": "JSONRPC"}],
  "capabilities": {"extensions": [{"uri": "urn:x", "required": false}]},
  "securitySchemes": {"b": {"type": "http", "scheme": "bearer"},
    "k": {"type": "apiKey", "in": "header", "name": "X"}},
  "security": [{"b": []}, {"k": []}]})";

constexpr auto an_answer = R"({"jsonrpc": "2.0", "id": 1, "result": {
  "task": {"id": "t", "contextId": "c", "status": {"state":
    "TASK_STATE_COMPLETED", "message": {"parts": [{"text": "said"}]}},
    "artifacts": [{"parts": [{"text": "one"}, {"data": {"n": 1}},
      {"data": {"content": "own"},
       "mediaType": "application/vnd.convene.reply+json"}]}]}}})";

constexpr auto an_old_answer = R"({"jsonrpc": "2.0", "id": 1, "result": {
  "kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed",
    "message": {"kind": "message", "parts": [{"kind": "text", "text": "said"},
      {"kind": "file", "file": {"bytes": "aGk=", "name": "a"}}]}},
    "artifacts": [{"parts": [{"kind": "text", "text": "one"},
      {"kind": "data", "data": {"value": 1},
       "metadata": {"data_part_compat": true}},
      {"kind": "data", "data": {"content": "own"}, "metadata":
       {"mediaType": "application/vnd.convene.reply+json"}}]}]}})";

constexpr std::size_t rounds = 20'000;
/// Of any message: what others sent is shown in part alone.
constexpr std::size_t message_bytes_max = 6'000;

} // namespace

TEST_CASE("whatever a card says, it can be called or is refused with a code") {
  const auto* whole = GENERATE(a_card, an_old_card);
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  test::dice from{seed};
  std::size_t usable = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto card = json::parse(whole);
    for (auto left = from.below(4) + 1; left > 0; --left)
      disturb(card, from);
    const auto text = json::serialize(card);
    CAPTURE(text);
    const auto got = host::read_agent_card(
      text, "https://a.example/card", "planted",
      [](const host::url_origin&) { return host::host_access::allowed; });
    if (got) {
      ++usable;
      REQUIRE(got->origin == "https://a.example:443");
      REQUIRE_FALSE(got->key.name.empty());
    } else {
      REQUIRE(got.error().code.starts_with("agent_"));
      REQUIRE(got.error().message.size() < message_bytes_max);
      REQUIRE(got.error().message.find("planted") == std::string::npos);
    }
  }
  CHECK(usable > 0);
  CHECK(usable < rounds);
}

TEST_CASE("whatever an agent answers, it is a reply or refused with a code") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  test::dice from{seed};
  const bool is_legacy = GENERATE(false, true);
  const host::a2a_agent whose{.origin = "https://a.example:443",
                              .binding = host::a2a_binding::json_rpc,
                              .is_legacy = is_legacy};
  std::size_t replies = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    auto what = json::parse(is_legacy ? an_old_answer : an_answer);
    for (auto left = from.below(4) + 1; left > 0; --left)
      disturb(what, from);
    const auto text = json::serialize(what);
    CAPTURE(text);
    const auto heard = host::read_agent_answer(whose,
                                               {.status = 200, .body = text});
    const auto fails = [&](const protocol::action_error& why) {
      REQUIRE(why.code.starts_with("agent_"));
      REQUIRE(why.message.size() < message_bytes_max);
    };
    if (!heard) {
      fails(heard.error());
      continue;
    }
    const auto answer = host::read_a2a_answer(*heard);
    if (!answer) {
      fails(answer.error());
    } else if (answer->state != host::a2a_state::open) {
      const auto reply = host::reply_of(*answer);
      ++replies;
      REQUIRE((reply.status == protocol::reply_status::completed)
              == reply.error.code.empty());
    }
  }
  CHECK(replies > 0);
}
