// Nodes that wait for an external event, or for something of a workflow's own.
#include <session/workflow/run_rig.hpp>

using namespace convene;
using namespace convene::test;

namespace {

workflow_ptr waiting_for(json::object correlation, json::object more = {}) {
  json::object config{{"kind", "external-event"},
                      {"data",
                       {{"eventType", "order.paid"},
                        {"correlation", std::move(correlation)},
                        {"hint", "from the shop"}}}};
  config.insert(more.begin(), more.end());
  return one_node("core.interrupt", std::move(config));
}

workflow_ptr asking(json::object more = {}) {
  json::object config{
    {"kind", "custom"},
    {"data", {{"customKind", "measure"}, {"payload", {{"unit", "mm"}}}}}};
  config.insert(more.begin(), more.end());
  return one_node("core.interrupt", std::move(config));
}

/// The rule and the place of a refusal that appends nothing.
std::string refused(run_rig& rig, json::value answer) {
  const auto effects = rig.resolve("n", std::move(answer));
  CHECK(effects.events.empty());
  CHECK(rig.status().starts_with("waiting-"));
  return refusal_of(effects) + " "
         + (effects.refusal ? effects.refusal->what.pointer : "");
}

} // namespace

TEST_CASE("A node waits for an external event, which has to be the right one") {
  run_rig uut{waiting_for({{"order", 7}, {"states", {"paid"}}})};
  uut.start();
  CHECK(uut.snapshot().at("currentNodeId") == "n");
  const auto& asked = uut.first("interrupt.requested").payload.held;
  CHECK(asked.at("kind") == "external-event");
  CHECK(asked.at("key") == "r:n:0");
  CHECK(asked.at("data").at("eventType") == "order.paid");
  CHECK(asked.at("data").at("hint") == "from the shop");
  CHECK_FALSE(asked.as_object().contains("resumeSchema"));
  CHECK(refused(uut, {{"order", 8}, {"states", {"paid"}}})
        == "validation_error: correlation /order");
  CHECK(refused(uut, {{"order", 7}})
        == "validation_error: correlation /states");
  CHECK(refused(uut, 7) == "validation_error: correlation /order");
  CHECK(refused(uut, {{"eventPayload", {{"order", "7"}}}})
        == "validation_error: correlation /order");
  uut.restart();
  uut.resolve("n", {{"order", 7.0}, {"states", {"paid"}}, {"by", "card"}});
  CHECK(uut.status() == "completed");
  CHECK(uut.node("n").outputs->at("resumeValue").at("by") == "card");
  CHECK(uut.first("interrupt.resolved").payload.held.at("kind")
        == "external-event");
}

TEST_CASE("An external event may be given as its payload") {
  run_rig uut{waiting_for({{"order", 7}})};
  uut.start();
  uut.resolve("n", {{"eventPayload", {{"order", 7}}}});
  CHECK(uut.status() == "completed");
}

TEST_CASE("What a workflow asks of its own is answered by anything, once") {
  for (const json::value& answer :
       {json::value(nullptr), json::value(12.5), json::value(json::array{})}) {
    INFO(json::serialize(answer));
    run_rig uut{asking()};
    uut.start();
    CHECK(uut.status() == "waiting-input");
    CHECK(
      uut.first("interrupt.requested").payload.held.at("data")
      == json::value{{"customKind", "measure"}, {"payload", {{"unit", "mm"}}}});
    uut.resolve("n", answer);
    CHECK(uut.status() == "completed");
    CHECK(uut.node("n").outputs->at("resumeValue") == answer);
    CHECK(refusal_of(uut.resolve("n", answer))
          == "interrupt_already_resolved: interrupt_already_resolved");
  }
}

TEST_CASE("An answer matches the schema that its node gives") {
  const json::object schema{
    {"type", "object"},
    {"properties", {{"length", {{"type", "number"}, {"minimum", 0}}}}}};
  run_rig uut{asking({{"resumeSchema", schema}})};
  uut.start();
  CHECK(uut.first("interrupt.requested").payload.held.at("resumeSchema")
        == schema);
  CHECK(refused(uut, {{"length", -1}})
        == "validation_error: resume_schema /length");
  CHECK(refused(uut, "long") == "validation_error: resume_schema ");
  CHECK(refused(uut, json::string(65'536, 'x'))
        == "validation_error: answer_bytes_max ");
  uut.resolve("n", {{"length", 3}});
  CHECK(uut.status() == "completed");
}

TEST_CASE("An answer to an earlier attempt of a node comes too late") {
  auto definition
    = workflow_of({node_of("n", "core.approvalGate", {{"timeoutMs", 50}})});
  definition["settings"] = {{"maxRetries", 1}};
  run_rig uut{made_workflow(definition)};
  uut.start();
  const resolve_interrupt first{.node_id = "n",
                                .resume_value
                                = json::object{{"action", "accept"}},
                                .interrupt_id = uut.node("n").interrupt->id};
  CHECK(
    uut.snapshot().at("interrupts")
    == json::value{{{"nodeId", "n"},
                    {"interruptId", "r:n:0"},
                    {"kind", "approval"},
                    {"key", "r:n:0"},
                    {"deadline", protocol::format_timestamp(run_start + 50)}}});
  uut.tick(50);
  CHECK(refusal_of(uut.feed(first))
        == "interrupt_already_resolved: interrupt_already_resolved");
  CHECK(uut.status() == "waiting-approval");
  auto second = first;
  second.interrupt_id = "r:n:1";
  CHECK(refusal_of(uut.feed(second)).empty());
  CHECK(uut.status() == "completed");
  CHECK_FALSE(uut.snapshot().contains("interrupts"));
}

TEST_CASE("An event that does not come in time fails its node") {
  run_rig uut{waiting_for({}, {{"timeoutMs", 50}})};
  uut.start();
  uut.tick(50);
  CHECK(uut.error_code() == "interrupt_timeout");
}
