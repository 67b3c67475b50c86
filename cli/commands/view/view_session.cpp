#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <convene/cli/commands/view/view_session.hpp>
#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::cli {
namespace {

using protocol::object_of;
using protocol::text_of;
using protocol::texts_of;

/// Kinds of events that have a name of their own.
constexpr std::size_t types_max = 100;
constexpr std::size_t open_max = 100'000;
constexpr std::size_t sides_max = 64;

/// Numbers of statuses; 0 is what has not ended.
constexpr std::array statuses{std::string_view{},
                              std::string_view{"completed"},
                              std::string_view{"failed"},
                              std::string_view{"timed_out"},
                              std::string_view{"declined"},
                              std::string_view{"cancelled"},
                              std::string_view{"handed_off"}};
constexpr std::uint8_t other_status = statuses.size();

std::uint8_t status_number(std::string_view status) {
  const auto found = std::ranges::find(statuses, status);
  return found == statuses.end() || status.empty()
           ? other_status
           : static_cast<std::uint8_t>(found - statuses.begin());
}

void append(std::string& column, std::uint64_t number) {
  if (!column.empty())
    column += ',';
  column += std::to_string(number);
}

json::string shown_text(std::string_view text) {
  constexpr std::size_t bytes_max = 1'024;
  return json::string{protocol::sanitize_beginning(text, bytes_max)};
}

/// Whose lane an event is on.
std::string_view participant_in(const json::object& payload) {
  for (const auto* name :
       {"participant_id", "receiver_participant", "broadcaster_participant",
        "from_participant", "winning_participant"})
    if (const auto who = text_of(payload, name); !who.empty())
      return who;
  return {};
}

std::string request_key(std::string_view token, std::string_view who) {
  return std::string{token} + ' ' + std::string{who};
}

} // namespace

view_session::view_session(std::string_view session_id) : id_(session_id) {
  // The session's own.
  lane_list_.push_back({{"id", "session"}, {"role", ""}, {"kind", ""}});
}

std::size_t view_session::lane(std::string_view participant) {
  if (participant.empty())
    return 0;
  const auto known = lane_places_.find(participant);
  if (known != lane_places_.end())
    return known->second;
  if (lane_list_.size() > view_lanes_max)
    return 0;
  lane_places_.emplace(participant, lane_list_.size());
  lane_list_.push_back(
    {{"id", shown_text(participant)}, {"role", ""}, {"kind", ""}});
  return lane_list_.size() - 1;
}

void view_session::open(const std::string& key, bar_kind kind,
                        std::size_t on_lane, std::size_t from) {
  if (open_.size() == open_max || open_.contains(key))
    return;
  open_[key] = bars_.size();
  bars_.push_back({.kind = kind,
                   .lane = static_cast<std::uint32_t>(on_lane),
                   .from = static_cast<std::uint32_t>(from)});
}

void view_session::close(const std::string& key, std::string_view status) {
  const auto found = open_.find(key);
  if (found == open_.end())
    return;
  bars_[found->second].to = static_cast<std::uint32_t>(count_);
  bars_[found->second].status = status_number(status);
  open_.erase(found);
}

void view_session::add(const json::object& event, std::uint64_t number) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto at = protocol::parse_timestamp(text_of(event, "timestamp"));
  const auto before = last_;
  if (at)
    last_ = std::max(last_, *at);
  if (!first_ && at)
    first_ = at;
  if (type == "MAPRolesAssigned")
    take_roles(payload);
  append(numbers_, count_ == 0 ? number : number - last_number_);
  last_number_ = number;
  append(times_, count_ == 0 || before == 0
                   ? 0
                   : static_cast<std::uint64_t>(last_ - before));
  auto place = type_places_.find(type);
  if (place == type_places_.end()) {
    const bool is_full = type_names_.size() >= types_max;
    place = type_places_
              .try_emplace(is_full ? "other" : std::string{type},
                           type_names_.size())
              .first;
    if (place->second == type_names_.size())
      type_names_.push_back(is_full ? "other" : std::string{type});
  }
  append(types_, place->second);
  append(lanes_, lane(participant_in(payload)));
  take_event(event, type, payload);
  if (session::session_gist::concerns(type))
    gist_.add(type, event);
  if (type.starts_with("MAP") || type == "session_input")
    cause_ = count_;
  ++count_;
}

void view_session::take_event(const json::object& event, std::string_view type,
                              const json::object& payload) {
  const auto who = text_of(payload, "participant_id");
  const auto token = text_of(payload, "token_id");
  const auto status = text_of(payload, "status");
  if (type == "MAPSessionStarted") {
    title_ = text_of(payload, "title");
    mode_ = text_of(payload, "mode");
  } else if (type == "MAPTurnDispatched") {
    open(request_key(token, who), bar_kind::turn, lane(who), count_);
    const auto given = handoff_places_.find(text_of(payload, "handoff_id"));
    if (given != handoff_places_.end())
      handoffs_[given->second].to = count_;
  } else if (type == "MAPTurnCompleted") {
    close(request_key(token, who), status);
  } else if (type == "MAPBroadcastSent") {
    take_broadcast(payload);
  } else if (type == "MAPBroadcastReceived") {
    const auto code = text_of(object_of(payload, "error"), "code");
    close(request_key(text_of(payload, "broadcast_ref"),
                      text_of(payload, "receiver_participant")),
          protocol::is_unneeded_answer(code) ? "cancelled" : status);
  } else if (type == "action_started") {
    open(std::string{text_of(event, "execution_id")}, bar_kind::action,
         lane(who), count_);
  } else if (type == "action_ended") {
    const auto& result = object_of(payload, "result");
    close(std::string{text_of(event, "execution_id")},
          text_of(result, "status"));
  } else if (type == "session_input") {
    take_question(payload, text_of(payload, "input"));
  } else if (type == "MAPConflictDetected" || type == "MAPConflictResolved") {
    take_conflict(payload);
  } else if (type == "MAPHandoffInitiated") {
    take_handoff(payload);
  } else if (type == "MAPSessionCompleted") {
    status_ = status;
  }
}

