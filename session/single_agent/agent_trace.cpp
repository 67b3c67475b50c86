#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/events/raw_member.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/session/single_agent/agent_trace.hpp>

#include <initializer_list>
#include <set>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

trace_status status_of(std::string_view outcome) {
  if (outcome == "completed")
    return trace_status::completed;
  if (outcome == "failed")
    return trace_status::failed;
  return outcome.empty() ? trace_status::running : trace_status::cancelled;
}

std::string label_of(std::string text, std::string_view otherwise) {
  return text.empty() ? std::string{otherwise} : std::move(text);
}

std::string text(const told_event& event, std::string_view name) {
  return text_of_raw(event.value_of(name));
}

std::string payload_text(const told_event& event, std::string_view name) {
  return text_of_raw(event.payload_value_of(name));
}

/// The members of the payload that a segment keeps.
void keep(json::object& kept, const told_event& event,
          std::initializer_list<std::string_view> names) {
  kept.reserve(kept.size() + names.size());
  for (const auto name : names)
    if (const auto value = event.payload_value_of(name); !value.empty())
      kept.insert_or_assign(name, value_of_raw(value));
}

json::object kept_of(const told_event& event,
                     std::initializer_list<std::string_view> names) {
  json::object kept;
  keep(kept, event, names);
  return kept;
}

/// The plan's steps of which no attempt was begun.
std::vector<const plan_step*>
without_segment(const plan& of, const std::vector<trace_segment>& segments) {
  std::set<std::string_view> begun;
  for (const auto& segment : segments)
    if (segment.attributes && !segment.parent_segment_id)
      begun.insert(text_of(*segment.attributes, "step_id"));
  std::vector<const plan_step*> others;
  for (const auto& step : of.steps)
    if (!begun.contains(step.step_id))
      others.push_back(&step);
  return others;
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

void agent_trace::add(const told_event& event) {
  const auto type = event.type();
  if (type == "SAInitialized") {
    sa_id_ = text(event, "sa_id");
    trace_id_ = to_string(trace_ids{sa_id_}.trace());
    started_at_ = text(event, "timestamp");
  }
  if (type == "SATraceEmitted")
    is_emitted_ = true;
  if (type == "SACompleted") {
    finished_at_ = text(event, "timestamp");
    outcome_ = payload_text(event, "status");
  }
  if (is_emitted_)
    return;
  ++(kept_ == agent_trace_events_max ? events_dropped_ : kept_);
  if (type.starts_with("SAStep"))
    note_step(event);
  else if (type == "action_started" || type == "action_ended")
    note_action(event);
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

void agent_trace::close(std::string_view key, const told_event& event,
                        segment_status as) {
  const auto found = open_.find(key);
  if (found == open_.end())
    return;
  auto& segment = segments_[found->second];
  segment.status = as;
  segment.finished_at = text(event, "timestamp");
  open_.erase(found);
}

void agent_trace::note_step(const told_event& event) {
  const auto step = payload_text(event, "step_id");
  if (event.type() == "SAStepStarted")
    return open(step,
                {.label = label_of(payload_text(event, "description"), step),
                 .status = segment_status::running,
                 .started_at = text(event, "timestamp"),
                 .attributes = kept_of(event,
                                       {"step_id", "agent_role", "attempt"})});
  const auto found = open_.find(step);
  if (found == open_.end())
    return;
  keep(*segments_[found->second].attributes, event,
       {"status", "error_code", "error_message"});
  close(step, event,
        event.type() == "SAStepCompleted" ? segment_status::completed
                                          : segment_status::failed);
}

void agent_trace::note_action(const told_event& event) {
  const auto execution = text(event, "execution_id");
  if (event.type() == "action_started") {
    trace_segment made{.label = label_of(payload_text(event, "name"), "action"),
                       .status = segment_status::running,
                       .started_at = text(event, "timestamp"),
                       .attributes = kept_of(event, {"kind", "attempt"})};
    if (const auto step = open_.find(payload_text(event, "step_id"));
        step != open_.end())
      made.parent_segment_id = segments_[step->second].segment_id;
    return open(execution, std::move(made));
  }
  const auto status = text(event, "status");
  close(execution, event,
        status == "completed"   ? segment_status::completed
        : status == "cancelled" ? segment_status::cancelled
                                : segment_status::failed);
}

trace agent_trace::finish(const plan& of) {
  const trace_ids ids{sa_id_};
  trace made{.trace_id = trace_id_,
             .context_id = of.context_id,
             .plan_id = of.plan_id,
             .status = status_of(outcome_),
             .segments = std::move(segments_),
             .events = std::vector<base_event>{}};
  if (!started_at_.empty())
    made.started_at = started_at_;
  if (!finished_at_.empty())
    made.finished_at = finished_at_;
  made.root_span = {.trace_id = made.trace_id,
                    .span_id = to_string(ids.root_span()),
                    .context_id = of.context_id,
                    .attributes = json::object{{"sa_id", sa_id_}}};
  auto dropped = segments_dropped_;
  for (const auto* step : without_segment(of, *made.segments)) {
    if (made.segments->size() == agent_segments_max) {
      ++dropped;
      continue;
    }
    made.segments->push_back(
      {.segment_id = to_string(ids.segment(made.segments->size())),
       .label = step->description,
       .status = segment_status::skipped,
       .attributes = json::object{{"step_id", step->step_id},
                                  {"status", to_word(step->status)}}});
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
