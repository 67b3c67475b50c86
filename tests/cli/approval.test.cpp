#include <catch2/catch.hpp>
#include <convene/cli/commands/run/approval.hpp>
#include <convene/runtime/data/scenario/extension_approval.hpp>

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
       .read_line = [this](const std::string&) -> std::optional<std::string> {
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

namespace {

session::spec with_extension() {
  session::spec made;
  made.extensions = {{.extension_id = "e-1",
                      .name = "files",
                      .extension_type = protocol::extension_type::integration,
                      .config = protocol::json::object{{"command", {"serve"}}}},
                     {.extension_id = "e-2",
                      .name = "style",
                      .extension_type = protocol::extension_type::policy}};
  return made;
}

} // namespace

TEST_CASE("an extension that a person approves has a Confirm of its own") {
  auto scenario = with_extension();
  typed by{{"/approve it may"}, {}};
  REQUIRE(by.ask(scenario));
  CHECK_THAT(by.shown, Catch::Contains("files") && Catch::Contains("serve"));
  CHECK_THAT(by.shown, !Catch::Contains("style"));
  REQUIRE(scenario.extension_confirms.size() == 1);
  const auto& confirm = scenario.extension_confirms.front();
  CHECK(confirm.target_id == "e-1");
  CHECK(confirm.status == protocol::confirm_status::approved);
  CHECK(confirm.decisions->front().reason == "it may");
}

TEST_CASE("approvals that a scenario brings do not count where one is asked") {
  auto scenario = with_plan();
  scenario.extensions = with_extension().extensions;
  scenario.confirm = protocol::confirm{
    .target_id = "p-1", .status = protocol::confirm_status::approved};
  scenario.extension_confirms
    = {{.confirm_id = "c-1",
        .target_type = protocol::confirm_target::extension,
        .target_id = "e-1",
        .status = protocol::confirm_status::approved,
        .requested_by_role = "role-lead"}};
  typed by{{"/approve the plan", "/approve the server"}, {}};
  REQUIRE(by.ask(scenario));
  CHECK_THAT(by.shown, Catch::Contains("mend") && Catch::Contains("serve"));
  REQUIRE(scenario.confirm);
  CHECK(scenario.confirm->decisions->front().reason == "the plan");
  REQUIRE(scenario.extension_confirms.size() == 1);
  CHECK(scenario.extension_confirms[0].confirm_id != "c-1");
  REQUIRE(scenario.extension_confirms[0].decisions->size() == 1);
  CHECK(scenario.extension_confirms[0].decisions->front().reason
        == "the server");
}

TEST_CASE("an extension that can act is shown, whatever it is called") {
  auto scenario = with_extension();
  auto& one = scenario.extensions.front();
  one.extension_type = protocol::extension_type::other;
  one.status = GENERATE(protocol::extension_status::registered,
                        protocol::extension_status::active);
  typed by{{"/reject no"}, {}};
  CHECK_FALSE(by.ask(scenario));
  CHECK_THAT(by.shown, Catch::Contains("serve"));
}

TEST_CASE("a person sees the whole config that is to be approved") {
  auto scenario = with_extension();
  scenario.extensions.front().config = protocol::json::object{
    {"note", std::string(5'000, 'x') + "\u00e9"}, {"command", {"the end"}}};
  typed by{{"/approve"}, {}};
  REQUIRE(by.ask(scenario));
  CHECK_THAT(by.shown, Catch::Contains("\u00e9") && Catch::Contains("the end"));
}

TEST_CASE("an extension that is rejected does not run") {
  auto scenario = with_extension();
  typed by{{"/reject no"}, {}};
  const auto asked = by.ask(scenario);
  REQUIRE_FALSE(asked);
  CHECK(asked.error().rule == "extension_rejected");
  CHECK(scenario.extension_confirms.empty());
}

TEST_CASE("the program approves extensions, unless security is switched on") {
  protocol::uuid_source ids{1};
  auto scenario = with_extension();
  convene::host::approve_extensions(scenario, ids, 1767225600000);
  REQUIRE(scenario.extension_confirms.size() == 1);
  CHECK(scenario.extension_confirms[0].decisions->front().decided_by_role
        == "convene");
  scenario = with_extension();
  scenario.collab.meta.cross_cutting = std::vector<std::string>{"security"};
  convene::host::approve_extensions(scenario, ids, 1767225600000);
  CHECK(scenario.extension_confirms.empty());
}

TEST_CASE("a pending Confirm of an extension gets the decision") {
  auto scenario = with_extension();
  scenario.extension_confirms
    = {{.confirm_id = "c-1",
        .target_type = protocol::confirm_target::extension,
        .target_id = "e-1",
        .requested_by_role = "role-lead"}};
  typed by{{"/approve"}, {}};
  REQUIRE(by.ask(scenario));
  REQUIRE(scenario.extension_confirms.size() == 1);
  CHECK(scenario.extension_confirms[0].confirm_id == "c-1");
  CHECK(scenario.extension_confirms[0].status
        == protocol::confirm_status::approved);
}
