#include <catch2/catch.hpp>
#include <convene/session/spec/activation.hpp>
#include <support/specs.hpp>

#include <functional>
#include <limits>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::mode;

namespace {

const routing_policy plain{.name = "plain"};
const routing_policy led{.name = "led", .needs_orchestrator = true};

/// The rule that refuses `what`; empty if it may start.
std::string refusal_of(const spec& what, const routing_policy& policy = plain) {
  const auto allowed = may_activate(what, make_roster(what), policy);
  if (allowed)
    return {};
  CHECK(allowed.error().code == protocol::errc::activation_refused);
  CHECK_FALSE(allowed.error().message.empty());
  return allowed.error().rule;
}

/// The same for a round robin of two after a change.
std::string refusal_of(const std::function<void(spec&)>& change) {
  auto what = make_spec(mode::round_robin, {"a", "b"});
  what.plan = make_plan({{"one", "", {}}, {"two", "", {0}}});
  change(what);
  return refusal_of(what);
}

} // namespace

TEST_CASE("a sound scenario may start") {
  CHECK(refusal_of([](spec&) {}) == "");
  CHECK(refusal_of(
          [](spec& s) { s.collab.status = protocol::collab_status::active; })
        == "");
  CHECK(refusal_of(make_spec(mode::round_robin, {"alone"})) == "");
}

TEST_CASE("work for a role that nobody has is refused where it is named") {
  const auto refused = [](const std::function<void(spec&)>& change) {
    auto what = make_spec(mode::swarm, {"intern", "reviewer"});
    change(what);
    const auto allowed = may_activate(what, make_roster(what), plain);
    if (allowed)
      return std::string{};
    CHECK(allowed.error().rule == "known_role");
    CHECK(allowed.error().message.find(R"(did you mean "reviewer"?)")
          != std::string::npos);
    return allowed.error().pointer;
  };
  const auto plan = make_plan({{"one", "", {}}, {"two", "reviewr", {}}});
  CHECK(refused([](spec& s) {
          s.tasks = {{.title = "one"},
                     {.title = "approve the release", .role = "reviewr"}};
        })
        == "/tasks/1/role");
  CHECK(refused([&](spec& s) { s.plan = plan; }) == "/plan/steps/1/agent_role");
  CHECK(refused([&](spec& s) {
          s.plan = plan;
          s.options.assign = {{"reviewr", "intern"}};
        })
        == "");
  CHECK(refused([&](spec& s) {
          s.plan = plan;
          s.plan->steps[1].status = protocol::step_status::completed;
        })
        == "");
}

TEST_CASE("nothing that a session would change may be locked") {
  const protocol::governance lock{.locked = true};
  const auto place_of = [](const std::function<void(spec&)>& change,
                           const routing_policy& policy = plain) {
    auto what = make_spec(mode::round_robin, {"a", "b"});
    change(what);
    const auto allowed = may_activate(what, make_roster(what), policy);
    if (allowed)
      return std::string{};
    CHECK(allowed.error().rule == "locked");
    CHECK(allowed.error().message.find("governance.locked")
          != std::string::npos);
    return allowed.error().pointer;
  };
  CHECK(place_of([&](spec& s) { s.collab.governance = lock; })
        == "/collab/governance/locked");
  CHECK(place_of([&](spec& s) {
          s.collab.governance = protocol::governance{.locked = false};
        })
        == "");

  // A Plan is locked with its Context, however the session gets one.
  const auto in_locked = [&](spec& s) { s.context.governance = lock; };
  CHECK(place_of(in_locked) == "");
  CHECK(place_of([&](spec& s) {
          in_locked(s);
          s.plan = make_plan({{"one", "", {}}});
        })
        == "/context/governance/locked");
  CHECK(place_of([&](spec& s) {
          in_locked(s);
          s.tasks = {{.title = "one"}};
        })
        == "/context/governance/locked");
  const routing_policy pool{.name = "pool", .needs_plan = true};
  CHECK(place_of(in_locked, pool) == "/context/governance/locked");

  // A Confirm that has decided already stays as it is.
  for (const auto status :
       {protocol::confirm_status::pending, protocol::confirm_status::approved})
    CHECK(place_of([&](spec& s) {
            s.plan = make_plan({{"one", "", {}}});
            s.confirm
              = protocol::confirm{.governance = lock,
                                  .confirm_id = id(5),
                                  .target_id = s.plan->plan_id,
                                  .status = status,
                                  .requested_by_role = "role-a",
                                  .requested_at = "2025-01-01T00:00:00Z"};
          })
          == (status == protocol::confirm_status::pending
                ? "/confirm/governance/locked"
                : ""));
}

