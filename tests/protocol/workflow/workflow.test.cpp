#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <protocol/workflow/samples.hpp>

#include <functional>

using namespace convene::protocol;
using namespace convene::test;

namespace {

bool takes_schema(const json::value& definition) {
  const auto known = embedded_schema("workflow-definition");
  REQUIRE(known);
  return validate(*known, definition).valid;
}

/// Two nodes, one after the other, and a bit of everything.
json::object whole_workflow() {
  auto made = workflow_of(
    {node_of("a", "core.identity", {},
             {{"in", {{"type", "variable"}, {"variableName", "v"}}},
              {"one", {{"type", "static"}, {"value", nullptr}}}}),
     node_of("b", "core.noop", {},
             {{"in",
               {{"type", "connection"},
                {"nodeId", "a"},
                {"outputKey", "in"},
                {"optional", true}}}})},
    {edge_of("a", "b")});
  made["description"] = "d";
  made["triggers"] = {{{"id", "t"}, {"type", "manual"}}};
  made["variables"] = {{{"name", "v"},
                        {"type", "string"},
                        {"required", true},
                        {"defaultValue", "x"},
                        {"more", 1}}};
  made["channels"] = {
    {"log",
     {{"reducer", "append"}, {"maxSize", 2}, {"ttlMs", 5}, {"schema", true}}}};
  made["configurableSchema"] = {{"type", "object"}};
  made["settings"] = {{"timeout", 5}, {"maxRetries", 1}, {"more", 1}};
  return made;
}

struct fault_case {
  const char* rule;
  const char* pointer;
  std::function<void(json::object&)> spoil;
};

json::object& at(json::object& of, const char* list, std::size_t index) {
  return of[list].as_array()[index].as_object();
}

std::vector<fault_case> fault_cases() {
  return {
    {"pattern", "/id", [](auto& w) { w["id"] = "W"; }},
    {"required", "", [](auto& w) { w.erase("settings"); }},
    {"additionalProperties", "/more", [](auto& w) { w["more"] = 1; }},
    {"minItems", "/nodes", [](auto& w) { w["nodes"] = json::array{}; }},
    {"unique_node_id", "/nodes/1/id",
     [](auto& w) { at(w, "nodes", 1)["id"] = "a"; }},
    {"known_node", "/edges/0/targetNodeId",
     [](auto& w) { at(w, "edges", 0)["targetNodeId"] = "c"; }},
    {"known_node", "/edges/0/sourceNodeId",
     [](auto& w) { at(w, "edges", 0)["sourceNodeId"] = "c"; }},
    {"unique_edge_id", "/edges/1/id",
     [](auto& w) {
       w["edges"].as_array().push_back(w["edges"].as_array()[0]);
     }},
    {"unique_edge", "/edges/1",
     [](auto& w) {
       w["edges"].as_array().push_back(w["edges"].as_array()[0]);
       at(w, "edges", 1)["id"] = "again";
     }},
    {"no_cycle", "/nodes/0",
     [](auto& w) { w["edges"].as_array().push_back(edge_of("b", "a")); }},
    {"no_cycle", "/nodes/1", [](auto& w) { w["edges"] = {edge_of("b", "b")}; }},
    {"enum", "/edges/0/triggerRule",
     [](auto& w) { at(w, "edges", 0)["triggerRule"] = "any"; }},
    {"trigger_rule", "/edges/1/triggerRule",
     [](auto& w) {
       w["nodes"].as_array().push_back(node_of("c", "core.noop"));
       w["edges"].as_array().push_back(edge_of("c", "b"));
       at(w, "edges", 1)["triggerRule"] = "all_done";
     }},
    {"edge_condition", "/edges/0/condition",
     [](auto& w) { at(w, "edges", 0)["condition"] = nullptr; }},
    {"unique_variable", "/variables/1/name",
     [](auto& w) {
       w["variables"].as_array().push_back(w["variables"].as_array()[0]);
     }},
    {"variable_type", "/variables/0/defaultValue",
     [](auto& w) { at(w, "variables", 0)["defaultValue"] = 1; }},
    {"known_variable", "/nodes/0/inputs/in/variableName",
     [](auto& w) { w["variables"] = json::array{}; }},
    {"input_expression", "/nodes/1/inputs/x",
     [](auto& w) {
       at(w, "nodes", 1)["inputs"]
         = {{"x", {{"type", "expression"}, {"expression", "1"}}}};
     }},
    {"input", "/nodes/1/inputs/x",
     [](auto& w) {
       at(w, "nodes", 1)["inputs"] = {{"x", {{"type", "variable"}}}};
     }},
    {"input", "/nodes/1/inputs/x",
     [](auto& w) {
       at(w, "nodes", 1)["inputs"]
         = {{"x", {{"type", "connection"}, {"nodeId", "a"}}}};
     }},
    {"known_node", "/nodes/1/inputs/in/nodeId",
     [](auto& w) {
       at(w, "nodes", 1)["inputs"].as_object()["in"].as_object()["nodeId"]
         = "c";
     }},
    {"input_order", "/nodes/1/inputs/in/nodeId",
     [](auto& w) { w["edges"] = json::array{}; }},
    {"reducer", "/channels/log",
     [](auto& w) {
       w["channels"].as_object()["log"].as_object()["reducer"] = "message";
     }},
    {"reducer", "/channels/log/default",
     [](auto& w) {
       w["channels"].as_object()["log"].as_object()["default"] = {1};
     }},
    {"reducer", "/nodes/1/config",
     [](auto& w) {
       at(w, "nodes", 1)
         = node_of("b", "core.channelWrite",
                   {{"channelName", "log"}, {"reducer", "replace"}});
     }},
    {"reducer", "/nodes/1/config",
     [](auto& w) {
       at(w, "nodes", 0) = node_of("a", "core.channelWrite",
                                   {{"channelName", "new"}, {"ttlMs", 5}});
       at(w, "nodes", 1) = node_of("b", "core.channelWrite",
                                   {{"channelName", "new"}});
     }},
    {"channel_access", "/channels/log",
     [](auto& w) {
       w["channels"].as_object()["log"].as_object()["sensitive"] = true;
     }},
    {"channel_access", "/channels/log",
     [](auto& w) {
       w["channels"].as_object()["log"].as_object()["access"] = json::object{};
     }},
    {"known_channel", "/nodes/1/config/channel",
     [](auto& w) {
       at(w, "nodes", 1) = node_of("b", "core.conversationGate",
                                   {{"channel", "log"}});
     }},
    {"type", "/nodes/1/config/ms",
     [](auto& w) {
       at(w, "nodes", 1) = node_of("b", "core.delay", {{"ms", "1"}});
     }},
    {"required", "/nodes/1/config",
     [](auto& w) { at(w, "nodes", 1) = node_of("b", "convene.session"); }},
    {"additionalProperties", "/nodes/1/config/more",
     [](auto& w) {
       at(w, "nodes", 1) = node_of("b", "convene.session",
                                   {{"scenario", json::object{}}, {"more", 1}});
     }},
    {"minItems", "/nodes/1/config/actions",
     [](auto& w) {
       at(w, "nodes", 1) = node_of("b", "core.approvalGate",
                                   {{"actions", json::array{}}});
     }},
    {"unique_question_id", "/nodes/1/config/questions/1/id",
     [](auto& w) {
       const json::value asks{{"id", "q"}, {"question", "?"}};
       at(w, "nodes", 1) = node_of("b", "core.clarificationGate",
                                   {{"questions", {asks, asks}}});
     }},
    {"mock_schema", "/nodes/1/config/schema",
     [](auto& w) {
       at(w, "nodes", 1)
         = node_of("b", "core.conversationGate",
                   {{"mockAutoResume", true}, {"schema", json::object{}}});
     }},
    {"schema_keyword", "/nodes/1/config/schema/tyep",
     [](auto& w) {
       at(w, "nodes", 1) = node_of("b", "core.conversationGate",
                                   {{"schema", {{"tyep", "string"}}}});
     }},
    {"interrupt_kind", "/nodes/1/config/kind",
     [](auto& w) {
       at(w, "nodes", 1)
         = node_of("b", "core.interrupt",
                   {{"kind", "approval"}, {"data", json::object{}}});
     }},
    {"required", "/nodes/1/config/data",
     [](auto& w) {
       at(w, "nodes", 1)
         = node_of("b", "core.interrupt",
                   {{"kind", "external-event"}, {"data", json::object{}}});
     }},
    {"required", "/nodes/1/config/data",
     [](auto& w) {
       at(w, "nodes", 1)
         = node_of("b", "core.interrupt",
                   {{"kind", "custom"}, {"data", {{"customKind", "k"}}}});
     }},
    {"schema_keyword", "/nodes/1/config/resumeSchema/tyep",
     [](auto& w) {
       at(w, "nodes", 1) = node_of("b", "core.interrupt",
                                   {{"kind", "external-event"},
                                    {"data", {{"eventType", "paid"}}},
                                    {"resumeSchema", {{"tyep", "string"}}}});
     }},
    {"schema_keyword", "/configurableSchema/tyep",
     [](auto& w) {
       w["configurableSchema"] = {{"tyep", "string"}};
     }},
  };
}

} // namespace

