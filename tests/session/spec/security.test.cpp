#include <catch2/catch.hpp>
#include <convene/session/spec/activation.hpp>
#include <convene/session/spec/security.hpp>
#include <support/specs.hpp>

#include <functional>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::mode;

namespace {

const routing_policy plain_turns{.name = "plain"};
const routing_policy led_turns{.name = "led", .needs_orchestrator = true};
const routing_policy planned_turns{.name = "planned", .needs_plan = true};

/// Capabilities of the Roles of a and b; b's Role is the second.
using texts = std::vector<std::string>;

spec make_secured(texts of_a, texts of_b) {
  auto what = make_spec(mode::round_robin, {"a", "b"});
  what.collab.meta.cross_cutting = texts{"observability", "security"};
  what.roles = {{.role_id = id(20), .name = "role-a", .capabilities = of_a},
                {.role_id = id(21), .name = "role-b", .capabilities = of_b}};
  return what;
}

/// Rule, pointer and value of the refusal; empty if it may start.
std::string refusal(const spec& what,
                    const routing_policy& policy = plain_turns) {
  const auto allowed = may_activate(what, make_roster(what), policy);
  if (allowed)
    return {};
  const auto& why = allowed.error();
  CHECK(why.code == protocol::errc::activation_refused);
  CHECK_FALSE(why.message.empty());
  return why.rule + ' ' + why.pointer + ' ' + why.value;
}

/// A session with a plan that waits for approval, approved by `who`.
spec make_approved(const std::string& requester, const std::string& decider) {
  auto what = make_secured({"collab.join", "plan.execute", "confirm.approve"},
                           {"collab.join", "plan.*"});
  what.plan = make_plan({{"one", "", {}}});
  what.confirm
    = protocol::confirm{.confirm_id = id(9),
                        .target_type = protocol::confirm_target::plan,
                        .target_id = what.plan->plan_id,
                        .status = protocol::confirm_status::approved,
                        .requested_by_role = requester,
                        .requested_at = "2025-01-01T00:00:00Z",
                        .decisions = std::vector<protocol::confirm_decision>{
                          {.decision_id = id(10),
                           .decided_by_role = decider,
                           .decided_at = "2025-01-01T00:00:00Z"}}};
  return what;
}

} // namespace

TEST_CASE("a session that does not ask for security is not judged by roles") {
  auto what = make_secured({}, {});
  what.plan = make_plan({{"one", "", {}}});
  what.collab.meta.cross_cutting = texts{"observability"};
  CHECK(refusal(what) == "");
  what.collab.meta.cross_cutting.reset();
  CHECK(refusal(what) == "");
  CHECK_FALSE(why_not_permitted(what, 0, {.tasks = {{.title = "one"}}}));
}

TEST_CASE("who takes part in a secured session may join it") {
  const auto joins = GENERATE(as<std::string>{}, "collab.join", "collab.*",
                              "*");
  CHECK(refusal(make_secured({joins}, {joins})) == "");
  const auto lacks = GENERATE(as<std::string>{}, "collab.orchestrate", "join",
                              "collab", "plan.*");
  CHECK(refusal(make_secured({joins}, {lacks}))
        == "capability_missing /collab/participants/1/role_id collab.join");
}

TEST_CASE("without a Role, or with one that has no list, nobody joins") {
  auto what = make_secured({"*"}, {"*"});
  what.roles[0].capabilities.reset();
  const std::string refused
    = "capability_missing /collab/participants/0/role_id collab.join";
  CHECK(refusal(what) == refused);
  what.roles.erase(what.roles.begin());
  CHECK(refusal(what) == refused);
  what.collab.participants[0].kind = protocol::participant_kind::system;
  CHECK(refusal(what) == ""); // does not act
}

