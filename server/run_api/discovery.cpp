#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/server/run_api/discovery.hpp>
#include <convene/session/workflow/limits.hpp>

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

json::object document_of(const run_host& host,
                         const implementation_info& about) {
  const json::object replay{{"supported", true},
                            {"modes", {"replay", "branch"}},
                            {"divergencePolicy",
                             protocol::to_word(host.on_divergence())}};
  json::array kinds{"approval", "clarification", "external-event", "custom",
                    "low-confidence"};
  json::array routings{"clarification", "auto"};
  if (host.has_conversations()) {
    // RFC 0005's name of the family, and the kind that requests have.
    kinds.emplace_back("conversation");
    kinds.emplace_back(to_word(protocol::interrupt_kind::conversation_start));
    routings.emplace_back("conversation");
  }
  const json::object orchestrator{{"supported", true},
                                  {"workerIdInterpretation", "node"},
                                  {"fanOutSupported", true}};
  const json::object dispatch{{"supported", true},
                              {"models",
                               {to_word(protocol::dispatch_model::node),
                                to_word(protocol::dispatch_model::child_run)}},
                              {"fanOutSupported", true},
                              {"askUserRoutings", std::move(routings)}};
  // RFC 0022.
  const json::object agents{{"dispatchMapping", true}};
  const json::object sub_workflow{{"inputMapping", true}};
  // Those of the public scenarios, also of those that expect a refusal; other
  // workflows are listed for callers with a key.
  std::set<std::string, std::less<>> fixtures;
  const auto add_fixture = [&fixtures](const std::string& id) {
    if (id.starts_with("conformance-"))
      fixtures.insert(id);
  };
  for (const auto& [id, workflow] : host.workflows().all())
    add_fixture(id);
  for (const auto& each : host.workflows().refused())
    if (each.lacks)
      add_fixture(each.id);
  json::object made{
    {"protocolVersion", "1.0"},
    {"implementation", {{"name", about.name}, {"version", about.version}}},
    {"supportedTransports", {"rest"}},
    {"supportedEnvelopes", {"clarification.request"}},
    {"schemaVersions", json::object{}},
    {"limits",
     {{"clarificationRounds", 3},
      {"schemaRounds", 2},
      {"envelopesPerTurn", 5},
      {"maxNodeExecutions", session::node_executions_max}}},
    {"fixtures", json::array(fixtures.begin(), fixtures.end())},
    {"replay", replay},
    {"runs", {{"pauseResume", true}}},
    {"interrupts", {{"kinds", kinds}}},
    {"orchestrator", orchestrator},
    {"dispatch", dispatch},
    {"agents", agents},
    {"subWorkflow", sub_workflow},
    {"extensions", {{"interrupts", {{"signedCallbackTokens", true}}}}}};
  json::object mirror{{"replay", replay},
                      {"interrupts", {{"kinds", kinds}}},
                      {"orchestrator", orchestrator},
                      {"dispatch", dispatch},
                      {"agents", agents},
                      {"subWorkflow", sub_workflow}};
  if (host.has_conversations())
    made["conversationPrimitive"] = mirror["conversationPrimitive"] = true;
  made["capabilities"] = std::move(mirror);
  return made;
}

} // namespace

handler discovery(const run_host& host, const implementation_info& about) {
  auto made = json_response(200, document_of(host, about));
  made.headers.emplace_back("Cache-Control", "public, max-age=300");
  return
    [made = std::move(made)](const request&, const responder& to) { to(made); };
}

} // namespace convene::server