TEST_CASE("Each example of a workflow is valid, and read and written again") {
  const auto all = example_workflows();
  CHECK(all.size() >= 19);
  for (const auto& file : all) {
    INFO(file);
    const auto definition = read_json_file(file);
    CHECK(takes_schema(definition));
    const auto made = read_workflow(definition);
    INFO((made ? "" : to_string(made.error())));
    REQUIRE(made);
    CHECK(made->definition.id == file.stem());
    const auto again = encode(made->definition);
    CHECK(takes_schema(again));
    CHECK(read_workflow(again)->digest == made->digest);
  }
}

TEST_CASE("A workflow with all members is read as the schema takes it") {
  const auto definition = whole_workflow();
  CHECK(takes_schema(definition));
  const auto made = read_workflow(definition);
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  CHECK(made->nodes[1].sources == std::vector<std::size_t>{0});
  CHECK(made->nodes[0].targets == std::vector<std::size_t>{1});
  CHECK(json::parse(json::serialize(encode(made->definition)))
        == json::value(definition));
}

TEST_CASE("Each fault of a workflow is refused by its rule and place") {
  for (const auto& each : fault_cases()) {
    auto definition = whole_workflow();
    each.spoil(definition);
    INFO(each.rule << " " << each.pointer);
    const auto made = read_workflow(definition);
    REQUIRE_FALSE(made);
    CHECK(made.error().rule == each.rule);
    CHECK(made.error().pointer == each.pointer);
    CHECK_FALSE(made.error().message.empty());
  }
}

