// How executions, stages, decisions and sessions ended, and how the graph grew.

#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/learning/sample_parts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace convene::protocol {
namespace {

/// The most executions that are open at once.
constexpr std::size_t open_max = 100'000;

/// What the session's machine decides of its own plan (session/planning).
constexpr std::string_view automatic_reason = "automatic approval";
constexpr std::string_view automatic_role = "convene";

/// Of runtime_execution: inputs of the machine, and what other events tell.
bool is_no_execution(std::string_view type, const json::object& payload) {
  constexpr std::array types{std::string_view{"session_input"},
                             std::string_view{"write_refused"},
                             std::string_view{"claim_refused"},
                             std::string_view{"step_execution_ended"}};
  return std::ranges::find(types, type) != types.end()
         || payload.contains("to_status");
}

json::object error_info(const sample_text& text, std::string_view code,
                        std::string_view message) {
  json::object made;
  add_if(made, "code", text.word(code));
  add_if(made, "message", text.note(message));
  return made;
}

/// As a turn is named while it is open.
std::string turn_name(const json::object& payload) {
  return "turn "
         + std::to_string(integer_of(payload, "turn_number").value_or(0));
}

} // namespace

void flow_samples::end_execution(const cause& why, std::string_view stage_id,
                                 json::object stage_config,
                                 json::object result) {
  learning_sample made{.sample_family = "pipeline_outcome"};
  add_if(made.input, "pipeline_id", text_.name(first_of(plan_id_, flow_id_)));
  add_if(made.input, "stage_id", text_.name(stage_id));
  made.input.emplace("stage_config", std::move(stage_config));
  made.output = std::move(result);
  add(why.to, std::move(made), collection_point::execution_completion, why.id,
      why.at);
}

void flow_samples::begin_turn(const cause& why) {
  if (open_.size() < open_max)
    open_[turn_name(why.payload)]
      = {.step_id = std::string{text_of(why.payload, "step_id")}};
}

void flow_samples::end_turn(const cause& why) {
  const bool is_turn = why.type == "MAPTurnCompleted";
  auto stage = std::string{text_of(why.payload, "broadcast_ref")};
  json::object config{{"stage", is_turn ? "turn" : "broadcast"}};
  if (is_turn) {
    stage = text_of(why.payload, "token_id");
    if (auto begun = open_.extract(turn_name(why.payload));
        !begun.empty() && !begun.mapped().step_id.empty())
      stage = begun.mapped().step_id;
    if (const auto number = count_of(why.payload, "turn_number"))
      config.emplace("turn_number", *number);
  }
  add_if(config, "role_id",
         text_.name(first_of(text_of(why.payload, "role_id"),
                             text_of(why.payload, "receiver_role_id"))));
  const auto status = text_of(why.payload, "status");
  const auto& error = object_of(why.payload, "error");
  json::object result;
  add_if(result, "status", text_.word(status));
  if (const auto took = count_of(why.payload, "duration_ms"))
    result.emplace("duration_ms", *took);
  if (!error.empty())
    result.emplace("error_info", error_info(text_, text_of(error, "code"),
                                            text_of(error, "message")));
  failures_ += status == "failed" || status == "timed_out" ? 1 : 0;
  end_execution(why, stage, std::move(config), std::move(result));
}

void flow_samples::begin_agent_step(const cause& why) {
  if (open_.size() < open_max)
    open_[std::string{text_of(why.payload, "step_id")}]
      = {.at = parse_timestamp(why.at)};
}

void flow_samples::end_agent_step(const cause& why) {
  const auto step = text_of(why.payload, "step_id");
  json::object config{{"stage", "step"}};
  if (const auto attempt = count_of(why.payload, "attempt"))
    config.emplace("attempt", *attempt);
  json::object result;
  add_if(result, "status", text_.word(text_of(why.payload, "status")));
  const auto begun = open_.extract(std::string{step});
  const auto now = parse_timestamp(why.at);
  if (!begun.empty() && begun.mapped().at && now)
    result.emplace("duration_ms",
                   std::max<timestamp_ms>(0, *now - *begun.mapped().at));
  if (why.type == "SAStepFailed")
    result.emplace("error_info",
                   error_info(text_, text_of(why.payload, "error_code"),
                              text_of(why.payload, "error_message")));
  end_execution(why, step, std::move(config), std::move(result));
}

void flow_samples::end_family_execution(const cause& why) {
  const auto status = text_of(why.event, "status");
  if ((status != "completed" && status != "failed" && status != "cancelled")
      || is_no_execution(why.type, why.payload))
    return;
  json::object config{{"stage", "execution"}};
  add_if(config, "executor_kind",
         text_.word(text_of(why.event, "executor_kind")));
  if (const auto attempt = count_of(why.payload, "attempt"))
    config.emplace("attempt", *attempt);
  json::object result;
  add_if(result, "status", text_.word(status));
  if (const auto took = count_of(why.payload, "duration_ms"))
    result.emplace("duration_ms", *took);
  const auto& error = object_of(object_of(why.payload, "result"), "error");
  if (!error.empty())
    result.emplace("error_info", error_info(text_, text_of(error, "code"),
                                            text_of(error, "message")));
  end_execution(why, text_of(why.event, "execution_id"), std::move(config),
                std::move(result));
}

