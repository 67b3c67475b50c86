#include <boost/json/value_from.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace convene::host {

namespace json = protocol::json;

void turn_failures::add(const json::object& event) {
  const auto type = protocol::text_of(event, "event_type");
  const bool is_turn = type == "MAPTurnCompleted";
  if (!is_turn && type != "MAPBroadcastReceived")
    return;
  const auto& payload = protocol::object_of(event, "payload");
  const auto status = protocol::text_of(payload, "status");
  const auto& why = protocol::object_of(payload, "error");
  const bool is_late = status == "timed_out";
  if ((!is_late && status != "failed")
      || is_unneeded(protocol::text_of(why, "code")))
    return;
  ++(!is_turn ? answers_ : is_late ? timed_out_ : failed_);
  const auto message = protocol::cut_utf8(protocol::text_of(why, "message"),
                                          message_bytes_max);
  auto found = std::ranges::find(groups_, message, &group::message);
  if (found == groups_.end()) {
    if (groups_.size() == messages_max)
      return;
    found = groups_.insert(groups_.end(), {.message = std::string{message}});
  }
  ++found->count;
  const auto who = protocol::text_of(payload, is_turn ? "participant_id"
                                                      : "receiver_participant");
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
          {"errors", std::move(errors)}};
}

} // namespace convene::host
