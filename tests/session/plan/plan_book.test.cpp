#include <catch2/catch.hpp>
#include <convene/session/plan/plan_book.hpp>
#include <support/specs.hpp>

#include <deque>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::step_status;

namespace {

using steps = std::deque<step_index>;

/// a, then b and c, then d.
plan_book diamond() {
  return plan_book{make_plan(
    {{"a", "", {}}, {"b", "", {0}}, {"c", "", {0}}, {"d", "", {1, 2}}})};
}

step_status status(const plan_book& book, step_index i) {
  return book.step(i).status;
}

/// Takes a ready step to its end.
void run(plan_book& book, step_index i, step_status as) {
  step_changes changes;
  book.begin(i, changes);
  book.close(i, as, changes);
}

/// The steps of each kind, in their order, by role.
std::vector<std::pair<std::string, steps>> groups_of(const plan_book& book) {
  std::vector<std::pair<std::string, steps>> all;
  for (const auto& [kind, group] : book.groups().all()) {
    all.emplace_back(kind.agent_role.value_or(""), steps{});
    for (const auto& [place, step] : group)
      all.back().second.push_back(step);
  }
  return all;
}

} // namespace

TEST_CASE("a step is ready when all it waits for is completed") {
  auto book = diamond();
  CHECK(book.ready() == steps{0});
  run(book, 0, step_status::completed);
  CHECK(book.ready() == steps{1, 2});
  run(book, 2, step_status::completed);
  CHECK(book.ready() == steps{1});
  run(book, 1, step_status::completed);
  CHECK(book.ready() == steps{3});
  run(book, 3, step_status::completed);
  CHECK(book.open() == 0);
  CHECK(book.failed() == 0);
}

TEST_CASE("two steps that name the same resource are not open at once") {
  plan_book book{
    make_plan({{"a", "", {}}, {"b", "", {}}, {"c", "", {}}, {"d", "", {}}})};
  book.name_resources(0, {"x", "y"});
  book.name_resources(2, {"y", "y"});
  book.name_resources(3, {"x"});
  CHECK(book.ready() == steps{0, 1, 2, 3});
  step_changes changes;
  book.begin(0, changes);
  CHECK(book.ready() == steps{1});
  CHECK(*book.held_resource(2) == "y");
  CHECK(book.held_resource(1) == nullptr);
  book.release(0, true);
  CHECK(book.ready() == steps{0, 1, 2, 3});
  book.begin(2, changes);
  CHECK(book.ready() == steps{1, 3});
  book.begin(3, changes);
  book.close(2, step_status::completed, changes);
  CHECK(book.ready() == steps{1}); // the first waits for x yet
  book.close(3, step_status::failed, changes);
  CHECK(book.ready() == steps{0, 1});
}

TEST_CASE("a step that waits for a resource can be closed") {
  plan_book book{make_plan({{"a", "", {}}, {"b", "", {}}})};
  book.name_resources(0, {"x"});
  book.name_resources(1, {"x"});
  step_changes changes;
  book.begin(0, changes);
  book.close(1, step_status::skipped, changes);
  book.release(0, true);
  CHECK(book.ready() == steps{0});
}

TEST_CASE("a new step waits for what is held already") {
  plan_book book{make_plan({{"a", "", {}}})};
  book.name_resources(0, {"x"});
  step_changes changes;
  book.begin(0, changes);
  const auto added = book.add({.step_id = step_id(9), .description = "b"});
  CHECK(book.ready() == steps{added});
  book.name_resources(added, {"x"});
  CHECK(book.ready().empty());
}

TEST_CASE("a restored book holds what its live steps name") {
  const auto fresh = [] {
    return plan_book{make_plan({{"a", "", {}}, {"b", "", {}}})};
  };
  auto book = fresh();
  book.name_resources(0, {"x"});
  book.name_resources(1, {"x"});
  std::vector<step_state> states{book.state(0), book.state(1)};
  states[0].live = true;
  states[0].attempts = 1;
  auto again = fresh();
  REQUIRE(again.restore(states));
  CHECK(again.ready().empty());
  CHECK(*again.held_resource(1) == "x");
  // No book lets both run.
  states[1].live = true;
  states[1].attempts = 1;
  auto never = fresh();
  CHECK_FALSE(never.restore(states));
}

TEST_CASE("steps come in the order of order_index, then of the plan") {
  auto plan
    = make_plan({{"a", "", {}}, {"b", "", {}}, {"c", "", {}}, {"d", "", {}}});
  plan.steps[3].order_index = 0;
  plan.steps[2].order_index = 1;
  CHECK(plan_book{plan}.ready() == steps{3, 2, 0, 1});
}

TEST_CASE("a failure blocks what waits for it, and that what waits for that") {
  auto book = diamond();
  step_changes changes;
  book.begin(0, changes);
  book.close(0, step_status::failed, changes);
  REQUIRE(changes.size() == 5);
  CHECK(changes[0].to == step_status::in_progress);
  CHECK(changes[1].to == step_status::failed);
  for (step_index i : {1U, 2U, 3U})
    CHECK(status(book, i) == step_status::blocked);
  CHECK(book.ready().empty());
  CHECK(book.open() == 0);
  CHECK(book.failed() == 4);
}

