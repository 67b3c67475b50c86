// Orchestrators: what they decide, and what dispatches make of it.
#include <convene/session/workflow/fork.hpp>
#include <session/workflow/run_rig.hpp>

using namespace convene;
using namespace convene::test;

namespace {

json::object supervisor(const std::string& id, json::object decision,
                        json::object more = {}) {
  json::object config{{"agentId", "planner"}};
  if (!decision.empty())
    config["decision"] = std::move(decision);
  config.insert(more.begin(), more.end());
  return node_of(id, "core.orchestrator.supervisor", std::move(config));
}

json::object dispatch(const std::string& id, json::object config = {}) {
  return node_of(id, "core.dispatch", std::move(config));
}

json::object edge(const std::string& from, const std::string& to,
                  const char* rule) {
  auto made = edge_of(from, to);
  made["triggerRule"] = rule;
  return made;
}

json::object to_workers(json::array ids) {
  return {{"kind", "next-worker"}, {"nextWorkerIds", std::move(ids)}};
}

/// A supervisor, a dispatch and three workers.
workflow_ptr choosing(json::object decision, json::object config = {},
                      const char* rule = "all_success") {
  return made_workflow(
    workflow_of({supervisor("s", std::move(decision)),
                 dispatch("d", std::move(config)), node_of("a", "core.noop"),
                 node_of("b", "core.noop"), node_of("c", "core.noop")},
                {edge_of("s", "d"), edge("d", "a", rule), edge("d", "b", rule),
                 edge("d", "c", rule)}));
}

workflow_ptr asking_user(json::object config = {}) {
  auto made = workflow_of(
    {supervisor("s", {{"kind", "ask-user"}, {"prompt", "Which?"}}),
     dispatch("d", std::move(config)), node_of("a", "core.noop")},
    {edge_of("s", "d"), edge("d", "a", "all_done")});
  made["channels"] = {{"talk", {{"reducer", "message"}}}};
  return made_workflow(made);
}

texts started(const run_rig& of) {
  texts all;
  for (const auto& each : of.log)
    if (each.type == "node.started")
      all.push_back(*each.node_id);
  return all;
}

std::string rule_of(const json::value& definition) {
  const auto made = protocol::read_workflow(definition);
  return made ? "" : made.error().rule + " " + made.error().pointer;
}

const json::object close_blue{{"operation", "close"},
                              {"turn",
                               {{"messageId", "m"},
                                {"from", "user"},
                                {"content", "blue"},
                                {"ts", 1},
                                {"role", "user"},
                                {"turnIndex", 1}}},
                              {"outcome", 7}};

} // namespace

TEST_CASE("Chosen workers run one after the other, and no other does") {
  for (const auto* rule : {"all_success", "all_done", "one_success"}) {
    INFO(rule);
    run_rig uut{choosing(to_workers({"c", "a"}), {}, rule)};
    uut.start();
    CHECK(uut.status() == "completed");
    CHECK(started(uut) == texts{"s", "d", "c", "a"});
    CHECK(uut.first("node.skipped").payload.held.at("reason") == "not_chosen");
    CHECK(uut.node("b").status == run_node_status::skipped);
    CHECK(uut.snapshot().at("runOrchestrator")
          == json::value{{"agentId", "planner"}, {"decisionsTaken", 1}});
  }
}

TEST_CASE("A worker waits until the one before it has ended") {
  run_rig uut{made_workflow(
    workflow_of({supervisor("s", to_workers({"b", "a"})), dispatch("d"),
                 node_of("a", "core.noop"), node_of("b", "core.approvalGate")},
                {edge_of("s", "d"), edge_of("d", "a"), edge_of("d", "b")}))};
  uut.start();
  CHECK(started(uut) == texts{"s", "d", "b"});
  uut.restart();
  uut.resolve("b", {{"action", "accept"}});
  CHECK(started(uut) == texts{"s", "d", "b", "a"});
  CHECK(uut.status() == "completed");
}

TEST_CASE("A decision comes before its effects, which name it as their cause") {
  run_rig uut{choosing(to_workers({"b"}))};
  uut.start();
  const auto& decided = uut.first("runOrchestrator.decided");
  CHECK(decided.node_id == "s");
  for (const auto& each : uut.log) {
    const bool is_effect = (each.type == "node.started" && each.node_id == "b")
                           || (each.type == "node.completed"
                               && each.node_id == "d");
    if (is_effect) {
      CHECK(each.causation_id == decided.event_id);
      CHECK(each.sequence > decided.sequence);
    }
  }
}

