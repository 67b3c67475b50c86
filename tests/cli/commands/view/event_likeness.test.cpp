#include <catch2/catch.hpp>
#include <convene/cli/commands/view/event_likeness.hpp>
#include <convene/cli/commands/view/log_view.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string>
#include <vector>

using namespace convene::cli;

namespace {

json::object event_of(const std::string& text) {
  const auto value = convene::protocol::parse_json(text);
  REQUIRE(value);
  return value->as_object();
}

event_likeness of(const std::vector<std::string>& events) {
  event_likeness made;
  for (const auto& text : events)
    made.add(event_of(text));
  return made;
}

std::string id(int number) {
  return "\"00000000-0000-4000-8000-00000000000" + std::to_string(number) + '"';
}

std::string turn(const std::string& token, const std::string& content) {
  return R"({"event_type": "MAPTurnCompleted", "timestamp": )"
         R"("2026-01-01T00:00:0)"
         + token.substr(token.size() - 2, 1)
         + R"(.000Z", "payload": {"token_id": )" + token
         + R"(, "duration_ms": )" + token.substr(token.size() - 2, 1)
         + R"(, "content": ")" + content + "\"}}";
}

std::string start(const std::string& seed, const std::string& rounds) {
  return R"({"event_type": "MAPSessionStarted", "payload": {"session_key": ")"
         + seed + R"(", "spec": {"seed": )" + seed + R"(, "rounds": )" + rounds
         + "}}}";
}

} // namespace

TEST_CASE("runs are alike whatever their times and ids") {
  const auto one = of({turn(id(1), "a"), turn(id(2), "b"), turn(id(1), "c")});
  CHECK_FALSE(event_likeness::first_difference(
    one, of({turn(id(7), "a"), turn(id(3), "b"), turn(id(7), "c")})));
  // The third is about another one.
  CHECK(event_likeness::first_difference(
          one, of({turn(id(7), "a"), turn(id(3), "b"), turn(id(3), "c")}))
        == 2);
  CHECK(event_likeness::first_difference(
          one, of({turn(id(7), "a"), turn(id(3), "x"), turn(id(7), "c")}))
        == 1);
  CHECK(event_likeness::first_difference(one, of({turn(id(7), "a")})) == 1);
  CHECK(event_likeness::first_difference(of({}), one) == 0);
}

TEST_CASE("a set-up is compared apart from what happened, without its seed") {
  const auto one = of({start("1", "3"), turn(id(1), "a")});
  const auto other = of({start("2", "3"), turn(id(2), "a")});
  const auto longer = of({start("2", "4"), turn(id(2), "a")});
  CHECK(event_likeness::are_set_up_alike(one, other));
  CHECK_FALSE(event_likeness::are_set_up_alike(one, longer));
  CHECK_FALSE(event_likeness::first_difference(one, longer));
}

TEST_CASE("sessions of two runs are paired by id, the others by their order") {
  log_view view{{}, true};
  const auto add = [&view](const std::string& session) {
    const auto text = R"({"session_id": ")" + session + "\"}";
    REQUIRE(view.add(event_of(text), text));
  };
  for (const auto* session : {"a", "b", "c"})
    add(session);
  CHECK(view.compared().empty());
  view.begin_other();
  for (const auto* session : {"x", "c", "y", "z"})
    add(session);
  CHECK(view.sessions() == 7);
  std::vector<std::string> pairs;
  for (const auto& pair : view.compared())
    pairs.push_back(std::string{view.session_id(pair.one)}
                    + std::string{view.session_id(pair.other)});
  CHECK(pairs == std::vector<std::string>{"ax", "by", "cc"});
}
