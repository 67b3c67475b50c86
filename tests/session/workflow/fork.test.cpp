#include <convene/session/workflow/fork.hpp>
#include <session/workflow/run_rig.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::test;
using protocol::fork_mode;

namespace {

json::object turn_at(std::int64_t index, const std::string& id) {
  return {{"messageId", id}, {"from", "user"}, {"content", id},
          {"ts", 5},         {"role", "user"}, {"turnIndex", index}};
}

/// All kinds of nodes that wait for somebody, one after the other.
json::object long_workflow() {
  auto made = workflow_of(
    {node_of("gate", "core.approvalGate"),
     node_of("ask", "core.clarificationGate",
             {{"questions", {{{"id", "q"}, {"question", "?"}}}}}),
     node_of("talk", "core.conversationGate", {{"prompt", "Well?"}}),
     node_of("work", "convene.session", {{"scenario", json::object{}}}),
     node_of("event", "core.interrupt",
             {{"kind", "external-event"},
              {"data", {{"eventType", "paid"}, {"correlation", {{"id", 7}}}}}}),
     node_of("wait", "core.delay", {{"ms", 50}}), node_of("end", "core.noop")},
    {edge_of("gate", "ask"), edge_of("ask", "talk"), edge_of("talk", "work"),
     edge_of("work", "event"), edge_of("event", "wait"),
     edge_of("wait", "end")});
  made["channels"] = {{"conversation", {{"reducer", "message"}}}};
  return made;
}

void answer_all(run_rig& to) {
  to.start({}, {{"recursionLimit", 50}});
  to.now += 7;
  to.resolve("gate", {{"action", "accept"}});
  to.now += 7;
  to.resolve("ask", {{"answers", {{"q", "blue"}}}});
  for (std::int64_t i = 1; i <= 3; ++i) {
    to.now += 7;
    to.resolve("talk", {{"operation", "exchange"},
                        {"turn", turn_at(i, "m" + std::to_string(i))}});
  }
  to.resolve("talk", {{"operation", "close"}, {"outcome", {{"ok", true}}}});
  const auto session = std::get<start_session>(to.actions.back()).session_id;
  to.now += 7;
  to.feed(session_ended{
    "work", session, session_outcome::completed, {{"text", "done"}}});
  to.resolve("event", {{"eventPayload", {{"id", 7}, {"sum", 20}}}});
  to.now += 3;
  to.feed(pause_run{"lunch"});
  to.tick(60);
  to.feed(resume_run{});
  REQUIRE(to.status() == "completed");
}

protocol::result<forked_run> forked(const run_rig& from, fork_request how,
                                    workflow_ptr workflow = nullptr) {
  return fork_run({.log = from.log,
                   .run_id = "f",
                   .workflow = workflow ? workflow : from.workflow,
                   .options = {}},
                  how, from.now + 1'000);
}

/// The fork as a run of its own; its events give its state, and obey the laws.
run_rig rig_of(protocol::result<forked_run> made) {
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  run_rig rig{std::make_shared<const protocol::workflow>(
                made->machine.workflow()),
              {},
              "f"};
  rig.machine = made->machine;
  rig.now = run_start + 100'000;
  rig.keep({.events = made->events, .actions = made->actions});
  return rig;
}

std::string channels_of(const run_rig& of) {
  return json::serialize(of.snapshot().at("channels"));
}

json::object fork_of(const run_rig& of) {
  return of.snapshot().at("forkedFrom").as_object();
}

} // namespace

TEST_CASE("A replay from each event does again what is recorded, bit for bit, "
          "and asks nobody") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  for (std::size_t from = 0; from <= source.log.size(); ++from) {
    INFO("from " << from);
    const auto fork
      = rig_of(forked(source, {.from_seq = static_cast<std::int64_t>(from)}));
    CHECK(fork.status() == "completed");
    CHECK(fork.told() == source.told());
    CHECK(channels_of(fork) == channels_of(source));
    CHECK(fork.actions.empty());
    REQUIRE(fork.log.size() == source.log.size());
    for (std::size_t i = 1; i < fork.log.size(); ++i) {
      CHECK(fork.log[i].timestamp == source.log[i].timestamp);
      auto payload = fork.log[i].payload.held;
      if (fork.log[i].type.starts_with("interrupt."))
        payload.as_object()["runId"] = "r";
      CHECK(json::serialize(payload)
            == json::serialize(source.log[i].payload.held));
      CHECK(fork.log[i].event_id != source.log[i].event_id);
    }
    CHECK(fork_of(fork).at("runId") == "r");
    CHECK(fork_of(fork).at("mode") == "replay");
    CHECK(fork_of(fork).at("inherited").as_int64()
          <= static_cast<std::int64_t>(from));
  }
}

