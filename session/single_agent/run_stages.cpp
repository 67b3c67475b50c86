#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/arrangement.hpp>
#include <convene/session/single_agent/run_stages.hpp>

#include <algorithm>
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
  } else if (type == "MAPSessionCompleted") {
    has_ended_ = true;
  } else if (type == "MAPTurnDispatched") {
    const auto turn = integer_of(payload, "turn_number");
    const auto step = text_of(payload, "step_id");
    if (turn && !step.empty())
      open_[*turn] = {.step_id = std::string{step},
                      .role = std::string{text_of(payload, "role_id")},
                      .task = std::string{text_of(payload, "task")}};
  } else if (type == "MAPTurnCompleted") {
    close(payload);
  } else if (type == "plan_status_changed") {
    if (!start_ && text_of(payload, "to_status") == "in_progress")
      start_ = events_;
  } else if (type == "step_status_changed"
             && text_of(payload, "to_status") == "completed") {
    auto done = done_.extract(std::string{text_of(payload, "resource_id")});
    if (done.empty())
      return;
    done.mapped().events = events_;
    completed_.push_back(std::move(done.mapped()));
  }
}

void run_stages::close(const json::object& payload) {
  const auto turn = integer_of(payload, "turn_number");
  const auto found = turn ? open_.find(*turn) : open_.end();
  if (found == open_.end())
    return;
  auto was = std::move(found->second);
  open_.erase(found);
  const auto status = text_of(payload, "status");
  if (status != "completed") {
    const auto& error = object_of(payload, "error");
    const auto code = text_of(error, "code");
    failures_[was.step_id] = {std::string{code.empty() ? status : code},
                              std::string{text_of(error, "message")}};
    return;
  }
  failures_.erase(was.step_id);
  completed_step made{.step_id = was.step_id,
                      .description = std::move(was.task),
                      .agent_role = std::move(was.role)};
  for (const auto* name : {"output_summary", "result"})
    if (const auto* member = payload.if_contains(name))
      made.done.emplace(name, *member);
  done_.insert_or_assign(was.step_id, std::move(made));
}

std::vector<std::string> run_stages::open() const {
  std::vector<std::string> all;
  for (const auto& [turn, attempt] : open_)
    all.push_back(attempt.step_id);
  return all;
}

std::optional<std::size_t> run_stages::place_of(std::string_view stage) const {
  if (stage == start_stage)
    return 0;
  const auto found = std::ranges::find(completed_, stage,
                                       &completed_step::step_id);
  if (found == completed_.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - completed_.begin()) + 1;
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