TEST_CASE("What a dispatch cannot do fails its node") {
  const auto failure = [](const workflow_ptr& of) {
    run_rig uut{of};
    uut.start();
    CHECK(uut.status() == "failed");
    return uut.error_code();
  };
  CHECK(failure(choosing(to_workers({"x"}))) == "worker_unknown");
  CHECK(failure(choosing(to_workers({"s"}))) == "worker_unknown");
  CHECK(failure(choosing(to_workers({"a", "b"}), {{"fanOutPolicy", "reject"}}))
        == "fan_out_unsupported");
  CHECK(failure(made_workflow(
          workflow_of({dispatch("d"), supervisor("s", to_workers({"d"}))},
                      {edge_of("d", "s")})))
        == "no_pending_decision");
  // A worker with all_done handles no failure of its dispatch.
  CHECK(failure(choosing(to_workers({"x"}), {}, "all_done"))
        == "worker_unknown");
}

TEST_CASE("A node for failures handles that of a dispatch") {
  run_rig uut{choosing(to_workers({"x"}), {}, "all_failed")};
  uut.start();
  CHECK(uut.status() == "completed");
  CHECK(started(uut) == texts{"s", "d", "a", "b", "c"});
}

TEST_CASE("terminate completes the run whatever else goes on") {
  run_rig uut{made_workflow(workflow_of(
    {node_of("gate", "core.approvalGate"),
     node_of("talk", "core.conversationGate"), node_of("later", "core.noop"),
     supervisor("s", {{"kind", "terminate"}, {"reason", "goal-reached"}}),
     dispatch("d"), node_of("w", "core.noop")},
    {edge_of("gate", "later"), edge_of("s", "d"), edge_of("d", "w")}))};
  uut.start();
  CHECK(uut.status() == "completed");
  CHECK(uut.first("run.completed").payload.held.at("reason") == "goal-reached");
  CHECK(uut.first("run.completed").causation_id
        == uut.first("runOrchestrator.decided").event_id);
  CHECK(uut.node("gate").status == run_node_status::cancelled);
  CHECK(uut.node("talk").status == run_node_status::cancelled);
  CHECK(uut.node("later").status == run_node_status::skipped);
  CHECK(uut.node("w").status == run_node_status::skipped);
}

TEST_CASE("A person is asked in a conversation, if the host has them") {
  for (const auto* routing : {"auto", "conversation"}) {
    INFO(routing);
    run_rig uut{asking_user({{"askUserRouting", routing}})};
    uut.start();
    CHECK(uut.status() == "waiting-approval");
    CHECK(uut.first("node.suspended").causation_id
          == uut.first("runOrchestrator.decided").event_id);
    CHECK(uut.first("conversation.opened").causation_id
          == uut.first("node.suspended").event_id);
    CHECK(uut.first("conversation.opened")
            .payload.held.at("initialTurn")
            .at("content")
          == "Which?");
    uut.restart();
    uut.resolve("d", close_blue);
    CHECK(uut.status() == "completed");
    CHECK(*uut.node("d").outputs
          == json::object{
            {"outcome", 7}, {"kind", "ask-user"}, {"answer", "blue"}});
    CHECK(uut.snapshot().at("channels").at("talk").as_array().size() == 2);
    // The worker was not chosen.
    CHECK(uut.node("a").status == run_node_status::skipped);
  }
}

TEST_CASE("A person is asked for a clarification elsewhere, or if it is so "
          "wanted") {
  const bool has_conversations = GENERATE(true, false);
  run_rig uut{asking_user({{"askUserRouting",
                            has_conversations ? "clarification" : "auto"}}),
              {.has_conversations = has_conversations}};
  uut.start();
  CHECK(uut.status() == "waiting-input");
  const auto& asked = uut.first("interrupt.requested").payload.held;
  CHECK(asked.at("kind") == "clarification");
  CHECK(asked.at("data").at("questions").at(0).at("question") == "Which?");
  CHECK(refusal_of(uut.resolve("d", {{"answers", {{"x", 1}}}}))
        == "validation_error: known_question");
  uut.resolve("d", {{"answers", {{"answer", "blue"}}}});
  CHECK(uut.status() == "completed");
  CHECK(uut.node("d").outputs->at("answer") == "blue");
}

TEST_CASE("A host without conversations refuses a dispatch that wants one") {
  run_rig uut{asking_user({{"askUserRouting", "conversation"}}),
              {.has_conversations = false}};
  CHECK(refusal_of(uut.start()) == "validation_error: capability_required");
}

