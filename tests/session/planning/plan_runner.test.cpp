#include <catch2/catch.hpp>
#include <convene/session/planning/plan_runner.hpp>
#include <support/dice.hpp>
#include <support/part_rig.hpp>

#include <algorithm>
#include <vector>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::step_status;

namespace {

spec some() {
  return make_spec(protocol::mode::swarm, {"a", "b"});
}

/// A plan of two steps, the second after the first.
planned_work two_steps() {
  return {.plan = make_plan({{"one", "a", {}}, {"two", "", {0}}})};
}

} // namespace

TEST_CASE("a plan runs only once it is approved, and the log says how") {
  part_rig on{some()};
  plan_runner plan{two_steps(), on.who, on.log, on.shared};
  CHECK(plan.document() == nullptr);
  plan.open(false);
  CHECK(plan.drives());
  CHECK(on.take_events("to_status")
        == texts{"plan_status_changed: proposed",
                 "confirm_added: ", "confirm_created: pending",
                 "decision_added: ", "confirm_resolved: approved",
                 "plan_status_changed: approved",
                 "plan_status_changed: in_progress"});
  REQUIRE(plan.confirm());
  CHECK(plan.confirm()->target_id == plan.document()->plan_id);
  CHECK(plan.confirm()->status == protocol::confirm_status::approved);
  plan.start("once more");
  CHECK(on.take_events().empty());
}

TEST_CASE("a plan that comes with its approval is not confirmed again") {
  part_rig on{some()};
  auto work = two_steps();
  work.plan->status = protocol::plan_status::approved;
  plan_runner plan{std::move(work), on.who, on.log, on.shared};
  plan.open(false);
  CHECK(on.take_events("to_status")
        == texts{"plan_status_changed: in_progress"});
  CHECK_FALSE(plan.confirm());
}

TEST_CASE("without plan and tasks there is none, unless it is required") {
  part_rig on{some()};
  plan_runner none{{}, on.who, on.log, on.shared};
  none.open(false);
  CHECK_FALSE(none.drives());
  CHECK(none.document() == nullptr);
  CHECK(none.step_for(0) == no_step);
  CHECK(on.take_events().empty());
  plan_runner required{{}, on.who, on.log, on.shared};
  required.open(true);
  REQUIRE(required.book().size() == 1);
  CHECK(required.book().step(0).description == "the task");
  CHECK(on.take_events().front().type == "plan_created");
}

TEST_CASE("a step's turn completes it, opens it again, or changes nothing") {
  part_rig on{some()};
  plan_runner plan{two_steps(), on.who, on.log, on.shared};
  plan.open(false);
  on.take_events();
  CHECK(plan.step_for(1) == no_step); // it is a's
  REQUIRE(plan.step_for(0) == 0);
  plan.log(plan.begin(0), "dispatched");
  CHECK(plan.step_for(0) == no_step);
  plan.end_turn(0, 0, turn_status::handed_off);
  CHECK_FALSE(plan.is_ready(0));
  plan.end_turn(0, 0, turn_status::declined);
  CHECK(plan.is_ready(0));
  CHECK(plan.book().state(0).attempts == 1);
  CHECK(plan.book().state(0).declined_by == std::vector<participant_index>{0});
  plan.log(plan.begin(0), "dispatched");
  plan.end_turn(0, 0, turn_status::completed);
  CHECK(plan.is_ready(1));
  CHECK(on.take_events("to_status")
        == texts{"step_status_changed: in_progress",
                 "step_status_changed: completed"});
  plan.end_turn(no_step, 0, turn_status::completed);
  CHECK(on.take_events().empty());
}

TEST_CASE("the steps of whoever is lost are everybody's") {
  part_rig on{some()};
  plan_runner plan{two_steps(), on.who, on.log, on.shared};
  plan.open(false);
  on.who.lose(0);
  CHECK(plan.step_for(1) == 0);
}

