#pragma once

#include <convene/protocol/codec/held_values.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>

namespace convene::protocol {

struct run_error_info {
  std::optional<std::string> error_code;
  std::optional<std::string> error_message;
  std::optional<std::string> stack_trace;

  bool operator==(const run_error_info&) const = default;
};

/// Tokens of one agent. Numbers need not be whole.
struct agent_tokens {
  std::string agent_id;
  std::optional<std::string> role;
  json_number tokens; ///< from 0

  bool operator==(const agent_tokens&) const = default;
};

struct token_usage {
  std::optional<json_number> total_tokens;      ///< from 0
  std::optional<json_number> prompt_tokens;     ///< from 0
  std::optional<json_number> completion_tokens; ///< from 0
  std::optional<std::vector<agent_tokens>> by_agent;

  bool operator==(const token_usage&) const = default;
};

enum class feedback_decision : std::uint8_t {
  approve,
  reject,
  override_, // NOLINT(readability-identifier-naming): a keyword otherwise
  unknown
};
CONVENE_WORDS(feedback_decision, "approve", "reject", "override", "unknown");

struct user_feedback {
  std::optional<feedback_decision> decision;
  std::optional<std::string> comment;
  std::optional<json_number> rating; ///< 0 to 5

  bool operator==(const user_feedback&) const = default;
};

struct run_times {
  std::string started_at;                  ///< date-time
  std::optional<std::string> completed_at; ///< date-time

  bool operator==(const run_times&) const = default;
};

/// The learning record of a whole run (common/learning-sample.schema.json),
/// beside the samples by family (learning_samples.hpp).
struct run_sample {
  std::string sample_id; ///< v4 UUID
  std::string project_id;
  std::optional<json::object> intent_before;
  std::optional<json::object> plan;
  std::optional<std::vector<json::object>> delta_intents;
  std::optional<json::object> graph_before;
  std::optional<json::object> graph_after;
  std::optional<std::vector<std::string>> pipeline_path;
  bool success_flag = false;
  std::optional<run_error_info> error_info;
  std::optional<protocol::token_usage> token_usage;
  std::optional<json_number> execution_time_ms; ///< from 0
  std::optional<json_number> impact_score;      ///< 0 to 1
  std::optional<protocol::user_feedback> user_feedback;
  std::optional<std::vector<json::object>> governance_decisions;
  run_times timestamps;
  std::optional<json::object> metadata;
  std::optional<json::object> vendor_extensions;

  bool operator==(const run_sample&) const = default;
};

} // namespace convene::protocol
