#include <convene/protocol/invariants/scope.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

struct schema_scope {
  std::string_view schema;
  invariant_scope scope;
};

constexpr schema_scope scopes[]{
  {"mplp-context", invariant_scope::context},
  {"mplp-plan", invariant_scope::plan},
  {"mplp-confirm", invariant_scope::confirm},
  {"mplp-trace", invariant_scope::trace},
  {"mplp-role", invariant_scope::role},
  {"mplp-dialog", invariant_scope::dialog},
  {"mplp-collab", invariant_scope::collab},
  {"mplp-extension", invariant_scope::extension},
  {"mplp-core", invariant_scope::core},
  {"mplp-network", invariant_scope::network},
  {"mplp-event-core", invariant_scope::event},
  {"mplp-graph-update-event", invariant_scope::event},
  {"mplp-pipeline-stage-event", invariant_scope::event},
  {"mplp-runtime-execution-event", invariant_scope::event},
  {"convene-native-event", invariant_scope::event},
  {"mplp-tool-event", invariant_scope::tool_event},
  {"mplp-file-update-event", invariant_scope::file_update_event},
  {"mplp-git-event", invariant_scope::git_event},
  {"mplp-ci-event", invariant_scope::ci_event},
  {"mplp-learning-sample-core", invariant_scope::learning_sample},
  {"mplp-learning-sample-intent", invariant_scope::learning_sample},
  {"mplp-learning-sample-delta", invariant_scope::learning_sample},
};

} // namespace

std::optional<invariant_scope> scope_of(std::string_view schema,
                                        const json::value& document) noexcept {
  const auto* found = std::ranges::find(scopes, schema, &schema_scope::schema);
  if (found == std::end(scopes))
    return std::nullopt;
  const auto* object = document.if_object();
  if (schema == "convene-native-event" && object != nullptr
      && text_of(*object, "event_type").starts_with("MAP"))
    return std::nullopt;
  return found->scope;
}

} // namespace convene::protocol
