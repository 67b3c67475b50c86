#include <boost/json/value.hpp>
#include <convene/protocol/events/learning_samples.hpp>
#include <convene/protocol/events/native_shapes.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>

namespace convene::protocol {
namespace {

namespace json = boost::json;

/// A kind of document: the id that it has itself, and a member that, next to
/// `meta`, tells it as well.
struct document_kind {
  std::string_view schema;
  std::string_view id;
  std::string_view other;
};

/// Kinds whose id others refer to come later.
constexpr std::array document_kinds{
  document_kind{"mplp-collab", "collab_id", "participants"},
  document_kind{"mplp-confirm", "confirm_id", "target_type"},
  document_kind{"mplp-dialog", "dialog_id", "messages"},
  document_kind{"mplp-trace", "trace_id", "root_span"},
  document_kind{"mplp-extension", "extension_id", "extension_type"},
  document_kind{"mplp-network", "network_id", "topology_type"},
  document_kind{"mplp-core", "core_id", "modules"},
  document_kind{"mplp-role", "role_id", "capabilities"},
  document_kind{"mplp-plan", "plan_id", "steps"},
  document_kind{"mplp-context", "context_id", "root"},
  document_kind{"convene-result", "stop_reason", "stop_reason"},
  document_kind{"convene-run", "virtual_time", "virtual_time"},
  document_kind{"learning-sample", "success_flag", "success_flag"},
  document_kind{"mplp-learning-sample-core", "sample_id", "sample_family"},
  document_kind{"mplp-tool-event", "tool_id", "tool_kind"},
  document_kind{"mplp-ci-event", "ci_provider", "run_id"},
  document_kind{"mplp-git-event", "repo_url", "event_kind"},
  document_kind{"mplp-file-update-event", "file_path", "change_type"},
};

/// A MAP event of a log has a family, which the official schema forbids; other
/// events of a session are native if no official schema could be theirs: they
/// have no family, or a type that only logs have.
bool is_native(const json::object& event) noexcept {
  const auto type = text_of(event, "event_type");
  return type.starts_with("MAP")
           ? event.contains("event_family")
           : !event.contains("event_family") || find_shape(type) != nullptr;
}

std::string_view guess_event(const json::object& event) noexcept {
  if (event.contains("sa_id"))
    return "mplp-sa-event";
  if (event.contains("session_id") && is_native(event))
    return "convene-native-event";
  if (text_of(event, "event_type").starts_with("MAP"))
    return "mplp-map-event";
  const auto* member = event.if_contains("event_family");
  const auto* family = member == nullptr ? nullptr : member->if_string();
  if (family == nullptr)
    return event.contains("source") ? "events" : std::string_view{};
  return schema_of_family(*family);
}

/// Two families of samples have a schema of their own.
std::string_view guess_sample(const json::object& sample) noexcept {
  const auto* member = sample.if_contains("sample_family");
  if (member == nullptr || !member->is_string())
    return "mplp-learning-sample-core";
  const auto& family = member->get_string();
  return family == intent_family  ? "mplp-learning-sample-intent"
         : family == delta_family ? "mplp-learning-sample-delta"
                                  : "mplp-learning-sample-core";
}

} // namespace

std::string_view guess_schema(const json::value& document) noexcept {
  const auto* object = document.if_object();
  if (object == nullptr)
    return {};
  if (object->contains("convene") || object->contains("collab"))
    return "convene-scenario";
  if (object->contains("event_type"))
    return guess_event(*object);
  if (object->contains("session_id") && object->contains("resources"))
    return "convene-workspace";
  const bool has_meta = object->contains("meta");
  for (const auto& kind : document_kinds)
    if (object->contains(kind.id) || (has_meta && object->contains(kind.other)))
      return kind.id == "sample_id" ? guess_sample(*object) : kind.schema;
  return {};
}

std::string_view schema_of_family(std::string_view family) noexcept {
  if (family == "graph_update")
    return "mplp-graph-update-event";
  if (family == "pipeline_stage")
    return "mplp-pipeline-stage-event";
  if (family == "runtime_execution")
    return "mplp-runtime-execution-event";
  return "mplp-event-core";
}

} // namespace convene::protocol
