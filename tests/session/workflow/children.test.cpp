// Child runs: sub-workflows, and workers that are workflows.
#include <convene/protocol/conversation/ids.hpp>
#include <convene/session/workflow/fork.hpp>
#include <session/workflow/run_rig.hpp>

using namespace convene;
using namespace convene::test;

namespace {

/// A run that calls the workflow "child" and waits for it.
workflow_ptr calling(json::object more = {}, json::object settings = {}) {
  json::object config{{"workflowId", "child"}};
  config.insert(more.begin(), more.end());
  auto made
    = workflow_of({node_of("call", "core.subWorkflow", std::move(config)),
                   node_of("after", "core.noop")},
                  {edge_of("call", "after")});
  made["settings"] = std::move(settings);
  made["variables"]
    = {{{"name", "topic"}, {"type", "string"}, {"defaultValue", "none"}},
       {{"name", "result"}, {"type", "string"}}};
  return made_workflow(made);
}

/// An orchestrator that dispatches workflows, one after the other.
workflow_ptr dispatching(json::array chosen, json::object config = {}) {
  auto made = workflow_of({node_of("s", "core.orchestrator.supervisor",
                                   {{"decision",
                                     {{"kind", "next-worker"},
                                      {"nextWorkerIds", std::move(chosen)}}}}),
                           node_of("d", "core.dispatch", std::move(config))},
                          {edge_of("s", "d")});
  made["variables"] = {{{"name", "shared"}, {"type", "string"}}};
  return made_workflow(made);
}

/// The child run that waits to be started last.
start_child asked_for(const run_rig& of) {
  REQUIRE_FALSE(of.actions.empty());
  const auto* const last = std::get_if<start_child>(&of.actions.back());
  REQUIRE(last != nullptr);
  return *last;
}

child_ended completed(const start_child& of, json::object variables = {}) {
  return {.node_id = of.node_id,
          .child_run_id = of.child_run_id,
          .variables = std::move(variables)};
}

child_ended failed(const start_child& of,
                   session_outcome how = session_outcome::failed) {
  return {.node_id = of.node_id,
          .child_run_id = of.child_run_id,
          .outcome = how,
          .code = "child_failed",
          .message = "broken"};
}

std::string rule_of(const std::string& type, json::object config) {
  const auto made = protocol::read_workflow(
    workflow_of({node_of("s", "core.orchestrator.supervisor"),
                 node_of("n", type, std::move(config))},
                {edge_of("s", "n")}));
  return made ? "" : made.error().rule + " " + made.error().pointer;
}

json::value output(const run_rig& of, const char* node, const char* name) {
  return of.node(node).outputs.value().at(name);
}

} // namespace

TEST_CASE("A sub-workflow gets variables of its parent, and gives some back") {
  run_rig rig{
    calling({{"inputMapping", {{"about", "topic"}, {"gone", "result"}}},
             {"outputMapping", {{"result", "made"}, {"topic", "no"}}}})};
  rig.start({{"topic", "birds"}});
  const auto child = asked_for(rig);
  CHECK(child.workflow_id == "child");
  // What the parent has not set is not there.
  CHECK(child.inputs == json::object{{"about", "birds"}});
  CHECK(rig.status() == "running");
  CHECK(rig.node("after").status == run_node_status::pending);
  rig.restart();
  CHECK(rig.machine.open_children() == std::vector{child});
  rig.feed(completed(child, {{"made", "a nest"}, {"other", 1}}));
  CHECK(rig.status() == "completed");
  CHECK(rig.machine.state().variables
        == json::object{{"topic", "birds"}, {"result", "a nest"}});
  CHECK(output(rig, "call", "childRunId").as_string() == child.child_run_id);
  CHECK(output(rig, "call", "childStatus") == "completed");
  CHECK(rig.told()
        == texts{"run.started", "node.started call", "node.dispatched call",
                 "variable.changed call", "node.completed call",
                 "node.started after", "node.completed after",
                 "run.completed"});
  CHECK(rig.snapshot().at("childRuns").at(0).at("status") == "completed");
}