TEST_CASE("A fork does not say whom its source told of the end, and does not "
          "diverge by that") {
  run_rig source{example("conformance-noop")};
  source.feed(start_run{.callback_digest = "hashed"});
  REQUIRE(json::serialize(source.log[0].payload.held)
            .find(R"("callbackDigest":"hashed")")
          != std::string::npos);
  for (const auto mode : {fork_mode::replay, fork_mode::branch})
    for (std::int64_t from = 0; from < 3; ++from) {
      const auto fork
        = rig_of(forked(source, {.mode = mode, .from_seq = from}));
      CHECK(fork.told() == source.told());
      CHECK(json::serialize(fork.log[0].payload.held).find("callbackDigest")
            == std::string::npos);
    }
}

TEST_CASE("A replay of a conversation that speaks for itself has the same "
          "channels") {
  run_rig source{example("conformance-conversation-replay")};
  source.start();
  const auto fork = rig_of(forked(source, {}));
  CHECK(fork.status() == "completed");
  CHECK(channels_of(fork) == channels_of(source));
  CHECK(channels_of(fork).find("r:convo:0") != std::string::npos);
  const auto again = rig_of(fork_run(
    {.log = fork.log, .run_id = "f", .workflow = fork.workflow, .options = {}},
    {}, 0));
  CHECK(channels_of(again) == channels_of(source));
  CHECK(again.told() == source.told());
}

TEST_CASE("A replay of a run that has not ended does what is recorded and is "
          "cancelled there") {
  run_rig source{made_workflow(long_workflow())};
  const auto check = [&source] {
    for (std::size_t from = 0; from <= source.log.size(); ++from) {
      INFO("from " << from);
      auto fork
        = rig_of(forked(source, {.from_seq = static_cast<std::int64_t>(from)}));
      CHECK(fork.status() == "cancelled");
      CHECK(fork.actions.empty());
      CHECK(fork.machine.open_sessions().empty());
      CHECK(begins_with(fork.told(), source.told()));
      CHECK(fork.log.size() > source.log.size());
      CHECK(fork.log.back().payload.held.at("reason").as_string().starts_with(
        "replay_source_open"));
      fork.restart();
      CHECK(refusal_of(fork.resolve("ask", {{"answers", {{"q", 1}}}})) != "");
    }
  };
  source.start();
  check();
  source.resolve("gate", {{"action", "accept"}});
  check();
  source.resolve("ask", {{"answers", {{"q", 1}}}});
  source.resolve("talk",
                 {{"operation", "exchange"}, {"turn", turn_at(1, "m")}});
  check();
  source.feed(pause_run{"later"});
  check();
  source.resolve("talk", {{"operation", "close"}});
  source.feed(resume_run{});
  REQUIRE(source.actions.size() == 1); // a session runs
  check();
  // A replay of the replay is the same once more.
  const auto fork = rig_of(forked(source, {}));
  const auto again = rig_of(fork_run(
    {.log = fork.log, .run_id = "f", .workflow = fork.workflow, .options = {}},
    {}, 0));
  CHECK(again.told() == fork.told());
}

TEST_CASE("A replay that goes on beyond what is recorded starts no session") {
  run_rig source{made_workflow(workflow_of(
    {node_of("wait", "core.delay", {{"ms", 5}}),
     node_of("work", "convene.session", {{"scenario", json::object{}}})},
    {edge_of("wait", "work")}))};
  source.start();
  auto fork = rig_of(forked(source, {}));
  CHECK(fork.status() == "cancelled");
  fork.tick(1'000);
  CHECK(fork.node("work").status == run_node_status::pending);
  CHECK(fork.actions.empty());
  CHECK(fork.machine.open_sessions().empty());
}

TEST_CASE("A log that is no run's gives no fork, whatever it has") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  for (std::size_t i = 0; i < source.log.size(); ++i) {
    INFO(i);
    auto spoilt = source.log;
    for (const auto& value :
         {json::value{}, json::value{1}, json::value(json::object{}),
          json::value(json::object{{"finalTurn", 1}})}) {
      spoilt[i].payload.held = value;
      for (std::int64_t from : {0, 5, 40}) {
        const auto made = fork_run({.log = spoilt,
                                    .run_id = "f",
                                    .workflow = source.workflow,
                                    .options = {}},
                                   {.from_seq = from}, 0);
        if (made)
          check_run_laws(made->events);
      }
    }
  }
}