void flow_samples::fail_stage(const cause& why) {
  if (text_of(why.event, "stage_status") != "failed")
    return;
  learning_sample made{.sample_family = "pipeline_outcome"};
  add_if(made.input, "pipeline_id",
         text_.name(text_of(why.event, "pipeline_id")));
  const auto stage = text_of(why.event, "stage_id");
  add_if(made.input, "stage_id",
         parse_uuid(stage) ? text_.name(stage) : text_.word(stage));
  json::object config;
  add_if(config, "stage", text_.word(text_of(why.payload, "resource_type")));
  if (const auto order = count_of(why.event, "stage_order"))
    config.emplace("stage_order", *order);
  made.input.emplace("stage_config", std::move(config));
  made.output.emplace("status", "failed");
  made.output.emplace("error_info",
                      error_info(text_, {}, text_of(why.payload, "reason")));
  ++failures_;
  add(why.to, std::move(made), collection_point::pipeline_failure, why.id,
      why.at);
}

void flow_samples::decide(const cause& why) {
  const auto decision = text_of(why.payload, "to_status");
  if (text_of(why.payload, "resource_type") != "confirm"
      || (decision != "approved" && decision != "rejected"
          && decision != "cancelled"))
    return;
  json::object input;
  add_if(input, "confirm_id", text_.name(text_of(why.payload, "resource_id")));
  const auto target = text_of(why.payload, "target_id");
  if (!target.empty() && target == plan_id_)
    input.emplace("target_type", "plan");
  add_if(input, "target_id", text_.name(target));
  const auto reason = text_of(why.payload, "reason");
  auto by = text_of(why.payload, "decided_by_role");
  if (by.empty() && reason == automatic_reason)
    by = automatic_role;
  add_decision(why, std::move(input), decision, by, reason, 0);
}

/// Those made before the session began: its Confirm brings them along.
void flow_samples::take_decisions(const cause& why,
                                  const json::object& confirm) {
  std::uint64_t number = 0;
  for (const auto& each : items_of(confirm, "decisions")) {
    const auto* decision = each.if_object();
    if (decision == nullptr)
      continue;
    json::object input;
    add_if(input, "confirm_id", text_.name(text_of(confirm, "confirm_id")));
    add_if(input, "target_type", text_.word(text_of(confirm, "target_type")));
    add_if(input, "target_id", text_.name(text_of(confirm, "target_id")));
    add_decision(why, std::move(input), text_of(*decision, "status"),
                 text_of(*decision, "decided_by_role"),
                 text_of(*decision, "reason"), number++);
  }
}

void flow_samples::add_decision(const cause& why, json::object input,
                                std::string_view decision, std::string_view by,
                                std::string_view reason, std::uint64_t number) {
  learning_sample made{.sample_family = "confirm_decision"};
  made.input = std::move(input);
  add_if(made.output, "decision", text_.word(decision));
  add_if(made.output, "reasoning", text_.note(reason));
  add_if(made.output, "decided_by_role", text_.name(by));
  auto& meta = made.meta.emplace();
  meta.human_feedback_label = by == automatic_role || decision == "cancelled"
                                ? feedback_label::not_reviewed
                              : decision == "approved"
                                ? feedback_label::approved
                                : feedback_label::rejected;
  add(why.to, std::move(made), collection_point::user_feedback, why.id, why.at,
      number);
}

void flow_samples::update_graph(const cause& why) {
  const auto nodes = delta_of(why.event, "node_delta");
  const auto edges = delta_of(why.event, "edge_delta");
  const auto before = std::max<std::int64_t>(0, nodes_ + edges_);
  const auto changed = std::abs(nodes) + std::abs(edges);
  const auto kind = text_of(why.event, "update_kind");
  if (kind == "node_delete" || changed >= significant_changes) {
    learning_sample made{.sample_family = "graph_evolution"};
    made.input.emplace("trigger_event_id", to_string(why.id));
    add_if(made.input, "change_type", text_.word(kind));
    made.state
      = json::object{{"node_count_before", std::max<std::int64_t>(0, nodes_)},
                     {"edge_count_before", std::max<std::int64_t>(0, edges_)}};
    const auto whole = static_cast<double>(before + changed);
    const auto share = whole == 0 ? 0 : static_cast<double>(changed) / whole;
    made.output = {{"nodes_added", nodes},
                   {"edges_added", edges},
                   {"topology_change_score", std::round(share * 1000) / 1000}};
    add(why.to, std::move(made), collection_point::graph_update, why.id,
        why.at);
  }
  nodes_ += nodes;
  edges_ += edges;
}

void flow_samples::end_session(const cause& why) {
  close_delta(why.to);
  const bool completed = text_of(why.payload, "status") == "completed";
  learning_sample made{.sample_family = "multi_agent_coordination"};
  add_if(made.input, "session_id", text_.name(flow_id_));
  add_if(made.input, "coordination_mode", text_.word(mode_));
  made.input.emplace(
    "participant_count",
    count_of(why.payload, "participants_count").value_or(participants_));
  add_if(made.input, "initiator_role", text_.name(initiator_));
  for (const auto& [name, member] :
       {std::pair{"total_turns", "turns_total"},
        std::pair{"handoffs_count", "handoffs_count"},
        std::pair{"duration_ms", "duration_ms"}})
    if (const auto count = count_of(why.payload, member))
      made.output.emplace(name, *count);
  made.output.emplace("outcome", !completed       ? "failed"
                                 : failures_ != 0 ? "partial"
                                                  : "success");
  add(why.to, std::move(made), collection_point::map_session_completion, why.id,
      why.at);
}

} // namespace convene::protocol
