#include <convene/protocol/workflow/limits.hpp>
#include <session/workflow/run_rig.hpp>

using namespace convene;
using namespace convene::test;

namespace {

json::object edge_with(const std::string& from, const std::string& to,
                       const std::string& rule) {
  auto made = edge_of(from, to);
  made["triggerRule"] = rule;
  return made;
}

json::object named_variable(const std::string& name, const std::string& type,
                            bool required) {
  return {{"name", name}, {"type", type}, {"required", required}};
}

/// Two nodes that end as told, and one after both.
run_rig joined(const std::string& rule, bool first_fails, bool second_fails) {
  const auto source = [](const char* id, bool fails) {
    return node_of(id, fails ? "core.fail" : "core.noop");
  };
  run_rig made{made_workflow(
    workflow_of({source("a", first_fails), source("b", second_fails),
                 node_of("c", "core.noop")},
                {edge_with("a", "c", rule), edge_with("b", "c", rule)}))};
  made.start();
  return made;
}

std::string join(const std::string& rule, bool first_fails, bool second_fails) {
  const auto made = joined(rule, first_fails, second_fails);
  return std::string{protocol::to_word(made.node("c").status)} + " "
         + made.status();
}

} // namespace

TEST_CASE("A node starts by the trigger rule of its edges") {
  CHECK(join("all_success", false, false) == "completed completed");
  CHECK(join("all_success", false, true) == "pending failed");
  CHECK(join("all_failed", true, true) == "completed completed");
  CHECK(join("all_failed", false, true) == "skipped completed");
  CHECK(join("all_failed", false, false) == "skipped completed");
  CHECK(join("all_done", true, false) == "completed completed");
  CHECK(join("one_success", false, false) == "completed completed");
  CHECK(join("one_success", true, true) == "pending failed");
  CHECK(join("one_failed", false, true) == "completed completed");
  CHECK(join("one_failed", false, false) == "skipped completed");
}

TEST_CASE("What comes after a skipped node is skipped, or runs if it may") {
  run_rig uut{made_workflow(
    workflow_of({node_of("a", "core.noop"), node_of("b", "core.noop"),
                 node_of("c", "core.noop"), node_of("d", "core.noop")},
                {edge_with("a", "b", "all_failed"), edge_of("b", "c"),
                 edge_with("b", "d", "all_done")}))};
  uut.start();
  CHECK(uut.told()
        == texts{"run.started", "node.started a", "node.completed a",
                 "node.skipped b", "node.skipped c", "node.started d",
                 "node.completed d", "run.completed"});
  CHECK(uut.log[3].causation_id == uut.log[2].event_id);
}

TEST_CASE("A node of one_success starts as soon as one has completed") {
  run_rig uut{made_workflow(workflow_of(
    {node_of("a", "core.delay", {{"ms", 5}}),
     node_of("b", "core.delay", {{"ms", 9}}), node_of("c", "core.noop")},
    {edge_with("a", "c", "one_success"), edge_with("b", "c", "one_success")}))};
  uut.start();
  uut.tick(5);
  CHECK(uut.node("c").status == run_node_status::completed);
  CHECK(uut.status() == "running");
  CHECK(uut.machine.next_deadline() == run_start + 9);
  uut.tick(4);
  CHECK(uut.status() == "completed");
}

TEST_CASE("A failed node is started again as often as the workflow says, "
          "before what follows it is judged") {
  auto definition
    = workflow_of({node_of("after", "core.noop"), node_of("n", "core.fail")},
                  {edge_with("n", "after", "all_failed")});
  definition["settings"] = {{"maxRetries", 2}};
  run_rig uut{made_workflow(definition)};
  uut.start();
  CHECK(uut.told()
        == texts{"run.started", "node.started n", "node.failed n",
                 "node.retried n", "node.started n", "node.failed n",
                 "node.retried n", "node.started n", "node.failed n",
                 "node.started after", "node.completed after",
                 "run.completed"});
  CHECK(uut.log[7].payload.held.at("attempt") == 2);
  CHECK(uut.log[8].payload.held.at("attempts") == 3);
}

