#include <convene/protocol/conversation/ids.hpp>
#include <session/workflow/run_rig.hpp>

#include <functional>

using namespace convene;
using namespace convene::test;

namespace {

using log_type = std::vector<run_event>;

workflow_ptr gate_and_channel() {
  auto definition = workflow_of({node_of("a", "core.approvalGate"),
                                 node_of("b", "core.noop")},
                                {edge_of("a", "b")});
  definition["channels"] = {{"m", {{"reducer", "message"}}}};
  return made_workflow(definition);
}

/// run.started, node.started, node.suspended, interrupt.requested,
/// interrupt.resolved, node.resumed, node.completed, node.started,
/// node.completed, run.completed.
log_type whole_log(const workflow_ptr& of) {
  run_rig rig{of};
  rig.start();
  rig.resolve("a", {{"action", "accept"}});
  REQUIRE(rig.log.size() == 10);
  return rig.log;
}

/// Numbers and ids as they are to be.
void renumber(log_type& log) {
  for (std::size_t i = 0; i < log.size(); ++i) {
    log[i].sequence = static_cast<std::int64_t>(i);
    log[i].event_id = protocol::run_event_id("r", log[i].sequence);
  }
}

std::string rule_of(const log_type& log, const workflow_ptr& of) {
  const auto made = folded_run("r", of, log);
  if (made)
    return made->check_whole() ? "" : made->check_whole().error().rule;
  return made.error().rule + " " + made.error().pointer;
}

run_event event_of(const char* type, json::object payload) {
  return {.run_id = "r",
          .type = type,
          .payload = {std::move(payload)},
          .timestamp = "2026-01-31T12:00:00.000Z"};
}

} // namespace

TEST_CASE("A log that no run could have written is refused") {
  struct log_case {
    const char* rule;
    std::function<void(log_type&)> spoil;
    bool is_renumbered = true;
  };
  const auto drop = [](std::ptrdiff_t place) {
    return [place](log_type& log) { log.erase(log.begin() + place); };
  };
  const auto put = [](std::ptrdiff_t place, const char* type,
                      json::object payload) {
    return [=](log_type& log) {
      log.insert(log.begin() + place, event_of(type, payload));
    };
  };
  const auto repeat = [](std::ptrdiff_t place) {
    return [place](log_type& log) {
      log.insert(log.begin() + place, log[static_cast<std::size_t>(place)]);
    };
  };
  const std::vector<log_case> cases{
    {"run_event /runId", [](log_type& log) { log[3].run_id = "other"; }},
    {"run_event /sequence", [](log_type& log) { log[3].sequence = 4; }, false},
    {"run_event /eventId", [](log_type& log) { log[3].event_id = "e"; }, false},
    {"run_event /timestamp",
     [](log_type& log) { log[3].timestamp = "1969-01-01T00:00:00Z"; }},
    {"run_event /nodeId", [](log_type& log) { log[1].node_id = "b"; }},
    {"run_event /nodeId", [](log_type& log) { log[2].node_id = "b"; }},
    {"run_event /payload/nodeId",
     [](log_type& log) {
       log[1].payload.held.as_object()["nodeId"] = "c";
       log[1].node_id = "c";
     }},
    {"run_order ", drop(0)},
    {"run_order ", repeat(0)},
    {"run_order ", drop(1)},
    {"run_order ", repeat(1)},
    {"run_order ",
     [](log_type& log) { log[1].payload.held.as_object()["attempt"] = 1; }},
    {"run_order ", drop(2)},
    {"run_order ", repeat(2)},
    {"run_order ", drop(3)},
    {"run_order ", repeat(3)},
    {"run_order ", drop(4)},
    {"run_order ", repeat(4)},
    {"run_order ", drop(5)},
    {"run_order ", repeat(5)},
    {"run_order ", drop(6)},
    {"run_order ", repeat(6)},
    {"run_order ", drop(8)},
    {"run_order ", repeat(9)},
    {"run_order ",
     [](log_type& log) {
       log[4].payload.held.as_object()["interruptId"] = "other";
     }},
    {"run_event /payload/resumeValue",
     [](log_type& log) {
       log[4].payload.held.as_object()["resumeValue"] = "accept";
     }},
    {"run_order ", put(1, "run.resumed", {})},
    {"run_order ", put(1, "run.completed", {})},
    {"run_order ",
     [put](log_type& log) {
       put(1, "run.paused", {})(log);
       put(1, "run.paused", {})(log);
     }},
    {"run_order ", put(2, "run.cancelled", {})},
    {"run_order ", put(1, "node.cancelled", {{"nodeId", "a"}})},
    {"run_order ", put(1, "node.retried", {{"nodeId", "a"}})},
    {"run_order ", put(2, "node.skipped", {{"nodeId", "a"}})},
    {"run_order ",
     put(1, "node.failed",
         {{"nodeId", "a"}, {"error", {{"code", "c"}, {"message", "m"}}}})},
    {"run_event /payload/channel",
     put(2, "channel.written",
         {{"channel", "other"},
          {"value", 1},
          {"reducer", "append"},
          {"writtenAt", "2026-01-31T12:00:00.000Z"}})},
    {"run_event /payload/channel",
     put(2, "channel.written",
         {{"channel", "m"},
          {"value", 1},
          {"reducer", "append"},
          {"writtenAt", "2026-01-31T12:00:00.000Z"}})},
    {"run_event /payload/value",
     put(2, "channel.written",
         {{"channel", "m"},
          {"value", json::object{}},
          {"reducer", "message"},
          {"writtenAt", "2026-01-31T12:00:00.000Z"}})},
    {"required /payload", put(2, "cap.breached", {})},
    {"run_event /payload/configurable/recursionLimit",
     [](log_type& log) {
       log[0].payload.held.as_object()["configurable"]
         = {{"recursionLimit", "x"}};
     }},
    {"workflow_changed /payload/workflowDigest",
     [](log_type& log) {
       log[0].payload.held.as_object()["workflowDigest"] = "other";
     }},
    {"workflow_changed /payload/workflowDigest",
     [](log_type& log) {
       log[0].payload.held.as_object()["workflowId"] = "other";
     }},
  };
  const auto workflow = gate_and_channel();
  const auto log = whole_log(workflow);
  CHECK(rule_of(log, workflow).empty());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(i);
    auto spoilt = log;
    cases[i].spoil(spoilt);
    if (cases[i].is_renumbered)
      renumber(spoilt);
    CHECK(rule_of(spoilt, workflow) == cases[i].rule);
  }
}

