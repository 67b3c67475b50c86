#include <convene/actors/behaviours/task_places.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>

namespace convene::actors {
namespace {

using protocol::object_of;
using protocol::text_of;

constexpr std::string_view session_task = "task";

/// Of the events, only these say what comes from where.
constexpr std::array<std::string_view, 6> told{
  "\"MAPTurnDispatched\"",    "\"MAPTurnCompleted\"", "\"session_input\"",
  "\"MAPBroadcastReceived\"", "\"plan_created\"",     "\"step_added\""};

bool tells(std::string_view line) {
  return std::ranges::any_of(told, [line](std::string_view type) {
    return line.find(type) != std::string_view::npos;
  });
}

std::string joined(std::string_view what, std::string_view who) {
  return std::string{what} + ' ' + std::string{who};
}

} // namespace

task_places::task_places(const session::spec& what) : task_(what.task) {
  if (!what.plan)
    return;
  std::size_t number = 0;
  for (const auto& step : what.plan->steps)
    steps_.emplace(step.step_id, joined("step", std::to_string(++number)));
}

void task_places::observe(std::string_view lines) {
  while (!lines.empty()) {
    const auto line = protocol::cut_line(lines);
    if (!tells(line))
      continue;
    if (const auto event = protocol::parse_json(line))
      if (const auto* object = event->if_object())
        observe_event(*object);
  }
}

void task_places::observe_event(const protocol::json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPTurnDispatched") {
    const auto step = text_of(payload, "step_id");
    turns_.insert_or_assign(std::string{text_of(payload, "token_id")},
                            step.empty() ? std::string{session_task}
                                         : place_of_step(step));
  } else if (type == "MAPTurnCompleted") {
    const auto turn = turns_.find(text_of(payload, "token_id"));
    if (turn == turns_.end())
      return;
    adds_ = std::move(turn->second);
    turns_.erase(turn);
  } else if (type == "MAPBroadcastReceived") {
    adds_ = joined("broadcast", text_of(payload, "receiver_participant"));
  } else if (type == "session_input") {
    adds_ = joined("decision", text_of(payload, "participant_id"));
  } else if (type == "plan_created") {
    const auto* steps = object_of(payload, "plan").if_contains("steps");
    if (steps != nullptr && steps->is_array())
      for (const auto& step : steps->get_array())
        if (const auto* object = step.if_object())
          add_step(*object);
  } else if (type == "step_added") {
    add_step(object_of(payload, "step"));
  }
}

void task_places::add_step(const protocol::json::object& step) {
  const auto number = std::to_string(++children_[adds_]);
  steps_.insert_or_assign(std::string{text_of(step, "step_id")},
                          adds_.empty() ? joined("step", number)
                                        : adds_ + '.' + number);
}

const std::string& task_places::place_of_step(std::string_view id) const {
  static const std::string unknown = "step";
  const auto found = steps_.find(id);
  return found == steps_.end() ? unknown : found->second;
}

std::string task_places::place_of(const turn_request& asked) const {
  using session::request_kind;
  if (asked.kind == request_kind::decision)
    return joined("decision", asked.participant);
  if (!asked.dispute.sides.empty())
    return joined("vote", asked.dispute.resource_type + ' '
                            + asked.dispute.resource_id + ' '
                            + asked.participant);
  if (!asked.step_id.empty())
    return place_of_step(asked.step_id);
  if (asked.kind == request_kind::broadcast)
    return joined("broadcast", asked.participant);
  // What an orchestrator, or who hands on, puts into words of its own.
  return asked.task == task_ ? std::string{session_task}
                             : joined(session_task, asked.task);
}

task_attempt task_places::attempt_of(const turn_request& asked) {
  auto place = place_of(asked);
  const auto number = attempts_[place]++;
  return {std::move(place), number};
}

} // namespace convene::actors
