#include <catch2/catch.hpp>
#include <convene/protocol/security/capability.hpp>

#include <set>
#include <string>
#include <vector>

using namespace convene::protocol;
using enum operation;

namespace {

role with(std::vector<std::string> capabilities) {
  return {.name = "r", .capabilities = std::move(capabilities)};
}

/// What a Role with these capabilities may do.
std::set<operation> allowed(const std::vector<std::string>& capabilities) {
  const auto who = with(capabilities);
  std::set<operation> all;
  for (const auto word : words_of<operation>)
    if (const auto what = *from_word<operation>(word); may(&who, what))
      all.insert(what);
  return all;
}

} // namespace

TEST_CASE("a role may do what its capabilities name, and nothing else") {
  struct typical {
    std::string name;
    std::vector<std::string> has;
    std::set<operation> may;
  };
  const std::vector<typical> matrix{
    {"planner", {"plan.create", "plan.propose"}, {create_plan, propose_plan}},
    {"coder", {"plan.execute", "trace.read"}, {execute_step, read_trace}},
    {"reviewer",
     {"confirm.approve", "confirm.reject", "trace.read"},
     {approve_confirm, reject_confirm, read_trace}},
    {"architect",
     {"plan.*", "context.*"},
     {create_plan, propose_plan, execute_step, read_context, modify_context}},
    {"orchestrator",
     {"collab.orchestrate", "plan.*"},
     {orchestrate_session, create_plan, propose_plan, execute_step}},
    {"human",
     {"confirm.approve", "plan.propose"},
     {approve_confirm, propose_plan}},
    {"member", {"collab.join"}, {join_session}},
    {"nobody", {}, {}},
    {"unknown words",
     {"banana", "plan", "plan.craete", "create_plan", "Plan.create",
      "file.write"},
     {}},
    {"root",
     {"*"},
     {create_plan, propose_plan, execute_step, approve_confirm, reject_confirm,
      read_context, modify_context, read_trace, join_session,
      orchestrate_session}},
  };
  for (const auto& one : matrix) {
    INFO(one.name);
    CHECK(allowed(one.has) == one.may);
  }
}

TEST_CASE("each operation needs a capability of its own") {
  std::set<std::string_view> names;
  for (const auto word : words_of<operation>) {
    const auto what = *from_word<operation>(word);
    const std::string name{capability_for(what)};
    INFO(name);
    CHECK(names.insert(capability_for(what)).second);
    CHECK(allowed({name}) == std::set{what});
    // Taking it away takes effect.
    CHECK(allowed({}).empty());
  }
}

TEST_CASE("no role and no list mean no") {
  const role unlisted{.name = "r"};
  for (const auto word : words_of<operation>) {
    CHECK_FALSE(may(nullptr, *from_word<operation>(word)));
    CHECK_FALSE(may(&unlisted, *from_word<operation>(word)));
  }
}

TEST_CASE("a wildcard stands for one resource's actions, or for all") {
  CHECK(grants("plan.create", "plan", "create"));
  CHECK(grants("plan.*", "plan", "create"));
  CHECK(grants("*", "plan", "create"));
  CHECK(grants("file.tmp.*", "file.tmp", "write"));
  for (const auto* other :
       {"plan", "plan.", "plan.creat", "plan.created", "plan.create.x", "plan*",
        "*.create", "*.*", "planner.create", "pla.*", "Plan.create", "",
        " plan.create", ".create", "plan..*", "plan.**"})
    CHECK_FALSE(grants(other, "plan", "create"));
  CHECK_FALSE(grants("plan.*", "planner", "x"));
  CHECK_FALSE(grants("file.*", "file.tmp", "write"));
}
