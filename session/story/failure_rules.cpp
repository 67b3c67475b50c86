#include <boost/json/serialize.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/shown/shown_text.hpp>
#include <convene/session/story/failure_rules.hpp>
#include <convene/session/story/stop_words.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace convene::session {
namespace {

using protocol::integer_of;
using protocol::object_of;
using protocol::plural;
using protocol::quote;
using protocol::text_of;

/// So often the same, and it is repetition.
constexpr std::size_t repetitions_min = 3;
/// Shorter answers ("yes", "approved") may well come again.
constexpr std::size_t reset_bytes_min = 20;
constexpr std::size_t versions_kept = 64;
constexpr std::size_t broadcasts_kept = 16;
/// Of each kind: participants, resources, steps, open requests. More than any
/// session may have; a log that names more is not followed further.
constexpr std::size_t names_max = 100'000;
constexpr std::int64_t version_max = 1'000'000'000'000;

/// Guards that end a session because nothing else did.
constexpr std::array guards{std::string_view{"max_turns"},
                            std::string_view{"max_duration"},
                            std::string_view{"no_progress"}};

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

std::string resource_name(const json::object& payload) {
  return std::string{text_of(payload, "resource_type")} + '/'
         + std::string{text_of(payload, "resource_id")};
}

std::optional<std::int64_t> version_in(const json::object& from,
                                       std::string_view name) {
  const auto found = integer_of(from, name);
  return found && *found >= 0 && *found <= version_max ? found : std::nullopt;
}

/// The value of that name, which begins empty; null if there are too many.
template <class Map>
auto* entry(Map& all, std::string_view name) {
  const auto known = all.find(name);
  if (known != all.end())
    return &known->second;
  return all.size() < names_max ? &all[std::string{name}] : nullptr;
}

/// Whether an answer did something besides saying something.
bool does_more(const json::object& reply) {
  const auto* end = reply.if_contains("end");
  return !protocol::items_of(reply, "writes").empty()
         || !protocol::items_of(reply, "tasks").empty()
         || !protocol::items_of(reply, "claim").empty()
         || reply.contains("handoff") || reply.contains("vote")
         || (end != nullptr && *end == true);
}

} // namespace

void failure_rules::find(std::string_view rule, std::string_view mast,
                         std::string_view participant, std::string message) {
  ++total_;
  if (found_.size() < failures_max)
    found_.push_back({.rule = rule,
                      .mast = mast,
                      .participant = std::string{participant},
                      .event = place_,
                      .event_id = event_id_,
                      .message = std::move(message)});
}

void failure_rules::add(const json::object& event) {
  ++place_;
  event_id_ = text_of(event, "event_id");
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto status = text_of(payload, "status");
  if (type == "MAPTurnDispatched")
    take_dispatch(payload);
  else if (type == "MAPTurnCompleted")
    take_answer(payload, text_of(payload, "participant_id"),
                text_of(payload, "token_id"), status);
  else if (type == "MAPBroadcastSent")
    take_broadcast(payload);
  else if (type == "MAPBroadcastReceived")
    take_answer(payload, text_of(payload, "receiver_participant"),
                text_of(payload, "broadcast_ref"), status);
  else if (type == "action_started")
    take_action_start(event, payload);
  else if (type == "action_ended")
    take_action_end(event, payload);
  else if (type == "resource_written")
    take_write(payload);
  else if (type == "MAPConflictDetected")
    take_conflict(payload);
  else if (type == "step_status_changed")
    take_step(payload);
  else if (type == "MAPHandoffInitiated")
    note(handoffs_, text_of(payload, "handoff_id"),
         text_of(payload, "to_participant"));
  else if (type == "MAPSessionStarted")
    take_plan(object_of(object_of(payload, "spec"), "plan"));
  else if (type == "plan_created")
    take_plan(object_of(payload, "plan"));
  else if (type == "step_added")
    note(steps_, text_of(object_of(payload, "step"), "step_id"), "pending");
  else if (type == "MAPSessionCompleted")
    take_end(payload);
}

