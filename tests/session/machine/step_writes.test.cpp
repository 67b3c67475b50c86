#include <catch2/catch.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/workspace/fold.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::step_status;
using protocol::write_op;

namespace {

/// `a` works on the first step, `b` and `c` on nothing in particular.
const routing_policy one_works{
  .name = "one_works",
  .takes_turns = false,
  .decide = [](const view& now, memory) {
    if (now.turns == 0)
      return ruling{{dispatch{.participant = 0, .step = 0},
                     dispatch{.participant = 1}, dispatch{.participant = 2}},
                    {}};
    return now.busy > 0 ? ruling{}
                        : ruling{{complete{.condition = "enough"}}, {}};
  }};

/// The third step waits for the second.
rig started(conflict_strategy how = conflict_strategy::hierarchy) {
  auto made = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  made.plan = make_plan({{"first", "", {}},
                         {"second", "", {}},
                         {"third", "", {1}},
                         {"fourth", "", {}}});
  made.options.conflicts.strategy = how;
  return rig::started(std::move(made), one_works);
}

std::vector<event> attempt(rig& bench, std::string_view who,
                           protocol::resource_write what) {
  const auto from = bench.index(who);
  return bench.feed(
    write_attempt{from, bench.open.at(from).token, std::move(what)});
}

protocol::resource_write writes_step(std::size_t position, std::int64_t base,
                                     protocol::json::object value) {
  return {"plan_step", step_id(position), base, write_op::merge,
          std::move(value)};
}

/// Why a write was refused.
std::string rule_of(const event& refused) {
  return std::string{
    refused.whole.at("payload").at("error").at("code").get_string()};
}

/// "types: members" of what is on the log.
texts told_of(const std::vector<event>& events) {
  texts all;
  for (const auto& e : events)
    all.push_back(
      e.type
      + (e.type == "step_status_changed"   ? ": " + e.at("to_status")
         : e.type == "write_refused"       ? ": " + rule_of(e)
         : e.type == "MAPConflictDetected" ? ": " + e.at("conflict_type")
         : e.type == "MAPConflictResolved" ? ": " + e.at("resolution_strategy")
                                           : ""));
  return all;
}

step_status status_of(const rig& bench, std::size_t position) {
  return bench.machine().plan()->steps[position].status;
}

/// What the workspace has of a step, as "version=value".
std::string shown(const rig& bench, std::size_t position) {
  const auto found
    = bench.machine().workspace().find({"plan_step", step_id(position)});
  return found ? std::to_string(found->version) + "="
                   + protocol::json::serialize(found->value)
               : "";
}

/// The log alone gives the same workspace.
void check_fold(const rig& bench) {
  workspace_fold fold;
  for (const auto& e : bench.events)
    REQUIRE(fold.feed(e.whole));
  const auto document_of = [&](const workspace_view& what) {
    return workspace_document("session", what, fold.participants());
  };
  CHECK(document_of(fold.resources().view())
        == document_of(bench.machine().workspace().view()));
  CHECK(fold.resources().view().revision()
        == bench.machine().workspace().view().revision());
}

} // namespace

TEST_CASE("a participant writes a step, and plan, workspace and log agree") {
  auto bench = started();
  const auto made = attempt(bench, "b",
                            writes_step(3, 0,
                                        {{"description", "rewritten"},
                                         {"status", "in_progress"}}));
  REQUIRE(told_of(made)
          == texts{"resource_written", "step_status_changed: in_progress"});
  CHECK(made[0].at("version") == "1");
  CHECK(made[0].at("value")
        == R"({"description":"rewritten","status":"in_progress"})");
  CHECK(made[1].at("reason") == "written by a participant");
  CHECK(bench.machine().plan()->steps[3].description == "rewritten");
  CHECK(status_of(bench, 3) == step_status::in_progress);
  CHECK(shown(bench, 3)
        == R"(1={"description":"rewritten","status":"in_progress"})");
  check_fold(bench);
}

