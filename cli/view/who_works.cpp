#include <convene/cli/view/action_words.hpp>
#include <convene/cli/view/who_works.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::cli {

using protocol::object_of;
using protocol::text_of;

who_works::worker& who_works::at(std::string_view who, clock::time_point now) {
  const auto found = workers_.find(who);
  if (found != workers_.end())
    return found->second;
  return workers_.emplace(who, worker{.since = now}).first->second;
}

void who_works::leave_if_idle(std::string_view who) {
  const auto found = workers_.find(who);
  if (found != workers_.end() && found->second.requests.empty()
      && found->second.actions.empty())
    workers_.erase(found);
}

void who_works::see(const protocol::json::object& event,
                    clock::time_point now) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto who = text_of(payload, "participant_id");
  const auto done = [this](std::string_view whose, std::string_view request) {
    if (const auto found = workers_.find(whose); found != workers_.end())
      found->second.requests.erase(std::string{request});
    leave_if_idle(whose);
  };
  if (type == "MAPTurnDispatched") {
    at(who, now).requests.emplace(text_of(payload, "token_id"));
  } else if (type == "MAPTurnCompleted") {
    done(who, text_of(payload, "token_id"));
  } else if (type == "MAPBroadcastSent") {
    for (const auto target : protocol::texts_of(payload, "target_participants"))
      at(target, now).requests.emplace(text_of(payload, "broadcast_id"));
  } else if (type == "MAPBroadcastReceived") {
    done(text_of(payload, "receiver_participant"),
         text_of(payload, "broadcast_ref"));
  } else if (type == "action_started") {
    at(who, now).actions[std::string{text_of(event, "execution_id")}]
      = action_name(payload);
  } else if (type == "action_ended") {
    if (const auto found = workers_.find(who); found != workers_.end())
      found->second.actions.erase(std::string{text_of(event, "execution_id")});
    leave_if_idle(who);
  } else if (type == "MAPSessionCompleted") {
    workers_.clear();
  }
}

bool who_works::is_at_work(std::string_view who) const {
  return workers_.contains(who);
}

std::vector<who_works::work> who_works::all() const {
  std::vector<work> found;
  for (const auto& [who, what] : workers_)
    found.push_back({who, what.since,
                     what.actions.empty()
                       ? std::string_view{}
                       : std::string_view{what.actions.begin()->second}});
  std::ranges::stable_sort(found, {}, &work::since);
  return found;
}

} // namespace convene::cli
