// What was asked for, and the plan that was made of it.

#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/learning/sample_parts.hpp>

#include <utility>

namespace convene::protocol {
namespace {

/// The names of a Context's constraints; their values stay there.
std::string names_in(const json::object& constraints) {
  std::string all;
  for (const auto& [name, value] : constraints)
    all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

std::string uuid_text(std::string_view id) {
  return parse_uuid(id) ? std::string{id} : std::string{};
}

} // namespace

void flow_samples::start_session(const cause& why) {
  const auto& spec = object_of(why.payload, "spec");
  const auto& plan = object_of(spec, "plan");
  mode_ = text_of(why.payload, "mode");
  participants_ = count_of(why.payload, "participant_count").value_or(0);
  initiator_ = text_of(why.event, "initiator_role");
  project_id_ = uuid_text(text_of(why.payload, "context_id"));
  constraints_ = names_in(object_of(object_of(spec, "context"), "constraints"));
  request_
    = first_of(text_of(why.payload, "purpose"),
               first_of(text_of(spec, "task"), text_of(why.payload, "title")));
  intent_id_ = to_string(why.id);
  const auto objective = first_of(text_of(plan, "objective"),
                                  text_of(plan, "title"));
  resolve_intent(why, first_of(objective, request_));
  if (!plan.empty())
    generate_plan(why, text_of(plan, "plan_id"), objective,
                  static_cast<std::int64_t>(items_of(plan, "steps").size()));
  take_decisions(why, object_of(spec, "confirm"));
}

void flow_samples::load_context(const cause& why) {
  project_id_ = uuid_text(text_of(why.event, "context_id"));
  if (intent_id_.empty()) {
    request_ = text_of(why.payload, "context_title");
    intent_id_ = to_string(why.id);
    intent_event_ = intent_id_;
  }
}

void flow_samples::evaluate_plan(const cause& why) {
  const auto title = text_of(why.payload, "plan_title");
  if (intent_id_.empty())
    intent_id_ = to_string(why.id);
  if (request_.empty())
    request_ = title;
  resolve_intent(why, title);
  generate_plan(why, text_of(why.event, "plan_id"), title,
                count_of(why.payload, "step_count").value_or(0));
}

void flow_samples::take_intent(const cause& why) {
  const auto named = text_of(why.payload, "intent_id");
  intent_id_ = named.empty() ? to_string(why.id) : std::string{named};
  intent_event_ = to_string(why.id);
  request_ = text_of(why.payload, "raw_text");
  ++intents_;
  resolve_intent(why,
                 first_of(text_of(why.payload, "parsed_intent"), request_));
}

/// Without anything that was asked for there is nothing to learn.
void flow_samples::resolve_intent(const cause& why, std::string_view resolved) {
  if (request_.empty())
    return;
  intent_sample made;
  made.input.intent_id = text_.name(intent_id_).value_or(to_string(why.id));
  made.input.raw_request_summary = text_.summary(request_);
  made.input.constraints_summary = text_.note(constraints_);
  made.input.dialog_turns_count = intents_;
  made.state = intent_state{.psg_node_count = std::max<std::int64_t>(nodes_, 0),
                            .existing_plan_count
                            = static_cast<std::int64_t>(plans_.size())};
  made.output.final_intent_summary = text_.summary(resolved);
  made.output.resolution_quality_label = resolution_quality::unknown;
  made.meta = intent_meta{.clarification_rounds = clarifications_};
  add(why.to, std::move(made), collection_point::intent_resolution, why.id,
      why.at);
}

/// A plan that is made, or a step of it that changes.
void flow_samples::note_plan(const cause& why) {
  if (why.type == "step_added")
    return revise_plan(why, object_of(why.payload, "step"),
                       delta_type::expansion);
  if (why.type == "resource_written"
      && text_of(why.payload, "resource_type") == "plan_step")
    return revise_plan(why, object_of(why.payload, "value"),
                       text_of(why.payload, "op") == "delete"
                         ? delta_type::reduction
                         : delta_type::refinement);
  if (why.type != "plan_created")
    return;
  const auto& plan = object_of(why.payload, "plan");
  if (plan.empty())
    return generate_plan(why, text_of(why.payload, "node_id"), request_,
                         count_of(why.payload, "step_count").value_or(0));
  generate_plan(why, text_of(plan, "plan_id"),
                first_of(text_of(plan, "objective"), text_of(plan, "title")),
                static_cast<std::int64_t>(items_of(plan, "steps").size()));
}

void flow_samples::generate_plan(const cause& why, std::string_view plan_id,
                                 std::string_view intent, std::int64_t steps) {
  // Several events may tell of the same plan.
  if (!parse_uuid(plan_id) || plans_.size() == flow_samples_max
      || plans_.contains(plan_id) || intent.empty())
    return;
  intent_sample made;
  made.input.intent_id = text_.name(intent_id_).value_or(to_string(why.id));
  made.input.raw_request_summary = text_.summary(first_of(request_, intent));
  made.input.constraints_summary = text_.note(constraints_);
  made.input.dialog_turns_count = intents_;
  made.state = intent_state{.psg_node_count = std::max<std::int64_t>(nodes_, 0),
                            .existing_plan_count
                            = static_cast<std::int64_t>(plans_.size())};
  made.output.final_intent_summary = text_.summary(intent);
  made.output.plan_id = std::string{plan_id};
  made.output.plan_step_count = steps;
  made.output.resolution_quality_label = resolution_quality::unknown;
  add(why.to, std::move(made), collection_point::plan_generation, why.id,
      why.at);
  plan_id_ = plan_id;
  plans_.emplace(plan_id);
}

} // namespace convene::protocol