TEST_CASE("what the session does with a step makes no base version stale") {
  auto bench = started();
  attempt(bench, "a", writes_step(0, 0, {{"description", "rewritten"}}));
  CHECK(shown(bench, 0)
        == R"(1={"description":"rewritten","status":"in_progress"})");
  bench.answer("a", "done");
  CHECK(shown(bench, 0)
        == R"(1={"description":"rewritten","status":"completed"})");
  CHECK(status_of(bench, 0) == step_status::completed);
  CHECK(
    told_of(attempt(bench, "b", writes_step(0, 1, {{"description", "again"}})))
    == texts{"resource_written"});
  CHECK(shown(bench, 0) == R"(2={"description":"again","status":"completed"})");
  check_fold(bench);
}

TEST_CASE("two who write one step conflict, and one of them is told") {
  auto bench = started();
  attempt(bench, "b", writes_step(3, 0, {{"description", "b's"}}));
  CHECK(told_of(attempt(bench, "c", writes_step(3, 0, {{"status", "skipped"}})))
        == texts{"MAPConflictDetected: concurrent_modification",
                 "MAPConflictResolved: first-write-wins"});
  CHECK(told(bench, "c")
        == texts{"write_refused: concurrent_modification: plan_step "
                 + step_id(3)});
  CHECK(status_of(bench, 3) == step_status::pending);
  check_fold(bench);
}

