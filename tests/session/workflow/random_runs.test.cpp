// Random workflows and inputs, and what must hold for any of them.
#include <boost/json/value_from.hpp>
#include <convene/session/workflow/fork.hpp>
#include <session/workflow/run_rig.hpp>
#include <support/dice.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::test;
using protocol::fork_mode;
using protocol::variable_mapping;

namespace {

/// As a parser reads it.
std::int64_t number(dice& d, std::size_t bound) {
  return d.below(bound);
}

json::object random_decision(dice& d) {
  json::object made{{"confidence", d.chance(80) ? 1.0 : 0.1}};
  if (d.chance(50)) {
    made["kind"] = "next-worker";
    made["nextWorkerIds"] = {"n" + std::to_string(1 + d.below(6))};
    if (d.chance(40))
      made["nextWorkerIds"].as_array().emplace_back("n7");
  } else if (d.chance(80)) {
    made["kind"] = "ask-user";
    made["prompt"] = "?";
  } else {
    made["kind"] = "terminate";
  }
  return made;
}

json::object random_node(dice& d, const std::string& id) {
  const auto timed = [&d](json::object config = {}) {
    if (d.chance(40))
      config["timeoutMs"] = 20 + number(d, 200);
    return config;
  };
  const variable_mapping shared{{"v", d.chance(50) ? "v" : "w"}};
  switch (d.below(15)) {
    case 13:
      return node_of(id, "core.subWorkflow",
                     {{"workflowId", "child"},
                      {"onChildFailure",
                       d.chance(50) ? "absorb" : "fail-parent"},
                      {"inputMapping", json::value_from(shared)},
                      {"outputMapping", json::value_from(shared)}});
    case 14:
      return node_of(id, "core.dispatch",
                     {{"workerDispatchModel", "child-run"},
                      {"outputMapping", json::value_from(shared)}});
    case 10: {
      auto config = timed();
      if (d.chance(60))
        config["decision"] = random_decision(d);
      return node_of(id, "core.orchestrator.supervisor", std::move(config));
    }
    case 11:
    case 12:
      return node_of(id, "core.dispatch",
                     {{"askUserRouting",
                       d.chance(50) ? "auto" : "clarification"}});
    case 0:
      return node_of(id, "core.fail");
    case 8:
      return node_of(id, "core.interrupt",
                     timed({{"kind", "custom"},
                            {"data", {{"customKind", "k"}, {"payload", id}}}}));
    case 1:
      return node_of(id, "core.delay", {{"ms", number(d, 80)}});
    case 2:
      return node_of(id, "core.approvalGate", timed());
    case 3:
      return node_of(id, "core.clarificationGate",
                     timed(
                       {{"questions", {{{"id", "q"}, {"question", "?"}}}}}));
    case 4:
      return node_of(id, "core.conversationGate", timed());
    case 5:
      return node_of(id, "core.conversationGate",
                     {{"mockAutoResume", true}, {"turnCount", number(d, 4)}});
    case 6:
      return node_of(id, "convene.session",
                     timed({{"scenario", json::object{}}}));
    case 7:
      return node_of(id, "core.channelWrite",
                     {{"channelName", "log"}, {"value", id}});
    default:
      return node_of(id, "core.noop");
  }
}

workflow_ptr random_workflow(dice& d) {
  static const std::vector<const char*> rules{"all_success", "all_success",
                                              "all_done",    "all_failed",
                                              "one_success", "one_failed"};
  const auto count = 1 + d.below(7);
  json::array nodes;
  json::array edges;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto id = "n" + std::to_string(i);
    nodes.push_back(random_node(d, id));
    const auto* const rule = d.one_of(rules);
    for (std::uint32_t j = 0; j < i; ++j)
      if (d.chance(35)) {
        auto edge = edge_of("n" + std::to_string(j), id);
        edge["triggerRule"] = rule;
        edges.push_back(std::move(edge));
      }
  }
  if (const auto is =
        [&](const char* type) {
          return std::ranges::any_of(nodes, [type](const json::value& each) {
            return each.at("typeId") == type;
          });
        };
      is("core.dispatch") && !is("core.orchestrator.supervisor"))
    nodes.push_back(node_of("n9", "core.orchestrator.supervisor",
                            {{"decision", random_decision(d)}}));
  auto made = workflow_of(std::move(nodes), std::move(edges));
  made["channels"]
    = {{"turns", {{"reducer", "message"}}},
       {"log", {{"reducer", "append"}, {"maxSize", 3}, {"ttlMs", 60}}}};
  json::object settings{{"maxRetries", number(d, 3)}};
  if (d.chance(30))
    settings["timeout"] = 50 + number(d, 400);
  made["settings"] = std::move(settings);
  return made_workflow(made);
}

