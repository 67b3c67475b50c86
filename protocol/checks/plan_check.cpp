#include <convene/protocol/checks/plan_check.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view known_rule = "steps_known";
constexpr std::string_view write_rule = "step_matches_write";
constexpr std::string_view held_rule = "step_matches_turn";
/// Beyond it a log counts nonsense.
constexpr std::int64_t count_max = 1'000'000'000'000;
constexpr std::string_view ends_rule = "plan_matches_steps";

} // namespace

void plan_check::feed(const checked_event& e) {
  const bool is_move = e.is("step_status_changed");
  const auto about = text_of(e.payload, "resource_id");
  if (!completes_.empty() && (e.goes_on() || e.answers())) {
    e.report(held_rule, "a turn has completed step " + quote(completes_)
                          + ", whose status was not changed");
    completes_.clear();
  }
  if (const auto begun = std::exchange(ends_, {});
      !begun.empty() && (!is_move || about != begun))
    e.report(held_rule,
             "step " + quote(begun) + " was begun, and no turn has it");
  if (!written_.first.empty() && (!is_move || about != written_.first))
    e.report(write_rule, "step " + quote(std::exchange(written_, {}).first)
                           + " was written, and its status was not changed");
  if (e.is("MAPSessionStarted")) {
    const auto& spec = object_of(e.payload, "spec");
    if (const auto& plan = object_of(spec, "plan"); !plan.empty())
      load(plan, e);
    const auto& confirm = object_of(spec, "confirm");
    is_confirmed_ = text_of(confirm, "status") == "approved";
    if (!confirm.empty())
      confirms_.emplace(text_of(confirm, "confirm_id"),
                        text_of(confirm, "status"));
  } else if (e.is("plan_created")) {
    if (!id_.empty())
      e.report(known_rule, "the session has a plan already");
    load(object_of(e.payload, "plan"), e);
  } else if (e.is("step_added")) {
    add(object_of(e.payload, "step"), e);
  } else if (e.is("MAPTurnDispatched")) {
    dispatch(e);
  } else if (e.is("MAPTurnCompleted")) {
    complete(e);
  } else if (e.is("MAPBroadcastSent")) {
    has_broadcasts_ = true;
  } else if (e.is("resource_written")) {
    write(e);
  } else if (e.is("plan_status_changed") || is_move) {
    change(e);
  } else if (e.is("confirm_created") || e.is("confirm_resolved")) {
    confirm(e);
  } else if (e.is("MAPSessionCompleted")) {
    end(e);
  }
}

void plan_check::load(const json::object& plan, const checked_event& e) {
  id_ = text_of(plan, "plan_id");
  status_ = text_of(plan, "status");
  if (status_.empty())
    status_ = "draft";
  if (const auto context = text_of(plan, "context_id");
      context != e.session.context_id)
    e.report("spec_matches", "the plan is of context " + quote(context)
                               + ", the session of "
                               + quote(e.session.context_id));
  for (const auto& each : array_of(plan, "steps"))
    if (const auto* one = each.if_object())
      add(*one, e);
}

void plan_check::add(const json::object& from, const checked_event& e) {
  step made{.status = std::string{text_of(from, "status")},
            .description = std::string{text_of(from, "description")},
            .order = integer_of(from, "order_index")
                       .value_or(static_cast<std::int64_t>(steps_.size()))};
  for (const auto id : texts_of(from, "dependencies"))
    made.waits_for.emplace_back(id);
  const auto id = text_of(from, "step_id");
  if (!steps_.emplace(id, std::move(made)).second)
    e.report(known_rule, "step " + quote(id) + " was created before");
}

plan_check::step* plan_check::find(std::string_view id) {
  const auto found = steps_.find(id);
  return found == steps_.end() ? nullptr : &found->second;
}

bool plan_check::begins_too_early(step& which) const {
  // What is completed stays so: once is enough.
  return !std::exchange(which.has_begun, true)
         && !std::ranges::all_of(which.waits_for, [this](const auto& id) {
              const auto found = steps_.find(id);
              return found == steps_.end()
                     || found->second.status == "completed";
            });
}

