#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/session/single_agent/agent_trace.hpp>

#include <set>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

/// The members that a segment keeps.
json::object kept_of(const json::object& payload,
                     std::initializer_list<std::string_view> names) {
  json::object kept;
  for (const auto name : names)
    if (const auto* member = payload.if_contains(name))
      kept.emplace(name, *member);
  return kept;
}

trace_status status_of(std::string_view outcome) {
  if (outcome == "completed")
    return trace_status::completed;
  if (outcome == "failed")
    return trace_status::failed;
  return outcome.empty() ? trace_status::running : trace_status::cancelled;
}

std::string label_of(std::string_view text, std::string_view otherwise) {
  return std::string{text.empty() ? otherwise : text};
}

} // namespace

json::object trace_event(json::object&& event, std::string_view trace_id) {
  const auto family = text_of(event, "event_family");
  json::object made({{"event_id", text_of(event, "event_id")},
                     {"event_type", dotted(text_of(event, "event_type"))},
                     {"source", family.empty() ? "sa" : family},
                     {"timestamp", text_of(event, "timestamp")},
                     {"trace_id", trace_id},
                     {"data", nullptr}},
                    event.storage());
  made["data"] = std::move(event);
  return made;
}

void agent_trace::add(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto time = std::string{text_of(event, "timestamp")};
  if (type == "SAInitialized") {
    sa_id_ = text_of(event, "sa_id");
    trace_id_ = to_string(trace_ids{sa_id_}.trace());
    started_at_ = time;
  }
  if (type == "SATraceEmitted")
    is_emitted_ = true;
  if (type == "SACompleted") {
    finished_at_ = time;
    outcome_ = text_of(object_of(event, "payload"), "status");
  }
  if (is_emitted_)
    return;
  ++(kept_ == agent_trace_events_max ? events_dropped_ : kept_);
  if (type.starts_with("SAStep"))
    note_step(event, type);
  else if (type == "action_started" || type == "action_ended")
    note_action(event, type);
}

void agent_trace::open(const std::string& key, trace_segment segment) {
  if (segments_.size() == agent_segments_max) {
    ++segments_dropped_;
    return;
  }
  open_[key] = segments_.size();
  segment.segment_id = to_string(trace_ids{sa_id_}.segment(segments_.size()));
  segments_.push_back(std::move(segment));
}

void agent_trace::close(const std::string& key, const json::object& event,
                        segment_status as) {
  const auto found = open_.find(key);
  if (found == open_.end())
    return;
  auto& segment = segments_[found->second];
  segment.status = as;
  segment.finished_at = text_of(event, "timestamp");
  open_.erase(found);
}

void agent_trace::note_step(const json::object& event, std::string_view type) {
  const auto& payload = object_of(event, "payload");
  const std::string step{text_of(payload, "step_id")};
  if (type == "SAStepStarted")
    return open(step, {.label = label_of(text_of(payload, "description"), step),
                       .status = segment_status::running,
                       .started_at = std::string{text_of(event, "timestamp")},
                       .attributes = kept_of(payload, {"step_id", "agent_role",
                                                       "attempt"})});
  const auto found = open_.find(step);
  if (found == open_.end())
    return;
  auto& attributes = *segments_[found->second].attributes;
  for (const auto& [name, value] :
       kept_of(payload, {"status", "error_code", "error_message"}))
    attributes.insert_or_assign(name, value);
  close(step, event,
        type == "SAStepCompleted" ? segment_status::completed
                                  : segment_status::failed);
}

void agent_trace::note_action(const json::object& event,
                              std::string_view type) {
  const auto& payload = object_of(event, "payload");
  const std::string execution{text_of(event, "execution_id")};
  if (type == "action_started") {
    trace_segment made{.label = label_of(text_of(payload, "name"), "action"),
                       .status = segment_status::running,
                       .started_at = std::string{text_of(event, "timestamp")},
                       .attributes = kept_of(payload, {"kind", "attempt"})};
    if (const auto step = open_.find(text_of(payload, "step_id"));
        step != open_.end())
      made.parent_segment_id = segments_[step->second].segment_id;
    return open(execution, std::move(made));
  }
  const auto status = text_of(event, "status");
  close(execution, event,
        status == "completed"   ? segment_status::completed
        : status == "cancelled" ? segment_status::cancelled
                                : segment_status::failed);
}

trace agent_trace::finish(const plan& of) const {
  const trace_ids ids{sa_id_};
  trace made{.trace_id = trace_id_,
             .context_id = of.context_id,
             .plan_id = of.plan_id,
             .status = status_of(outcome_),
             .segments = segments_,
             .events = std::vector<base_event>{}};
  if (!started_at_.empty())
    made.started_at = started_at_;
  if (!finished_at_.empty())
    made.finished_at = finished_at_;
  made.root_span = {.trace_id = made.trace_id,
                    .span_id = to_string(ids.root_span()),
                    .context_id = of.context_id,
                    .attributes = json::object{{"sa_id", sa_id_}}};
  std::set<std::string_view> begun;
  for (const auto& segment : segments_)
    if (segment.attributes && !segment.parent_segment_id)
      begun.insert(text_of(*segment.attributes, "step_id"));
  auto dropped = segments_dropped_;
  for (const auto& step : of.steps) {
    if (begun.contains(step.step_id))
      continue;
    if (made.segments->size() == agent_segments_max) {
      ++dropped;
      continue;
    }
    made.segments->push_back(
      {.segment_id = to_string(ids.segment(made.segments->size())),
       .label = step.description,
       .status = segment_status::skipped,
       .attributes = json::object{{"step_id", step.step_id},
                                  {"status", to_word(step.status)}}});
  }
  if (dropped != 0)
    made.root_span.attributes->emplace("segments_not_kept", dropped);
  if (events_dropped_ != 0)
    made.root_span.attributes->emplace("events_not_kept", events_dropped_);
  if (dropped != 0 || events_dropped_ != 0)
    made.root_span.attributes->emplace(
      "omitted", "attempts, actions, steps and events that follow the last "
                 "ones here; the event log has them");
  return made;
}

} // namespace convene::session