json::value random_answer(dice& d, const run_rig& rig, std::size_t node) {
  if (d.chance(40))
    return {{"action", d.chance(80) ? "accept" : "reject"}};
  if (d.chance(30))
    return {{"answers", {{d.chance(50) ? "q" : "answer", number(d, 5)}}}};
  if (d.chance(30))
    return random_decision(d);
  const auto* const talk
    = rig.machine.conversations().find(rig.workflow->id_of(node));
  const auto index = static_cast<std::int64_t>(
    d.chance(90) && talk != nullptr ? talk->state().turns.size() : d.below(4));
  json::object turn{{"messageId", "m" + std::to_string(d.below(30))},
                    {"from", "user"},
                    {"content", number(d, 3)},
                    {"ts", number(d, 9)},
                    {"role", "user"},
                    {"turnIndex", index}};
  if (d.chance(70))
    return {{"operation", "exchange"}, {"turn", std::move(turn)}};
  json::object made{{"operation", "close"}, {"outcome", number(d, 9)}};
  if (d.chance(50))
    made["turn"] = std::move(turn);
  return made;
}

child_ended ended(const start_child& child, session_outcome how,
                  std::int64_t value) {
  return {.node_id = child.node_id,
          .child_run_id = child.child_run_id,
          .outcome = how,
          .variables = {{"v", value}, {"w", value + 1}},
          .code = "child_failed",
          .message = "m"};
}

/// One input; gates and sessions get more answers than nonsense.
void random_step(dice& d, run_rig& rig) {
  rig.now += d.below(30);
  const auto node = d.below(rig.workflow->nodes.size());
  const auto open = rig.machine.open_sessions();
  const auto children = rig.machine.open_children();
  switch (d.below(13)) {
    case 12:
      if (!children.empty())
        rig.feed(ended(d.one_of(children),
                       static_cast<session_outcome>(d.below(3)), number(d, 9)));
      break;
    case 0:
      rig.restart();
      break;
    case 1:
      rig.feed(pause_run{"p"});
      break;
    case 2:
      rig.feed(resume_run{});
      break;
    case 3:
      if (d.chance(10))
        rig.feed(cancel_run{"over", "ann"});
      break;
    case 4:
    case 5:
      if (!open.empty()) {
        const auto& session = d.one_of(open);
        rig.feed(session_ended{session.node_id,
                               d.chance(90) ? session.session_id : "other",
                               static_cast<session_outcome>(d.below(3)),
                               {{"n", number(d, 9)}},
                               "m"});
      }
      break;
    case 6:
    case 7:
      rig.tick();
      break;
    default:
      rig.resolve(rig.workflow->id_of(node), random_answer(d, rig, node));
  }
}

run_rig random_run(dice& d, unsigned steps) {
  run_rig rig{random_workflow(d)};
  rig.start();
  for (unsigned i = 0; i < steps && !is_end(rig.machine.status()); ++i)
    random_step(d, rig);
  return rig;
}

/// Whoever is asked answers, until the run ends.
void run_to_end(run_rig& rig) {
  for (int i = 0; i < 100 && !is_end(rig.machine.status()); ++i) {
    rig.feed(resume_run{});
    rig.tick(50);
    for (const auto& session : rig.machine.open_sessions())
      rig.feed(session_ended{session.node_id, session.session_id});
    for (const auto& child : rig.machine.open_children())
      rig.feed(ended(child, session_outcome::completed, i));
    for (const auto& node : rig.workflow->definition.nodes) {
      rig.resolve(node.id, {{"action", "accept"}});
      rig.resolve(node.id, {{"answers", {{"q", 1}}}});
      rig.resolve(node.id, {{"answers", {{"answer", 1}}}});
      rig.resolve(node.id, {{"kind", "terminate"}});
      rig.resolve(node.id, {{"operation", "close"}});
    }
  }
  CHECK(is_end(rig.machine.status()));
}

