#include <convene/protocol/checks/broadcast_check.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::int64_t rounds_max = 1'000'000'000'000;
constexpr std::string_view receivers_rule = "map_broadcast_has_receivers";

} // namespace

void broadcast_check::feed(const checked_event& e) {
  if (e.is("MAPBroadcastSent"))
    send(e);
  else if (e.is("MAPBroadcastReceived"))
    receive(e);
  else if (e.input() == "suspend")
    suspend();
  else if (e.is("MAPSessionCompleted"))
    end(e);
}

void broadcast_check::suspend() {
  may_repeat_ = true;
  was_cut_ |= !open_.empty();
}

void broadcast_check::send(const checked_event& e) {
  ++count_;
  const auto targets = texts_of(e.payload, "target_participants");
  const auto size = static_cast<std::int64_t>(targets.size());
  if (const auto count = integer_of(e.payload, "target_count");
      count && *count != size)
    e.report(receivers_rule, "target_count is " + std::to_string(*count)
                               + ", target_participants has "
                               + std::to_string(size));
  names open{targets.begin(), targets.end()};
  if (open.size() != targets.size())
    e.report(receivers_rule, "a target participant is named twice");
  if (open.contains(text_of(e.payload, "broadcaster_participant")))
    e.report(receivers_rule, "the broadcaster is a target of its own");
  if (!open.empty())
    open_.insert_or_assign(std::string{text_of(e.payload, "broadcast_id")},
                           std::move(open));
  check_message(e);
}

void broadcast_check::check_message(const checked_event& e) {
  const auto& message = object_of(e.payload, "message");
  const auto round = integer_of(message, "round").value_or(0);
  const bool repeats = may_repeat_ && round == round_;
  if (round != round_ + 1 && !repeats)
    e.report("rounds_ordered", "round " + std::to_string(round)
                                 + " follows round " + std::to_string(round_));
  // What follows the last number that there is, is wrong anyway.
  round_ = std::clamp(round, std::int64_t{0}, rounds_max);
  if (!was_cut_)
    before_ = std::move(now_);
  now_.clear();
  was_cut_ = may_repeat_ = false;
  const auto* shown = message.if_contains("responses");
  if (shown == nullptr || !shown->is_array())
    return;
  std::vector<response> responses;
  for (const auto& each : shown->get_array())
    if (const auto* one = each.if_object())
      responses.emplace_back(text_of(*one, "participant_id"),
                             text_of(*one, "status"), text_of(*one, "content"));
  if (responses != before_)
    e.report("responses_match",
             "the responses are not those of the round before");
}

void broadcast_check::receive(const checked_event& e) {
  const auto status = text_of(e.payload, "status");
  constexpr std::string_view known[]{"completed", "failed", "timed_out",
                                     "declined"};
  if (std::ranges::find(known, status) == std::end(known))
    e.report("broadcast_status_known", "no answer has status " + quote(status));
  const auto who = text_of(e.payload, "receiver_participant");
  now_.emplace_back(who, status,
                    text_of(object_of(e.payload, "reply"), "content"));
  const auto found = open_.find(text_of(e.payload, "broadcast_ref"));
  const bool waits = found != open_.end() && found->second.contains(who);
  if (!waits)
    return e.report(receivers_rule,
                    "no open broadcast waits for an answer of " + quote(who));
  found->second.erase(found->second.find(who));
  if (found->second.empty())
    open_.erase(found);
}

void broadcast_check::end(const checked_event& e) const {
  for (const auto& [id, missing] : open_)
    e.report(receivers_rule,
             "broadcast " + quote(id) + " lacks MAPBroadcastReceived of "
               + std::to_string(missing.size()) + " participants, one of them "
               + quote(*missing.begin()));
}

} // namespace convene::protocol