std::size_t
plan_check::count(std::initializer_list<std::string_view> in) const {
  return static_cast<std::size_t>(
    std::ranges::count_if(steps_, [&](const auto& each) {
      return std::ranges::find(in, each.second.status) != in.end();
    }));
}

void plan_check::dispatch(const checked_event& e) {
  const auto id = text_of(e.payload, "step_id");
  if (id.empty())
    return check_task(e, nullptr);
  auto* which = find(id);
  if (which == nullptr)
    return e.report(known_rule, "step " + quote(id)
                                  + ", which a turn is for, was not created");
  // Whoever hands a turn on may have closed its step before.
  const bool may_be_closed = which->is_closed_by_write
                             && e.payload.contains("handoff_id");
  if (which->is_held
      || (which->status != "pending" && which->status != "in_progress"
          && !may_be_closed))
    e.report(held_rule, "step " + quote(id) + " is given to "
                          + quote(text_of(e.payload, "participant_id"))
                          + (which->is_held ? " while another turn has it"
                                            : " when its status is "
                                                + quote(which->status)));
  if (begins_too_early(*which))
    e.report("step_after_dependencies",
             "step " + quote(id)
               + " is given to someone before the steps "
                 "that it waits for are completed");
  if (!id_.empty() && status_ != "in_progress")
    e.report(held_rule, "step " + quote(id)
                          + " is given to someone when the "
                            "plan's status is "
                          + quote(status_));
  check_attempt(e, *which);
  check_task(e, which);
  which->is_held = true;
  held_.insert_or_assign(std::string{text_of(e.payload, "token_id")},
                         std::string{id});
}

void plan_check::check_attempt(const checked_event& e, step& which) const {
  const auto attempt = integer_of(e.payload, "attempt");
  if (!attempt)
    return e.report(held_rule, "a turn of a step must say which attempt it is");
  // A turn that was taken back, or handed on, is no attempt of its own.
  const bool may_repeat = which.last_turn == "cancelled"
                          || which.last_turn == "handed_off";
  const bool goes_on = e.payload.contains("handoff_id")
                         ? *attempt == which.attempts
                         : *attempt == which.attempts + 1
                             || (may_repeat && *attempt == which.attempts);
  if (!goes_on && !has_broadcasts_)
    e.report(held_rule, "attempt " + std::to_string(*attempt) + " of step "
                          + quote(text_of(e.payload, "step_id"))
                          + " follows attempt "
                          + std::to_string(which.attempts));
  which.attempts = std::clamp(*attempt, std::int64_t{0}, count_max);
}

void plan_check::check_task(const checked_event& e, const step* which) const {
  // A decision or a handoff may give any task.
  if (!e.session.has_known_policy() || e.session.policy == "orchestrated"
      || e.payload.contains("handoff_id"))
    return;
  const auto task = text_of(e.payload, "task");
  const bool reviews = e.session.policy == "pair"
                       && task.starts_with("Review: ");
  if (which == nullptr && e.session.task.empty())
    return;
  if (which != nullptr ? task != which->description
                       : task != e.session.task && !reviews)
    e.report(held_rule, "the task " + quote(task)
                          + " is neither the step's nor the session's");
}

void plan_check::complete(const checked_event& e) {
  const auto held = held_.find(text_of(e.payload, "token_id"));
  if (held == held_.end())
    return;
  auto& which = *find(held->second);
  which.is_held = false;
  if (which.status != "in_progress" && !which.is_closed_by_write)
    e.report(held_rule, "a turn of step " + quote(held->second)
                          + " ends when the step's status is "
                          + quote(which.status));
  which.last_turn = text_of(e.payload, "status");
  if (which.last_turn == "completed" && !which.is_closed_by_write)
    completes_ = held->second;
  held_.erase(held);
}