run_rig as_rig(const run_rig& source, protocol::result<forked_run> made) {
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  run_rig rig{source.workflow, {}, "f"};
  rig.machine = made->machine;
  rig.now = source.now + 100;
  rig.keep({.events = made->events, .actions = made->actions});
  return rig;
}

/// Calls `use` with a random run, the seed of which is shown if it fails.
template <class Use>
void for_random_runs(std::uint32_t first_seed, std::uint32_t count, Use use) {
  for (auto seed = first_seed; seed < first_seed + count; ++seed) {
    INFO("seed " << seed);
    dice d{seed};
    auto rig = random_run(d, 40);
    use(d, rig);
  }
}

} // namespace

TEST_CASE("Random runs obey the laws of logs, and end once they are answered") {
  std::set<std::string> seen;
  for_random_runs(1, 100, [&seen](dice&, run_rig& rig) {
    run_to_end(rig);
    for (const auto& event : rig.log)
      seen.insert(event.type);
    const auto ends = std::ranges::count_if(rig.log, [](const run_event& each) {
      return each.type == "run.completed" || each.type == "run.failed"
             || each.type == "run.cancelled";
    });
    CHECK(ends == 1);
    const auto before = rig.log.size();
    rig.feed(cancel_run{});
    rig.tick(1'000);
    CHECK(rig.log.size() == before);
    CHECK_FALSE(rig.machine.next_deadline());
  });
  // All there are but cap.breached and replay.diverged.
  CHECK(seen.size()
        == protocol::words_of<protocol::workflow_event_type>.size() - 2 + 3);
}

TEST_CASE("A run goes on from any event at which its log may end") {
  std::size_t whole = 0;
  for_random_runs(1'000, 25, [&whole](dice& d, run_rig& rig) {
    for (std::size_t count = 1; count <= rig.log.size(); ++count) {
      if (rig.log.size() > 10 && !d.chance(15))
        continue;
      INFO("events " << count);
      const std::vector<run_event> head(
        rig.log.begin(), rig.log.begin() + static_cast<std::ptrdiff_t>(count));
      auto folded = folded_run("r", rig.workflow, head);
      REQUIRE(folded);
      if (!folded->check_whole())
        continue;
      ++whole;
      run_rig again{rig.workflow};
      again.machine = *std::move(folded);
      again.log = head;
      again.now = rig.now;
      run_to_end(again);
    }
  });
  CHECK(whole > 50);
}

TEST_CASE("A replay of a random run from any event does the same again") {
  for_random_runs(2'000, 40, [](dice& d, run_rig& rig) {
    for (int i = 0; i < 6; ++i) {
      const auto from = static_cast<std::int64_t>(d.below(rig.log.size() + 1));
      INFO("from " << from);
      const auto fork = as_rig(rig, fork_run({.log = rig.log,
                                              .run_id = "f",
                                              .workflow = rig.workflow,
                                              .options = {}},
                                             {.from_seq = from}, 0));
      CHECK(begins_with(fork.told(), rig.told()));
      CHECK(fork.actions.empty());
      if (!is_end(rig.machine.status())) { // nobody will answer the replay
        CHECK(fork.status() == "cancelled");
        continue;
      }
      CHECK(fork.log.size() == rig.log.size());
      CHECK(fork.status() == rig.status());
      CHECK(json::serialize(fork.snapshot().at("channels"))
            == json::serialize(rig.snapshot().at("channels")));
      CHECK(fork.machine.state().variables == rig.machine.state().variables);
    }
  });
}

TEST_CASE("A branch of a random run from any event ends by itself, and its "
          "replay does the same") {
  for_random_runs(3'000, 25, [](dice& d, run_rig& rig) {
    const auto from = static_cast<std::int64_t>(d.below(rig.log.size() + 1));
    INFO("from " << from);
    auto fork = as_rig(
      rig, fork_run({.log = rig.log,
                     .run_id = "f",
                     .workflow = rig.workflow,
                     .options = {}},
                    {.mode = fork_mode::branch, .from_seq = from}, rig.now));
    run_to_end(fork);
    const auto again = as_rig(rig, fork_run({.log = fork.log,
                                             .run_id = "f",
                                             .workflow = rig.workflow,
                                             .options = {}},
                                            {}, 0));
    CHECK(again.told() == fork.told());
    CHECK(json::serialize(again.snapshot().at("channels"))
          == json::serialize(fork.snapshot().at("channels")));
    CHECK(again.machine.state().variables == fork.machine.state().variables);
  });
}
