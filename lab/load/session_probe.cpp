#include <convene/lab/load/session_probe.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>
#include <functional>

namespace convene::host {
namespace {

/// The member's text as the line has it, from where it first occurs. A text
/// inside of the event cannot look like one: its quotes are escaped.
std::string_view member_text(std::string_view line, std::string_view quoted) {
  const auto at = line.find(quoted);
  if (at == line.npos)
    return {};
  auto rest = line.substr(at + quoted.size());
  if (!rest.starts_with('"'))
    return rest.substr(0, rest.find_first_of(",}"));
  rest.remove_prefix(1);
  return rest.substr(0, rest.find('"'));
}

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
  const auto type = type_at_once(line).value_or(std::string_view{});
  if (type == "MAPTurnDispatched") {
    turn_begins(line, now);
  } else if (type == "MAPTurnCompleted") {
    turn_ends(line, now);
  } else if (type == "MAPBroadcastSent") {
    begin(broadcasts_, key_of(member_text(line, "\"broadcast_id\":")), now);
  } else if (type == "MAPBroadcastReceived") {
    const auto key = key_of(member_text(line, "\"broadcast_ref\":"));
    const auto sent = std::ranges::find(broadcasts_, key, &begun::key);
    if (sent != broadcasts_.end())
      answered(line, sent->at, now);
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

void session_probe::turn_begins(std::string_view line, load_time now) {
  const auto who = key_of(member_text(line, "\"participant_id\":"));
  begin(turns_, key_of(member_text(line, "\"turn_number\":")), now);
  recorder_.took(order_.kind, load_measure::wait,
                 now - end(free_, who, started_at_), now);
}

void session_probe::turn_ends(std::string_view line, load_time now) {
  const auto key = key_of(member_text(line, "\"turn_number\":"));
  begin(free_, key_of(member_text(line, "\"participant_id\":")), now);
  answered(line, end(turns_, key, now), now);
}

void session_probe::answered(std::string_view line, load_time began,
                             load_time now) {
  const auto status = member_text(line, "\"status\":");
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