TEST_CASE("a skip skips what waits for it and fails nothing") {
  auto book = diamond();
  step_changes changes;
  book.close(0, step_status::skipped, changes);
  for (step_index i : {0U, 1U, 2U, 3U})
    CHECK(status(book, i) == step_status::skipped);
  CHECK(book.open() == 0);
  CHECK(book.failed() == 0);
}

TEST_CASE("a step that has begun cannot be skipped any more: it fails") {
  auto book = diamond();
  step_changes changes;
  book.begin(0, changes);
  book.release(0, true);
  book.close(0, step_status::skipped, changes);
  CHECK(status(book, 0) == step_status::failed);
}

TEST_CASE("closing a pending step takes it through in_progress") {
  auto book = diamond();
  step_changes changes;
  book.close(0, step_status::failed, changes);
  CHECK(changes[0].from == step_status::pending);
  CHECK(changes[0].to == step_status::in_progress);
  CHECK(changes[1].to == step_status::failed);
}

TEST_CASE("a step that has ended is not ended again") {
  auto book = diamond();
  run(book, 0, step_status::completed);
  step_changes changes;
  book.close(0, step_status::failed, changes);
  CHECK(changes.empty());
  CHECK(status(book, 0) == step_status::completed);
}

TEST_CASE("a released step is ready again, and its attempt counts or not") {
  auto book = diamond();
  step_changes changes;
  book.begin(0, changes);
  CHECK(book.ready().empty());
  CHECK(book.state(0).live);
  book.release(0, true);
  CHECK(book.ready() == steps{0});
  CHECK(book.state(0).attempts == 1);
  book.begin(0, changes);
  book.release(0, false);
  CHECK(book.state(0).attempts == 1);
  CHECK(changes.size() == 1);
}

TEST_CASE("a plan that was under way goes on where it stood") {
  auto plan
    = make_plan({{"a", "", {}}, {"b", "", {0}}, {"c", "", {}}, {"d", "", {2}}});
  plan.steps[0].status = step_status::completed;
  plan.steps[2].status = step_status::failed;
  plan_book book{plan};
  step_changes changes;
  book.settle(changes);
  CHECK(book.ready() == steps{1});
  CHECK(status(book, 3) == step_status::blocked);
  CHECK(book.open() == 1);
  CHECK(book.failed() == 2);
}

TEST_CASE("a step that was added waits for nothing and can be found") {
  auto book = diamond();
  const auto added = book.add({.step_id = id(500), .description = "more"});
  CHECK(added == 4);
  CHECK(book.ready() == steps{0, 4});
  CHECK(book.find(id(500)) == 4);
  CHECK(book.find(id(501)) == no_step);
  CHECK(book.open() == 5);
}

TEST_CASE("ready steps are grouped by who may have them and how often they "
          "had a turn, in the order of order_index, then of step_id") {
  using groups = std::vector<std::pair<std::string, steps>>;
  auto plan = make_plan({{"a", "x", {}},
                         {"b", "", {}},
                         {"c", "x", {}},
                         {"d", "x", {0}},
                         {"e", "x", {}}});
  std::swap(plan.steps[0].step_id, plan.steps[2].step_id);
  plan.steps[3].dependencies = {plan.steps[0].step_id};
  plan.steps[4].order_index = 1;
  plan_book book{std::move(plan)};
  CHECK(groups_of(book) == groups{{"", {1}}, {"x", {4, 2, 0}}});
  step_changes changes;
  book.begin(2, changes);
  CHECK(groups_of(book) == groups{{"", {1}}, {"x", {4, 0}}});
  book.release(2, true);
  CHECK(groups_of(book) == groups{{"", {1}}, {"x", {4, 0}}, {"x", {2}}});
  run(book, 0, step_status::completed);
  CHECK(groups_of(book) == groups{{"", {1}}, {"x", {4, 3}}, {"x", {2}}});
  book.assign(3, 0);
  CHECK(groups_of(book)
        == groups{{"", {1}}, {"x", {3}}, {"x", {4}}, {"x", {2}}});
  run(book, 1, step_status::failed);
  CHECK(groups_of(book) == groups{{"x", {3}}, {"x", {4}}, {"x", {2}}});
}

TEST_CASE("a step whose resource is held is in no group until it is free") {
  using groups = std::vector<std::pair<std::string, steps>>;
  plan_book book{make_plan({{"a", "", {}}, {"b", "", {}}, {"c", "", {}}})};
  book.name_resources(0, {"x"});
  book.name_resources(1, {"x"});
  CHECK(groups_of(book) == groups{{"", {0, 1, 2}}});
  step_changes changes;
  book.begin(0, changes);
  CHECK(groups_of(book) == groups{{"", {2}}});
  book.close(0, step_status::completed, changes);
  CHECK(groups_of(book) == groups{{"", {1, 2}}});
}
