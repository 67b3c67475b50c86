#include <catch2/catch.hpp>
#include <convene/actors/behaviours/async_function.hpp>
#include <convene/actors/behaviours/live_turn.hpp>

using namespace convene;
using actors::live_turn;

TEST_CASE("a turn hands over what is done in it until it is over") {
  std::vector<protocol::reply> sent;
  live_turn turn{[&](protocol::reply what) { sent.push_back(what); }};
  CHECK(turn.write({.resource_type = "file", .resource_id = "a"}));
  CHECK(turn.claim({.resource_type = "file", .resource_id = "b"}));
  CHECK_FALSE(turn.is_over());
  turn.close();
  CHECK(turn.is_over());
  CHECK_FALSE(turn.write({.resource_type = "file", .resource_id = "c"}));
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].writes.at(0).resource_id == "a");
  CHECK(sent[1].claim.at(0).resource_id == "b");
}

TEST_CASE("a turn takes only so many writes before its answer") {
  std::size_t sent = 0;
  live_turn turn{[&](const protocol::reply&) { ++sent; }};
  for (std::size_t n = 0; n < live_turn::attempts_max; ++n)
    CHECK(turn.write({}));
  CHECK_FALSE(turn.write({}));
  CHECK_FALSE(turn.claim({}));
  CHECK(sent == live_turn::attempts_max);
}

TEST_CASE("whoever asks is told once that the turn is over") {
  int first = 0;
  int second = 0;
  live_turn turn{[](const protocol::reply&) {}};
  const auto number = turn.when_over([&] { first += 10; });
  turn.when_over([&] { ++first; });
  turn.when_over([&] { ++second; });
  turn.forget(number);
  turn.close();
  turn.close();
  CHECK(first == 1);
  CHECK(second == 1);
  turn.when_over([&] { ++first; });
  CHECK(first == 2);
}

TEST_CASE("a turn that has its answer takes no more and tells nobody") {
  int told = 0;
  int sent = 0;
  live_turn turn{[&](const protocol::reply&) { ++sent; }};
  turn.when_over([&] { ++told; });
  turn.finish();
  CHECK_FALSE(turn.write({}));
  turn.close();
  CHECK(told == 0);
  CHECK(sent == 0);
}

TEST_CASE("a responder that is dropped without an answer fails its turn") {
  std::vector<std::string> sent;
  const auto asked_of = [&](const auto& respond) {
    sent.clear();
    actors::turn_request asked;
    asked.live = std::make_shared<live_turn>([&](const protocol::reply& what) {
      sent.push_back(what.content + what.error.code);
    });
    actors::async_function_behaviour agent{respond};
    agent.begin(asked);
    return sent;
  };
  using texts = std::vector<std::string>;
  using actors::responder;
  const auto ignores = [](const auto&, const responder&) {};
  CHECK(asked_of(ignores) == texts{"responder_dropped"});
  const auto answers = [](const auto&, const responder& to) {
    to.answer({.content = "answer"});
  };
  CHECK(asked_of(answers) == texts{"answer"});
  const auto throws = [](const auto&, const responder&) {
    throw std::runtime_error{"out of luck"};
  };
  CHECK(asked_of(throws) == texts{"behaviour_threw"});
  std::optional<responder> kept;
  const auto keeps = [&](const auto&, const responder& to) { kept = to; };
  CHECK(asked_of(keeps).empty());
  auto other = kept;
  kept.reset();
  CHECK(sent.empty());
  other.reset();
  CHECK(sent == texts{"responder_dropped"});
  std::shared_ptr<live_turn> live;
  const auto keeps_turn = [&](const auto& asked, const responder&) {
    live = asked.live;
  };
  CHECK(asked_of(keeps_turn).empty());
  live.reset();
  CHECK(sent == texts{"responder_dropped"});
}