TEST_CASE("A replay asks as its source did, a branch as its host can") {
  run_rig uut{asking_user(), {.has_conversations = false}};
  uut.start();
  uut.resolve("d", {{"answers", {{"answer", "blue"}}}});
  const auto replayed = fork_run(
    {.log = uut.log, .run_id = "f", .workflow = uut.workflow, .options = {}},
    {}, uut.now);
  REQUIRE(replayed);
  texts types;
  for (const auto& each : replayed->events)
    types.push_back(each.type);
  CHECK(types == uut.types());
  const auto branched = fork_run(
    {.log = uut.log, .run_id = "g", .workflow = uut.workflow, .options = {}},
    {.mode = protocol::fork_mode::branch, .from_seq = 2}, uut.now);
  REQUIRE(branched);
  CHECK(branched->machine.status() == run_status::waiting_approval);
}

TEST_CASE("A decision is asked for outside, of the run's orchestrator") {
  run_rig uut{choosing({})};
  uut.start();
  CHECK(uut.status() == "waiting-input");
  const auto& data = uut.first("interrupt.requested").payload.held.at("data");
  CHECK(data.at("customKind") == "orchestrator-decision");
  CHECK(data.at("payload")
        == json::value{{"agentId", "planner"}, {"workers", {"a", "b", "c"}}});
  const auto refused = [&](json::value answer) {
    const auto made = uut.resolve("s", std::move(answer));
    CHECK(made.events.empty());
    return made.refusal ? made.refusal->what.pointer : "";
  };
  CHECK(refused({{"kind", "next-worker"}}) == "/nextWorkerIds");
  CHECK(refused(to_workers({"a", "s"})) == "/nextWorkerIds/1");
  CHECK(refused({{"decision", to_workers({"x"})}})
        == "/decision/nextWorkerIds/0");
  CHECK(refused({{"decision", {{"kind", "ask-user"}}}}) == "/decision/prompt");
  CHECK(refused({{"agentId", "other"}, {"decision", to_workers({"a"})}})
        == "/agentId");
  uut.restart();
  uut.resolve("s", {{"agentId", "planner"}, {"decision", to_workers({"b"})}});
  CHECK(uut.status() == "completed");
  CHECK(started(uut) == texts{"s", "d", "b"});
}

TEST_CASE("A decision of low confidence is put before a person") {
  const auto unsure = [](double confidence) {
    auto made = to_workers({"a"});
    made["confidence"] = confidence;
    return made;
  };
  run_rig sure{choosing(unsure(0.7))};
  sure.start();
  CHECK(sure.status() == "completed");

  for (const auto& [answer, end] :
       std::vector<std::pair<json::object, std::string>>{
         {{{"action", "accept"}}, "a"},
         {to_workers({"b"}), "b"},
         {{{"action", "reject"}}, ""}}) {
    run_rig uut{choosing(unsure(0.6))};
    uut.start();
    CHECK(uut.status() == "waiting-approval");
    CHECK(uut.first("node.suspended").payload.held.at("reason")
          == "low-confidence");
    const auto& asked = uut.first("interrupt.requested").payload.held;
    CHECK(asked.at("kind") == "low-confidence");
    CHECK(asked.at("data").at("threshold") == 0.7);
    CHECK(asked.at("data").at("observed") == 0.6);
    CHECK(refusal_of(uut.resolve("s", {{"action", "dance"}}))
          == "validation_error: approval_action");
    uut.restart();
    uut.resolve("s", answer);
    CHECK(uut.status() == (end.empty() ? "failed" : "completed"));
    CHECK((end.empty() || started(uut).back() == end));
    CHECK((!end.empty() || uut.error_code() == "decision_rejected"));
  }
}

TEST_CASE("A decision from outside may be put before a person, too") {
  run_rig uut{choosing({})};
  uut.start({}, {{"escalationThreshold", 0.9}});
  auto decision = to_workers({"a"});
  decision["confidence"] = 0.8;
  uut.resolve("s", decision);
  CHECK(uut.status() == "waiting-approval");
  CHECK(uut.node("s").interrupt->id == "r:s:0:low-confidence");
  uut.restart();
  uut.resolve("s", {{"action", "accept"}});
  CHECK(uut.status() == "completed");
  CHECK(started(uut).back() == "a");
}

/// A supervisor whose decision another may make, which need not have ended.
workflow_ptr deciding_late(json::object decision) {
  auto late = supervisor("t", std::move(decision));
  late["inputs"] = {{"decision",
                     {{"type", "connection"},
                      {"nodeId", "s"},
                      {"outputKey", "decision"},
                      {"optional", true}}}};
  return made_workflow(workflow_of(
    {supervisor("s", {}), node_of("n", "core.noop"), std::move(late),
     dispatch("d"), node_of("a", "core.noop"), node_of("b", "core.noop")},
    {edge("s", "t", "one_success"), edge("n", "t", "one_success"),
     edge_of("t", "d"), edge_of("d", "a"), edge_of("d", "b")}));
}

