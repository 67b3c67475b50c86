#include "expected.hpp"

#include <algorithm>

using namespace convene::tests;

TEST_CASE("a move needs each of its preconditions, and no other") {
  std::size_t needed = 0;
  for (const auto* of : all_lifecycles())
    for (const auto& move : of->moves) {
      if (!applies(move.reading, {}))
        continue;
      INFO(of->name << ": " << move.from << " to " << move.to);
      const auto with = [&](precondition_set holds) {
        return transition(
          *of, {.id = an_id, .from = move.from, .to = move.to, .holds = holds});
      };
      CHECK(with(move.needs).has_value());
      for (std::size_t i = 0; i < words_of<precondition>.size(); ++i) {
        const auto one = static_cast<precondition>(i);
        auto without = precondition_set::all();
        without.remove(one);
        const auto asked = with(without);
        CHECK(asked.has_value() == !move.needs.has(one));
        if (asked)
          continue;
        ++needed;
        CHECK(asked.error().rule == to_word(one));
        CHECK(asked.error().message.find(meaning_of(one)) != std::string::npos);
        CHECK(asked.error().message.find(advice_for(one)) != std::string::npos);
      }
    }
  CHECK(needed == 24);
}

TEST_CASE("the preconditions are those of the protocol") {
  const std::vector<std::tuple<std::string, std::string, std::string, words>>
    all{
      {"plan", "", "draft", {"has_steps"}},
      {"plan", "draft", "proposed", {"plan_valid"}},
      {"plan", "proposed", "approved", {"confirm_approved"}},
      {"plan", "approved", "in_progress", {"context_active", "has_steps"}},
      {"plan", "in_progress", "completed", {"steps_done"}},
      {"plan", "in_progress", "failed", {"step_failed"}},
      {"step",
       "pending",
       "in_progress",
       {"plan_in_progress", "context_active", "dependencies_done"}},
      {"step", "pending", "blocked", {"dependency_failed"}},
      {"step", "blocked", "pending", {"dependencies_recovered"}},
      {"confirm", "pending", "approved", {"decided"}},
      {"confirm", "pending", "rejected", {"decided"}},
      {"confirm", "pending", "override", {"decided"}},
      {"trace", "running", "completed", {"segments_done"}},
      {"collab", "draft", "active", {"context_active", "session_complete"}},
      {"collab", "suspended", "active", {"context_active"}},
      {"extension", "registered", "active", {"confirm_approved"}},
      {"network", "degraded", "active", {"nodes_active"}},
      {"core_module", "", "disabled", {"module_optional"}},
      {"core_module", "enabled", "disabled", {"module_optional"}},
      {"core_module", "experimental", "disabled", {"module_optional"}},
      {"core_module", "deprecated", "disabled", {"module_optional"}},
    };
  std::size_t rows = 0;
  for (const auto* of : all_lifecycles())
    for (const auto& move : of->moves) {
      words needs;
      for (const auto word : words_of<precondition>)
        if (move.needs.has(*from_word<precondition>(word)))
          needs.emplace(word);
      rows += needs.empty() ? 0 : 1;
      const auto row = std::ranges::find_if(all, [&](const auto& one) {
        return std::get<0>(one) == of->name && std::get<1>(one) == move.from
               && std::get<2>(one) == move.to;
      });
      INFO(of->name << ": " << move.from << " to " << move.to);
      CHECK(needs == (row == all.end() ? words{} : std::get<3>(*row)));
    }
  CHECK(rows == all.size());
}

TEST_CASE("a locked object stays as it is") {
  for (const auto& want : expected)
    for (const auto& [from, allowed] : want.moves)
      for (const auto& to : words_in(allowed)) {
        INFO(want.name << ": " << from << " to " << to);
        const auto refused = transition(table(want.name),
                                        {.id = an_id,
                                         .from = from,
                                         .to = to,
                                         .locked = true,
                                         .holds = precondition_set::all()});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().rule == "locked");
        CHECK(refused.error().message.find("lastConfirmRef")
              != std::string::npos);
      }
}
