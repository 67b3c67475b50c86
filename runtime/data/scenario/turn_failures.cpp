#include <boost/json/value_from.hpp>
#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/events/member_walk.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace convene::host {

namespace json = protocol::json;

namespace {

std::string resource_in(const json::object& payload) {
  return std::string{protocol::text_of(payload, "resource_type")} + '/'
         + std::string{protocol::text_of(payload, "resource_id")};
}

/// Of lines that are not written as a session writes them, too.
bool may_be_failure(std::string_view line) {
  std::string_view type;
  for (protocol::member_walk event{line}; event.next();) {
    if (event.name() == "event_type")
      type = event.text().value_or("");
    if (type.starts_with("MAPConflict") || type == "write_refused")
      return true;
    if (!type.empty() && type != "MAPTurnCompleted"
        && type != "MAPBroadcastReceived")
      return false;
    if (event.name() != "payload")
      continue;
    for (protocol::member_walk payload{event.value()}; payload.next();)
      if (payload.name() == "status")
        return payload.text() != "completed";
  }
  return true;
}

} // namespace

void turn_failures::add(std::string_view line) {
  if (!may_be_failure(line))
    return;
  const auto event = protocol::parse_json(line);
  if (event && event->is_object())
    add(event->get_object());
}

void turn_failures::add(const json::object& event) {
  const auto type = protocol::text_of(event, "event_type");
  const auto& payload = protocol::object_of(event, "payload");
  if (type == "MAPTurnCompleted" || type == "MAPBroadcastReceived")
    add_answer(payload, type == "MAPTurnCompleted");
  else if (type == "write_refused")
    add_refused(resource_in(payload),
                protocol::text_of(protocol::object_of(payload, "error"),
                                  "message"),
                protocol::text_of(payload, "participant_id"));
  else if (type == "MAPConflictDetected")
    add_conflict(payload);
  else if (type == "MAPConflictResolved")
    add_ruling(payload);
}

void turn_failures::add_answer(const json::object& payload, bool is_turn) {
  const auto status = protocol::text_of(payload, "status");
  const auto& why = protocol::object_of(payload, "error");
  const bool is_late = status == "timed_out";
  if ((!is_late && status != "failed")
      || protocol::is_unneeded_answer(protocol::text_of(why, "code")))
    return;
  ++(!is_turn ? answers_ : is_late ? timed_out_ : failed_);
  count(protocol::text_of(why, "message"),
        protocol::text_of(payload,
                          is_turn ? "participant_id" : "receiver_participant"));
}

/// A conflict may also be about an answer as a whole or a claim.
void turn_failures::add_conflict(const json::object& payload) {
  const auto& details = protocol::object_of(payload, "details");
  disputed_ = {};
  if (details.contains("op") || details.contains("write"))
    disputed_ = {std::string{protocol::text_of(payload, "conflict_id")},
                 resource_in(payload)};
}

void turn_failures::add_ruling(const json::object& payload) {
  const auto lost = protocol::texts_of(payload, "losing_participants");
  if (disputed_.conflict_id.empty()
      || disputed_.conflict_id != protocol::text_of(payload, "conflict_id")
      || protocol::text_of(payload, "resolution_strategy") != "reject"
      || lost.empty())
    return;
  add_refused(disputed_.resource, protocol::text_of(payload, "reason"),
              lost.front());
  disputed_ = {};
}

void turn_failures::add_refused(std::string_view resource, std::string_view why,
                                std::string_view who) {
  ++writes_refused_;
  std::string message{"write of "};
  message.append(resource).append(" refused: ").append(why);
  count(message, who);
}

void turn_failures::count(std::string_view whole, std::string_view who) {
  const auto message = protocol::cut_utf8(whole, message_bytes_max);
  auto found = std::ranges::find(groups_, message, &group::message);
  if (found == groups_.end()) {
    if (groups_.size() == messages_max)
      return;
    found = groups_.insert(groups_.end(), {.message = std::string{message}});
  }
  ++found->count;
  if (found->participants.size() < participants_max
      && std::ranges::find(found->participants, who)
           == found->participants.end())
    found->participants.emplace_back(who);
}

std::vector<turn_failures::group> turn_failures::groups() const {
  auto sorted = groups_;
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &group::count);
  return sorted;
}

json::object turn_failures::members() const {
  json::array errors;
  for (const auto& each : groups())
    errors.push_back({{"message", each.message},
                      {"count", each.count},
                      {"participants", json::value_from(each.participants)}});
  return {{"turns_failed", failed_},
          {"turns_timed_out", timed_out_},
          {"writes_refused", writes_refused_},
          {"errors", std::move(errors)}};
}

} // namespace convene::host