TEST_CASE("An input that comes once somebody was asked decides nothing") {
  run_rig outside{deciding_late({})};
  outside.start();
  outside.resolve("s", to_workers({"a"}));
  CHECK(outside.status() == "waiting-input");
  outside.restart();
  outside.resolve("t", to_workers({"b"}));
  CHECK(outside.status() == "completed");
  CHECK(started(outside).back() == "b");

  auto unsure = to_workers({"b"});
  unsure["confidence"] = 0.1;
  run_rig shown{deciding_late(unsure)};
  shown.start();
  shown.resolve("s", to_workers({"a"}));
  shown.restart();
  shown.resolve("t", {{"action", "accept"}});
  CHECK(shown.status() == "completed");
  CHECK(started(shown).back() == "b");
}

TEST_CASE("A log in which a dispatch is answered by no object is refused") {
  run_rig uut{asking_user(), {.has_conversations = false}};
  uut.start();
  uut.resolve("d", {{"answers", {{"answer", "blue"}}}});
  auto log = uut.log;
  for (auto& each : log) {
    auto& payload = each.payload.held.get_object();
    if (each.node_id == "d" && payload.contains("kind"))
      payload["kind"] = "custom";
    if (each.node_id == "d" && payload.contains("resumeValue"))
      payload["resumeValue"] = 1;
  }
  const auto read = folded_run("r", uut.workflow, log,
                               {.has_conversations = false});
  REQUIRE_FALSE(read);
  CHECK(read.error().pointer == "/payload/resumeValue");
}

TEST_CASE("Caps of decisions and of dispatches end the run as failed") {
  const auto twice = [](json::object more, json::object config) {
    return made_workflow(workflow_of(
      {supervisor("s", to_workers({"t2"}), more), dispatch("d", config),
       supervisor("s2", to_workers({"a"}), more), dispatch("d2", config),
       node_of("t2", "core.noop"), node_of("a", "core.noop")},
      {edge_of("s", "d"), edge_of("d", "t2"), edge_of("t2", "s2"),
       edge_of("s2", "d2"), edge_of("d2", "a")}));
  };
  for (const auto& [of, kind] :
       std::vector<std::pair<workflow_ptr, std::string>>{
         {twice({{"iterationCap", 1}}, {}), "orchestrator-iterations"},
         {twice({}, {{"iterationCap", 1}}), "dispatch-iterations"}}) {
    run_rig uut{of};
    uut.start();
    CHECK(uut.status() == "failed");
    CHECK(uut.error_code() == "iteration_cap_exceeded");
    const auto& breached = uut.first("cap.breached").payload.held;
    CHECK(breached.at("kind") == json::string_view{kind});
    CHECK(breached.at("observed") == 2);
  }
  run_rig uut{twice({{"iterationCap", 2}}, {{"iterationCap", 2}})};
  uut.start();
  CHECK(uut.status() == "completed");
}

TEST_CASE("What of an orchestrator could not work is refused") {
  CHECK(rule_of(workflow_of({dispatch("d")}))
        == "supervisor_missing /nodes/0/typeId");
  CHECK(rule_of(workflow_of(
          {supervisor("s", {}), node_of("t", "core.orchestrator.supervisor")}))
        == "orchestrator_agent /nodes/1/config/agentId");
  CHECK(rule_of(workflow_of({supervisor("s", {{"kind", "ask-user"}})}))
        == "required /nodes/0/config/decision/prompt");
  CHECK(rule_of(workflow_of({supervisor("s", {}), dispatch("d", {{"x", 1}})}))
        == "additionalProperties /nodes/1/config/x");
}

TEST_CASE("A log whose decision was changed is refused, not believed") {
  run_rig uut{asking_user()};
  uut.start();
  for (const auto* change : {"agent", "prompt", "node"}) {
    INFO(change);
    auto log = uut.log;
    for (auto& each : log)
      if (each.type == "runOrchestrator.decided") {
        auto& payload = each.payload.held.get_object();
        if (std::string_view{change} == "prompt")
          payload["decision"].get_object().erase("prompt");
        else if (std::string_view{change} == "node")
          each.node_id = "d";
        else
          payload["agentId"] = "x";
      }
    CHECK_FALSE(folded_run("r", uut.workflow, log));
  }
}
