#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/base/same_text.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/events/member_walk.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/trace.hpp>

#include <charconv>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

std::string text_in(const json::object& from, std::string_view name) {
  return std::string{text_of(from, name)};
}

segment_status status_of(std::string_view word) {
  if (word == "completed" || word == "handed_off")
    return segment_status::completed;
  if (word == "cancelled")
    return segment_status::cancelled;
  return word == "declined" ? segment_status::skipped : segment_status::failed;
}

/// What a Trace takes from the event of a turn or of an answer to a broadcast.
struct segment_event {
  std::string_view type;
  std::string_view time;
  segment_attributes payload;
};

/// Puts the member at which a walk is where it belongs.
class attribute_filler {
public:
  explicit attribute_filler(const member_walk& from) : from_(from) {
    // nop
  }

  bool is_plain = true; ///< otherwise the line has to be parsed

  // Inline, so that the length of each name is a constant: it is all that is
  // compared for most.
  [[gnu::always_inline]] void member(std::string_view name,
                                     std::optional<std::string>& to) {
    if (!is_same(from_.name(), name))
      return;
    const auto text = from_.text();
    is_plain = text.has_value();
    if (text)
      to = *text;
  }

  [[gnu::always_inline]] void member(std::string_view name,
                                     std::optional<std::int64_t>& to) {
    if (!is_same(from_.name(), name))
      return;
    const auto text = from_.value();
    std::int64_t number = 0;
    const auto read = std::from_chars(text.begin(), text.end(), number);
    is_plain = read.ec == std::errc{} && read.ptr == text.end();
    if (is_plain)
      to = number;
  }

private:
  const member_walk& from_;
};

/// Takes the same from a payload that was parsed.
class attribute_reader {
public:
  explicit attribute_reader(const json::object& from) : from_(from) {
    // nop
  }

  void member(std::string_view name, std::optional<std::string>& to) {
    if (const auto* found = from_.if_contains(name);
        found && found->is_string())
      to = std::string{found->get_string()};
  }

  void member(std::string_view name, std::optional<std::int64_t>& to) {
    to = integer_of(from_, name);
  }

private:
  const json::object& from_;
};

bool has_failed(std::string_view status) {
  return status == "failed" || status == "timed_out";
}

/// Whether the line may be of an event that the Trace needs parsed.
bool may_matter(std::string_view event_type) {
  return event_type.empty() || event_type.starts_with("MAPSession")
         || event_type.starts_with("MAPConflict")
         || event_type == "write_refused";
}

enum class reading : std::uint8_t { done, unneeded, parse };

/// Reads the event of a line that is written plainly, unless it tells of a
/// failure: such lines have to be parsed.
reading read_plain(std::string_view line, segment_event& made) {
  for (member_walk event{line}; event.next();) {
    if (is_same(event.name(), "event_type")) {
      made.type = event.text().value_or("");
      if (!is_same(made.type, "MAPTurnDispatched")
          && !is_same(made.type, "MAPTurnCompleted")
          && !is_same(made.type, "MAPBroadcastReceived"))
        return may_matter(made.type) ? reading::parse : reading::unneeded;
    } else if (is_same(event.name(), "timestamp")) {
      made.time = event.text().value_or("");
    } else if (is_same(event.name(), "payload")) {
      if (made.type.empty() || made.time.empty())
        return reading::parse;
      const bool ends_turn = is_same(made.type, "MAPTurnCompleted");
      member_walk members{event.value()};
      while (members.next()) {
        attribute_filler filler{members};
        if (ends_turn) {
          filler.member("turn_number", made.payload.turn_number);
          filler.member("status", made.payload.status);
        } else {
          describe(filler, made.payload);
        }
        if (!filler.is_plain)
          return reading::parse;
        if (ends_turn && made.payload.turn_number && made.payload.status)
          return has_failed(*made.payload.status) ? reading::parse
                                                  : reading::done;
      }
      const bool is_whole = members.has_ended()
                            && !has_failed(made.payload.status.value_or(""));
      return is_whole ? reading::done : reading::parse;
    }
  }
  return reading::parse;
}

} // namespace