void view_session::take_roles(const json::object& payload) {
  const auto* found = payload.if_contains("assignments");
  const auto* list = found == nullptr ? nullptr : found->if_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if (const auto* one = (*list)[i].if_object()) {
      const auto at = lane(text_of(*one, "participant_id"));
      if (at == 0)
        continue;
      const auto name = text_of(*one, "role_name");
      lane_list_[at]["role"]
        = shown_text(name.empty() ? text_of(*one, "role_id") : name);
      lane_list_[at]["kind"] = shown_text(text_of(*one, "kind"));
    }
}

void view_session::take_broadcast(const json::object& payload) {
  const auto id = text_of(payload, "broadcast_id");
  for (const auto to : texts_of(payload, "target_participants"))
    open(request_key(id, to), bar_kind::broadcast, lane(to), count_);
}

/// A decision or a vote: when it was asked for is not on the log.
void view_session::take_question(const json::object& payload,
                                 std::string_view input) {
  const bool is_decision = input.starts_with("decision");
  if (!is_decision && !input.starts_with("vote")
      && !input.starts_with("escalation"))
    return;
  const auto key = "question";
  open(key, is_decision ? bar_kind::decision : bar_kind::vote,
       lane(text_of(payload, "participant_id")), cause_);
  close(key, input.ends_with("timed_out")  ? "timed_out"
             : payload.contains("refused") ? "failed"
                                           : "completed");
}

void view_session::take_conflict(const json::object& payload) {
  const auto id = text_of(payload, "conflict_id");
  const auto known = conflict_places_.find(id);
  if (known != conflict_places_.end()) {
    auto& one = conflicts_[known->second];
    one.to = count_;
    one.winner = lane(text_of(payload, "winning_participant"));
    return;
  }
  relation made{.id = std::string{id}, .from = count_};
  for (const auto who : texts_of(payload, "conflicting_participants"))
    if (made.lanes.size() < sides_max)
      made.lanes.push_back(lane(who));
  conflict_places_.emplace(id, conflicts_.size());
  conflicts_.push_back(std::move(made));
}

void view_session::take_handoff(const json::object& payload) {
  const auto id = text_of(payload, "handoff_id");
  handoff_places_.emplace(id, handoffs_.size());
  handoffs_.push_back({.id = std::string{id},
                       .from = count_,
                       .lanes = {lane(text_of(payload, "from_participant")),
                                 lane(text_of(payload, "to_participant"))}});
}

json::object view_session::summary() const {
  json::object made{{"id", shown_text(id_)},
                    {"title", shown_text(title_)},
                    {"mode", shown_text(mode_)},
                    {"status", shown_text(status_)},
                    {"start", first_.value_or(0)},
                    {"end", last_},
                    {"events", count_},
                    {"participants", lane_list_.size() - 1}};
  made["gist"] = gist_.to_json();
  return made;
}

std::string view_session::columns() const {
  std::string kinds;
  std::string on;
  std::string from;
  std::string lengths;
  std::string ends;
  std::size_t before = 0;
  // A question begins at the event that led to it, before the one that has it.
  auto in_order = bars_;
  std::ranges::stable_sort(in_order, {}, &bar::from);
  for (const auto& one : in_order) {
    append(kinds, static_cast<std::uint64_t>(one.kind));
    append(on, one.lane);
    append(from, one.from - before);
    before = one.from;
    append(lengths, one.to == bar::not_ended ? 0 : one.to - one.from);
    append(ends, one.status);
  }
  const auto related = [](const std::vector<relation>& all) {
    json::array list;
    for (const auto& one : all)
      list.push_back({one.from, one.to ? json::value(*one.to) : json::value(),
                      json::value_from(one.lanes), one.winner});
    return list;
  };
  json::array names;
  for (const auto& name : type_names_)
    names.emplace_back(shown_text(name));
  json::array lanes;
  for (const auto& one : lane_list_)
    lanes.push_back(one);
  const json::object rest{{"types", std::move(names)},
                          {"lanes", std::move(lanes)},
                          {"conflicts", related(conflicts_)},
                          {"handoffs", related(handoffs_)}};
  return "{\"number\":[" + numbers_ + "],\"time\":[" + times_ + "],\"type\":["
         + types_ + "],\"lane\":[" + lanes_ + "],\"bar\":{\"kind\":[" + kinds
         + "],\"lane\":[" + on + "],\"from\":[" + from + "],\"length\":["
         + lengths + "],\"status\":[" + ends
         + "]},\"rest\":" + json::serialize(rest) + '}';
}

} // namespace convene::cli
