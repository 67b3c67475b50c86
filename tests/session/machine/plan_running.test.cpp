#include <catch2/catch.hpp>
#include <support/policies.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::plan_status;

namespace {

spec planned() {
  auto made = make_spec(protocol::mode::round_robin, {"a", "b"});
  made.plan = make_plan({{"one", "", {}}, {"two", "", {0}}});
  made.options.rounds = 1;
  return made;
}

/// "draft to proposed" for each change of the plan's status.
texts plan_moves(const rig& bench) {
  texts moves;
  for (const auto& e : bench.all("plan_status_changed"))
    moves.push_back(e.at("from_status") + " to " + e.at("to_status"));
  return moves;
}

} // namespace

TEST_CASE("a draft plan is proposed, approved by a Confirm, and runs") {
  auto bench = rig::started(planned(), solo);
  CHECK(plan_moves(bench)
        == texts{"draft to proposed", "proposed to approved",
                 "approved to in_progress"});
  CHECK(bench.all("confirm_created").size() == 1);
  CHECK(bench.all("confirm_resolved").size() == 1);
  const auto& confirm = *bench.machine().confirm();
  CHECK(confirm.status == protocol::confirm_status::approved);
  CHECK(confirm.target_id == id(3));
  CHECK(confirm.decisions->at(0).reason == "automatic approval");
}

TEST_CASE("a plan that is approved already needs no Confirm") {
  auto what = planned();
  what.plan->status = plan_status::approved;
  auto bench = rig::started(what, solo);
  CHECK(plan_moves(bench) == texts{"approved to in_progress"});
  CHECK(bench.machine().confirm() == std::nullopt);
}

TEST_CASE("a plan ends as its steps do") {
  auto bench = rig::started(planned(), solo);
  bench.answer("a");
  CHECK(plan_moves(bench).back() == "in_progress to cancelled");

  auto done = planned();
  for (auto& s : done.plan->steps)
    s.status = protocol::step_status::completed;
  auto all = rig::started(done, solo);
  all.answer("a");
  CHECK(plan_moves(all).back() == "in_progress to completed");

  auto broken = planned();
  broken.plan->steps[0].status = protocol::step_status::failed;
  auto some = rig::started(broken, solo);
  CHECK(some.machine().plan()->steps[1].status
        == protocol::step_status::blocked);
  some.answer("a");
  CHECK(plan_moves(some).back() == "in_progress to failed");
}

TEST_CASE("a reply adds no task for a role that nobody has") {
  auto what = planned();
  what.plan.reset();
  auto bench = rig::started(what, solo);
  bench.answer("a", {.tasks = {{.title = "more", .role = "role-bb"}}});
  CHECK(bench.machine().plan() == nullptr);
  const auto closed = bench.all("MAPTurnCompleted").at(0);
  CHECK(closed.at("error/code") == "role_unknown");
  CHECK(closed.at("error/message").find(R"("role-b")") != std::string::npos);
}

TEST_CASE("a reply adds no tasks to the plan of a locked context") {
  auto what = planned();
  what.plan.reset();
  what.context.governance = protocol::governance{.locked = true};
  auto bench = rig::started(what, solo);
  bench.answer("a", {.tasks = {{.title = "more"}}});
  CHECK(bench.machine().plan() == nullptr);
  CHECK(bench.all("MAPTurnCompleted").at(0).at("error/code") == "locked");
}

TEST_CASE("a reply adds no tasks where security is on and its role may not") {
  auto what = planned();
  what.plan.reset();
  what.options.rounds = 2;
  what.collab.meta.cross_cutting = std::vector<std::string>{"security"};
  for (const auto& who : what.collab.participants)
    what.roles.push_back({.role_id = id(200 + what.roles.size()),
                          .name = *who.role_id,
                          .capabilities = std::vector<std::string>{
                            "collab.join", "plan.execute"}});
  auto bench = rig::started(what, solo);
  bench.answer("a", {.tasks = {{.title = "more"}}});
  CHECK(bench.machine().plan() == nullptr);
  CHECK(bench.all("MAPTurnCompleted").at(0).at("error/code")
        == "capability_missing");
  what.roles[0].capabilities->emplace_back("plan.create");
  auto other = rig::started(what, solo);
  other.answer("a", {.tasks = {{.title = "more"}}});
  CHECK(other.machine().plan() != nullptr);
}

TEST_CASE("tasks in a reply become steps of a plan") {
  auto what = planned();
  what.plan.reset();
  what.options.rounds = 2;
  auto bench = rig::started(what, solo);
  CHECK(bench.machine().plan() == nullptr);
  bench.answer("a",
               {.tasks = {{.title = "more"}, {.title = "rest", .role = "b"}}});
  REQUIRE(bench.machine().plan() != nullptr);
  CHECK(bench.all("plan_created").size() == 1);
  CHECK(bench.all("plan_created")[0].at("plan/steps/1/description") == "rest");
  CHECK(bench.machine().plan()->steps[1].agent_role == "b");
  bench.answer("a", {.tasks = {{.title = "last"}}});
  CHECK(bench.all("plan_created").size() == 1);
  CHECK(bench.all("step_added").size() == 1);
  CHECK(bench.machine().plan()->steps.size() == 3);
}

TEST_CASE("tasks of a turn that failed are not taken") {
  auto bench = rig::started(planned(), solo);
  auto what = fails();
  what.tasks = {{.title = "more"}};
  bench.answer("a", what);
  CHECK(bench.all("step_added").empty());
}

TEST_CASE("a plan has a bound that replies cannot pass") {
  auto what = planned();
  what.tasks.resize(steps_max - 3, {.title = "more"});
  auto bench = rig::started(what, solo);
  bench.answer("a", {.tasks = {{.title = "fits"}, {.title = "does not"}}});
  CHECK(bench.turns() == texts{"failed"});
  CHECK(bench.all("MAPTurnCompleted")[0].at("error/code") == "steps_max");
}