TEST_CASE("A node that fails ends the run and all that still runs") {
  run_rig uut{made_workflow(workflow_of(
    {node_of("a", "core.delay", {{"ms", 50}}),
     node_of("b", "core.approvalGate"), node_of("c", "core.conversationGate"),
     node_of("d", "convene.session", {{"scenario", json::object{}}}),
     node_of("e", "core.fail", {{"code", "bad"}})}))};
  uut.start();
  CHECK(uut.status() == "failed");
  CHECK(uut.error_code() == "bad");
  const auto told = uut.told();
  const texts end(told.end() - 7, told.end());
  CHECK(end
        == texts{"node.failed e", "conversation.closed c", "node.cancelled a",
                 "node.cancelled b", "node.cancelled c", "node.cancelled d",
                 "run.failed"});
  CHECK(uut.log.back().causation_id == uut.log[uut.log.size() - 7].event_id);
  CHECK(uut.actions.size() == 2);
  CHECK(std::holds_alternative<cancel_session>(uut.actions.back()));
  CHECK_FALSE(uut.machine.next_deadline());
}

TEST_CASE("Inputs come from variables, from nodes before, or as they are") {
  auto definition = workflow_of(
    {node_of("a", "core.identity", {},
             {{"x", {{"type", "variable"}, {"variableName", "v"}}},
              {"y", {{"type", "static"}, {"value", nullptr}}}}),
     node_of("b", "core.identity", {},
             {{"z",
               {{"type", "connection"}, {"nodeId", "a"}, {"outputKey", "x"}}},
              {"none",
               {{"type", "connection"},
                {"nodeId", "a"},
                {"outputKey", "w"},
                {"optional", true}}}})},
    {edge_of("a", "b")});
  definition["variables"] = {named_variable("v", "object", false)};
  run_rig uut{made_workflow(definition)};
  uut.start({{"v", {{"k", 1}}}});
  CHECK(uut.status() == "completed");
  CHECK(*uut.node("a").outputs
        == json::object{{"x", {{"k", 1}}}, {"y", nullptr}});
  CHECK(*uut.node("b").outputs == json::object{{"z", {{"k", 1}}}});
  run_rig without{made_workflow(definition)};
  without.start();
  CHECK(without.error_code() == "input_missing");
}

TEST_CASE("A run is refused inputs that its variables cannot have") {
  auto definition = workflow_of({node_of("a", "core.noop")});
  definition["variables"] = {named_variable("s", "string", true),
                             named_variable("n", "integer", false)};
  const auto refused = [&](json::object inputs) {
    run_rig uut{made_workflow(definition)};
    const auto effects = uut.start(std::move(inputs));
    CHECK(uut.log.empty());
    return refusal_of(effects) + " "
           + (effects.refusal ? effects.refusal->what.pointer : "");
  };
  CHECK(refused({{"n", 1}}) == "validation_error: required /inputs");
  CHECK(refused({{"s", 1}}) == "validation_error: variable_type /inputs/s");
  CHECK(refused({{"s", "x"}, {"n", 1.5}})
        == "validation_error: variable_type /inputs/n");
  CHECK(refused({{"s", "\xff"}}) == "validation_error: utf8 /inputs/s");
  json::value deep = 1;
  for (int i = 0; i < 126; ++i)
    deep = json::array{std::move(deep)};
  CHECK(refused({{"s", "x"}, {"more", deep}})
          .starts_with("validation_error: turn_depth_max /inputs/more"));
  CHECK(refused({{"s", std::string(1'048'576, 'x')}})
        == "validation_error: run_inputs_bytes_max ");
  run_rig uut{made_workflow(definition)};
  CHECK(refusal_of(
          uut.feed(start_run{.inputs = {{"s", "x"}}, .tags = texts(101, "t")}))
        == "validation_error: run_tags_max");
  CHECK(refusal_of(uut.start({{"s", "x"}, {"other", 1}})).empty());
  CHECK(uut.snapshot().at("variables").at("other") == 1);
  CHECK(refusal_of(uut.start({{"s", "x"}})) == "conflict: run_started");
}

TEST_CASE("A delay that is no time fails its node, once") {
  const auto error_of = [](json::value given) {
    auto definition = workflow_of({node_of(
      "n", "core.delay", {},
      {{"delayMs", {{"type", "static"}, {"value", std::move(given)}}}})});
    definition["settings"] = {{"maxRetries", 3}};
    run_rig uut{made_workflow(definition)};
    uut.start();
    CHECK(uut.node("n").attempts == 1);
    return uut.error_code();
  };
  CHECK(error_of("soon") == "input_invalid");
  CHECK(error_of(-1) == "input_invalid");
  CHECK(error_of(protocol::workflow_time_max_ms + 1) == "input_invalid");
  CHECK(error_of(0).empty());
}

