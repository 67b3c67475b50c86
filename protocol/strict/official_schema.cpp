#include <boost/json/value.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/official_schema.hpp>

#include <algorithm>
#include <array>

namespace convene::protocol {
namespace {

struct family {
  std::string_view id;
  std::string_view title;
};

constexpr std::array families{
  family{"import_process", "ImportProcessEvent"},
  family{"intent", "IntentEvent"},
  family{"delta_intent", "DeltaIntentEvent"},
  family{"impact_analysis", "ImpactAnalysisEvent"},
  family{"compensation_plan", "CompensationPlanEvent"},
  family{"methodology", "MethodologyEvent"},
  family{"reasoning_graph", "ReasoningGraphEvent"},
  family{"pipeline_stage", "PipelineStageEvent"},
  family{"graph_update", "GraphUpdateEvent"},
  family{"runtime_execution", "RuntimeExecutionEvent"},
  family{"cost_budget", "CostAndBudgetEvent"},
  family{"external_integration", "ExternalIntegrationEvent"},
};

constexpr std::array modules{
  std::string_view{"mplp-collab"},  std::string_view{"mplp-confirm"},
  std::string_view{"mplp-context"}, std::string_view{"mplp-core"},
  std::string_view{"mplp-dialog"},  std::string_view{"mplp-extension"},
  std::string_view{"mplp-network"}, std::string_view{"mplp-plan"},
  std::string_view{"mplp-role"},    std::string_view{"mplp-trace"}};

constexpr std::array integrations{std::string_view{"mplp-ci-event"},
                                  std::string_view{"mplp-file-update-event"},
                                  std::string_view{"mplp-git-event"},
                                  std::string_view{"mplp-tool-event"}};

std::string_view schema_of_event(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto known = std::ranges::find(families, text_of(event, "event_family"),
                                       &family::id);
  if (known != families.end())
    return schema_of_family(known->id);
  if (event.contains("sa_id") || type.starts_with("SA"))
    return "mplp-sa-event";
  if (type.starts_with("MAP"))
    return "mplp-map-event";
  if (event.contains("event_family"))
    return "mplp-event-core";
  return event.contains("source") ? "events" : std::string_view{};
}

std::string_view schema_of_sample(const json::object& sample) {
  if (sample.contains("success_flag") || sample.contains("timestamps"))
    return "learning-sample";
  const auto family = text_of(sample, "sample_family");
  if (family == "intent_resolution")
    return "mplp-learning-sample-intent";
  return family == "delta_impact" ? "mplp-learning-sample-delta"
                                  : "mplp-learning-sample-core";
}

} // namespace

std::string_view official_schema(const boost::json::value& document) {
  const auto name = guess_schema(document);
  if (name.starts_with("convene-") && name != "convene-native-event")
    return {};
  const auto* object = document.if_object();
  if (object == nullptr)
    return {};
  if (object->contains("event_type"))
    return schema_of_event(*object);
  return name == "mplp-learning-sample-core" ? schema_of_sample(*object) : name;
}

std::string_view family_id(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(families, [name](const family& one) {
    return one.id == name || one.title == name;
  });
  return found == families.end() ? std::string_view{} : found->id;
}

bool is_module_schema(std::string_view name) noexcept {
  return std::ranges::find(modules, name) != modules.end();
}

bool is_integration_schema(std::string_view name) noexcept {
  return std::ranges::find(integrations, name) != integrations.end();
}

} // namespace convene::protocol
