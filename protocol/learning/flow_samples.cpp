#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/learning/sample_parts.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

/// Keeps the ids of samples apart from what else follows from an event's id.
constexpr std::uint64_t sample_space = 0x6c6561726e;

} // namespace

template <class Sample>
void flow_samples::add(output& to, Sample made, collection_point point,
                       const uuid& of, std::string_view at,
                       std::uint64_t number,
                       const std::vector<std::string>& effects) {
  if (made_++ >= flow_samples_max)
    return;
  made.sample_id = to_string(
    derive_uuid(of, sample_space + static_cast<std::uint64_t>(point), number));
  made.created_at = at;
  if (!made.meta)
    made.meta.emplace();
  auto& meta = *made.meta;
  meta.source_flow_id = text_.name(flow_id_);
  auto& sources = meta.source_event_ids.emplace();
  sources.push_back(to_string(of));
  if constexpr (requires { made.input.intent_id; })
    if (!intent_event_.empty() && intent_event_ != sources.front()
        && made.input.intent_id == intent_id_)
      sources.push_back(intent_event_);
  sources.insert(sources.end(), effects.begin(), effects.end());
  if (!project_id_.empty())
    meta.project_id = project_id_;
  meta.others.emplace("collection_point", to_word(point));
  to.push_back(std::move(encode(made).as_object()));
}

template void flow_samples::add(output&, learning_sample, collection_point,
                                const uuid&, std::string_view, std::uint64_t,
                                const std::vector<std::string>&);
template void flow_samples::add(output&, intent_sample, collection_point,
                                const uuid&, std::string_view, std::uint64_t,
                                const std::vector<std::string>&);
template void flow_samples::add(output&, delta_sample, collection_point,
                                const uuid&, std::string_view, std::uint64_t,
                                const std::vector<std::string>&);

std::vector<json::object> flow_samples::feed(const json::object& event) {
  output made;
  const auto id = parse_uuid(text_of(event, "event_id"));
  const auto at = text_of(event, "timestamp");
  if (!id || !parse_timestamp(at))
    return made;
  if (flow_id_.empty())
    flow_id_ = first_of(text_of(event, "session_id"), text_of(event, "sa_id"));
  const cause why{
    event, text_of(event, "event_type"), object_of(event, "payload"), *id, at,
    made};
  const auto family = text_of(event, "event_family");
  if (event.contains("sa_id") || why.type.starts_with("MAP"))
    read_profile(why);
  else
    read_family(why, family);
  return made;
}

std::vector<json::object> flow_samples::finish() {
  output made;
  close_delta(made);
  return made;
}

void flow_samples::read_profile(const cause& why) {
  using reader = void (flow_samples::*)(const cause&);
  static constexpr std::array<std::pair<std::string_view, reader>, 10> readers{
    {{"MAPSessionStarted", &flow_samples::start_session},
     {"MAPTurnDispatched", &flow_samples::begin_turn},
     {"MAPTurnCompleted", &flow_samples::end_turn},
     {"MAPBroadcastReceived", &flow_samples::end_turn},
     {"MAPSessionCompleted", &flow_samples::end_session},
     {"SAContextLoaded", &flow_samples::load_context},
     {"SAPlanEvaluated", &flow_samples::evaluate_plan},
     {"SAStepStarted", &flow_samples::begin_agent_step},
     {"SAStepCompleted", &flow_samples::end_agent_step},
     {"SAStepFailed", &flow_samples::end_agent_step}}};
  for (const auto& [type, read] : readers)
    if (type == why.type)
      (this->*read)(why);
}

void flow_samples::read_family(const cause& why, std::string_view family) {
  if (family == "intent")
    take_intent(why);
  else if (family == "delta_intent")
    take_delta(why);
  else if (family == "impact_analysis")
    analyse_impact(why);
  else if (family == "compensation_plan")
    take_compensation(why);
  else if (family == "runtime_execution")
    end_family_execution(why);
  else if (family == "pipeline_stage") {
    fail_stage(why);
    decide(why);
  } else if (family == "graph_update") {
    note_plan(why);
    note_effect(why);
    update_graph(why);
  }
}

} // namespace convene::protocol