TEST_CASE("Types of events that are unknown are passed over") {
  const auto workflow = gate_and_channel();
  auto log = whole_log(workflow);
  log.insert(log.begin() + 2, event_of("lease.acquired", {}));
  renumber(log);
  const auto made = folded_run("r", workflow, log);
  REQUIRE(made);
  CHECK(made->status() == run_status::completed);
}

TEST_CASE("A log that ends in the middle of the run's end is not whole") {
  run_rig rig{
    made_workflow(workflow_of({node_of("a", "core.approvalGate"),
                               node_of("b", "core.delay", {{"ms", 5}})}))};
  rig.start();
  rig.feed(cancel_run{});
  REQUIRE(rig.log.size() == 8);
  rig.log.pop_back();
  CHECK(rule_of(rig.log, rig.workflow) == "run_torn");
  rig.log.pop_back();
  CHECK(rule_of(rig.log, rig.workflow) == "run_torn");
  rig.log.pop_back();
  CHECK(rule_of(rig.log, rig.workflow).empty());
}

TEST_CASE("A run whose id no conversation could have is not started") {
  run_rig rig{gate_and_channel()};
  rig.machine = run_machine{"a:b", rig.workflow};
  const auto made = rig.machine.feed(start_run{}, run_start);
  CHECK(refusal_of(made) == "internal_error: run_id");
  CHECK(made.events.empty());
}

TEST_CASE("An answer on the log that no gate would take is one that no gate "
          "rejects") {
  const auto workflow = gate_and_channel();
  auto log = whole_log(workflow);
  log.resize(6);
  for (auto place : {4, 5})
    log[static_cast<std::size_t>(place)].payload.held.as_object()["resumeValue"]
      = json::object{};
  auto made = folded_run("r", workflow, log);
  REQUIRE(made);
  static_cast<void>(made->feed(check_timers{}, run_start));
  CHECK(made->status() == run_status::completed);
}

TEST_CASE("A host that names who answers by too long a name has made a "
          "mistake") {
  run_rig rig{gate_and_channel()};
  rig.start();
  const auto made = rig.machine.feed(
    resolve_interrupt{"a", {{"action", "accept"}}, std::string(257, 'x')},
    run_start);
  CHECK(refusal_of(made) == "internal_error: resolved_by");
  CHECK(made.events.empty());
  CHECK(rig.status() == "waiting-approval");
}