TEST_CASE("A replay of a run that was cancelled, failed or timed out ends like "
          "it, from each event") {
  const auto check = [](const run_rig& source, const char* status) {
    CHECK(source.status() == status);
    for (std::size_t from = 0; from <= source.log.size(); ++from) {
      INFO("from " << from);
      const auto fork
        = rig_of(forked(source, {.from_seq = static_cast<std::int64_t>(from)}));
      CHECK(fork.told() == source.told());
      CHECK(channels_of(fork) == channels_of(source));
    }
  };
  auto definition
    = workflow_of({node_of("a", "core.approvalGate", {{"timeoutMs", 50}}),
                   node_of("b", "core.conversationGate", {{"timeoutMs", 70}}),
                   node_of("c", "convene.session",
                           {{"scenario", json::object{}}, {"timeoutMs", 90}})});
  definition["channels"] = {{"conversation", {{"reducer", "message"}}}};
  definition["settings"] = {{"maxRetries", 1}};
  const auto workflow = made_workflow(definition);
  run_rig cancelled{workflow};
  cancelled.start();
  cancelled.resolve("b",
                    {{"operation", "exchange"}, {"turn", turn_at(1, "m")}});
  cancelled.feed(cancel_run{"over", "ann"});
  check(cancelled, "cancelled");
  run_rig late{workflow};
  late.start();
  for (int i = 0; i < 20; ++i)
    late.tick(13);
  check(late, "failed");
  run_rig rejected{workflow};
  rejected.start();
  rejected.feed(
    session_ended{"c",
                  std::get<start_session>(rejected.actions[0]).session_id,
                  session_outcome::failed,
                  {},
                  "no quorum"});
  rejected.tick(20);
  rejected.resolve("a", {{"action", "reject"}});
  check(rejected, "failed");
}

TEST_CASE("A replay by a workflow that was changed says where it differs, and "
          "goes on") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  // The session goes, and another node comes.
  auto changed = long_workflow();
  changed["nodes"].as_array()[3] = node_of("work", "core.noop");
  const auto fork = rig_of(forked(source, {}, made_workflow(changed)));
  CHECK(fork.status() == "completed");
  const auto types = fork.types();
  // Where it begins, and the result of the session, which nothing took.
  CHECK(std::count(types.begin(), types.end(), "replay.diverged") == 2);
  CHECK(types[types.size() - 2] == "replay.diverged");
  const auto& diverged = fork.first("replay.diverged");
  const auto& said = diverged.payload.held;
  const auto at = static_cast<std::size_t>(diverged.sequence);
  CHECK(said.at("sourceRunId") == "r");
  CHECK(said.at("atSequence") == diverged.sequence);
  CHECK(said.at("divergenceKind") == "output");
  CHECK(said.at("divergencePoint") == "node.started");
  CHECK(source.log[at].node_id == "work");
  CHECK(said.at("originalEventId").as_string()
        == std::string_view{source.log[at].event_id});
  CHECK(said.at("replayEventId").as_string()
        == std::string_view{fork.log[at + 1].event_id});
}