void failure_rules::note(by_name& all, std::string_view name,
                         std::string_view value) {
  if (auto* one = entry(all, name); one != nullptr && !name.empty())
    *one = value;
}

void failure_rules::take_plan(const json::object& plan) {
  for (const auto& each : protocol::items_of(plan, "steps"))
    if (const auto* step = each.if_object())
      note(steps_, text_of(*step, "step_id"), text_of(*step, "status"));
}

void failure_rules::take_dispatch(const json::object& payload) {
  const auto who = text_of(payload, "participant_id");
  const auto task = text_of(payload, "task");
  const auto step = text_of(payload, "step_id");
  if (auto* request = entry(requests_, text_of(payload, "token_id")))
    *request = {.at = place_, .task = hash_of(task)};
  if (const auto given = text_of(payload, "handoff_id"); !given.empty())
    if (const auto known = handoffs_.find(given); known != handoffs_.end())
      handoffs_.erase(known);
  const auto known = steps_.find(step);
  if (!step.empty() && known != steps_.end() && known->second == "completed")
    find("step_repetition", "FM-1.3", who,
         fmt::format("{} was asked for a step of the plan that was completed "
                     "before: {}",
                     quote(who), quote(task)));
}

void failure_rules::take_broadcast(const json::object& payload) {
  auto id = std::string{text_of(payload, "broadcast_id")};
  const auto task = text_of(object_of(payload, "message"), "task");
  if (auto* request = entry(requests_, id))
    *request = {.at = place_, .task = hash_of(task)};
  broadcasts_.push_back(std::move(id));
  if (broadcasts_.size() > broadcasts_kept) {
    requests_.erase(broadcasts_.front());
    broadcasts_.erase(broadcasts_.begin());
  }
}

void failure_rules::take_answer(const json::object& payload,
                                std::string_view who, std::string_view token,
                                std::string_view status) {
  const auto& reply = object_of(payload, "reply");
  const auto known = requests_.find(token);
  const auto content = text_of(reply, "content");
  if (status == "completed" && !content.empty()) {
    const bool is_known = known != requests_.end();
    hear(std::string{who},
         {.content = hash_of(content),
          .task = is_known ? known->second.task : 0},
         std::string{content},
         does_more(reply) || (is_known && known->second.has_written));
  }
  // A broadcast's is open for all its receivers.
  if (known != requests_.end() && payload.contains("token_id"))
    requests_.erase(known);
}

void failure_rules::hear(const std::string& who, const answer& said,
                         const std::string& content, bool has_done_more) {
  auto* speaking = entry(speakers_, who);
  if (speaking == nullptr)
    return;
  auto& by = *speaking;
  by.in_a_row = by.last == said ? by.in_a_row + 1 : 1;
  by.last = has_done_more ? std::optional<answer>{} : said;
  if (by.in_a_row == repetitions_min && !has_done_more)
    find("step_repetition", "FM-1.3", who,
         fmt::format("{} gave the same answer to the same task {} times in a "
                     "row, and did nothing else: {}",
                     quote(who), repetitions_min, quote(content)));
  if (content.size() < reset_bytes_min || by.was_reset)
    return;
  if (!by.first) {
    by.first = said.content;
  } else if (!by.second) {
    if (said.content != *by.first)
      by.second = said.content;
  } else if (said.content == *by.second && by.is_back_at_first) {
    by.was_reset = true;
    find("conversation_reset", "FM-2.1", who,
         fmt::format("{} began again with the first two of its answers, word "
                     "for word, after others: {}",
                     quote(who), quote(content)));
  } else if (said.content != *by.first && said.content != *by.second) {
    by.has_gone_on = true;
  }
  by.is_back_at_first = by.has_gone_on && said.content == *by.first;
}

void failure_rules::take_action_start(const json::object& event,
                                      const json::object& payload) {
  if (text_of(payload, "kind") == "person")
    return; // what it is about is counted by itself
  const auto* arguments = payload.if_contains("arguments");
  const auto what = fmt::format(
    "{} {} {:x}", text_of(payload, "kind"), text_of(payload, "name"),
    arguments == nullptr ? 0 : hash_of(json::serialize(*arguments)));
  note(actions_, text_of(event, "execution_id"), what);
}

