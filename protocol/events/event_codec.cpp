#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/events/describe_events.hpp>
#include <convene/protocol/events/describe_samples.hpp>

namespace convene::protocol {

CONVENE_CODEC(base_event);
CONVENE_CODEC(core_event);
CONVENE_CODEC(pipeline_stage_event);
CONVENE_CODEC(graph_update_event);
CONVENE_CODEC(runtime_execution_event);
CONVENE_CODEC(sa_event);
CONVENE_CODEC(map_event);
CONVENE_CODEC(file_update_event);
CONVENE_CODEC(git_event);
CONVENE_CODEC(ci_event);
CONVENE_CODEC(tool_event);
CONVENE_CODEC(learning_sample);
CONVENE_CODEC(intent_sample);
CONVENE_CODEC(delta_sample);
CONVENE_CODEC(run_sample);

} // namespace convene::protocol
