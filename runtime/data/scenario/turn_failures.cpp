#include <boost/json/value_from.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

#include <algorithm>
#include <functional>
#include <string_view>

namespace convene::host {

namespace json = protocol::json;

void turn_failures::add(const json::object& payload) {
  const auto status = protocol::text_of(payload, "status");
  const auto& why = protocol::object_of(payload, "error");
  const bool is_late = status == "timed_out";
  // Who was not waited for, since others had answered, has not failed.
  if ((!is_late && status != "failed")
      || protocol::text_of(why, "code") == "quorum_reached")
    return;
  const auto receiver = protocol::text_of(payload, "receiver_participant");
  ++(!receiver.empty() ? answers_ : is_late ? timed_out_ : failed_);
  const auto message = protocol::cut_utf8(protocol::text_of(why, "message"),
                                          message_bytes_max);
  auto found = std::ranges::find(lots_, message, &lot::message);
  if (found == lots_.end()) {
    if (lots_.size() == messages_max)
      return;
    found = lots_.insert(lots_.end(), {.message = std::string{message}});
  }
  ++found->count;
  const auto who = receiver.empty()
                     ? protocol::text_of(payload, "participant_id")
                     : receiver;
  if (found->participants.size() < participants_max
      && std::ranges::find(found->participants, who)
           == found->participants.end())
    found->participants.emplace_back(who);
}

json::object turn_failures::members() const {
  auto sorted = lots_;
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &lot::count);
  json::array errors;
  for (const auto& each : sorted)
    errors.push_back({{"message", each.message},
                      {"count", each.count},
                      {"participants", json::value_from(each.participants)}});
  return {{"turns_failed", failed_},
          {"turns_timed_out", timed_out_},
          {"errors", std::move(errors)}};
}

} // namespace convene::host