TEST_CASE("A delay's deadline survives a restart") {
  run_rig uut{one_node("core.delay", {{"ms", 100}})};
  uut.start();
  uut.now += 60;
  uut.restart();
  CHECK(uut.machine.next_deadline() == run_start + 100);
  uut.tick(39);
  CHECK(uut.status() == "running");
  uut.tick(1);
  CHECK(uut.status() == "completed");
}

TEST_CASE("A clock that goes back does not take the run with it") {
  run_rig uut{
    made_workflow(workflow_of({node_of("a", "core.approvalGate"),
                               node_of("b", "core.delay", {{"ms", 10}})},
                              {edge_of("a", "b")}))};
  uut.start();
  uut.now -= 500;
  uut.resolve("a", {{"action", "accept"}});
  CHECK(uut.log.back().timestamp == uut.log.front().timestamp);
  CHECK(uut.machine.next_deadline() == run_start + 10);
}

TEST_CASE("A run that takes longer than its workflow's timeout fails") {
  run_rig uut{one_node("core.approvalGate", {}, {{"timeout", 80}})};
  uut.start();
  CHECK(uut.machine.next_deadline() == run_start + 80);
  uut.tick(79);
  CHECK(uut.status() == "waiting-approval");
  CHECK(refusal_of((uut.now += 1, uut.resolve("n", {{"action", "accept"}})))
        == "interrupt_cancelled: interrupt_cancelled");
  CHECK(uut.error_code() == "run_timeout");
}

TEST_CASE("A paused run starts nothing, but what runs goes on") {
  run_rig uut{made_workflow(workflow_of(
    {node_of("a", "core.delay", {{"ms", 10}}), node_of("b", "core.noop")},
    {edge_of("a", "b")}))};
  CHECK(refusal_of(uut.feed(pause_run{})) == "conflict: run_status");
  CHECK(refusal_of(uut.feed(cancel_run{})) == "conflict: run_status");
  uut.start();
  CHECK(refusal_of(uut.feed(resume_run{})) == "conflict: run_status");
  CHECK(refusal_of(uut.feed(pause_run{"lunch"})).empty());
  CHECK(refusal_of(uut.feed(pause_run{})) == "conflict: run_status");
  CHECK(uut.status() == "paused");
  uut.restart();
  uut.tick(10);
  CHECK(uut.node("a").status == run_node_status::completed);
  CHECK(uut.node("b").status == run_node_status::pending);
  CHECK(uut.status() == "paused");
  CHECK(refusal_of(uut.feed(resume_run{})).empty());
  CHECK(uut.status() == "completed");
  CHECK(refusal_of(uut.feed(pause_run{})) == "conflict: run_status");
  CHECK(uut.first("run.paused").payload.held
        == json::value{{"reason", "lunch"}, {"policy", "drain-current-node"}});
}

