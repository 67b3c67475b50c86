#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/events/answer_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/replay/recorded_input.hpp>
#include <support/random_session.hpp>

using namespace convene;
using namespace convene::test;

TEST_CASE("an answer that is read from its line alone is the one that the "
          "whole event records") {
  constexpr std::uint32_t seeds = 90;
  std::size_t answers = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed)
      for (const auto& line : run_random_session(*policy, seed).lines) {
        INFO(policy->name << ", seed " << seed << ": " << line);
        const auto event = protocol::parse_json(line);
        REQUIRE(event);
        const auto found = protocol::read_answer(line);
        REQUIRE(found.has_value()
                == session::carries_reply(event->get_object()));
        if (!found)
          continue;
        ++answers;
        std::string who;
        const auto recorded = session::recorded_input(
          event->get_object(), [&](std::string_view id) {
            who = id;
            return session::participant_index{3};
          });
        REQUIRE(recorded);
        const auto* whole = std::get_if<session::answer>(&recorded->what);
        REQUIRE(whole != nullptr);
        CHECK(found->at == recorded->now);
        CHECK(found->participant_id == who);
        CHECK(found->token == whole->token);
        CHECK(found->what == whole->reply);
      }
  CHECK(answers > 1'000);
}
