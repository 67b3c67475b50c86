#include <catch2/catch.hpp>
#include <convene/cli/common/approval.hpp>

#include <deque>

using namespace convene;
using protocol::errc;

namespace {

session::spec with_plan(std::optional<std::string> author = {}) {
  session::spec made;
  made.collab.participants
    = {{.participant_id = "ana",
        .role_id = "role-lead",
        .kind = protocol::participant_kind::human},
       {.participant_id = "bot", .role_id = "role-coder"}};
  made.plan = protocol::plan{.plan_id = "p-1",
                             .title = "Fix it",
                             .objective = "It works",
                             .steps = {{.description = "look"},
                                       {.description = "mend"}}};
  made.plan->meta.created_by = std::move(author);
  return made;
}

/// Answers by these lines, and what was shown.
struct typed {
  std::deque<std::string> lines;
  std::string shown;

  protocol::result<void> ask(session::spec& scenario) {
    protocol::uuid_source ids{1};
    return cli::require_approval(
      scenario,
      {.say = [this](std::string_view text) { shown += text; },
       .read_line = [this]() -> std::optional<std::string> {
         if (lines.empty())
           return std::nullopt;
         auto line = lines.front();
         lines.pop_front();
         return line;
       }},
      ids, 1767225600000);
  }
};

} // namespace

TEST_CASE("a plan that a person approves has a Confirm with their role") {
  auto scenario = with_plan();
  typed by{{"what?", "/approve go ahead"}, {}};
  REQUIRE(by.ask(scenario));
  CHECK_THAT(by.shown, Catch::Contains("2. mend"));
  REQUIRE(scenario.confirm);
  CHECK(scenario.confirm->status == protocol::confirm_status::approved);
  CHECK(scenario.confirm->target_id == "p-1");
  REQUIRE(scenario.confirm->decisions->size() == 1);
  const auto& decision = scenario.confirm->decisions->front();
  CHECK(decision.decided_by_role == "role-lead");
  CHECK(decision.reason == "go ahead");
}

TEST_CASE("a plan that is rejected, or that nobody approves, does not run") {
  auto scenario = with_plan();
  typed by{GENERATE(std::deque<std::string>{"/reject too big"},
                    std::deque<std::string>{}),
           {}};
  const auto asked = by.ask(scenario);
  REQUIRE_FALSE(asked);
  CHECK(asked.error().code == errc::not_allowed);
  CHECK(asked.error().rule == "plan_rejected");
  CHECK_FALSE(scenario.confirm);
}

TEST_CASE("nobody confirms their own plan") {
  auto scenario = with_plan(GENERATE("ana", "role-lead"));
  typed by{{"/approve"}, {}};
  const auto asked = by.ask(scenario);
  REQUIRE_FALSE(asked);
  CHECK(asked.error().rule == "own_plan");
}

TEST_CASE("what needs no approval asks nobody") {
  auto scenario = with_plan();
  scenario.plan->status = protocol::plan_status::approved;
  typed by;
  CHECK(by.ask(scenario));
  CHECK(by.shown.empty());
  scenario.plan.reset();
  CHECK(by.ask(scenario));
}
