#include <session/workflow/run_rig.hpp>

using namespace convene;
using namespace convene::test;

namespace {

json::object said(std::int64_t index, const std::string& id,
                  json::value content = "yes") {
  return {{"messageId", id}, {"from", "user"}, {"content", std::move(content)},
          {"ts", 5},         {"role", "user"}, {"turnIndex", index}};
}

json::value exchanging(std::int64_t index, const std::string& id,
                       json::value content = "yes") {
  return {{"operation", "exchange"},
          {"turn", said(index, id, std::move(content))}};
}

json::value closing(std::int64_t index, const std::string& id,
                    json::value outcome) {
  return {{"operation", "close"},
          {"turn", said(index, id)},
          {"outcome", std::move(outcome)}};
}

/// A conversation gate with a channel for its turns.
workflow_ptr talk(json::object config = {}, json::object settings = {}) {
  auto definition
    = workflow_of({node_of("n", "core.conversationGate", std::move(config))});
  definition["channels"] = {{"conversation", {{"reducer", "message"}}}};
  definition["settings"] = std::move(settings);
  return made_workflow(definition);
}

} // namespace

TEST_CASE("A rejected approval fails its node and the run, without a retry") {
  run_rig uut{one_node("core.approvalGate", {}, {{"maxRetries", 2}})};
  uut.start();
  CHECK(refusal_of(uut.resolve("n", {{"action", "reject"}})).empty());
  CHECK(uut.status() == "failed");
  CHECK(uut.error_code() == "approval_rejected");
  CHECK(uut.told()
        == texts{"run.started", "node.started n", "node.suspended n",
                 "interrupt.requested n", "interrupt.resolved n",
                 "node.resumed n", "node.failed n", "run.failed"});
}

TEST_CASE("An approval is asked with what the gate says, and answered with "
          "who decided") {
  run_rig uut{
    one_node("core.approvalGate", {{"title", "Ship?"},
                                   {"actions", {"accept", "edit-accept"}},
                                   {"artifact", 7}})};
  uut.start();
  const auto& asked = uut.first("interrupt.requested").payload.held;
  CHECK(asked.at("kind") == "approval");
  CHECK(asked.at("key") == "r:n:0");
  CHECK(asked.at("data")
        == json::value{{"artifact", 7},
                       {"title", "Ship?"},
                       {"actions", {"accept", "edit-accept"}}});
  CHECK(refusal_of(uut.resolve("n", {{"action", "reject"}}))
        == "validation_error: approval_action");
  CHECK(refusal_of(uut.resolve("n", "accept")) == "validation_error: type");
  uut.resolve("n", {{"action", "edit-accept"}, {"text", "x"}});
  CHECK(uut.status() == "completed");
  CHECK(uut.node("n").outputs->at("text") == "x");
  const auto& answered = uut.first("interrupt.resolved").payload.held;
  CHECK(answered.at("resolvedBy") == "ann");
  CHECK(uut.first("node.resumed").payload.held.at("resumeValue").at("text")
        == "x");
}