TEST_CASE("only a draft or active collab starts") {
  using protocol::collab_status;
  for (auto status : {collab_status::suspended, collab_status::completed,
                      collab_status::cancelled})
    CHECK(refusal_of([&](spec& s) { s.collab.status = status; })
          == "collab_status");
}

TEST_CASE("a session starts only in an active context, its own") {
  using protocol::context_status;
  for (auto status : {context_status::draft, context_status::suspended,
                      context_status::archived, context_status::closed})
    CHECK(refusal_of([&](spec& s) { s.context.status = status; })
          == "context_active");
  CHECK(refusal_of([](spec& s) { s.collab.context_id = id(9); })
        == "context_binding");
  CHECK(refusal_of([](spec& s) { s.plan->context_id = id(9); })
        == "context_binding");
}

TEST_CASE("participants have ids of their own and roles") {
  CHECK(
    refusal_of([](spec& s) { s.collab.participants[1].participant_id = "a"; })
    == "map_unique_participant_ids");
  CHECK(refusal_of([](spec& s) { s.collab.participants[1].role_id.reset(); })
        == "map_participants_have_role_ids");
  CHECK(refusal_of([](spec& s) { s.collab.participants[1].role_id = ""; })
        == "map_participants_have_role_ids");
}

TEST_CASE("an id or role of white space alone is none") {
  for (const std::string blank : {" ", "\t\n "}) {
    CHECK(refusal_of(
            [&](spec& s) { s.collab.participants[0].participant_id = blank; })
          == "participant_id_blank");
    CHECK(refusal_of([&](spec& s) { s.collab.participants[1].role_id = blank; })
          == "map_participants_have_role_ids");
  }
  CHECK(
    refusal_of([](spec& s) { s.collab.participants[0].participant_id = " a"; })
    == "");
}

TEST_CASE("ids in the session's options are those of participants") {
  CHECK(refusal_of([](spec& s) { s.options.orchestrator = "x"; })
        == "known_participant");
  CHECK(refusal_of([](spec& s) { s.options.deputy = "x"; })
        == "known_participant");
  CHECK(refusal_of([](spec& s) { s.options.initiator = "x"; })
        == "known_participant");
  CHECK(refusal_of([](spec& s) {
          s.options.assign = {{"role", "x"}};
        })
        == "known_participant");
  CHECK(refusal_of([](spec& s) { s.options.assign = {{"role", "b"}}; }) == "");
}

TEST_CASE("each mode has enough participants that act") {
  auto with_system = [](mode how, std::vector<std::string> names) {
    auto what = make_spec(how, names);
    what.collab.participants.front().kind = protocol::participant_kind::system;
    return what;
  };
  CHECK(refusal_of(with_system(mode::round_robin, {"a"}))
        == "map_min_participants");
  for (auto how : {mode::broadcast, mode::swarm}) {
    CHECK(refusal_of(with_system(how, {"a", "b"}))
          == "map_session_requires_multiple_participants");
    CHECK(refusal_of(with_system(how, {"a", "b", "c"})) == "");
  }
  CHECK(refusal_of(make_spec(mode::pair, {"a"})) == "pair_participants");
  CHECK(refusal_of(make_spec(mode::pair, {"a", "b", "c"}))
        == "pair_participants");
  CHECK(refusal_of(with_system(mode::pair, {"a", "b", "c"})) == "");
}

TEST_CASE("a policy that needs an orchestrator finds one") {
  auto what = make_spec(mode::orchestrated, {"a", "b"});
  CHECK(refusal_of(what, led) == "map_orchestrator_required");
  what.options.orchestrator = "b";
  CHECK(refusal_of(what, led) == "");
}

TEST_CASE("a plan that has ended does not run again") {
  using protocol::plan_status;
  for (auto status :
       {plan_status::completed, plan_status::cancelled, plan_status::failed})
    CHECK(refusal_of([&](spec& s) { s.plan->status = status; })
          == "plan_status");
  for (auto status : {plan_status::draft, plan_status::proposed,
                      plan_status::approved, plan_status::in_progress})
    CHECK(refusal_of([&](spec& s) { s.plan->status = status; }) == "");
}