TEST_CASE("A child run that fails fails its parent, or is absorbed") {
  run_rig rig{calling()};
  rig.start();
  rig.feed(failed(asked_for(rig)));
  CHECK(rig.status() == "failed");
  CHECK(rig.error_code() == "child_failed");

  run_rig cancelled{calling()};
  cancelled.start();
  cancelled.feed(failed(asked_for(cancelled), session_outcome::cancelled));
  CHECK(cancelled.error_code() == "child_cancelled");
  CHECK(cancelled.snapshot().at("childRuns").at(0).at("status") == "cancelled");

  run_rig calm{calling(
    {{"onChildFailure", "absorb"}, {"outputMapping", {{"result", "made"}}}})};
  calm.start();
  auto how = failed(asked_for(calm));
  how.variables = {{"made", "half"}};
  calm.feed(how);
  CHECK(calm.status() == "completed");
  CHECK(output(calm, "call", "childStatus") == "failed");
  CHECK_FALSE(calm.machine.state().variables.contains("result"));
}

TEST_CASE("A node that is tried again has another child run") {
  run_rig rig{calling({}, {{"maxRetries", 1}})};
  rig.start();
  const auto first = asked_for(rig);
  rig.feed(failed(first));
  const auto second = asked_for(rig);
  CHECK(first.child_run_id != second.child_run_id);
  CHECK(refusal_of(rig.feed(completed(first))) == "conflict: child_unknown");
  rig.feed(completed(second));
  CHECK(rig.status() == "completed");
}

TEST_CASE("A value that the parent's variable cannot have fails the node") {
  run_rig rig{calling({{"outputMapping", {{"result", "made"}}}})};
  rig.start();
  rig.feed(completed(asked_for(rig), {{"made", 7}}));
  CHECK(rig.error_code() == "variable_type");
}

TEST_CASE(
  "A parent that is cancelled cancels its child run, unless it is detached") {
  run_rig rig{calling()};
  rig.start();
  const auto child = asked_for(rig);
  CHECK_FALSE(child.is_detached);
  rig.feed(cancel_run{.reason = "enough"});
  CHECK(std::get<cancel_child>(rig.actions.back())
        == cancel_child{child.child_run_id, "enough"});
  CHECK(rig.status() == "cancelled");
  CHECK(rig.machine.open_children().empty());

  run_rig apart{calling({{"propagateCancellation", false}})};
  apart.start();
  CHECK(asked_for(apart).is_detached);
  apart.feed(cancel_run{});
  CHECK(std::holds_alternative<start_child>(apart.actions.back()));
}

TEST_CASE("A dispatch runs one workflow after the other, each with the "
          "variables that the one before has left") {
  run_rig rig{dispatching({"a", "b"}, {{"inputMapping", {{"input", "shared"}}},
                                       {"perWorkerOutputMappings",
                                        {{"a", {{"shared", "made"}}}}}})};
  rig.start();
  const auto a = asked_for(rig);
  CHECK(a.workflow_id == "a");
  CHECK(a.inputs.empty());
  rig.feed(completed(a, {{"made", "by a"}}));
  const auto b = asked_for(rig);
  CHECK(b.workflow_id == "b");
  CHECK(b.inputs == json::object{{"input", "by a"}});
  rig.restart();
  rig.feed(completed(b, {{"made", "by b"}}));
  CHECK(rig.status() == "completed");
  CHECK(output(rig, "d", "childRunId").as_string() == b.child_run_id);
  CHECK(rig.machine.state().variables == json::object{{"shared", "by a"}});
  CHECK(rig.first("node.dispatched").causation_id
        == rig.first("runOrchestrator.decided").event_id);
}

TEST_CASE("A dispatch whose child run fails starts no other one") {
  run_rig rig{dispatching({"a", "b"})};
  rig.start();
  rig.feed(failed(asked_for(rig)));
  CHECK(rig.status() == "failed");
  CHECK(rig.machine.state().children.size() == 1);
}

