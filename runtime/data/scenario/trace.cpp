#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/trace.hpp>

#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Whether the line is one of the events that a Trace shows, or may be a
/// failure; the others need no parsing. The type stands near the line's
/// beginning.
bool matters(std::string_view line) {
  const auto head = line.substr(0, 128);
  return head.find("\"MAPTurn") != head.npos
         || head.find("\"MAPBroadcastReceived") != head.npos
         || head.find("\"MAPSession") != head.npos
         || head.find("\"MAPConflict") != head.npos
         || head.find("\"write_refused\"") != head.npos;
}

/// Of a Trace that keeps no more segments, such a line is only counted.
bool begins_turn(std::string_view line) {
  return line.substr(0, 128).find("\"MAPTurnDispatched\"") != line.npos;
}

std::string text_in(const json::object& from, std::string_view name) {
  return std::string{text_of(from, name)};
}

std::int64_t turn_of(const json::object& payload) {
  const auto* member = payload.if_contains("turn_number");
  const auto* number = member == nullptr ? nullptr : member->if_int64();
  return number == nullptr ? 0 : *number;
}

segment_status status_of(std::string_view word) {
  if (word == "completed" || word == "handed_off")
    return segment_status::completed;
  if (word == "cancelled")
    return segment_status::cancelled;
  return word == "declined" ? segment_status::skipped : segment_status::failed;
}

/// The members of a payload that a segment keeps.
json::object attributes_of(const json::object& payload) {
  json::object kept;
  for (std::string_view name :
       {"participant_id", "role_id", "turn_number", "token_id", "step_id",
        "receiver_participant", "receiver_role_id", "broadcast_ref"})
    if (const auto* member = payload.if_contains(name))
      kept.emplace(name, *member);
  return kept;
}

} // namespace

void trace_builder::add(std::string_view lines) {
  thread_local json_scratch scratch;
  while (!lines.empty()) {
    const auto line = cut_line(lines);
    if (!matters(line))
      continue;
    if (is_full() && begins_turn(line)) {
      ++dropped_;
      continue;
    }
    const auto event = scratch.parse(line);
    if (event && (*event)->is_object())
      add_event((*event)->get_object());
  }
}

void trace_builder::add_event(const json::object& event) {
  failures_.add(event);
  const auto type = text_in(event, "event_type");
  const auto time = text_in(event, "timestamp");
  const auto* payload = event.if_contains("payload");
  if (payload == nullptr || !payload->is_object())
    return;
  if (type == "MAPSessionStarted") {
    started_at_ = time;
    keep(event, "map.session.started", "mode");
  } else if (type == "MAPSessionCompleted") {
    finished_at_ = time;
    keep(event, "map.session.completed", "status");
  } else if (type == "MAPTurnDispatched")
    open(payload->get_object(), time);
  else if (type == "MAPTurnCompleted")
    close(payload->get_object(), time);
  else if (type == "MAPBroadcastReceived")
    answered(payload->get_object(), time);
}

/// The small event that tells of the large one, which the log has: its id and
/// time, and one member of its payload.
void trace_builder::keep(const json::object& event, std::string event_type,
                         std::string_view member) {
  json::object data{{"session_id", text_in(event, "session_id")}};
  if (const auto* found = event.at("payload").as_object().if_contains(member))
    data.emplace(member, *found);
  events_.push_back({.event_id = text_in(event, "event_id"),
                     .event_type = std::move(event_type),
                     .source = "collab",
                     .timestamp = text_in(event, "timestamp"),
                     .data = std::move(data)});
}

trace_segment* trace_builder::add_segment(trace_segment segment) {
  if (is_full()) {
    ++dropped_;
    return nullptr;
  }
  return &segments_.emplace_back(std::move(segment));
}

void trace_builder::open(const json::object& payload, std::string_view time) {
  const auto turn = turn_of(payload);
  if (add_segment({.label = "turn " + std::to_string(turn) + ": "
                            + text_in(payload, "participant_id"),
                   .status = segment_status::running,
                   .started_at = std::string{time},
                   .attributes = attributes_of(payload)})
      != nullptr)
    open_[turn] = segments_.size() - 1;
}

void trace_builder::close(const json::object& payload, std::string_view time) {
  const auto found = open_.find(turn_of(payload));
  if (found == open_.end())
    return;
  auto& segment = segments_[found->second];
  const auto word = text_in(payload, "status");
  segment.status = status_of(word);
  segment.finished_at = time;
  segment.attributes->insert_or_assign("status", word);
  open_.erase(found);
}

void trace_builder::answered(const json::object& payload,
                             std::string_view time) {
  const auto word = text_in(payload, "status");
  auto attributes = attributes_of(payload);
  attributes.insert_or_assign("status", word);
  add_segment(
    {.label = "broadcast: " + text_in(payload, "receiver_participant"),
     .status = status_of(word),
     .finished_at = std::string{time},
     .attributes = std::move(attributes)});
}

trace trace_builder::finish(const collab& what,
                            const std::optional<std::string>& plan_id) const {
  const trace_ids ids{what.collab_id};
  trace made{.context_id = what.context_id,
             .plan_id = plan_id,
             .status = what.status == collab_status::completed
                         ? trace_status::completed
                       : what.status == collab_status::cancelled
                         ? trace_status::cancelled
                         : trace_status::running,
             .started_at = started_at_,
             .finished_at = finished_at_,
             .segments = segments_};
  if (!events_.empty())
    made.events = events_;
  made.trace_id = to_string(ids.trace());
  made.root_span = {.trace_id = made.trace_id,
                    .span_id = to_string(ids.root_span()),
                    .context_id = what.context_id,
                    .attributes = json::object{{"session_id", what.collab_id}}};
  if (dropped_ != 0)
    made.root_span.attributes->emplace("segments_not_kept", dropped_);
  std::size_t index = 0;
  for (auto& segment : *made.segments)
    segment.segment_id = to_string(ids.segment(index++));
  return made;
}

} // namespace convene::host