TEST_CASE("new tasks become steps and go round those who have their role") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  what.collab.participants[2].role_id = "role-b";
  part_rig on{std::move(what)};
  plan_runner plan{two_steps(), on.who, on.log, on.shared};
  plan.open(false);
  on.take_events();
  plan.add_tasks({{.title = "three", .role = "role-b"},
                  {.title = "four", .description = "more", .role = "role-b"},
                  {.title = "five"}});
  CHECK(on.take_events("step/description")
        == texts{"step_added: three", "step_added: four: more",
                 "step_added: five"});
  CHECK(plan.book().state(2).assigned == 1);
  CHECK(plan.book().state(3).assigned == 2);
  CHECK(plan.book().state(4).assigned == no_participant);
  CHECK(plan.step_id(4) == plan.book().step(4).step_id);
  CHECK(plan.step_id(no_step).empty());
}

TEST_CASE("a plan ends as its steps did") {
  const auto ending = [](auto run) {
    part_rig on{some()};
    plan_runner plan{two_steps(), on.who, on.log, on.shared};
    plan.open(false);
    run(plan);
    plan.finish();
    const auto status = plan.document()->status;
    on.take_events();
    plan.finish();
    CHECK(on.take_events().empty());
    CHECK(plan.take_work().plan->status == status);
    return status;
  };
  CHECK(ending([](plan_runner& plan) {
          plan.close(0, step_status::completed, "done");
          plan.close(1, step_status::skipped, "not needed");
        })
        == protocol::plan_status::completed);
  CHECK(ending([](plan_runner& plan) {
          plan.close(0, step_status::failed, "hopeless");
        })
        == protocol::plan_status::failed);
  CHECK(ending([](plan_runner& plan) { static_cast<void>(plan.begin(0)); })
        == protocol::plan_status::failed);
  CHECK(ending([](plan_runner&) {}) == protocol::plan_status::cancelled);
}

TEST_CASE("what was not opened has no plan to show") {
  part_rig on{some()};
  plan_runner plan{two_steps(), on.who, on.log, on.shared};
  CHECK_FALSE(plan.take_work().plan);
}

TEST_CASE("a session without a plan has no room for one") {
  CHECK(sizeof(plan_runner) < 256);
  part_rig on{some()};
  plan_runner plan{{}, on.who, on.log, on.shared};
  plan.open(false);
  CHECK_FALSE(plan.drives());
  CHECK(plan.document() == nullptr);
  CHECK(plan.book().size() == 0);
  CHECK(plan.step_for(0) == no_step);
  plan.finish();
  CHECK(on.take_events().empty());
  CHECK_FALSE(plan.take_work().plan);
}

TEST_CASE("a step is ready exactly if it is among the ready ones of the book") {
  using enum turn_status;
  dice random{GENERATE(range(0U, 20U))};
  part_rig on{some()};
  plan_runner plan{two_steps(), on.who, on.log, on.shared};
  plan.open(false);
  plan.add_tasks({{.title = "three", .resources = {"x"}},
                  {.title = "four", .resources = {"x", "y"}},
                  {.title = "five", .resources = {"y"}}});
  std::vector<step_index> live;
  for (int round = 0; round < 30; ++round) {
    const auto& ready = plan.book().ready();
    for (step_index i = 0; i < plan.book().size() + 2; ++i)
      REQUIRE(plan.is_ready(i) == (std::ranges::find(ready, i) != ready.end()));
    if (!ready.empty() && random.chance(60)) {
      live.push_back(ready[random.below(static_cast<unsigned>(ready.size()))]);
      plan.log(plan.begin(live.back()), "dispatched");
    } else if (!live.empty()) {
      const auto step = live.back();
      live.pop_back();
      plan.end_turn(step, 0,
                    random.chance(40)   ? completed
                    : random.chance(30) ? failed
                    : random.chance(50) ? cancelled
                                        : declined);
    }
  }
}