TEST_CASE("a secured session is led by who may orchestrate") {
  auto what = make_secured({"collab.join"}, {"collab.join"});
  what.options.orchestrator = "a";
  CHECK(refusal(what) == ""); // nobody leads in this mode
  CHECK(refusal(what, led_turns)
        == "capability_missing /collab/participants/0/role_id "
           "collab.orchestrate");
  what.roles[0].capabilities->emplace_back("collab.orchestrate");
  CHECK(refusal(what, led_turns) == "");
  what.options.deputy = "b";
  CHECK(refusal(what, led_turns)
        == "capability_missing /collab/participants/1/role_id "
           "collab.orchestrate");
}

TEST_CASE("who may get the steps of a secured session may execute them") {
  auto what = make_secured({"collab.join", "plan.execute"}, {"collab.join"});
  CHECK(refusal(what) == "");
  const std::string refused
    = "capability_missing /collab/participants/1/role_id plan.execute";
  CHECK(refusal(what, planned_turns) == refused);
  what.tasks = {{.title = "one"}};
  CHECK(refusal(what) == refused);
  what.roles[1].capabilities->emplace_back("plan.*");
  CHECK(refusal(what) == "");
  CHECK(refusal(what, planned_turns) == "");
}

TEST_CASE("a given plan is approved by somebody who may, not by the program") {
  CHECK(refusal(make_approved("role-b", "role-a")) == "");
  CHECK(refusal(make_approved("convene", id(20))) == "");
  const std::string at = "/confirm/decisions/0/decided_by_role";
  CHECK(refusal(make_approved("role-a", "role-b"))
        == "capability_missing " + at + " confirm.approve");
  CHECK(refusal(make_approved("role-b", "convene"))
        == "capability_missing " + at + " confirm.approve");
  auto what = make_approved("role-b", "role-a");
  what.confirm->status = protocol::confirm_status::pending;
  what.confirm->decisions.reset();
  CHECK(refusal(what) == "confirm_undecided /confirm/decisions ");
  what.confirm->status = protocol::confirm_status::approved;
  CHECK(refusal(what) == "confirm_undecided /confirm/decisions ");
  what.confirm.reset();
  CHECK(refusal(what) == "confirm_undecided /plan/status ");
  what.plan->status = protocol::plan_status::approved;
  CHECK(refusal(what) == "");
}

TEST_CASE("nobody decides on a Confirm that they requested") {
  // By the same word, or by the other one for the same Role.
  const auto word = GENERATE(as<std::string>{}, "role-a", id(20));
  const auto other = GENERATE(as<std::string>{}, "role-a", id(20));
  CHECK(refusal(make_approved(word, other))
        == "own_confirm /confirm/decisions/0/decided_by_role " + other);
  // Withdrawing it is theirs.
  auto what = make_approved("role-b", "role-a");
  auto& decisions = *what.confirm->decisions;
  decisions.insert(decisions.begin(),
                   {.decision_id = id(11),
                    .status = protocol::decision_status::cancelled,
                    .decided_by_role = "role-b",
                    .decided_at = "2025-01-01T00:00:00Z"});
  CHECK(refusal(what) == "");
  decisions[0].status = protocol::decision_status::rejected;
  CHECK(refusal(what)
        == "capability_missing /confirm/decisions/0/decided_by_role "
           "confirm.reject");
}

TEST_CASE("a reply of a secured session brings tasks only if its role may") {
  const protocol::reply tasks{.tasks = {{.title = "one"}}};
  auto what = make_secured({"plan.create", "plan.execute"}, {"plan.execute"});
  CHECK_FALSE(why_not_permitted(what, 0, tasks));
  const auto refused = why_not_permitted(what, 1, tasks);
  REQUIRE(refused);
  CHECK(refused->code == "capability_missing");
  CHECK_THAT(refused->message, Catch::Contains("b needs plan.create")
                                 && Catch::Contains("Role role-b"));
  CHECK_FALSE(why_not_permitted(what, 1, {.content = "no tasks"}));
  what.roles[1].capabilities->clear();
  const auto unable = why_not_permitted(what, 0, tasks);
  REQUIRE(unable);
  CHECK_THAT(unable->message, Catch::Contains("b needs plan.execute"));
}