TEST_CASE("one changes a step's text and one its status: both can stand") {
  auto bench = started(conflict_strategy::merge);
  attempt(bench, "b", writes_step(3, 0, {{"description", "b's"}}));
  CHECK(told_of(attempt(bench, "c", writes_step(3, 0, {{"status", "skipped"}})))
        == texts{"MAPConflictDetected: concurrent_modification",
                 "MAPConflictResolved: merge", "resource_written",
                 "step_status_changed: skipped"});
  CHECK(shown(bench, 3) == R"(2={"description":"b's","status":"skipped"})");
  CHECK(status_of(bench, 3) == step_status::skipped);
  check_fold(bench);
}

TEST_CASE("of two statuses for one step the strategy takes one") {
  auto bench = started(conflict_strategy::last_write_wins);
  attempt(bench, "b",
          writes_step(3, 0,
                      {{"description", "b's"}, {"status", "in_progress"}}));
  CHECK(told_of(attempt(bench, "c", writes_step(3, 0, {{"status", "failed"}})))
        == texts{"MAPConflictDetected: concurrent_modification",
                 "MAPConflictResolved: last-write-wins", "resource_written",
                 "step_status_changed: failed"});
  // What `b` wrote is gone, with the text that it gave.
  CHECK(shown(bench, 3) == R"(2={"description":"fourth","status":"failed"})");
  CHECK(bench.machine().plan()->steps[3].description == "fourth");
  CHECK(told(bench, "b") == texts{"write_overridden: plan_step " + step_id(3)});
  check_fold(bench);
}

TEST_CASE("a step moves along its lifecycle only, whoever writes it") {
  auto bench = started();
  const auto refused = texts{"write_refused: step_transition"};
  const auto tries = [&](std::size_t position, std::string_view status) {
    return told_of(
      attempt(bench, "b", writes_step(position, 0, {{"status", status}})));
  };
  CHECK(tries(3, "completed") == refused);
  CHECK(tries(3, "blocked") == refused);
  // It waits for the second.
  CHECK(tries(2, "in_progress") == refused);
  CHECK(tries(2, "skipped")
        == texts{"resource_written", "step_status_changed: skipped"});
  CHECK(tries(2, "skipped")
        == texts{"MAPConflictDetected: concurrent_modification",
                 "MAPConflictResolved: first-write-wins"});
  CHECK(told_of(attempt(bench, "b", writes_step(2, 1, {{"status", "pending"}})))
        == refused);
  check_fold(bench);
}

TEST_CASE("who waits for a step learns what was written about it") {
  auto bench = started();
  CHECK(told_of(attempt(bench, "b", writes_step(1, 0, {{"status", "skipped"}})))
        == texts{"resource_written", "step_status_changed: skipped",
                 "step_status_changed: skipped"});
  CHECK(status_of(bench, 2) == step_status::skipped);
}

TEST_CASE("a step whose turn another holds is the holder's") {
  auto bench = started();
  const auto made = attempt(bench, "b",
                            writes_step(0, 0, {{"status", "failed"}}));
  CHECK(told_of(made)
        == texts{"MAPConflictDetected: exclusive_write_violation",
                 "MAPConflictResolved: reject"});
  CHECK(made[1].at("winning_participant") == "a");
  CHECK(status_of(bench, 0) == step_status::in_progress);
}

TEST_CASE("a status that ends a step stays when its turn closes") {
  auto bench = started();
  CHECK(told_of(bench.answer(
          "a", {.content = "no",
                .writes = {writes_step(0, 0, {{"status", "failed"}})}}))
        == texts{"resource_written", "step_status_changed: failed",
                 "MAPTurnCompleted"});
  CHECK(status_of(bench, 0) == step_status::failed);
  check_fold(bench);
}

TEST_CASE("a step that its turn has ended is over if the turn then fails") {
  auto bench = started();
  attempt(bench, "a", writes_step(0, 0, {{"status", "completed"}}));
  CHECK(told_of(bench.answer("a", fails())) == texts{"MAPTurnCompleted"});
  CHECK(status_of(bench, 0) == step_status::completed);
  check_fold(bench);
}

TEST_CASE("what is no step, or not all of one, is refused by name") {
  auto bench = started();
  const auto refusal = [&](protocol::resource_write what) {
    const auto made = attempt(bench, "b", std::move(what));
    return made.size() == 1 ? rule_of(made[0]) : made[0].type;
  };
  CHECK(refusal(writes_step(9, 0, {{"status", "skipped"}})) == "step_unknown");
  CHECK(refusal(writes_step(3, 0, {{"agent_role", "x"}})) == "step_value");
  CHECK(refusal(writes_step(3, 0, {{"description", ""}})) == "step_value");
  CHECK(refusal(writes_step(3, 0, {{"status", "done"}})) == "step_value");
  CHECK(refusal(writes_step(3, 1, {{"status", "skipped"}}))
        == "base_version_unknown");
  CHECK(refusal({"plan_step", step_id(3), 0, write_op::put, 5})
        == "step_value");
  CHECK(refusal({"plan_step", step_id(3), 0, write_op::remove, nullptr})
        == "step_removed");
  CHECK(shown(bench, 3).empty());
}

TEST_CASE("a scenario has no resources of the plan's type") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b"});
  what.workspace = {{"plan_step", "x", 1}};
  const auto made = machine::activate(what, one_works, {7, 11});
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "plan_step_reserved");
  CHECK(made.error().pointer == "/workspace/0");
}

TEST_CASE("a log whose plan did not follow a write is found out") {
  auto bench = started();
  attempt(bench, "b", writes_step(3, 0, {{"status", "in_progress"}}));
  const auto moved = bench.lines.size() - 1;
  for (const auto* who : {"a", "b", "c"})
    bench.answer(who);
  CHECK(broken_laws(bench.lines, false) == texts{});
  CHECK_FALSE(replay(bench.lines, [](std::string_view) { return &one_works; }));
  auto lines = bench.lines;
  const auto breaks = [&](std::string_view rule) {
    return std::ranges::any_of(broken_laws(lines, false), [&](const auto& one) {
      return one.find(rule) != std::string::npos;
    });
  };
  const auto replace = [&](std::size_t line, std::string_view what,
                           std::string_view by) {
    auto& text = lines[line];
    REQUIRE(text.find(what) != std::string::npos);
    text.replace(text.find(what), what.size(), by);
  };
  replace(moved, R"("to_status":"in_progress")", R"("to_status":"skipped")");
  CHECK(breaks("step_matches_write"));
  lines = bench.lines;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(moved));
  CHECK(breaks("step_matches_write"));
  lines = bench.lines;
  replace(moved - 1, step_id(3), step_id(9));
  CHECK(breaks("steps_known"));
}