TEST_CASE("A changed workflow finds the answers that its source had") {
  run_rig source{made_workflow(workflow_of({node_of("a", "core.approvalGate"),
                                            node_of("b", "core.approvalGate")},
                                           {edge_of("a", "b")}))};
  source.start();
  source.resolve("a", {{"action", "accept"}});
  source.tick(5);
  source.resolve("b", {{"action", "accept"}});
  const auto swapped = made_workflow(workflow_of(
    {node_of("a", "core.approvalGate"), node_of("b", "core.approvalGate")},
    {edge_of("b", "a")}));
  const auto fork = rig_of(forked(source, {}, swapped));
  CHECK(fork.status() == "completed");
  const auto more = made_workflow(workflow_of(
    {node_of("a", "core.approvalGate"), node_of("b", "core.approvalGate"),
     node_of("c", "core.approvalGate")},
    {edge_of("a", "b"), edge_of("b", "c")}));
  const auto asking = rig_of(forked(source, {}, more));
  CHECK(asking.status() == "failed");
  CHECK(asking.error_code() == "replay_diverged");
  CHECK(asking.node("c").status == run_node_status::cancelled);
  CHECK(asking.first("replay.diverged").payload.held.at("divergenceKind")
        == "type-mismatch");
  // A replay of it is the same once more, by the same workflow.
  const auto again = rig_of(fork_run(
    {.log = asking.log, .run_id = "f", .workflow = more, .options = {}}, {},
    0));
  CHECK(again.status() == "failed");
  CHECK(again.error_code() == "replay_diverged");
  const auto types = again.types();
  CHECK(std::count(types.begin(), types.end(), "replay.diverged") == 0);
}

TEST_CASE("A replay that ends before its source did, or goes beyond it, says "
          "so") {
  run_rig open{made_workflow(workflow_of(
    {node_of("a", "core.delay", {{"ms", 5}}), node_of("b", "core.noop")},
    {edge_of("a", "b")}))};
  open.start();
  const auto slower = made_workflow(
    workflow_of({node_of("a", "core.approvalGate"), node_of("b", "core.noop")},
                {edge_of("a", "b")}));
  const auto extra = rig_of(forked(open, {}, slower));
  CHECK(extra.first("replay.diverged").payload.held.at("divergenceKind")
        == "output");
  open.tick(5);
  const auto longer
    = made_workflow(workflow_of({node_of("a", "core.delay", {{"ms", 5}}),
                                 node_of("b", "core.delay", {{"ms", 9}})},
                                {edge_of("a", "b")}));
  const auto missing = rig_of(forked(open, {}, longer));
  CHECK(missing.status() == "failed");
  CHECK(missing.error_code() == "replay_diverged");
}

TEST_CASE("A replay takes recorded turns that the schema refuses now, and says "
          "which") {
  auto definition = workflow_of({node_of("talk", "core.conversationGate")});
  definition["channels"] = {{"conversation", {{"reducer", "message"}}}};
  run_rig source{made_workflow(definition)};
  source.start();
  for (const auto* text : {"free text", "more", "end"})
    source.resolve(
      "talk",
      {{"operation", text == std::string{"end"} ? "close" : "exchange"},
       {"turn",
        turn_at(static_cast<std::int64_t>(
                  source.machine.conversations().all()[0].state().turns.size()),
                text)}});
  REQUIRE(source.status() == "completed");
  definition["nodes"].as_array()[0].as_object()["config"]
    = {{"schema", {{"type", "integer"}}}};
  const auto strict = made_workflow(definition);
  const auto fork = rig_of(forked(source, {}, strict));
  CHECK(fork.status() == "completed");
  CHECK(channels_of(fork) == channels_of(source));
  std::vector<std::string> points;
  for (const auto& each : fork.log)
    if (each.type == "replay.diverged") {
      const auto& said = each.payload.held;
      points.emplace_back(said.at("divergencePoint").as_string());
      const auto at
        = static_cast<std::size_t>(said.at("atSequence").as_int64());
      CHECK(said.at("originalEventId").as_string()
            == std::string_view{source.log[at].event_id});
      const auto& next = fork.log[static_cast<std::size_t>(each.sequence) + 1];
      CHECK(next.type == source.log[at].type);
      CHECK(said.at("replayEventId").as_string()
            == std::string_view{next.event_id});
    }
  CHECK(points
        == std::vector<std::string>{"conversation.opened",
                                    "conversation.exchanged",
                                    "conversation.exchanged",
                                    "conversation.closed"});
}