TEST_CASE("What the schema refuses in a workflow, the reader refuses") {
  for (const auto& each : fault_cases()) {
    auto definition = whole_workflow();
    each.spoil(definition);
    const auto made = read_workflow(definition);
    const std::string rule = made.error().rule;
    const std::string pointer = made.error().pointer;
    INFO(rule << " " << pointer);
    const bool is_keyword = rule == "pattern" || rule == "required"
                            || rule == "minItems"
                            || rule == "additionalProperties" || rule == "enum"
                            || rule == "type";
    if (pointer.find("/config/") == pointer.npos
        && !pointer.ends_with("/config"))
      CHECK(takes_schema(definition) != is_keyword);
  }
}

TEST_CASE("A workflow beyond a bound is refused by the bound's name") {
  const auto rule_of = [](const json::object& definition) {
    const auto made = read_workflow(definition, "/w");
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::limit_reached);
    return made.error().rule + " " + made.error().pointer;
  };
  auto large = whole_workflow();
  large["nodes"] = json::array(1'001, node_of("a", "core.noop"));
  CHECK(rule_of(large) == "workflow_nodes_max /w/nodes");
  large = whole_workflow();
  large["edges"] = json::array(10'001, nullptr);
  CHECK(rule_of(large) == "workflow_edges_max /w/edges");
  large = whole_workflow();
  large["variables"] = json::array(1'001, nullptr);
  CHECK(rule_of(large) == "workflow_variables_max /w/variables");
  large = whole_workflow();
  for (int i = 0; i < 101; ++i)
    large["channels"].as_object()[std::to_string(i)] = {{"reducer", "append"}};
  CHECK(rule_of(large) == "workflow_channels_max /w/channels");
  large = whole_workflow();
  for (int i = 0; i < 11; ++i)
    large["channels"].as_object()[std::to_string(i)] = {{"reducer", "message"}};
  CHECK(rule_of(large) == "workflow_message_channels_max /w/channels");
  large = whole_workflow();
  large["name"] = std::string(1'048'576, 'x');
  CHECK(rule_of(large) == "workflow_bytes_max /w");
  large = whole_workflow();
  json::value deep = json::array{};
  for (int i = 0; i < 98; ++i)
    deep = json::array{std::move(deep)};
  large["metadata"] = {{"deep", std::move(deep)}};
  CHECK(rule_of(large) == "workflow_depth_max /w");
}

TEST_CASE("A run is configured as the workflow's schema says") {
  const auto made = read_workflow(
    read_json_file(CONVENE_SOURCE_DIR "/examples/workflows/"
                                      "conformance-configurable-schema.json"));
  REQUIRE(made);
  CHECK(check_configurable(*made, {{"recursionLimit", 5}, {"tags", {"a"}}}));
  const auto refused = [&](const json::object& given) {
    const auto fits = check_configurable(*made, given);
    REQUIRE_FALSE(fits);
    CHECK(fits.error().rule == "configurable");
    return fits.error().pointer;
  };
  CHECK(refused({{"recursionLimit", "x"}}) == "/recursionLimit");
  CHECK(refused({{"recursionLimit", 0}}) == "/recursionLimit");
  CHECK(refused({{"recursionLimit", 101}}) == "/recursionLimit");
  CHECK(refused({{"tags", {1}}}) == "/tags/0");
  CHECK(refused({{"other", 1}}) == "/other");
}

TEST_CASE("A conversation needs a host that has conversations") {
  const auto made = read_workflow(workflow_of(
    {node_of("a", "core.noop"), node_of("talk", "core.conversationGate")}));
  REQUIRE(made);
  CHECK_FALSE(find_missing_capability(*made, true));
  const auto missing = find_missing_capability(*made, false);
  REQUIRE(missing);
  CHECK(missing->capability == "conversationPrimitive");
  CHECK(missing->type_id == "core.conversationGate");
  CHECK(missing->node_id == "talk");
  CHECK(missing->pointer == "/nodes/1/typeId");
}

TEST_CASE("A type of node that is unknown is found with what it lacks") {
  const auto lacks = [](const char* type) {
    const auto made = read_workflow(
      workflow_of({node_of("a", "core.noop"), node_of("b", type)}));
    REQUIRE(made);
    const auto found = find_unknown_type(*made);
    return found ? found->capability + " " + found->pointer : "";
  };
  CHECK(lacks("core.delay").empty());
  CHECK(lacks("other.thing") == "other.thing /nodes/1/typeId");
  CHECK(lacks("conformance.requiresMissing")
        == "conformance.never-provided /nodes/1/typeId");
}
