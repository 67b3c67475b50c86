#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/session/single_agent/arrangement.hpp>
#include <convene/session/single_agent/run_stages.hpp>
#include <convene/session/single_agent/step_dispatch.hpp>

#include <utility>

namespace convene::session {

namespace json = boost::json;
using protocol::integer_of;
using protocol::object_of;
using protocol::text_of;

void run_stages::feed(const json::object& event) {
  ++events_;
  time_ = text_of(event, "timestamp");
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted") {
    sa_id_ = text_of(event, "session_id");
    spec_ = object_of(payload, "spec");
    for (const auto& step :
         protocol::items_of(object_of(spec_, "plan"), "steps"))
      if (const auto* members = step.if_object())
        plan(*members);
  } else if (type == "MAPSessionCompleted") {
    has_ended_ = true;
  } else if (type == "step_added") {
    plan(object_of(payload, "step"));
  } else if (type == "MAPTurnDispatched") {
    dispatch(payload);
  } else if (type == "MAPTurnCompleted") {
    close(payload);
  } else if (type == "plan_status_changed") {
    if (!start_ && text_of(payload, "to_status") == "in_progress")
      start_ = events_;
  } else if (type == "step_status_changed"
             && text_of(payload, "to_status") == "completed") {
    complete(text_of(payload, "resource_id"));
  }
}

completed_step& run_stages::known(std::string_view step_id) {
  if (const auto found = places_.find(step_id); found != places_.end())
    return completed_[found->second - 1];
  return steps_.try_emplace(std::string{step_id}).first->second;
}

void run_stages::plan(const json::object& step) {
  const auto role = text_of(step, "agent_role");
  auto& made = known(text_of(step, "step_id"));
  made.description = text_of(step, "description");
  made.agent_role = role.empty() ? agent_role_default : role;
}

void run_stages::dispatch(const json::object& payload) {
  const auto turn = integer_of(payload, "turn_number");
  const auto step = text_of(payload, "step_id");
  if (!turn || step.empty())
    return;
  open_[*turn] = step;
  auto& made = known(step);
  made.description = text_of(payload, "task");
  made.agent_role = text_of(payload, "role_id");
}

void run_stages::close(const json::object& payload) {
  const auto turn = integer_of(payload, "turn_number");
  const auto found = turn ? open_.find(*turn) : open_.end();
  if (found == open_.end())
    return;
  const auto step = std::move(found->second);
  open_.erase(found);
  const auto status = text_of(payload, "status");
  // A step that its executor wrote as completed is so whatever the turn's end.
  if (status == "completed" || places_.contains(step)) {
    auto& done = known(step).done;
    for (const auto* name : {"output_summary", "result"})
      if (const auto* member = payload.if_contains(name))
        done.insert_or_assign(name, *member);
    failures_.erase(step);
    return;
  }
  const auto& error = object_of(payload, "error");
  const auto named = text_of(error, "code");
  const auto code = named.empty() ? status : named;
  failures_[step] = {std::string{code}, std::string{text_of(error, "message")}};
  if (code == "suspended" || code == "timed_out" || code == "session_ended"
      || code == "outcome_unknown")
    uncertain_.insert(step);
}

void run_stages::complete(std::string_view step_id) {
  if (step_id.empty() || places_.contains(step_id))
    return;
  auto made = known(step_id);
  made.step_id = step_id;
  made.events = events_;
  completed_.push_back(std::move(made));
  places_.emplace(step_id, completed_.size());
  if (const auto found = steps_.find(step_id); found != steps_.end())
    steps_.erase(found);
  if (const auto found = failures_.find(step_id); found != failures_.end())
    failures_.erase(found);
}

std::vector<std::string> run_stages::open() const {
  auto all = uncertain_;
  for (const auto& [turn, step] : open_)
    all.insert(step);
  std::vector<std::string> ids;
  for (const auto& step : all)
    if (!places_.contains(step))
      ids.push_back(step);
  return ids;
}

std::optional<std::size_t> run_stages::place_of(std::string_view stage) const {
  if (stage == start_stage)
    return 0;
  const auto found = places_.find(stage);
  return found == places_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::uint64_t> run_stages::events_at(std::size_t place) const {
  if (place == 0)
    return start_;
  return place > completed_.size() ? events_ : completed_[place - 1].events;
}

const json::object* run_stages::compensation_of(std::string_view role) const {
  const auto& all = object_of(spec_, "behaviours");
  for (const auto& key : {compensation_id(role), compensation_id("*")})
    if (const auto* found = all.if_contains(key))
      return found->if_object();
  return nullptr;
}

} // namespace convene::session