TEST_CASE("A replay says which recorded answers no node took") {
  const auto two = [](const char* first, const char* second) {
    return made_workflow(workflow_of({node_of(first, "core.approvalGate"),
                                      node_of(second, "core.noop")},
                                     {edge_of(first, second)}));
  };
  run_rig source{two("gate", "after")};
  source.start();
  source.resolve("gate", {{"action", "accept"}});
  const auto fork = rig_of(forked(
    source, {}, made_workflow(workflow_of({node_of("after", "core.noop")}))));
  CHECK(fork.status() == "completed");
  std::vector<std::string> kinds;
  for (const auto& each : fork.log)
    if (each.type == "replay.diverged")
      kinds.emplace_back(each.payload.held.at("divergencePoint").as_string());
  CHECK(kinds
        == std::vector<std::string>{"node.started", "interrupt.resolved"});
}

TEST_CASE("A replay that is to abort ends where it differs, after a whole "
          "step") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  auto changed = long_workflow();
  changed["nodes"].as_array()[2].as_object()["config"]
    = {{"prompt", "Well?"}, {"schema", {{"type", "integer"}}}};
  const auto workflow = made_workflow(changed);
  const auto abort = divergence_policy::abort;
  for (std::size_t from = 0; from <= source.log.size(); ++from) {
    INFO("from " << from);
    const fork_request how{.from_seq = static_cast<std::int64_t>(from),
                           .on_divergence = abort};
    // Nothing to abort for.
    CHECK(rig_of(forked(source, how)).told() == source.told());
    const auto fork = rig_of(forked(source, how, workflow));
    if (fork.status() == "completed") // what differs was inherited
      continue;
    CHECK(fork.error_code() == "replay_diverged");
    CHECK(fork.types().back() == "run.failed");
    const auto& said = fork.first("replay.diverged");
    CHECK(said.payload.held.at("divergencePoint") == "conversation.opened");
    for (std::size_t i = 0; i < static_cast<std::size_t>(said.sequence); ++i)
      CHECK(fork.told()[i] == source.told()[i]);
  }
  // The host's policy, which the request overrides.
  const auto by_host = [&](fork_request how) {
    return rig_of(fork_run({.log = source.log,
                            .run_id = "f",
                            .workflow = workflow,
                            .options = {.on_divergence = abort}},
                           how, 0))
      .status();
  };
  CHECK(by_host({}) == "failed");
  CHECK(by_host({.on_divergence = divergence_policy::keep_going})
        == "completed");
}

TEST_CASE("A branch has the tags and metadata of its overlay in place of its "
          "source's") {
  run_rig source{example("conformance-approval")};
  source.feed(start_run{.tags = {"a"}, .metadata = {{"m", 1}}});
  const auto seen = [&source](fork_request how) {
    how.mode = fork_mode::branch;
    const auto fork = rig_of(forked(source, how)).snapshot();
    return json::serialize(
      json::array{fork.contains("tags") ? fork.at("tags") : nullptr,
                  fork.contains("metadata") ? fork.at("metadata") : nullptr});
  };
  for (std::int64_t from : {0, 3}) {
    CHECK(seen({.from_seq = from}) == R"([["a"],{"m":1}])");
    CHECK(seen({.from_seq = from, .tags = {{"b", "c"}}})
          == R"([["b","c"],{"m":1}])");
    CHECK(seen({.from_seq = from, .metadata = {{{"n", 2}}}})
          == R"([["a"],{"n":2}])");
    CHECK(seen({.from_seq = from, .tags = std::vector<std::string>{}})
          == R"([null,{"m":1}])");
    const auto many = forked(source, {.mode = fork_mode::branch,
                                      .from_seq = from,
                                      .tags = std::vector<std::string>(101)});
    REQUIRE_FALSE(many);
    CHECK(many.error().rule == "run_tags_max");
    CHECK(many.error().pointer == "/runOptionsOverlay/tags");
  }
}

TEST_CASE("A run is not replayed by a workflow that refuses its start") {
  auto definition = workflow_of({node_of("a", "core.noop")});
  run_rig source{made_workflow(definition)};
  source.start({{"v", 1}});
  definition["variables"] = {{{"name", "v"}, {"type", "string"}}};
  const auto refused = forked(source, {}, made_workflow(definition));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "variable_type");
}