TEST_CASE("A clarification takes answers to its questions, and no others") {
  run_rig uut{
    one_node("core.clarificationGate",
             {{"questions",
               {{{"id", "a"}, {"question", "A?"}},
                {{"id", "b"}, {"question", "B?"}, {"required", false}}}}})};
  uut.start();
  const auto refused = [&](json::value answers) {
    const auto effects = uut.resolve("n", {{"answers", std::move(answers)}});
    CHECK(effects.events.empty());
    return refusal_of(effects) + " "
           + (effects.refusal ? effects.refusal->what.pointer : "");
  };
  CHECK(refused({{"a", 1}, {"c", 2}})
        == "validation_error: known_question /answers/c");
  CHECK(refused({{"b", 1}}) == "validation_error: answer_missing /answers/a");
  CHECK(refused({{"a", std::string(65'536, 'x')}})
        == "validation_error: answer_bytes_max ");
  CHECK(refusal_of(uut.resolve("n", {{"answers", {{"a", 1}}}})).empty());
  CHECK(uut.status() == "completed");
}

TEST_CASE("A gate that nobody answers in time fails, after its retries") {
  run_rig uut{
    one_node("core.approvalGate", {{"timeoutMs", 50}}, {{"maxRetries", 1}})};
  uut.start();
  CHECK(uut.machine.next_deadline() == run_start + 50);
  uut.restart();
  uut.tick(50);
  CHECK(uut.status() == "waiting-approval");
  CHECK(uut.log.back().payload.held.at("key") == "r:n:1");
  uut.now += 50;
  // Too late: what is due happens first.
  CHECK(refusal_of(uut.resolve("n", {{"action", "accept"}}))
        == "interrupt_already_resolved: interrupt_already_resolved");
  CHECK(uut.error_code() == "interrupt_timeout");
}

TEST_CASE("A cancelled run takes no answer any more") {
  run_rig uut{
    made_workflow(workflow_of({node_of("a", "core.approvalGate"),
                               node_of("b", "core.conversationGate")}))};
  uut.start();
  uut.feed(cancel_run{"over"});
  CHECK(refusal_of(uut.resolve("a", {{"action", "accept"}}))
        == "interrupt_cancelled: interrupt_cancelled");
  CHECK(refusal_of(uut.resolve("b", exchanging(1, "m")))
        == "interrupt_cancelled: conversation_closed");
}

TEST_CASE("The status is that of the node that began to wait first") {
  run_rig uut{made_workflow(
    workflow_of({node_of("slow", "core.delay", {{"ms", 5}}),
                 node_of("ask", "core.clarificationGate",
                         {{"questions", {{{"id", "q"}, {"question", "?"}}}}}),
                 node_of("gate", "core.approvalGate")},
                {edge_of("slow", "ask")}))};
  uut.start();
  CHECK(uut.status() == "waiting-approval");
  CHECK(uut.snapshot().at("currentNodeId") == "gate");
  uut.tick(5);
  CHECK(uut.snapshot().at("currentNodeId") == "gate");
  uut.resolve("gate", {{"action", "accept"}});
  CHECK(uut.status() == "waiting-input");
  CHECK(uut.snapshot().at("currentNodeId") == "ask");
  uut.resolve("ask", {{"answers", {{"q", 1}}}});
  CHECK(uut.status() == "completed");
  CHECK_FALSE(uut.snapshot().contains("currentNodeId"));
}

TEST_CASE("A conversation's turns are counted, chained and written to the "
          "channel, and only its close resumes the node") {
  run_rig uut{talk({{"prompt", "Well?"}})};
  uut.start();
  for (std::int64_t i = 1; i <= 3; ++i) {
    const auto effects = uut.resolve("n",
                                     exchanging(i, "m" + std::to_string(i)));
    REQUIRE(effects.conversation);
    CHECK(effects.conversation->turn_index == i);
    CHECK(uut.node("n").status == run_node_status::suspended);
    CHECK(uut.status() == "waiting-approval");
  }
  CHECK(refusal_of(uut.resolve("n", exchanging(5, "m5")))
        == "validation_error: turn_index");
  CHECK(refusal_of(uut.resolve("n", closing(4, "m4", "fine"))).empty());
  CHECK(uut.status() == "completed");
  CHECK(uut.types()
        == texts{"run.started", "node.started", "node.suspended",
                 "interrupt.requested", "conversation.opened",
                 "channel.written", "conversation.exchanged", "channel.written",
                 "conversation.exchanged", "channel.written",
                 "conversation.exchanged", "channel.written",
                 "conversation.closed", "interrupt.resolved", "node.resumed",
                 "channel.written", "node.completed", "run.completed"});
  const auto cause = [&](std::size_t of, std::size_t by) {
    INFO(of << " by " << by);
    CHECK(uut.log[of].causation_id == uut.log[by].event_id);
  };
  CHECK(uut.log[2].payload.held.at("interruptId") == "r:n:0");
  CHECK(uut.log[3].payload.held.at("key") == "r:n:0");
  cause(4, 2); // opened by the suspension
  cause(5, 4); // each write by its turn
  cause(6, 4); // each turn by the one before
  cause(8, 6);
  cause(12, 10);
  cause(14, 12); // resumed by the close
  cause(15, 12);
  cause(16, 14);
  CHECK(uut.log[12].payload.held.at("turnIndex") == 4);
  CHECK(uut.log[14].payload.held.at("resumeValue") == "fine");
  CHECK(*uut.node("n").outputs == json::object{{"outcome", "fine"}});
  const auto turns
    = uut.snapshot().at("channels").at("conversation").as_array();
  REQUIRE(turns.size() == 5);
  for (std::size_t i = 0; i < turns.size(); ++i)
    CHECK(turns[i].at("turnIndex") == i);
  CHECK(refusal_of(uut.resolve("n", exchanging(5, "m5")))
        == "validation_error: conversation_closed");
}

TEST_CASE("A turn that its conversation refuses appends nothing") {
  run_rig uut{talk({{"schema", {{"type", "string"}}}})};
  uut.start();
  const auto before = uut.log.size();
  const auto effects = uut.resolve("n", exchanging(1, "m1", 5));
  CHECK(refusal_of(effects) == "validation_error: turn_schema");
  CHECK(refusal_of(uut.resolve("n", {{"operation", "start"}}))
          .starts_with("validation_error"));
  CHECK(uut.log.size() == before);
  CHECK(uut.node("n").status == run_node_status::suspended);
}

TEST_CASE("A turn that comes twice is written once") {
  run_rig uut{talk()};
  uut.start();
  uut.resolve("n", exchanging(1, "m1"));
  const auto again = uut.resolve("n", exchanging(1, "m1"));
  CHECK(again.is_duplicate);
  CHECK(again.events.empty());
  CHECK(again.conversation->turn_index == 1);
  CHECK(refusal_of(uut.resolve("n", exchanging(2, "m1", "other")))
        == "validation_error: message_id_reused");
  CHECK(uut.snapshot().at("channels").at("conversation").as_array().size()
        == 2);
}

TEST_CASE("Of two who close a conversation, one does") {
  run_rig uut{talk()};
  uut.start();
  CHECK(refusal_of(uut.resolve("n", closing(1, "a", 1))).empty());
  CHECK(refusal_of(uut.resolve("n", closing(1, "b", 2)))
        == "interrupt_already_resolved: conversation_closed");
  CHECK(uut.node("n").outputs->at("outcome") == 1);
}

TEST_CASE("A conversation's time runs from its opening, across turns and "
          "restarts, and it is closed before its node fails") {
  run_rig uut{talk({{"timeoutMs", 100}})};
  uut.start();
  uut.now += 60;
  uut.resolve("n", exchanging(1, "m1"));
  uut.restart();
  CHECK(uut.machine.next_deadline() == run_start + 100);
  uut.tick(39);
  CHECK(uut.status() == "waiting-approval");
  const auto before = uut.log.size();
  uut.tick(1);
  const auto told = uut.told();
  CHECK(texts(told.begin() + static_cast<std::ptrdiff_t>(before), told.end())
        == texts{"conversation.closed n", "channel.written n", "node.failed n",
                 "run.failed"});
  CHECK(uut.error_code() == "interrupt_timeout");
  const auto& closed = uut.first("conversation.closed").payload.held;
  CHECK(closed.at("outcome").is_null());
  CHECK(closed.at("finalTurn").at("role") == "system");
}

TEST_CASE("A gate that is tried again holds another conversation") {
  run_rig uut{talk({{"timeoutMs", 100}}, {{"maxRetries", 1}})};
  uut.start();
  uut.tick(100);
  CHECK(uut.status() == "waiting-approval");
  REQUIRE(uut.machine.conversations().all().size() == 2);
  CHECK(talks_of(uut.machine)[1].conversation_id == "r:n:1");
  CHECK(refusal_of(uut.resolve("n", closing(1, "m", nullptr))).empty());
  CHECK(uut.status() == "completed");
  CHECK(uut.snapshot().at("channels").at("conversation").as_array().size()
        == 4);
}

TEST_CASE("A run that is cancelled closes its conversation first") {
  run_rig uut{talk()};
  uut.start();
  const auto before = uut.log.size();
  uut.feed(cancel_run{"over", "ann"});
  const auto told = uut.told();
  CHECK(texts(told.begin() + static_cast<std::ptrdiff_t>(before), told.end())
        == texts{"conversation.closed n", "channel.written n",
                 "node.cancelled n", "run.cancelled"});
  CHECK(uut.log.back().payload.held.at("cancelledBy") == "ann");
}

TEST_CASE("A conversation goes on after a restart with the same ids") {
  run_rig uut{talk()};
  uut.start();
  uut.resolve("n", exchanging(1, "m1"));
  uut.restart();
  CHECK(uut.resolve("n", exchanging(1, "m1")).is_duplicate);
  CHECK(refusal_of(uut.resolve("n", exchanging(2, "m2"))).empty());
  uut.restart();
  uut.resolve("n", closing(3, "m3", true));
  CHECK(uut.status() == "completed");
  CHECK(talks_of(uut.machine)[0].conversation_id == "r:n:0");
}

TEST_CASE("A turn of a group is seen by those who share with the group") {
  run_rig uut{talk()};
  uut.start();
  auto turn = said(1, "m1");
  turn["groupId"] = "g";
  uut.resolve("n", {{"operation", "exchange"}, {"turn", turn}});
  const auto seen = [&](const char* group) {
    return uut.machine.conversations()
      .turns_for({.sharing = protocol::agent_sharing::shared_in_group,
                  .group_id = group})
      .size();
  };
  CHECK(seen("g") == 1);
  CHECK(seen("h") == 0);
}

TEST_CASE("An outcome that no log could hold as an output fails the node") {
  run_rig uut{talk()};
  uut.start();
  json::value deep = 1;
  for (std::size_t i = 0; i < turn_depth_max; ++i)
    deep = json::array{std::move(deep)};
  CHECK(refusal_of(uut.resolve("n", closing(1, "m", deep))).empty());
  CHECK(uut.error_code() == "turn_depth_max");
}

TEST_CASE("A conversation that cannot be opened fails its node") {
  run_rig uut{talk(), {}, std::string(128, 'r')};
  uut.start();
  CHECK(uut.status() == "waiting-approval");
  auto definition
    = workflow_of({node_of(std::string(128, 'n'), "core.conversationGate")});
  run_rig other{made_workflow(definition), {}, std::string(128, 'r')};
  other.start();
  CHECK(other.error_code() == "conversation_id");
}