TEST_CASE("a turn writes what its task names, and its step") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  what.tasks = {{.title = "one", .resources = {"x", "doc/y"}},
                {.title = "two"}};
  auto bench = rig::started(std::move(what), one_works);
  const auto kinds = [&](std::string_view type, std::string_view id) {
    return told_of(
      attempt(bench, "a",
              {std::string{type}, std::string{id}, 0, write_op::put,
               protocol::json::object{{"description", "new"}}}));
  };
  const texts written{"resource_written"};
  const texts refused{"MAPConflictDetected: exclusive_write_violation",
                      "MAPConflictResolved: reject"};
  const auto steps = bench.machine().plan()->steps;
  CHECK(kinds("file", "x") == written);
  CHECK(kinds("doc", "y") == written);
  CHECK(kinds("file", "y") == refused);
  CHECK(kinds("file", "z") == refused);
  CHECK(kinds("plan_step", steps[0].step_id) == written);
  CHECK(kinds("plan_step", steps[1].step_id) == refused);
  // Whose request has no step, or one whose task names nothing, is free.
  CHECK(told_of(attempt(bench, "b", {"file", "z", 0, write_op::put, 1}))
        == written);
}

TEST_CASE("a vote for what a step can no longer become changes nothing") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  what.plan = make_plan({{"first", "", {}}});
  what.options.conflicts.strategy = conflict_strategy::voting;
  // Nobody works on the step until `a` has ended its first turn.
  static const routing_policy late{
    .name = "late",
    .takes_turns = false,
    .decide = [](const view& now, memory) {
      ruling made;
      if (now.turns == 0)
        for (participant_index i = 0; i < 3; ++i)
          made.decisions.push_back(dispatch{.participant = i});
      else if (now.turns == 3 && !now.participants[0].busy)
        made.decisions.push_back(dispatch{.participant = 0, .step = 0});
      return made;
    }};
  auto bench = rig::started(std::move(what), late);
  attempt(bench, "b", writes_step(0, 0, {{"description", "b's"}}));
  attempt(bench, "c", writes_step(0, 0, {{"status", "skipped"}}));
  const auto question = bench.asked.back();
  REQUIRE(question.what.kind == request_kind::vote);
  REQUIRE(question.to == bench.index("a"));
  bench.answer("a");
  REQUIRE(status_of(bench, 0) == step_status::in_progress);
  auto reply = says("");
  reply.vote = protocol::vote{question.what.conflict->conflict_id, "c"};
  const auto made
    = bench.feed(answer{question.to, question.what.token, std::move(reply)});
  REQUIRE(made.back().type == "MAPConflictResolved");
  CHECK(made.back().at("reason")
        == "the step can no longer become what was written");
  CHECK(status_of(bench, 0) == step_status::in_progress);
  CHECK(shown(bench, 0) == R"(1={"description":"b's","status":"in_progress"})");
  check_fold(bench);
}

TEST_CASE("two statuses for one step do not merge") {
  auto bench = started(conflict_strategy::merge);
  attempt(bench, "b", writes_step(3, 0, {{"status", "in_progress"}}));
  CHECK(told_of(attempt(bench, "c", writes_step(3, 0, {{"status", "failed"}})))
        == texts{"MAPConflictDetected: concurrent_modification",
                 "MAPConflictResolved: first-write-wins"});
  CHECK(status_of(bench, 3) == step_status::in_progress);
}

TEST_CASE("a step that a failed one blocks stays blocked") {
  auto bench = started();
  attempt(bench, "b", writes_step(1, 0, {{"status", "in_progress"}}));
  attempt(bench, "b", writes_step(1, 1, {{"status", "failed"}}));
  REQUIRE(status_of(bench, 2) == step_status::blocked);
  CHECK(told_of(attempt(bench, "b", writes_step(2, 0, {{"status", "pending"}})))
        == texts{"write_refused: step_transition"});
  CHECK(status_of(bench, 2) == step_status::blocked);
  check_fold(bench);
}
