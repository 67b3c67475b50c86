#include "talk.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/dialog/context_window.hpp>

#include <algorithm>
#include <limits>
#include <random>

using namespace convene::protocol;

namespace {

std::size_t one_each(const dialog_message&) {
  return 1;
}

std::vector<std::string> texts(const context_window& shown) {
  std::vector<std::string> all;
  for (const auto& one : shown.messages)
    all.push_back(one.content);
  return all;
}

dialog five_messages() {
  dialog one;
  constexpr auto user = message_role::user;
  constexpr auto agent = message_role::agent;
  one.messages = talk({{message_role::system, "s1"},
                       {user, "u1"},
                       {agent, "a1"},
                       {message_role::system, "s2"},
                       {user, "u2"}});
  return one;
}

} // namespace

TEST_CASE("the window shows the newest messages and every system message") {
  const auto shown = window(five_messages(), 4, one_each);
  REQUIRE(shown);
  CHECK(texts(*shown) == std::vector<std::string>{"s1", "a1", "s2", "u2"});
  CHECK(shown->tokens == 4);
  CHECK(shown->left_out == 1);
}

TEST_CASE("nothing older is shown than the first message that does not fit") {
  const auto estimate = [](const dialog_message& one) {
    return std::size_t{one.content == "a1" ? 10U : 1U};
  };
  const auto shown = window(five_messages(), 6, estimate);
  REQUIRE(shown);
  CHECK(texts(*shown) == std::vector<std::string>{"s1", "s2", "u2"});
}

TEST_CASE("system messages that alone are too long are an error with a name") {
  const auto shown = window(five_messages(), 1, one_each);
  REQUIRE_FALSE(shown);
  CHECK(shown.error().code == errc::limit_reached);
  CHECK(shown.error().rule == "window_tokens");
}

TEST_CASE("an estimate of any size leaves the sum right") {
  const auto huge = [](const dialog_message&) {
    return std::numeric_limits<std::size_t>::max();
  };
  dialog one;
  one.messages = talk({{message_role::user, "a"}, {message_role::user, "b"}});
  const auto shown = window(one, 100, huge);
  REQUIRE(shown);
  CHECK(shown->messages.empty());
  CHECK(shown->left_out == 2);
}

TEST_CASE("a longer text is estimated at more tokens, an empty one at some") {
  CHECK(estimate_tokens({.content = ""}) == 4);
  CHECK(estimate_tokens({.content = "abcd"}) == 5);
  CHECK(estimate_tokens({.content = "abcde"}) == 6);
}

TEST_CASE("a window never exceeds its budget and the next message would") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 500; ++round) {
    dialog one;
    for (auto left = random() % 30; left > 0; --left)
      one.messages.push_back({.role = static_cast<message_role>(random() % 4),
                              .content = std::string(random() % 40, 'x'),
                              .timestamp = noon});
    const std::size_t budget = random() % 300;
    const auto shown = window(one, budget);
    std::size_t system = 0;
    for (const auto& message : one.messages)
      system += message.role == message_role::system ? estimate_tokens(message)
                                                     : 0;
    REQUIRE(shown.has_value() == (system <= budget));
    if (!shown)
      continue;
    CHECK(shown->tokens <= budget);
    CHECK(shown->messages.size() + shown->left_out == one.messages.size());
    // The newest message that is not there is what did not fit.
    const auto is_talk = [](const dialog_message& message) {
      return message.role != message_role::system;
    };
    const auto kept = std::ranges::count_if(shown->messages, is_talk);
    const auto all = std::ranges::count_if(one.messages, is_talk);
    if (kept == all)
      continue;
    auto skip = kept;
    for (auto at = one.messages.rbegin();; ++at)
      if (is_talk(*at) && skip-- == 0) {
        CHECK(shown->tokens + estimate_tokens(*at) > budget);
        break;
      }
  }
}
