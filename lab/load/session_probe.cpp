#include <convene/lab/load/session_probe.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/events/member_walk.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace convene::host {
namespace {

/// The text that the value begins with as it is written, without its quotes.
std::string_view text_at(std::string_view value) {
  if (!value.starts_with('"'))
    return value.substr(0, value.find_first_of(",}"));
  value.remove_prefix(1);
  return value.substr(0, value.find('"'));
}

/// The member's text as the line has it, from where it first occurs. A text
/// inside of the event cannot look like one: its quotes are escaped.
std::string_view member_text(std::string_view line, std::string_view quoted) {
  const auto at = line.find(quoted);
  return at == line.npos ? std::string_view{}
                         : text_at(line.substr(at + quoted.size()));
}

/// The type of an event and members of its payload, in the order in which this
/// program writes them: the line is gone through once.
class event_members {
public:
  explicit event_members(std::string_view line) : line_{line}, event_{line} {
    while (event_.next())
      if (event_.name() == "event_type") {
        type_ = event_.text().value_or(std::string_view{});
        return;
      }
    type_ = type_at_once(line).value_or(std::string_view{});
  }

  [[nodiscard]] std::string_view type() const noexcept {
    return type_;
  }

  /// The next member of the payload with this name, which is followed by a
  /// colon in `quoted`; if there is none, the line's first one.
  std::string_view next(std::string_view quoted) {
    const auto name = quoted.substr(1, quoted.size() - 3);
    if (!payload_)
      payload_.emplace(payload_text());
    while (payload_->next())
      if (payload_->name() == name)
        return text_at(payload_->value());
    return member_text(line_, quoted);
  }

private:
  std::string_view payload_text() {
    while (event_.next())
      if (event_.name() == "payload")
        return event_.value();
    return {};
  }

  std::string_view line_;
  std::string_view type_;
  protocol::member_walk event_;
  std::optional<protocol::member_walk> payload_;
};

std::uint64_t key_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

/// Whether a conflict, by its events, was a write that was refused.
bool was_refused(std::string_view detected, std::string_view resolved) {
  turn_failures found;
  for (const auto line : {detected, resolved})
    if (const auto event = protocol::parse_json(line);
        event && event->is_object())
      found.add(event->get_object());
  return found.writes_refused() > 0;
}

} // namespace

void session_probe::see(std::string_view lines, load_time now) {
  std::uint64_t events = 0;
  const auto bytes = lines.size();
  while (!lines.empty()) {
    see_event(protocol::cut_line(lines), now);
    ++events;
  }
  recorder_.count(order_.kind, load_tally::events, events, now);
  recorder_.count(order_.kind, load_tally::bytes, bytes, now);
}

void session_probe::see_event(std::string_view line, load_time now) {
  event_members event{line};
  const auto type = event.type();
  if (type == "MAPTurnDispatched") {
    const auto who = key_of(event.next("\"participant_id\":"));
    turn_begins(who, key_of(event.next("\"turn_number\":")), now);
  } else if (type == "MAPTurnCompleted") {
    begin(free_, key_of(event.next("\"participant_id\":")), now);
    const auto turn = key_of(event.next("\"turn_number\":"));
    answered(line, event.next("\"status\":"), end(turns_, turn, now), now);
  } else if (type == "MAPBroadcastSent") {
    begin(broadcasts_, key_of(member_text(line, "\"broadcast_id\":")), now);
  } else if (type == "MAPBroadcastReceived") {
    const auto key = key_of(event.next("\"broadcast_ref\":"));
    const auto sent = std::ranges::find(broadcasts_, key, &begun::key);
    if (sent != broadcasts_.end())
      answered(line, event.next("\"status\":"), sent->at, now);
  } else if (type == "MAPConflictDetected") {
    begin(conflicts_, key_of(member_text(line, "\"conflict_id\":")), now);
    recorder_.count(order_.kind, load_tally::conflicts, 1, now);
    disputed_ = line;
  } else if (type == "MAPConflictResolved") {
    const auto key = key_of(member_text(line, "\"conflict_id\":"));
    recorder_.took(order_.kind, load_measure::conflict,
                   now - end(conflicts_, key, now), now);
    if (member_text(line, "\"resolution_strategy\":") == "reject"
        && was_refused(disputed_, line))
      recorder_.write_refused(order_.kind, now);
  } else if (type == "write_refused") {
    recorder_.write_refused(order_.kind, now);
  } else if (type == "MAPSessionStarted") {
    started_at_ = last_answer_at_ = now;
    if (order_.measured)
      recorder_.took(order_.kind, load_measure::start, now - order_.intended,
                     now);
  } else if (type == "MAPSessionCompleted") {
    session_ends(line, now);
  }
}

void session_probe::turn_begins(std::uint64_t who, std::uint64_t turn,
                                load_time now) {
  begin(turns_, turn, now);
  recorder_.took(order_.kind, load_measure::wait,
                 now - end(free_, who, started_at_), now);
}

void session_probe::answered(std::string_view line, std::string_view status,
                             load_time began, load_time now) {
  last_answer_at_ = now;
  recorder_.took(order_.kind, load_measure::turn, now - began, now);
  recorder_.count(order_.kind, load_tally::turns, 1, now);
  if (status != "completed" && status != "handed_off" && status != "declined"
      && !protocol::is_unneeded_answer(member_text(line, "\"code\":")))
    recorder_.turn_failed(order_.kind, status, now);
}

void session_probe::session_ends(std::string_view line, load_time now) {
  has_ended_ = true;
  ended_at_ = now;
  is_completed_ = member_text(line, "\"status\":") == "completed";
  if (!is_completed_)
    condition_ = member_text(line, "\"condition\":");
}

void session_probe::begin(all_begun& in, std::uint64_t key, load_time at) {
  const auto found = std::ranges::find(in, key, &begun::key);
  if (found == in.end())
    in.push_back({key, at});
  else
    found->at = at;
}

load_time session_probe::end(all_begun& in, std::uint64_t key,
                             load_time otherwise) {
  const auto found = std::ranges::find(in, key, &begun::key);
  if (found == in.end())
    return otherwise;
  const auto at = found->at;
  *found = in.back();
  in.pop_back();
  return at;
}

} // namespace convene::host
