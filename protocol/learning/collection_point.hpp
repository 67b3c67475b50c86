#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// Where the protocol has samples collected. Each sample names its own in
/// `meta.collection_point`.
enum class collection_point : std::uint8_t {
  intent_resolution,
  plan_generation,
  plan_revision,
  impact_analysis_completion,
  execution_completion,
  pipeline_failure,
  user_feedback,
  graph_update,
  map_session_completion
};
CONVENE_WORDS(collection_point, "intent_resolution", "plan_generation",
              "plan_revision", "impact_analysis_completion",
              "execution_completion", "pipeline_failure", "user_feedback",
              "graph_update", "map_session_completion");

} // namespace convene::protocol