void failure_rules::take_action_end(const json::object& event,
                                    const json::object& payload) {
  const auto known = actions_.find(text_of(event, "execution_id"));
  if (known == actions_.end())
    return;
  const auto what = std::move(known->second);
  actions_.erase(known);
  const auto request = requests_.find(text_of(payload, "token_id"));
  if (request == requests_.end() || text_of(event, "status") != "completed")
    return;
  const auto who = text_of(payload, "participant_id");
  auto* times = entry(request->second.actions, fmt::format("{} {}", who, what));
  if (times != nullptr && ++*times == repetitions_min)
    find("step_repetition", "FM-1.3", who,
         fmt::format("{} did the same action with the same arguments {} times "
                     "for one task, each time with success: {}",
                     quote(who), repetitions_min,
                     quote(what.substr(0, what.rfind(' ')))));
}

void failure_rules::take_write(const json::object& payload) {
  const auto number = version_in(payload, "version");
  if (!number)
    return;
  auto* written = entry(resources_, resource_name(payload));
  if (written == nullptr)
    return;
  auto& known = *written;
  known.newest = *number;
  known.versions.push_back(
    {place_, std::string{text_of(payload, "participant_id")}});
  if (known.versions.size() > versions_kept)
    known.versions.erase(known.versions.begin());
  if (const auto request = requests_.find(text_of(payload, "token_id"));
      request != requests_.end())
    request->second.has_written = true;
}

void failure_rules::take_conflict(const json::object& payload) {
  if (text_of(payload, "conflict_type") != "concurrent_modification")
    return;
  const auto& details = object_of(payload, "details");
  const auto base = version_in(details, "base_version");
  const auto request = requests_.find(text_of(details, "presented_token"));
  const auto name = resource_name(payload);
  const auto known = resources_.find(name);
  if (!base || request == requests_.end() || known == resources_.end())
    return;
  const auto& [newest, versions] = known->second;
  // The version after the one that it knew, or the oldest that is kept.
  const auto oldest = newest - static_cast<std::int64_t>(versions.size()) + 1;
  const auto next = std::max(*base + 1, oldest);
  if (next > newest || versions.empty())
    return;
  const auto& missed = versions[static_cast<std::size_t>(next - oldest)];
  const auto who = text_of(details, "participant_id");
  if (missed.at < request->second.at && missed.writer != who)
    find("ignored_input", "FM-2.5", who,
         fmt::format("{} wrote {} as if it were at version {}, though version "
                     "{} by {} was there before it was asked",
                     quote(who), quote(name), *base, next,
                     quote(missed.writer)));
}

void failure_rules::take_step(const json::object& payload) {
  const auto to = text_of(payload, "to_status");
  note(steps_, text_of(payload, "resource_id"), to);
  if (to == "failed" && text_of(payload, "reason") == "nobody_accepted")
    find("lost_task", {}, {},
         "a step of the plan was offered to all whom it fits, and no one took "
         "it");
}

void failure_rules::take_end(const json::object& payload) {
  if (has_end_)
    return; // a session ends once; each further end would be as much work
  has_end_ = true;
  const auto& stop = object_of(payload, "stop_reason");
  const auto condition = text_of(stop, "condition");
  if (std::ranges::find(guards, condition) != guards.end())
    find("missed_termination", "FM-1.5", {},
         "no one ended the session, so a guard did: " + stop_words(stop));
  if (text_of(payload, "status") != "completed")
    return;
  for (const auto& [id, receiver] : handoffs_)
    find("lost_task", {}, receiver,
         fmt::format("what was handed off to {} was never begun",
                     quote(receiver)));
  const auto is_open = [](const auto& step) {
    return step.second != "completed" && step.second != "failed"
           && step.second != "skipped";
  };
  if (const auto open = std::ranges::count_if(steps_, is_open); open != 0)
    find("lost_task", {}, {},
         fmt::format("the session was completed with {} of the plan that {} "
                     "neither done, failed nor skipped",
                     plural(open, "step"), open == 1 ? "was" : "were"));
}

} // namespace convene::session
