// The workflows that the public conformance scenarios run, and what those
// assert of them, without HTTP.
#include <session/workflow/run_rig.hpp>

using namespace convene;
using namespace convene::test;

TEST_CASE("conformance-noop completes") {
  run_rig uut{example("conformance-noop")};
  CHECK(uut.status() == "pending");
  CHECK(uut.start().refusal == std::nullopt);
  CHECK(uut.status() == "completed");
  CHECK(uut.told()
        == texts{"run.started", "node.started noop", "node.completed noop",
                 "run.completed"});
}

TEST_CASE("conformance-identity shows its input as a variable, as it was") {
  const json::value payload{{"a", {1, 2.5, nullptr}}, {"b", "c"}};
  run_rig uut{example("conformance-identity")};
  uut.start({{"payload", payload}});
  CHECK(uut.status() == "completed");
  CHECK(uut.snapshot().at("variables").at("payload") == payload);
  CHECK(uut.node("echo").outputs->at("payload") == payload);
}

TEST_CASE("conformance-delay runs as long as it is told, a second if not") {
  run_rig uut{example("conformance-delay")};
  uut.start();
  CHECK(uut.status() == "running");
  CHECK(uut.machine.next_deadline() == run_start + 1'000);
  uut.tick(999);
  CHECK(uut.status() == "running");
  uut.tick(1);
  CHECK(uut.status() == "completed");
  run_rig other{example("conformance-delay")};
  other.start({{"delayMs", 50}});
  CHECK(other.machine.next_deadline() == run_start + 50);
}

TEST_CASE("conformance-cancellable is cancelled while it runs") {
  run_rig uut{example("conformance-cancellable")};
  uut.start();
  uut.tick(5'000);
  CHECK(uut.status() == "running");
  CHECK(uut.feed(cancel_run{"enough", "ann"}).refusal == std::nullopt);
  CHECK(uut.status() == "cancelled");
  CHECK(uut.told()
        == texts{"run.started", "node.started wait", "node.cancelled wait",
                 "run.cancelled"});
  const auto before = uut.log.size();
  CHECK(uut.feed(cancel_run{}).refusal == std::nullopt);
  CHECK(uut.log.size() == before);
}

TEST_CASE("conformance-failure fails with a code and a message") {
  run_rig uut{example("conformance-failure")};
  uut.start();
  CHECK(uut.status() == "failed");
  const auto error = uut.snapshot().at("error").as_object();
  CHECK(error.at("code") == "conformance_test_failure");
  CHECK_FALSE(error.at("message").as_string().empty());
  CHECK(uut.first("run.failed").payload.held.at("failedNodeId") == "fail");
}

TEST_CASE("conformance-multi-node completes its nodes in order") {
  run_rig uut{example("conformance-multi-node")};
  uut.start();
  texts completed;
  for (const auto& event : uut.log)
    if (event.type == "node.completed")
      completed.push_back(event.node_id.value_or(""));
  CHECK(completed == texts{"a", "b", "c"});
}

TEST_CASE("conformance-idempotent completes with its nonce") {
  run_rig uut{example("conformance-idempotent")};
  uut.start({{"nonce", "x"}});
  CHECK(uut.status() == "completed");
  CHECK(uut.snapshot().at("variables").at("nonce") == "x");
}

TEST_CASE("conformance-approval waits, and takes only its actions") {
  for (auto name :
       {"conformance-approval", "conformance-interrupt-auth-required"}) {
    run_rig uut{example(name)};
    uut.start();
    CHECK(uut.status() == "waiting-approval");
    CHECK(uut.snapshot().at("currentNodeId") == "gate");
    CHECK(refusal_of(uut.resolve("gate", {{"action", "edit-accept"}}))
          == "validation_error: approval_action");
    CHECK(refusal_of(uut.resolve("other", {{"action", "accept"}}))
          == "interrupt_not_found: interrupt_not_found");
    CHECK(refusal_of(uut.resolve("gate", {{"action", "accept"}})).empty());
    CHECK(uut.status() == "completed");
    CHECK(refusal_of(uut.resolve("gate", {{"action", "accept"}}))
          == "interrupt_already_resolved: interrupt_already_resolved");
  }
}

TEST_CASE("conformance-clarification takes answers as object and as array") {
  const json::value as_object{{"answers", {{"q1", "blue"}}}};
  const json::value as_array{
    {"answers", json::array{{{"id", "q1"}, {"answer", "blue"}}}}};
  for (const auto& answer : {as_object, as_array}) {
    run_rig uut{example("conformance-clarification")};
    uut.start();
    CHECK(uut.status() == "waiting-input");
    CHECK(uut.snapshot().at("currentNodeId") == "ask");
    CHECK(refusal_of(uut.resolve("ask", answer)).empty());
    CHECK(uut.status() == "completed");
    CHECK(uut.node("ask").outputs->at("answers").at("q1") == "blue");
  }
}

TEST_CASE("conformance-conversation-lifecycle opens, speaks and closes") {
  run_rig uut{example("conformance-conversation-lifecycle")};
  uut.start();
  CHECK(uut.status() == "completed");
  CHECK(uut.types()
        == texts{"run.started", "node.started", "node.suspended",
                 "interrupt.requested", "conversation.opened",
                 "channel.written", "conversation.exchanged", "channel.written",
                 "conversation.closed", "interrupt.resolved", "node.resumed",
                 "channel.written", "node.completed", "run.completed"});
  for (const auto& event : uut.log)
    if (event.type.starts_with("conversation."))
      CHECK(event.payload.held.at("conversationId") == "r:convo:0");
  CHECK(uut.snapshot().at("channels").at("conversation").as_array().size()
        == 3);
}

TEST_CASE("conformance-conversation-replay takes three exchanges by itself, "
          "with contents that depend on neither clock nor run") {
  const auto contents = [](const std::string& run_id, timestamp_ms at) {
    run_rig uut{example("conformance-conversation-replay"), {}, run_id};
    uut.now = at;
    uut.start();
    CHECK(uut.status() == "completed");
    auto turns = uut.snapshot().at("channels").at("conversation").as_array();
    CHECK(turns.size() == 5);
    for (auto& turn : turns)
      turn.as_object().erase("messageId");
    return json::serialize(turns);
  };
  CHECK(contents("r", run_start) == contents("other", run_start + 5));
}

TEST_CASE("conformance-conversation-vs-clarification has no clarification") {
  run_rig uut{example("conformance-conversation-vs-clarification")};
  uut.start();
  CHECK(uut.status() == "completed");
  std::size_t talks = 0;
  for (const auto& type : uut.types()) {
    talks += type.starts_with("conversation.") ? 1 : 0;
    CHECK_FALSE(type.starts_with("clarification."));
    CHECK(type != "channel.written");
  }
  CHECK(talks == 3);
}

TEST_CASE("conformance-conversation-capability-negotiation is refused by a "
          "host without conversations, and waits on one that has them") {
  run_rig without{example("conformance-conversation-capability-negotiation"),
                  {.has_conversations = false}};
  CHECK(refusal_of(without.start()) == "validation_error: capability_required");
  CHECK(without.log.empty());
  CHECK(without.status() == "pending");
  run_rig with{example("conformance-conversation-capability-negotiation")};
  with.start();
  CHECK(with.status() == "waiting-approval");
}

TEST_CASE("conformance-message-reducer keeps a message once") {
  run_rig uut{example("conformance-message-reducer")};
  uut.start();
  CHECK(uut.status() == "completed");
  CHECK(uut.types()
        == texts{"run.started", "node.started", "channel.written",
                 "channel.written", "node.completed", "run.completed"});
  CHECK(uut.snapshot().at("channels").at("messages").as_array().size() == 1);
}

TEST_CASE("conformance-cap-breach fails at a low recursionLimit") {
  run_rig uut{example("conformance-cap-breach")};
  uut.start({}, {{"recursionLimit", 3}});
  CHECK(uut.status() == "failed");
  CHECK(uut.error_code() == "recursion_limit_exceeded");
  const auto told = uut.told();
  REQUIRE(told.size() == 9);
  CHECK(told[7] == "cap.breached n4");
  CHECK(told[8] == "run.failed");
  const auto& breach = uut.first("cap.breached").payload.held;
  CHECK(breach.at("kind") == "node-executions");
  CHECK(breach.at("limit") == 3);
  CHECK(breach.at("observed") == 4);
  run_rig other{example("conformance-cap-breach")};
  other.start();
  CHECK(other.status() == "completed");
  run_rig small{example("conformance-cap-breach"), {.node_executions_max = 2}};
  small.start({}, {{"recursionLimit", 3}});
  CHECK(small.first("cap.breached").payload.held.at("limit") == 2);
}

TEST_CASE("conformance-channel-ttl keeps the entry that is young enough") {
  run_rig uut{example("conformance-channel-ttl")};
  uut.start();
  CHECK(uut.snapshot().at("variables").at("events").as_array().size() == 3);
  uut.tick(300);
  CHECK(uut.status() == "completed");
  const auto events = uut.snapshot().at("variables").at("events").as_array();
  REQUIRE(events.size() == 1);
  CHECK(events[0].at("value") == "d");
  CHECK(events[0].at("_ts") == run_start + 300);
}

TEST_CASE("conformance-capability-missing fails before its node starts") {
  run_rig uut{example("conformance-capability-missing")};
  CHECK(uut.start().refusal == std::nullopt);
  CHECK(uut.status() == "failed");
  CHECK(uut.error_code() == "capability_not_provided");
  CHECK(uut.machine.state().error->message.find("conformance.never-provided")
        != std::string::npos);
  CHECK(uut.types() == texts{"run.started", "run.failed"});
}

TEST_CASE("conformance-configurable-schema refuses what it does not allow") {
  run_rig uut{example("conformance-configurable-schema")};
  const auto refused = uut.start({}, {{"recursionLimit", "many"}});
  CHECK(refusal_of(refused) == "validation_error: configurable");
  CHECK(refused.refusal->what.pointer == "/configurable/recursionLimit");
  CHECK(uut.log.empty());
  CHECK(refusal_of(uut.start({}, {{"recursionLimit", 5}})).empty());
  CHECK(uut.snapshot().at("configurable").at("recursionLimit") == 5);
}
