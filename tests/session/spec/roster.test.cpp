#include <catch2/catch.hpp>
#include <convene/session/spec/roster.hpp>
#include <support/specs.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::mode;

namespace {

using people = std::vector<participant_index>;

spec three() {
  return make_spec(mode::round_robin,
                   {"agent-a-planner", "agent-b-reviewer", "c"});
}

protocol::role role_called(std::string name,
                           std::vector<std::string> capabilities = {}) {
  return {.role_id = id(30),
          .name = std::move(name),
          .capabilities = std::move(capabilities)};
}

people whom(const spec& what, std::string_view role) {
  return participants_for(what, make_roster(what), role);
}

/// Whom each step of a plan with these roles is assigned to.
people assigned(const spec& what, const std::vector<std::string>& roles) {
  std::vector<step> steps;
  for (const auto& role : roles)
    steps.push_back({"do", role, {}});
  plan_book book{make_plan(steps)};
  assign_steps(book, what, make_roster(what));
  people all;
  for (step_index i = 0; i < book.size(); ++i)
    all.push_back(book.state(i).assigned);
  return all;
}

} // namespace

TEST_CASE("the orchestrator is the one that the session names") {
  auto what = three();
  what.options.orchestrator = "c";
  what.collab.participants[0].participant_id = "orchestrator";
  CHECK(make_roster(what).orchestrator == 2);
}

TEST_CASE("else the one whose role may orchestrate") {
  for (const auto* capability : {"collab.orchestrate", "collab.*", "*"}) {
    auto what = three();
    what.collab.participants[0].participant_id = "orchestrator";
    what.roles = {role_called("boss", {capability})};
    what.collab.participants[1].role_id = id(30);
    CHECK(make_roster(what).orchestrator == 1);
  }
}

TEST_CASE("else the one whose role has the name, else whose id has the word") {
  auto what = three();
  what.collab.participants[0].participant_id = "my-orchestrator";
  CHECK(make_roster(what).orchestrator == 0);
  what.roles = {role_called("orchestrator", {"plan.read"})};
  what.collab.participants[1].role_id = id(30);
  CHECK(make_roster(what).orchestrator == 1);
  CHECK(make_roster(three()).orchestrator == no_participant);
}

TEST_CASE("the initiator is named, or the orchestrator, or the first to act") {
  auto what = three();
  what.collab.participants[0].kind = protocol::participant_kind::system;
  CHECK(make_roster(what).initiator == 1);
  CHECK(make_roster(what).acting == 2);
  what.options.orchestrator = "c";
  CHECK(make_roster(what).initiator == 2);
  what.options.initiator = "agent-b-reviewer";
  CHECK(make_roster(what).initiator == 1);
}

TEST_CASE("a role means participants by the first way that finds any") {
  auto what = three();
  CHECK(whom(what, "planner") == people{0});
  CHECK(whom(what, "c") == people{2});
  CHECK(whom(what, "role-c") == people{2});
  CHECK(whom(what, "b") == people{1}); // a word in the id
  CHECK(whom(what, "plan") == people{});
  what.roles = {role_called("planner")};
  what.collab.participants[2].role_id = id(30);
  CHECK(whom(what, "planner") == people{2});
  what.options.assign = {{"planner", "agent-b-reviewer"}};
  CHECK(whom(what, "planner") == people{1});
}

TEST_CASE("nobody of kind system is meant by a role") {
  auto what = three();
  what.collab.participants[0].kind = protocol::participant_kind::system;
  CHECK(whom(what, "planner") == people{});
}

TEST_CASE("steps of one role go round among those who have it") {
  auto what = three();
  for (auto& p : what.collab.participants)
    p.role_id = "same";
  CHECK(assigned(what, {"same", "same", "same", "same"}) == people{0, 1, 2, 0});
}

TEST_CASE("a role may be the last word of a role_id, or one within it") {
  auto what = make_spec(mode::round_robin, {"ann", "bob"});
  what.collab.participants[0].role_id = "role-planner";
  what.collab.participants[1].role_id = "role-tester-lead";
  CHECK(whom(what, "planner") == people{0});
  CHECK(whom(what, "tester") == people{1});
  CHECK(whom(what, "test") == people{});
}

TEST_CASE("of a role that nobody has the nearest name is told") {
  auto what = three();
  const auto why = [&](std::string_view role) {
    return why_nobody_fits(what, make_roster(what), role);
  };
  CHECK(why("") == "");
  CHECK(why("reviewer") == "");
  CHECK(why("role-cc").find(R"(did you mean "role-c"?)") != std::string::npos);
  CHECK(why("nothing like it").find("did you mean") == std::string::npos);
  what.options.assign = {{"role-cc", "c"}};
  CHECK(why("role-cc") == "");
}

TEST_CASE("a step without a role is nobody's") {
  CHECK(assigned(three(), {""}) == people{no_participant});
}

TEST_CASE("without Roles no names of them are kept, and everybody's is empty") {
  auto what = three();
  what.collab.participants[0].role_id = id(30);
  auto who = make_roster(what);
  CHECK(who.role_names.empty());
  CHECK(who.role_name(0).empty());
  what.roles = {role_called("boss")};
  who = make_roster(what);
  CHECK(who.role_name(0) == "boss");
  CHECK(who.role_name(2).empty());
  CHECK(who.role_name(no_participant).empty());
}
