// Sessions whose Collab asks for security.

#include "run_fixture.hpp"

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A round robin of ann, a lead, and ben, a coder.
std::string secured(const std::string& of_lead, const std::string& of_coder,
                    const std::string& more = "") {
  return R"({"collab": {"meta": {"cross_cutting": ["security"]},
      "mode": "round_robin", "participants": [
        {"participant_id": "ann", "role_id": "lead"},
        {"participant_id": "ben", "role_id": "coder"}]},
    "roles": [{"name": "lead", "capabilities": [)"
         + of_lead + R"(]}, {"name": "coder", "capabilities": [)" + of_coder
         + R"(]}], "task": "go", "session": {"rounds": 1})" + more + "}";
}

} // namespace

TEST_CASE("who lacks a capability keeps a secured session from starting") {
  const run_fixture at{secured(R"("collab.join")", R"("plan.execute")")};
  const auto refused = at.run_with({"-v"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("ben needs collab.join")
                            && Contains("/collab/participants/1/role_id")
                            && Contains("capability_missing"));
  CHECK_FALSE(fs::exists(at.out));
  const run_fixture other{secured(R"("*")", R"("collab.join")")};
  CHECK(other.run_with().code == 0);
  CHECK(run({"check", other.out}).code == 0);
  CHECK(run({"replay", other.out}).code == 0);
}

TEST_CASE("a reply that may not bring tasks fails on the log, which replays") {
  const auto behaviours = R"(, "behaviours": {"*": {"type": "echo"},
    "ben": {"type": "script", "turns": [
      {"content": "x", "tasks": [{"title": "more"}]}]}})";
  const auto lead = R"("collab.join", "plan.execute")";
  const run_fixture at{secured(lead, lead, behaviours)};
  static_cast<void>(at.run_with());
  const auto log = at.out + "/events.jsonl";
  CHECK_THAT(read_bytes(log), Contains(R"("capability_missing")"));
  CHECK_THAT(read_bytes(log), !Contains("plan_created"));
  CHECK(run({"check", at.out}).code == 0);
  CHECK(run({"replay", at.out}).code == 0);
  const run_fixture allowed{
    secured(lead, R"("collab.join", "plan.*")", behaviours)};
  CHECK(allowed.run_with().code == 0);
  CHECK_THAT(read_bytes(allowed.out + "/events.jsonl"),
             Contains("plan_created") && !Contains("capability_missing"));
}

TEST_CASE(
  "where security is on the program approves no plan that it is given") {
  const auto plan = R"(, "plan": {"title": "p", "steps": [
    {"description": "s", "agent_role": "coder"}]})";
  const auto all = R"("collab.join", "plan.execute")";
  const run_fixture at{secured(all, all, plan)};
  const auto refused = at.run_with({"-v"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("confirm_undecided") && Contains("--approval require"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE(
  "a plan of a secured session is approved by a person whose role may") {
  const auto with = [](const std::string& lead) {
    return R"({"collab": {"meta": {"cross_cutting": ["security"]},
      "mode": "round_robin", "participants": [
        {"participant_id": "ann", "kind": "human", "role_id": "lead"}]},
      "roles": [{"name": "lead", "capabilities": [)"
           + lead + R"("collab.join", "plan.execute"]}],
      "plan": {"title": "p", "steps": [{"description": "s"}]},
      "behaviours": {"ann": {"type": "echo"}}, "task": "go"})";
  };
  const auto approve = [](const run_fixture& at) {
    return run_shell("echo /approve fine | \"$0\" \"$@\"",
                     {"run", at.scenario, "--quiet", "--interactive",
                      "--approval", "require", "--out", at.out});
  };
  const run_fixture may{with(R"("confirm.approve", )")};
  CHECK(approve(may).code == 0);
  CHECK_THAT(read_bytes(may.out + "/confirm.json"),
             Contains(R"("decided_by_role": "lead")"));
  CHECK(run({"check", may.out}).code == 0);
  const run_fixture may_not{with("")};
  const auto refused = approve(may_not);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("lead needs confirm.approve")
               && Contains("/confirm/decisions/0/decided_by_role"));
  CHECK_FALSE(fs::exists(may_not.out));
}
