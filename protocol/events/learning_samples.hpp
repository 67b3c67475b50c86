#pragma once

#include <convene/protocol/codec/held_values.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>

// Learning samples by their family (learning/). Their objects are open: what
// the schemas do not name stands in `others`.

namespace convene::protocol {

/// The families that have a type of their own.
inline constexpr std::string_view intent_family = "intent_resolution";
inline constexpr std::string_view delta_family = "delta_impact";

enum class feedback_label : std::uint8_t { approved, rejected, not_reviewed };
CONVENE_WORDS(feedback_label, "approved", "rejected", "not_reviewed");

/// `meta` of any sample.
struct sample_meta {
  std::optional<std::string> source_flow_id;
  std::optional<std::vector<std::string>> source_event_ids; ///< UUIDs
  std::optional<std::string> project_id;                    ///< UUID
  std::optional<feedback_label> human_feedback_label;
  std::optional<json_number> quality_score; ///< 0 to 1
  json::object others;

  bool operator==(const sample_meta&) const = default;
};

/// A sample of any family (mplp-learning-sample-core.schema.json).
struct learning_sample {
  std::string sample_id; ///< UUID
  std::string sample_family;
  std::string created_at; ///< date-time
  json::object input;
  std::optional<json::object> state;
  json::object output;
  std::optional<sample_meta> meta;
  json::object others;

  bool operator==(const learning_sample&) const = default;
};

struct intent_input {
  std::string intent_id;
  std::string raw_request_summary;
  std::optional<std::string> constraints_summary;
  std::optional<std::int64_t> dialog_turns_count; ///< from 0
  json::object others;

  bool operator==(const intent_input&) const = default;
};

struct intent_state {
  std::optional<std::string> project_phase;
  std::optional<std::int64_t> psg_node_count;      ///< from 0
  std::optional<std::int64_t> existing_plan_count; ///< from 0
  json::object others;

  bool operator==(const intent_state&) const = default;
};

enum class resolution_quality : std::uint8_t { good, acceptable, bad, unknown };
CONVENE_WORDS(resolution_quality, "good", "acceptable", "bad", "unknown");

struct intent_output {
  std::string final_intent_summary;
  std::optional<std::string> plan_id;          ///< UUID
  std::optional<std::int64_t> plan_step_count; ///< from 0
  std::optional<resolution_quality> resolution_quality_label;
  json::object others;

  bool operator==(const intent_output&) const = default;
};

/// `sample_meta` and what intents add.
struct intent_meta {
  std::optional<std::string> source_flow_id;
  std::optional<std::vector<std::string>> source_event_ids; ///< UUIDs
  std::optional<std::string> project_id;                    ///< UUID
  std::optional<feedback_label> human_feedback_label;
  std::optional<json_number> quality_score;         ///< 0 to 1
  std::optional<std::int64_t> clarification_rounds; ///< from 0
  std::optional<std::vector<std::string>> ambiguity_flags;
  json::object others;

  bool operator==(const intent_meta&) const = default;
};

/// How a wish became an intent (mplp-learning-sample-intent.schema.json, family
/// intent_resolution).
struct intent_sample {
  std::string sample_id;  ///< UUID
  std::string created_at; ///< date-time
  intent_input input;
  std::optional<intent_state> state;
  intent_output output;
  std::optional<intent_meta> meta;
  json::object others;

  bool operator==(const intent_sample&) const = default;
};

enum class delta_type : std::uint8_t {
  refinement,
  correction,
  expansion,
  reduction,
  pivot
};
CONVENE_WORDS(delta_type, "refinement", "correction", "expansion", "reduction",
              "pivot");

struct delta_input {
  std::string delta_id;
  std::string intent_id;
  std::optional<protocol::delta_type> delta_type;
  std::string change_summary;
  json::object others;

  bool operator==(const delta_input&) const = default;
};

enum class risk_level : std::uint8_t { low, medium, high, critical };
CONVENE_WORDS(risk_level, "low", "medium", "high", "critical");

struct delta_state {
  std::optional<std::int64_t> affected_artifact_count; ///< from 0
  std::optional<protocol::risk_level> risk_level;
  std::optional<json_number> psg_complexity_score; ///< from 0
  json::object others;

  bool operator==(const delta_state&) const = default;
};

enum class impact_scope : std::uint8_t { local, module, system, global };
CONVENE_WORDS(impact_scope, "local", "module", "system", "global");

struct delta_output {
  std::string actual_impact_summary;
  protocol::impact_scope impact_scope = protocol::impact_scope::local;
  std::optional<bool> comp_plan_required;
  std::optional<bool> comp_plan_applied;
  std::optional<bool> rollback_used;
  json::object others;

  bool operator==(const delta_output&) const = default;
};

enum class prediction_accuracy : std::uint8_t {
  accurate,
  underestimated,
  overestimated
};
CONVENE_WORDS(prediction_accuracy, "accurate", "underestimated",
              "overestimated");

/// `sample_meta` and what deltas add.
struct delta_meta {
  std::optional<std::string> source_flow_id;
  std::optional<std::vector<std::string>> source_event_ids; ///< UUIDs
  std::optional<std::string> project_id;                    ///< UUID
  std::optional<feedback_label> human_feedback_label;
  std::optional<json_number> quality_score;                ///< 0 to 1
  std::optional<std::int64_t> impact_analysis_duration_ms; ///< from 0
  std::optional<prediction_accuracy> predicted_vs_actual_accuracy;
  json::object others;

  bool operator==(const delta_meta&) const = default;
};

/// What a change did (mplp-learning-sample-delta.schema.json, family
/// delta_impact).
struct delta_sample {
  std::string sample_id;  ///< UUID
  std::string created_at; ///< date-time
  delta_input input;
  std::optional<delta_state> state;
  delta_output output;
  std::optional<delta_meta> meta;
  json::object others;

  bool operator==(const delta_sample&) const = default;
};

} // namespace convene::protocol