TEST_CASE("steps have ids of their own and wait for each other in no circle") {
  CHECK(refusal_of([](spec& s) { s.plan->steps[1].step_id = step_id(0); })
        == "plan_steps");
  CHECK(refusal_of([](spec& s) { s.plan->steps[1].dependencies = {{id(77)}}; })
        == "plan_steps");
  CHECK(
    refusal_of([](spec& s) { s.plan->steps[0].dependencies = {{step_id(1)}}; })
    == "plan_steps");
}

TEST_CASE("a Confirm lets its own plan run unless it rejects it") {
  using protocol::confirm_status;
  auto with = [](confirm_status status, const std::string& target) {
    return [=](spec& s) {
      s.confirm
        = protocol::confirm{.confirm_id = id(50),
                            .target_type = protocol::confirm_target::plan,
                            .target_id = target,
                            .status = status,
                            .requested_by_role = "role-a",
                            .requested_at = "2025-01-01T00:00:00Z"};
    };
  };
  CHECK(refusal_of(with(confirm_status::pending, id(3))) == "");
  CHECK(refusal_of(with(confirm_status::approved, id(3))) == "");
  CHECK(refusal_of(with(confirm_status::rejected, id(3))) == "plan_confirmed");
  CHECK(refusal_of(with(confirm_status::cancelled, id(3))) == "plan_confirmed");
  CHECK(refusal_of(with(confirm_status::approved, id(4))) == "plan_confirmed");
  CHECK(refusal_of([&](spec& s) {
          with(confirm_status::approved, id(3))(s);
          s.plan.reset();
        })
        == "plan_confirmed");
}

TEST_CASE("a session has bounds whatever the scenario says") {
  CHECK(refusal_of(
          [](spec& s) { s.tasks.resize(steps_max + 1, {.title = "more"}); })
        == "steps_max");
  CHECK(refusal_of([](spec& s) {
          s.plan->steps.resize(steps_max + 1, s.plan->steps[0]);
        })
        == "steps_max");
  CHECK(refusal_of(
          [](spec& s) { s.collab.participants.resize(participants_max + 1); })
        == "participants_max");
}

TEST_CASE("the plan's steps and the session's tasks share one bound") {
  CHECK(refusal_of(
          [](spec& s) { s.tasks.resize(steps_max - 1, {.title = "more"}); })
        == "steps_max");
}

TEST_CASE("a spec that code made must be one that a log can give back") {
  CHECK(refusal_of([](spec& s) { s.options.turn_timeout_ms = 0; })
        == "minimum");
  CHECK(refusal_of([](spec& s) { s.options.max_turns = -1; }) == "minimum");
  CHECK(refusal_of([](spec& s) { s.options.quorum = 0; }) != "");
  CHECK(refusal_of([](spec& s) {
          s.options.quorum = std::numeric_limits<double>::quiet_NaN();
        })
        != "");
  CHECK(refusal_of([](spec& s) { s.collab.title = ""; }) == "minLength");
  CHECK(refusal_of([](spec& s) { s.collab.collab_id = "no id"; }) == "pattern");
  CHECK(refusal_of([](spec& s) { s.task = "\xff"; }) == "utf8");
  CHECK(refusal_of([](spec& s) {
          protocol::json::value deep = 1;
          for (int n = 0; n < 130; ++n)
            deep = protocol::json::array{std::move(deep)};
          s.behaviours = {{"a", {{"deep", std::move(deep)}}}};
        })
        == "depth");
}

TEST_CASE("an orchestrator acts") {
  auto what = make_spec(mode::orchestrated, {"a", "b"});
  what.collab.participants[0].kind = protocol::participant_kind::system;
  what.options.orchestrator = "a";
  CHECK(refusal_of(what, led) == "map_orchestrator_required");
}

TEST_CASE("a system may send a broadcast to the one who acts") {
  auto what = make_spec(mode::broadcast, {"a", "b"});
  what.collab.participants[0].kind = protocol::participant_kind::system;
  what.options.initiator = "a";
  CHECK(refusal_of(what) == "");
  what.options.initiator = "b";
  CHECK(refusal_of(what) == "map_session_requires_multiple_participants");
}