TEST_CASE("A branch begins live from each event, and can be answered") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  for (std::size_t from = 0; from < source.log.size(); ++from) {
    INFO("from " << from);
    auto fork
      = rig_of(forked(source, {.mode = fork_mode::branch,
                               .from_seq = static_cast<std::int64_t>(from)}));
    for (int steps = 0; !is_end(fork.machine.status()) && steps < 30; ++steps) {
      if (fork.status() == "paused")
        fork.feed(resume_run{});
      fork.tick(100);
      for (const auto& session : fork.machine.open_sessions())
        fork.feed(session_ended{session.node_id, session.session_id});
      fork.resolve("gate", {{"action", "accept"}});
      fork.resolve("ask", {{"answers", {{"q", "red"}}}});
      fork.resolve("talk", {{"operation", "close"}, {"outcome", "branch"}});
      fork.resolve("event", {{"id", 7}});
    }
    CHECK(fork.status() == "completed");
    CHECK(fork_of(fork).at("mode") == "branch");
  }
}

TEST_CASE("A branch from inside a conversation keeps its turns and its id, one "
          "from before has another") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  const auto& second = *std::find_if(
    source.log.begin(), source.log.end(), [](const run_event& each) {
      return each.type == "conversation.exchanged"
             && each.payload.held.at("turnIndex") == 2;
    });
  const auto branch_at = [&](std::int64_t seq) {
    return rig_of(forked(source, {.mode = fork_mode::branch, .from_seq = seq}));
  };
  auto inside = branch_at(second.sequence + 1);
  CHECK(talks_of(inside.machine).at(0).conversation_id == "r:talk:0");
  CHECK(talks_of(inside.machine).at(0).turns.size() == 3);
  CHECK(inside.snapshot().at("channels").at("conversation").as_array().size()
        == 3);
  CHECK(refusal_of(inside.resolve("talk", {{"operation", "exchange"},
                                           {"turn", turn_at(3, "other")}}))
          .empty());
  const auto opened = source.first("conversation.opened").sequence;
  const auto before = branch_at(opened);
  CHECK(talks_of(before.machine).at(0).conversation_id == "f:talk:0");
  CHECK(fork_of(before).at("inherited").as_int64() == opened - 2);
}

TEST_CASE("A branch starts a session of its own") {
  run_rig source{made_workflow(long_workflow())};
  answer_all(source);
  const auto& started = *std::find_if(source.log.begin(), source.log.end(),
                                      [](const run_event& each) {
                                        return each.type == "node.started"
                                               && each.node_id == "work";
                                      });
  const auto fork = rig_of(forked(source, {.mode = fork_mode::branch,
                                           .from_seq = started.sequence + 1}));
  CHECK(fork.told().at(static_cast<std::size_t>(started.sequence) + 1)
        == "node.retried work");
  REQUIRE(fork.actions.size() == 1);
  const auto& action = std::get<start_session>(fork.actions[0]);
  CHECK(started.payload.held.at("sessionId").as_string()
        != std::string_view{action.session_id});
  CHECK(fork.machine.open_sessions() == std::vector<start_session>{action});
  // Its replay does that again.
  const auto again = rig_of(fork_run(
    {.log = fork.log, .run_id = "f", .workflow = fork.workflow, .options = {}},
    {}, 0));
  CHECK(begins_with(again.told(), fork.told()));
  CHECK(again.status() == "cancelled");
  CHECK(again.actions.empty());
}

TEST_CASE("A branch is configured anew") {
  run_rig source{example("conformance-cap-breach")};
  source.start({}, {{"recursionLimit", 3}});
  CHECK(source.status() == "failed");
  const auto more
    = rig_of(forked(source, {.mode = fork_mode::branch,
                             .from_seq = 5,
                             .configurable = {{"recursionLimit", 6}}}));
  CHECK(more.status() == "completed");
  const auto wrong = forked(source, {.mode = fork_mode::branch,
                                     .from_seq = 5,
                                     .configurable = {{"recursionLimit", 0}}});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().pointer
        == "/runOptionsOverlay/configurable/recursionLimit");
}

TEST_CASE("A fork beyond the log, or of a run that has not started, is "
          "refused") {
  run_rig source{example("conformance-noop")};
  const auto rule_of = [&](fork_request how) {
    const auto made = forked(source, how);
    REQUIRE_FALSE(made);
    return made.error().rule;
  };
  CHECK(rule_of({}) == "run_order");
  source.start();
  CHECK(forked(source, {.from_seq = 4}));
  CHECK(rule_of({.from_seq = 5}) == "from_seq");
}