TEST_CASE("A replay starts no child run, and has what the first ones gave") {
  run_rig rig{
    dispatching({"a", "b"}, {{"outputMapping", {{"shared", "made"}}}})};
  rig.start();
  rig.feed(completed(asked_for(rig), {{"made", "one"}}));
  rig.feed(completed(asked_for(rig), {{"made", "two"}}));
  REQUIRE(rig.status() == "completed");
  const auto again = fork_run({rig.log, "again", rig.workflow, {}},
                              {.mode = protocol::fork_mode::replay}, rig.now);
  INFO((again ? "" : to_string(again.error())));
  REQUIRE(again);
  CHECK(again->actions.empty());
  CHECK(again->machine.status() == run_status::completed);
  CHECK(again->machine.state().variables == json::object{{"shared", "two"}});
  for (const auto& each : again->events)
    CHECK(each.type != "replay.diverged");
}

TEST_CASE("A replay of a child run is like the child, without its parent") {
  run_rig rig{one_node("core.approvalGate")};
  rig.feed(start_run{
    .parent = protocol::run_parent{.run_id = "p", .node_id = "c", .depth = 1}});
  const auto replay = [&rig] {
    auto made = fork_run({rig.log, "again", rig.workflow, {}},
                         {.mode = protocol::fork_mode::replay,
                          .on_divergence = divergence_policy::abort},
                         rig.now);
    REQUIRE(made);
    CHECK_FALSE(made->machine.state().started->parent);
    return made->machine.status();
  };
  CHECK(replay() == run_status::cancelled); // it has not ended
  rig.resolve("n", {{"action", "accept"}});
  CHECK(replay() == run_status::completed);
}

TEST_CASE("A replay of a node that absorbs failures fails where what its child "
          "gave did not fit") {
  run_rig rig{calling(
    {{"onChildFailure", "absorb"}, {"outputMapping", {{"result", "made"}}}})};
  rig.start();
  rig.feed(completed(asked_for(rig), {{"made", 7}}));
  REQUIRE(rig.error_code() == "variable_type");
  const auto again = fork_run({rig.log, "again", rig.workflow, {}},
                              {.mode = protocol::fork_mode::replay}, rig.now);
  REQUIRE(again);
  CHECK(again->machine.state().error->code == "variable_type");
  for (const auto& each : again->events)
    CHECK(each.type != "replay.diverged");
}

TEST_CASE("A branch has child runs of its own") {
  run_rig rig{calling()};
  rig.start();
  const auto child = asked_for(rig);
  const auto fork
    = fork_run({rig.log, "branch", rig.workflow, {}},
               {.mode = protocol::fork_mode::branch,
                .from_seq = static_cast<std::int64_t>(rig.log.size())},
               rig.now);
  REQUIRE(fork);
  REQUIRE(fork->actions.size() == 1);
  const auto& other = std::get<start_child>(fork->actions.front());
  CHECK(other.child_run_id != child.child_run_id);
  CHECK(other.workflow_id == "child");
}

TEST_CASE("What would be ignored is refused when the workflow is read") {
  CHECK(rule_of("core.subWorkflow", {}) == "required /nodes/1/config");
  CHECK(rule_of("core.subWorkflow",
                {{"workflowId", "a"}, {"waitForCompletion", false}})
        == "wait_for_completion /nodes/1/config/waitForCompletion");
  CHECK(
    rule_of("core.subWorkflow", {{"workflowId", "a"}, {"inputMapping", "a"}})
    == "type /nodes/1/config/inputMapping");
  CHECK(
    rule_of("core.dispatch", {{"workerDispatchModel", "vendor.convene.node"},
                              {"inputMapping", {{"a", "b"}}}})
    == "dispatch_mapping /nodes/1/config/workerDispatchModel");
  CHECK(rule_of("core.dispatch", {{"workerDispatchModel", "child-run"},
                                  {"inputMapping", {{"a", "b"}}}})
        == "");
}

TEST_CASE("A log that names child runs where there are none is refused") {
  run_rig rig{dispatching({"a"})};
  rig.start();
  auto log = rig.log;
  REQUIRE(log.back().type == "node.dispatched");
  log.push_back(log.back());
  log.back().sequence += 1;
  log.back().event_id = protocol::run_event_id("r", log.back().sequence);
  CHECK(folded_run("r", rig.workflow, log).error().rule == "run_order");
}