void plan_check::write(const checked_event& e) {
  if (text_of(e.payload, "resource_type") != "plan_step")
    return;
  const auto id = text_of(e.payload, "resource_id");
  auto* which = find(id);
  if (which == nullptr)
    return e.report(known_rule,
                    "step " + quote(id) + " is written, and was not created");
  const auto& value = object_of(e.payload, "value");
  which->description = text_of(value, "description");
  if (const auto status = text_of(value, "status"); status != which->status)
    written_ = {std::string{id}, std::string{status}};
}

/// Whether the move is what a participant wrote just before.
bool plan_check::follows_write(const checked_event& e, step& which,
                               std::string_view to) {
  const auto id = text_of(e.payload, "resource_id");
  const auto written = std::exchange(written_, {});
  if (written.first.empty())
    return false;
  if (written.second != to)
    e.report(write_rule, "step " + quote(id) + " becomes " + quote(to)
                           + " when " + quote(written.second) + " was written");
  if (to == "pending" || to == "blocked")
    e.report(write_rule,
             "no participant can write that a step is " + quote(to));
  which.is_closed_by_write = to != "in_progress";
  return true;
}

void plan_check::change(const checked_event& e) {
  check_stage(e);
  const auto id = text_of(e.payload, "resource_id");
  const auto to = text_of(e.payload, "to_status");
  if (e.is("plan_status_changed")) {
    if (id != id_)
      return e.report(known_rule, "plan " + quote(id) + " was not created");
    change_plan(e, to);
    return move(e, status_);
  }
  auto* which = find(id);
  if (which == nullptr)
    return e.report(known_rule, "step " + quote(id) + " was not created");
  change_step(e, *which, to);
  move(e, which->status);
}

void plan_check::change_step(const checked_event& e, step& which,
                             std::string_view to) {
  const auto id = text_of(e.payload, "resource_id");
  if (to == "in_progress" && begins_too_early(which))
    e.report("step_after_dependencies",
             "step " + quote(id)
               + " begins before the steps that it waits for are completed");
  if (follows_write(e, which, to))
    return;
  if (to == "in_progress" && !which.is_held && !has_broadcasts_)
    ends_ = id;
  if (id == completes_) {
    if (to != "completed")
      e.report(held_rule, "step " + quote(id) + " becomes " + quote(to)
                            + " though its turn completed");
    completes_.clear();
  } else if (to == "completed" && e.session.has_known_policy()
             && e.session.policy != "broadcast" && !has_broadcasts_) {
    e.report(held_rule,
             "step " + quote(id) + " is completed, and no turn completed it");
  }
}

void plan_check::change_plan(const checked_event& e, std::string_view to) {
  const auto open = count({"pending", "in_progress"});
  const auto failed = count({"failed", "blocked"});
  if (to == "approved" && !is_confirmed_)
    e.report("plan_needs_confirm",
             "the plan is approved, and no Confirm about it is");
  if ((to == "completed" && open + failed != 0)
      || (to == "failed" && failed == 0) || (to == "cancelled" && open == 0))
    e.report(ends_rule, "the plan becomes " + quote(to) + " with "
                          + std::to_string(open) + " steps open and "
                          + std::to_string(failed) + " failed");
}

void plan_check::end(const checked_event& e) const {
  if (status_ == "in_progress")
    e.report(ends_rule, "the session ends, and its plan is in progress");
  if (count({"in_progress"}) != 0)
    e.report(ends_rule, "the session ends, and a step is in progress");
  const auto why = text_of(object_of(e.payload, "stop_reason"), "condition");
  // A plan that failed is an end as well, if the scenario takes it for one.
  const bool takes_failed = e.session.options.contains("end");
  const auto undone = count({"pending"})
                      + (takes_failed && why == "plan_complete"
                           ? 0
                           : count({"failed", "blocked"}));
  if ((why == "plan_complete" && undone != 0)
      || (why == "plan_failed" && undone == 0))
    e.report("stop_reason_matches", "the session ends as " + quote(why)
                                      + " with " + std::to_string(undone)
                                      + " steps undone");
}

} // namespace convene::protocol