TEST_CASE("A fork whose log lacks what it inherited gives no other") {
  run_rig source{example("conformance-noop")};
  source.start();
  const auto fork = rig_of(forked(source, {.from_seq = 4}));
  REQUIRE(fork_of(fork).at("inherited") == 4);
  for (std::size_t left = 1; left < 4; ++left)
    for (const auto mode : {fork_mode::replay, fork_mode::branch}) {
      INFO(left);
      const auto made = fork_run(
        {.log = {fork.log.begin(),
                 fork.log.begin() + static_cast<std::ptrdiff_t>(left)},
         .run_id = "g",
         .workflow = source.workflow,
         .options = {}},
        {.mode = mode}, 0);
      // A branch takes only what is asked for.
      CHECK((made ? "" : made.error().rule)
            == (mode == fork_mode::replay ? "run_order" : ""));
    }
}

TEST_CASE("What asks for a fork is read, or refused with its place") {
  const auto read = [](const char* text) {
    const auto made = read_fork_request(json::parse(text));
    if (!made)
      return made.error().rule + " " + made.error().pointer;
    auto said = std::string{protocol::to_word(made->mode)} + " "
                + std::to_string(made->from_seq) + " "
                + json::serialize(made->configurable);
    for (const auto& tag : made->tags.value_or(std::vector<std::string>{}))
      said += " " + tag;
    if (made->metadata)
      said += " " + json::serialize(*made->metadata);
    if (made->on_divergence)
      said += " " + std::string{protocol::to_word(*made->on_divergence)};
    return said;
  };
  CHECK(read(R"({"mode":"replay"})") == "replay 0 {}");
  CHECK(read(R"({"mode":"replay","fromSeq":3,"runOptionsOverlay":{}})")
        == "replay 3 {}");
  CHECK(read(R"({"mode":"branch","fromSeq":3,
                 "runOptionsOverlay":{"configurable":{"a":1}}})")
        == R"(branch 3 {"a":1})");
  CHECK(read(R"({"mode":"branch","fromSeq":3,"runOptionsOverlay":{
                 "tags":["t","u"],"metadata":{"m":1}}})")
        == R"(branch 3 {} t u {"m":1})");
  CHECK(read(R"({"mode":"replay","divergencePolicy":"abort"})")
        == "replay 0 {} abort");
  CHECK(read(R"({"mode":"replay","divergencePolicy":"continue"})")
        == "replay 0 {} continue");
  for (const auto* wrong :
       {R"({"mode":"replay","divergencePolicy":"stop"})",
        R"({"mode":"replay","divergencePolicy":1})",
        R"({"mode":"branch","fromSeq":0,"divergencePolicy":"abort"})"})
    CHECK(read(wrong) == "divergence_policy /divergencePolicy");
  CHECK(read("[]") == "type ");
  CHECK(read("{}") == "mode /mode");
  CHECK(read(R"({"mode":"again"})") == "mode /mode");
  CHECK(read(R"({"mode":"branch"})") == "required ");
  CHECK(read(R"({"mode":"replay","fromSeq":-1})") == "minimum /fromSeq");
  CHECK(read(R"({"mode":"replay","fromSeq":1.5})") == "minimum /fromSeq");
  CHECK(read(R"({"mode":"replay","more":1})") == "additionalProperties /more");
  CHECK(read(R"({"mode":"replay","runOptionsOverlay":{"configurable":{}}})")
        == "overlay /runOptionsOverlay");
  CHECK(read(R"({"mode":"branch","fromSeq":0,"runOptionsOverlay":{"x":1}})")
        == "overlay /runOptionsOverlay/x");
  CHECK(read(R"({"mode":"branch","fromSeq":0,
                 "runOptionsOverlay":{"tags":["a",1]}})")
        == "type /runOptionsOverlay/tags");
  CHECK(read(R"({"mode":"branch","fromSeq":0,
                 "runOptionsOverlay":{"metadata":[]}})")
        == "type /runOptionsOverlay/metadata");
  CHECK(read(R"({"mode":"branch","fromSeq":0,"runOptionsOverlay":1})")
        == "type /runOptionsOverlay");
}