void trace_builder::add(std::string_view lines) {
  thread_local json_scratch scratch;
  while (!lines.empty()) {
    const auto line = cut_line(lines);
    segment_event plain;
    switch (read_plain(line, plain)) {
      case reading::unneeded:
        break;
      case reading::done:
        take(plain.type, plain.time, std::move(plain.payload));
        break;
      case reading::parse:
        if (const auto event = scratch.parse(line);
            event && (*event)->is_object())
          add_event((*event)->get_object());
    }
  }
}

void trace_builder::add_event(const json::object& event) {
  failures_.add(event);
  const auto type = text_of(event, "event_type");
  const auto time = text_of(event, "timestamp");
  const auto* payload = event.if_contains("payload");
  if (payload == nullptr || !payload->is_object())
    return;
  if (type == "MAPSessionStarted") {
    started_at_ = time;
    keep(event, "map.session.started", "mode");
  } else if (type == "MAPSessionCompleted") {
    finished_at_ = time;
    keep(event, "map.session.completed", "status");
  } else {
    segment_attributes members;
    attribute_reader reader{payload->get_object()};
    describe(reader, members);
    take(type, time, std::move(members));
  }
}

void trace_builder::take(std::string_view type, std::string_view time,
                         segment_attributes&& payload) {
  if (is_same(type, "MAPTurnDispatched"))
    open(std::move(payload), time);
  else if (is_same(type, "MAPTurnCompleted"))
    close(payload, time);
  else if (is_same(type, "MAPBroadcastReceived"))
    answered(std::move(payload), time);
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

session_segment* trace_builder::add_segment(session_segment segment) {
  if (is_full()) {
    ++dropped_;
    return nullptr;
  }
  return &segments_.emplace_back(std::move(segment));
}

void trace_builder::open(segment_attributes&& payload, std::string_view time) {
  payload.status.reset();
  auto* const made = add_segment({});
  if (made == nullptr)
    return;
  const auto& of = made->attributes = std::move(payload);
  const auto turn = of.turn_number.value_or(0);
  made->label = "turn " + std::to_string(turn) + ": ";
  if (of.participant_id)
    made->label += *of.participant_id;
  made->status = segment_status::running;
  made->started_at = time;
  open_[turn] = segments_.size() - 1;
}

void trace_builder::close(const segment_attributes& payload,
                          std::string_view time) {
  const auto found = open_.find(payload.turn_number.value_or(0));
  if (found == open_.end())
    return;
  auto& segment = segments_[found->second];
  segment.attributes.status = payload.status.value_or("");
  segment.status = status_of(*segment.attributes.status);
  segment.finished_at = time;
  open_.erase(found);
}

void trace_builder::answered(segment_attributes&& payload,
                             std::string_view time) {
  auto* const made = add_segment({});
  if (made == nullptr)
    return;
  auto& of = made->attributes = std::move(payload);
  made->label = "broadcast: " + of.receiver_participant.value_or("");
  of.status = of.status.value_or("");
  made->status = status_of(*of.status);
  made->finished_at = time;
}

session_trace trace_builder::finish(const collab& what,
                                    const std::optional<std::string>& plan_id) {
  const trace_ids ids{what.collab_id};
  session_trace made{.context_id = what.context_id,
                     .plan_id = plan_id,
                     .status = what.status == collab_status::completed
                                 ? trace_status::completed
                               : what.status == collab_status::cancelled
                                 ? trace_status::cancelled
                                 : trace_status::running,
                     .started_at = started_at_,
                     .finished_at = finished_at_,
                     .segments = std::move(segments_)};
  if (!events_.empty())
    made.events = std::move(events_);
  made.trace_id = to_string(ids.trace());
  made.root_span = {.trace_id = made.trace_id,
                    .span_id = to_string(ids.root_span()),
                    .context_id = what.context_id,
                    .attributes = json::object{{"session_id", what.collab_id}}};
  if (dropped_ != 0) {
    made.root_span.attributes->emplace("segments_not_kept", dropped_);
    made.root_span.attributes->emplace(
      "omitted", "the segments of the turns and answers to broadcasts that "
                 "follow the last one here; the event log has them");
  }
  std::size_t index = 0;
  for (auto& segment : made.segments)
    segment.segment_id = to_string(ids.segment(index++));
  return made;
}

} // namespace convene::host
