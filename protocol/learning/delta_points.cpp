// Changes of what was asked for and of plans, and what they touched.

#include <convene/protocol/learning/sample_parts.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace convene::protocol {
namespace {

/// The most effects that a sample names.
constexpr std::size_t effects_max = 64;

/// The protocol has two lists of words for the same.
std::optional<delta_type> delta_type_of(std::string_view written) {
  if (written == "add")
    return delta_type::expansion;
  if (written == "remove")
    return delta_type::reduction;
  if (written == "modify")
    return delta_type::refinement;
  return from_word<delta_type>(written);
}

std::string nodes_text(std::int64_t nodes, std::size_t modules) {
  return std::to_string(nodes) + " nodes of " + std::to_string(modules)
         + " modules changed";
}

} // namespace

void flow_samples::take_delta(const cause& why) {
  close_delta(why.to);
  if (why.type == "clarification_received")
    ++clarifications_;
  const auto id = to_string(why.id);
  delta_ = open_delta{
    .id = why.id,
    .at = std::string{why.at},
    .delta_id = std::string{first_of(text_of(why.payload, "intent_id"), id)},
    .intent_id = std::string{first_of(
      text_of(why.payload, "original_intent_id"), first_of(intent_id_, id))},
    .summary = std::string{text_of(why.payload, "changes")},
    .type = delta_type_of(text_of(why.payload, "delta_type"))};
}

void flow_samples::note_effect(const cause& why) {
  if (!delta_)
    return;
  const auto changed = delta_of(why.event, "node_delta");
  delta_->nodes += changed == 0 ? 1 : std::abs(changed);
  if (delta_->effects.size() < effects_max) {
    delta_->effects.push_back(to_string(why.id));
    delta_->modules.emplace(text_of(why.event, "source_module"));
  }
}

void flow_samples::take_compensation(const cause& why) {
  if (!delta_)
    return;
  delta_->compensation_required = true;
  delta_->compensation_applied |= why.type == "rollback_executed";
}

void flow_samples::close_delta(output& to) {
  if (!delta_)
    return;
  const auto was = std::move(*delta_);
  delta_.reset();
  const auto own = to_string(was.id);
  delta_sample made;
  made.input.delta_id = text_.name(was.delta_id).value_or(own);
  made.input.intent_id = text_.name(was.intent_id).value_or(own);
  made.input.delta_type = was.type;
  made.input.change_summary = text_.summary(was.summary);
  made.state = delta_state{.affected_artifact_count = was.nodes};
  made.output.actual_impact_summary = nodes_text(was.nodes, was.modules.size());
  made.output.impact_scope = scope_of(was.nodes, was.modules.size());
  made.output.comp_plan_required = was.compensation_required;
  made.output.comp_plan_applied = was.compensation_applied;
  made.output.rollback_used = was.compensation_applied;
  add(to, std::move(made), collection_point::plan_revision, was.id, was.at, 0,
      was.effects);
}

void flow_samples::revise_plan(const cause& why, const json::object& step,
                               delta_type type) {
  const auto own = to_string(why.id);
  delta_sample made;
  made.input.delta_id = own;
  made.input.intent_id
    = text_.name(first_of(intent_id_, plan_id_)).value_or(own);
  made.input.delta_type = type;
  made.input.change_summary
    = text_.summary(first_of(text_of(step, "description"), why.type));
  made.state = delta_state{.affected_artifact_count = 1};
  made.output.actual_impact_summary = nodes_text(1, 1);
  made.output.impact_scope = scope_of(1, 1);
  made.output.comp_plan_required = false;
  made.output.rollback_used = false;
  add(why.to, std::move(made), collection_point::plan_revision, why.id, why.at);
}

void flow_samples::analyse_impact(const cause& why) {
  const auto own = to_string(why.id);
  const auto* list = why.payload.if_contains("affected_resources");
  const auto affected = list != nullptr && list->is_array()
                          ? static_cast<std::int64_t>(list->get_array().size())
                          : 0;
  const auto recommended = texts_of(why.payload, "recommendations");
  delta_sample made;
  made.input.delta_id
    = text_.name(text_of(why.payload, "impact_id")).value_or(own);
  made.input.intent_id = text_.name(intent_id_).value_or(own);
  made.input.change_summary
    = text_.summary(delta_                 ? std::string_view{delta_->summary}
                    : !recommended.empty() ? recommended.front()
                                           : std::string_view{request_});
  made.state = delta_state{.affected_artifact_count = affected,
                           .risk_level = from_word<risk_level>(
                             text_of(why.payload, "risk_level"))};
  made.output.actual_impact_summary = std::to_string(affected)
                                      + " resources are affected";
  made.output.impact_scope
    = from_word<impact_scope>(text_of(why.payload, "impact_scope"))
        .value_or(scope_of(affected, 1));
  if (delta_) {
    made.input.delta_type = delta_->type;
    made.output.comp_plan_required = delta_->compensation_required;
  }
  add(why.to, std::move(made), collection_point::impact_analysis_completion,
      why.id, why.at);
}

} // namespace convene::protocol
