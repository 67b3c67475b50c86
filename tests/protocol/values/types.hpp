#pragma once

#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/events/any_event.hpp>
#include <convene/protocol/events/describe_events.hpp>
#include <convene/protocol/events/describe_samples.hpp>

#include <string_view>

namespace convene::protocol {

// What `decode` and `encode` are instantiated for in the library.
#define CONVENE_KNOWN(type)                                                    \
  extern template result<type> decode(const json::value&, std::string_view);   \
  extern template json::value encode(const type&)
CONVENE_KNOWN(context);
CONVENE_KNOWN(plan);
CONVENE_KNOWN(confirm);
CONVENE_KNOWN(trace);
CONVENE_KNOWN(role);
CONVENE_KNOWN(dialog);
CONVENE_KNOWN(collab);
CONVENE_KNOWN(extension);
CONVENE_KNOWN(core);
CONVENE_KNOWN(network);
CONVENE_KNOWN(base_event);
CONVENE_KNOWN(core_event);
CONVENE_KNOWN(pipeline_stage_event);
CONVENE_KNOWN(graph_update_event);
CONVENE_KNOWN(runtime_execution_event);
CONVENE_KNOWN(sa_event);
CONVENE_KNOWN(map_event);
CONVENE_KNOWN(file_update_event);
CONVENE_KNOWN(git_event);
CONVENE_KNOWN(ci_event);
CONVENE_KNOWN(tool_event);
CONVENE_KNOWN(learning_sample);
CONVENE_KNOWN(intent_sample);
CONVENE_KNOWN(delta_sample);
CONVENE_KNOWN(run_sample);
#undef CONVENE_KNOWN

/// Calls `visit.operator()<T>(schema)` with each type that is made after a
/// schema of the protocol, and that schema's name.
void for_each_type(auto visit) {
  visit.template operator()<context>("mplp-context");
  visit.template operator()<plan>("mplp-plan");
  visit.template operator()<confirm>("mplp-confirm");
  visit.template operator()<trace>("mplp-trace");
  visit.template operator()<role>("mplp-role");
  visit.template operator()<dialog>("mplp-dialog");
  visit.template operator()<collab>("mplp-collab");
  visit.template operator()<extension>("mplp-extension");
  visit.template operator()<core>("mplp-core");
  visit.template operator()<network>("mplp-network");
  visit.template operator()<metadata>("metadata");
  visit.template operator()<trace_base>("trace-base");
  visit.template operator()<base_event>("events");
  visit.template operator()<run_sample>("learning-sample");
  visit.template operator()<core_event>("mplp-event-core");
  visit.template operator()<pipeline_stage_event>("mplp-pipeline-stage-event");
  visit.template operator()<graph_update_event>("mplp-graph-update-event");
  visit.template operator()<runtime_execution_event>(
    "mplp-runtime-execution-event");
  visit.template operator()<sa_event>("mplp-sa-event");
  visit.template operator()<map_event>("mplp-map-event");
  visit.template operator()<file_update_event>("mplp-file-update-event");
  visit.template operator()<git_event>("mplp-git-event");
  visit.template operator()<ci_event>("mplp-ci-event");
  visit.template operator()<tool_event>("mplp-tool-event");
  visit.template operator()<learning_sample>("mplp-learning-sample-core");
  visit.template operator()<intent_sample>("mplp-learning-sample-intent");
  visit.template operator()<delta_sample>("mplp-learning-sample-delta");
}

/// What the schema does not know and our logs have.
template <class T>
void make_strict(T& what) {
  if constexpr (std::is_same_v<T, map_event>) {
    what.event_family.reset();
    if (what.event_type == map_event_type::handoff_initiated)
      what.event_type = map_event_type::session_started;
  }
}

} // namespace convene::protocol
