#include <convene/protocol/checks/task_check.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view task_rule = "steps_match_tasks";

} // namespace

void task_check::feed(const checked_event& e) {
  if (e.is("MAPSessionStarted")) {
    expect(array_of(object_of(e.payload, "spec"), "tasks"));
  } else if (e.is("plan_created")) {
    const auto& plan = object_of(e.payload, "plan");
    // A mode that needs a plan makes one of the session's task.
    if (expected_.empty())
      expected_.push_back({e.session.task, {}});
    for (const auto& each : array_of(plan, "steps"))
      if (const auto* one = each.if_object())
        take(*one, e);
  } else if (e.is("step_added")) {
    take(object_of(e.payload, "step"), e);
  } else if (e.goes_on() || e.answers() || !e.input().empty()) {
    check_left(e);
    const auto& reply = object_of(e.payload, "reply");
    const bool decides = e.input() == "decision"
                         && reply_status_of(reply) == "completed";
    if (decides || (e.answers() && e.is_done()))
      expect(array_of(reply, "tasks"));
    may_be_refused_ = decides;
  }
}

void task_check::expect(const json::array& tasks) {
  for (const auto& each : tasks) {
    const auto* one = each.if_object();
    if (one == nullptr)
      continue;
    std::string title{text_of(*one, "title")};
    if (const auto more = text_of(*one, "description"); !more.empty())
      title.append(": ").append(more);
    expected_.push_back({std::move(title), std::string{text_of(*one, "role")}});
  }
}

void task_check::take(const json::object& step, const checked_event& e) {
  const auto description = text_of(step, "description");
  if (expected_.empty())
    return e.report(task_rule,
                    "no one asked for the step " + quote(description));
  const auto& [wanted, role] = expected_.front();
  if (description != wanted)
    e.report(task_rule, "the step " + quote(description)
                          + " stands for the task " + quote(wanted));
  if (text_of(step, "agent_role") != role)
    e.report(task_rule, "the step " + quote(description)
                          + " is for another role than its task, which is for "
                          + quote(role));
  expected_.pop_front();
}

void task_check::check_left(const checked_event& e) {
  if (expected_.empty())
    return;
  if (!may_be_refused_)
    e.report(task_rule, std::to_string(expected_.size())
                          + " tasks did not become steps, the first is "
                          + quote(expected_.front().description));
  expected_.clear();
}

} // namespace convene::protocol