TEST_CASE("A reason is cut at a whole character, and what is no text in it is "
          "replaced") {
  const auto written = [](const std::string& reason) {
    run_rig uut{one_node("core.approvalGate")};
    uut.start();
    uut.feed(cancel_run{.reason = reason});
    return std::string{
      uut.first("run.cancelled").payload.held.at("reason").as_string()};
  };
  const std::string most(run_reason_max - 1, 'a');
  CHECK(written(most + "\xc3\xa4") == most);
  CHECK(written("no \xff") == "no \xef\xbf\xbd");
  CHECK(written(std::string(2'000, '\xff')).size() <= run_reason_max);
}

TEST_CASE("A channel has what its reducer makes of the writes") {
  const auto write = [](const char* id, json::object config,
                        json::value value) {
    config["channelName"] = "c";
    config["value"] = std::move(value);
    return node_of(id, "core.channelWrite", std::move(config));
  };
  const auto value_of = [&](json::object config) {
    run_rig uut{made_workflow(workflow_of(
      {write("a", config, 1), write("b", config, 2), write("d", config, 3)}))};
    uut.start();
    CHECK(uut.status() == "completed");
    CHECK(uut.snapshot().at("channels").at("c")
          == uut.snapshot().at("variables").at("c"));
    return json::serialize(uut.snapshot().at("channels").at("c"));
  };
  CHECK(value_of({}) == "[1,2,3]");
  CHECK(value_of({{"reducer", "append"}, {"maxSize", 2}}) == "[2,3]");
  CHECK(value_of({{"reducer", "replace"}}) == "3");
  CHECK(value_of({{"reducer", "last"}}) == "3");
  run_rig uut{one_node("core.channelWrite", {{"channelName", "c"},
                                             {"reducer", "message"},
                                             {"value", json::object{}}})};
  uut.start();
  CHECK(uut.error_code() == "channel_message");
  run_rig nothing{one_node("core.channelWrite", {{"channelName", "c"}})};
  nothing.start();
  CHECK(nothing.error_code() == "input_missing");
}

TEST_CASE("Each reducer makes of the writes what the protocol says") {
  struct row {
    std::string reducer;
    std::vector<json::value> writes;
    std::string expected; ///< the value, or the error
  };
  const json::object vote{{"userId", "u"}, {"action", "accept"}};
  const auto each = GENERATE_COPY(values<row>({
    {"merge",
     {json::object{{"a", 1}, {"b", 1}}, json::object{{"b", 2}, {"c", 3}}},
     R"({"a":1,"b":2,"c":3})"},
    {"merge",
     {json::object{{"a", json::object{{"x", 1}}}},
      json::object{{"a", json::object{{"y", 1}}}}},
     R"({"a":{"y":1}})"},
    {"merge", {1}, "channel_merge"},
    {"counter", {2, -5}, "-3"},
    {"counter", {1, 0.5}, "1.5E0"},
    {"counter", {1e308, 1e308}, "channel_counter"},
    {"counter", {9007199254740991, 1}, "9.007199254740992E15"},
    {"counter", {"1"}, "channel_counter"},
    {"votes",
     {vote, json::object{{"userId", "v"}},
      json::object{{"userId", "u"}, {"action", "reject"}}},
     R"([{"userId":"v"},{"userId":"u","action":"reject"}])"},
    {"votes", {json::object{{"action", "accept"}}}, "channel_vote"},
    {"feedback",
     {json::object{{"feedback", "more"}}, json::object{{"feedback", "more"}}},
     R"([{"feedback":"more"},{"feedback":"more"}])"},
  }));
  CAPTURE(each.reducer, each.expected);
  json::array nodes;
  for (const auto& value : each.writes)
    nodes.push_back(node_of("n" + std::to_string(nodes.size()),
                            "core.channelWrite",
                            {{"channelName", "c"}, {"value", value}}));
  auto definition = workflow_of(nodes);
  definition["channels"] = {{"c", {{"reducer", each.reducer}}}};
  run_rig uut{made_workflow(definition)};
  uut.start();
  CHECK((uut.status() == "completed"
           ? json::serialize(uut.snapshot().at("channels").at("c"))
           : uut.error_code())
        == each.expected);
}

TEST_CASE("Votes leave a channel like entries") {
  json::array nodes;
  for (const char* who : {"a", "b", "a", "c"})
    nodes.push_back(node_of("n" + std::to_string(nodes.size()),
                            "core.channelWrite",
                            {{"channelName", "c"},
                             {"reducer", "votes"},
                             {"maxSize", 2},
                             {"value", json::object{{"userId", who}}}}));
  run_rig uut{made_workflow(workflow_of(nodes))};
  uut.start();
  CHECK(json::serialize(uut.snapshot().at("channels").at("c"))
        == R"([{"userId":"a"},{"userId":"c"}])");
}

TEST_CASE("A declared channel shows its default until it is written") {
  auto definition = workflow_of({node_of("a", "core.noop")});
  definition["channels"] = {{"list", {{"reducer", "append"}}},
                            {"one", {{"reducer", "last"}, {"default", 7}}},
                            {"none", {{"reducer", "replace"}}},
                            {"sum", {{"reducer", "counter"}}},
                            {"whole", {{"reducer", "merge"}}},
                            {"votes", {{"reducer", "votes"}}}};
  run_rig uut{made_workflow(definition)};
  uut.start();
  CHECK(uut.snapshot().at("channels").as_object()
        == json::object{{"list", json::array{}},
                        {"none", nullptr},
                        {"one", 7},
                        {"sum", 0},
                        {"whole", json::object{}},
                        {"votes", json::array{}}});
}

TEST_CASE("A session node starts a session, and ends as that does") {
  const json::object scenario{{"session", {{"mode", "broadcast"}}}};
  const auto workflow = one_node("convene.session",
                                 {{"scenario", scenario}, {"timeoutMs", 90}});
  const auto started = [&](run_rig& uut) {
    uut.start();
    REQUIRE(uut.actions.size() == 1);
    return std::get<start_session>(uut.actions[0]);
  };
  run_rig uut{workflow};
  const auto session = started(uut);
  CHECK(session.node_id == "n");
  CHECK(session.scenario == scenario);
  CHECK(session.session_id.size() == 36);
  CHECK(uut.first("node.started").payload.held.at("sessionId").as_string()
        == std::string_view{session.session_id});
  CHECK(uut.status() == "running");
  CHECK(uut.machine.next_deadline() == run_start + 90);
  uut.restart();
  CHECK(uut.machine.open_sessions() == std::vector<start_session>{session});
  CHECK(refusal_of(uut.feed(session_ended{"n", "other"}))
        == "conflict: session_unknown");
  uut.feed(session_ended{"n",
                         session.session_id,
                         session_outcome::completed,
                         {{"summary", "done"}}});
  CHECK(uut.status() == "completed");
  CHECK(uut.node("n").outputs->at("result").at("summary") == "done");
  CHECK(uut.machine.open_sessions().empty());
  CHECK(refusal_of(uut.feed(session_ended{"n", session.session_id}))
        == "conflict: session_unknown");

  run_rig failing{workflow};
  failing.feed(session_ended{"n",
                             started(failing).session_id,
                             session_outcome::failed,
                             {},
                             "no quorum"});
  CHECK(failing.error_code() == "session_failed");
  CHECK(failing.machine.state().error->message == "no quorum");

  run_rig late{workflow};
  const auto other = started(late);
  late.tick(90);
  CHECK(late.error_code() == "session_timeout");
  CHECK(std::get<cancel_session>(late.actions.back())
        == cancel_session{"n", other.session_id});

  run_rig cancelled{workflow};
  const auto third = started(cancelled);
  cancelled.feed(cancel_run{});
  CHECK(std::get<cancel_session>(cancelled.actions.back())
        == cancel_session{"n", third.session_id});
}

TEST_CASE("Each attempt of a session node has a session of its own") {
  run_rig uut{one_node("convene.session", {{"scenario", json::object{}}},
                       {{"maxRetries", 1}})};
  uut.start();
  const auto first = std::get<start_session>(uut.actions.at(0)).session_id;
  uut.feed(session_ended{"n", first, session_outcome::cancelled});
  REQUIRE(uut.actions.size() == 2);
  CHECK(std::get<start_session>(uut.actions[1]).session_id != first);
  run_rig other{one_node("convene.session", {{"scenario", json::object{}}}),
                {},
                "other"};
  other.start();
  CHECK(std::get<start_session>(other.actions.at(0)).session_id != first);
}

TEST_CASE("What a session results in is refused beyond its bound") {
  run_rig uut{one_node("convene.session", {{"scenario", json::object{}}})};
  uut.start();
  const auto id = std::get<start_session>(uut.actions.at(0)).session_id;
  uut.feed(session_ended{"n",
                         id,
                         session_outcome::completed,
                         {{"text", std::string(1'048'576, 'x')}}});
  CHECK(uut.error_code() == "session_failed");
  CHECK(uut.machine.state().error->message.find("1048576")
        != std::string::npos);
}

TEST_CASE("A node reads a channel as an input, as it is when the node runs") {
  auto reader = node_of("read", "core.identity");
  reader["inputs"]
    = {{"talk", {{"type", "variable"}, {"variableName", "conversation"}}},
       {"log", {{"type", "variable"}, {"variableName", "events"}}},
       {"named", {{"type", "variable"}, {"variableName", "both"}}}};
  auto definition = workflow_of(
    {node_of("talk", "core.conversationGate", {{"prompt", "Well?"}}),
     node_of("write", "core.channelWrite",
             {{"channelName", "events"}, {"value", 7}}),
     reader,
     node_of("later", "core.channelWrite",
             {{"channelName", "events"}, {"value", 8}})},
    {edge_of("talk", "write"), edge_of("write", "read"),
     edge_of("read", "later")});
  definition["channels"] = {{"conversation", {{"reducer", "message"}}},
                            {"both", {{"reducer", "replace"}}}};
  definition["variables"]
    = {{{"name", "both"}, {"type", "string"}, {"defaultValue", "variable"}}};
  run_rig uut{made_workflow(definition)};
  // An input that is called like a channel is none.
  uut.start({{"conversation", "spoofed"}, {"events", "spoofed"}});
  uut.resolve("talk", {{"operation", "close"}, {"outcome", 1}});
  CHECK(uut.status() == "completed");
  const auto& outputs = *uut.node("read").outputs;
  CHECK(outputs.at("talk") == uut.snapshot().at("channels").at("conversation"));
  CHECK(outputs.at("talk").as_array().size() == 2);
  CHECK(outputs.at("log") == json::value{7});
  CHECK(outputs.at("named") == "variable");
}
