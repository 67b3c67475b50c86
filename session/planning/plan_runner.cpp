// The plan's lifecycle in a session: how it is opened, how replies add to it,
// how its steps close, how it ends.

#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/session/planning/plan_runner.hpp>
#include <convene/session/spec/graph_size.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace convene::session {
namespace {

using protocol::plan_status;
using protocol::step_status;

/// Makes an empty step that of a task, out of which it takes the title.
void fill(protocol::plan_step& step, protocol::task& t,
          const protocol::uuid& id) {
  step.step_id = to_string(id);
  step.description = std::move(t.title);
  if (!t.description.empty())
    step.description += ": " + t.description;
  if (!t.role.empty())
    step.agent_role = t.role;
}

} // namespace

const plan_book& plan_runner::no_book() {
  static const plan_book none;
  return none;
}

void plan_runner::open(bool required) {
  if (work_.plan) {
    own_book_ = plan_book{*std::exchange(work_.plan, std::nullopt)};
    drives_ = true;
  } else if (work_.tasks.empty() && required) {
    work_.tasks.push_back({.title = who_->scenario().task});
  }
  drives_ |= !work_.tasks.empty();
  add_tasks(std::exchange(work_.tasks, {}));
  if (!drives_)
    return;
  assign_steps(own_book(), who_->scenario(), who_->who());
  start("session started");
  step_changes changes;
  own_book().settle(changes);
  log(changes, "dependency did not complete");
}

void plan_runner::start(std::string_view reason) {
  if (book().document().status == plan_status::in_progress)
    return;
  approve();
  set_status(plan_status::in_progress, reason);
}

void plan_runner::approve() {
  if (book().document().status == plan_status::draft)
    set_status(plan_status::proposed, "submitted by the session");
  if (book().document().status != plan_status::proposed)
    return;
  const auto& plan_id = book().document().plan_id;
  using protocol::confirm_status;
  auto log_confirm = [&](std::string_view type, std::string_view from,
                         confirm_status to, std::string_view reason) {
    log_->append(
      protocol::stage_changed{.event_type = type,
                              .resource = protocol::stage_resource::confirm,
                              .pipeline_id = work_.confirm->confirm_id,
                              .stage_id = work_.confirm->confirm_id,
                              .resource_id = work_.confirm->confirm_id,
                              .stage_status = stage_word(to),
                              .from_status = from,
                              .to_status = to_word(to),
                              .reason = reason,
                              .target_id = plan_id});
  };
  const auto log_part = [&](protocol::graph_part part,
                            const protocol::graph_delta& delta,
                            const protocol::json::value& document) {
    log_->append(protocol::part_added{
      .part = part,
      .graph_id = who_->scenario().collab.context_id,
      .delta = delta,
      .confirm_id = part == protocol::graph_part::decision
                      ? std::string_view{work_.confirm->confirm_id}
                      : std::string_view{},
      .text = protocol::json::serialize(document)});
  };
  if (!work_.confirm) {
    work_.confirm = protocol::confirm{
      .confirm_id = to_string(log_->next_id()),
      .target_type = protocol::confirm_target::plan,
      .target_id = plan_id,
      .requested_by_role = std::string{who_->initiator_role()},
      .requested_at = protocol::format_timestamp(log_->now())};
    log_part(protocol::graph_part::confirm, {.nodes = 1, .edges = 1},
             protocol::encode(*work_.confirm));
    log_confirm("confirm_created", "", confirm_status::pending,
                "the plan needs approval");
  }
  if (work_.confirm->status == confirm_status::pending) {
    auto& decisions = work_.confirm->decisions;
    if (!decisions)
      decisions.emplace();
    decisions->push_back({.decision_id = to_string(log_->next_id()),
                          .decided_by_role = "convene",
                          .decided_at = protocol::format_timestamp(log_->now()),
                          .reason = "automatic approval"});
    log_part(
      protocol::graph_part::decision, graph_size(roles_, decisions->back()),
      protocol::encode(*work_.confirm).at("decisions").as_array().back());
    protocol::change_status(work_.confirm->status, confirm_status::approved);
    log_confirm("confirm_resolved", to_word(confirm_status::pending),
                confirm_status::approved, "automatic approval");
  }
  set_status(plan_status::approved, "confirmed");
}

void plan_runner::add_tasks(std::vector<protocol::task>&& tasks) {
  if (tasks.empty())
    return;
  const auto first = static_cast<step_index>(book().size());
  if (first == 0)
    create(tasks);
  else
    for (auto& t : tasks) {
      protocol::plan_step step;
      fill(step, t, log_->next_id());
      add(std::move(step));
    }
  std::map<std::string_view, std::vector<participant_index>> known;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const auto& role = tasks[n].role;
    const auto i = first + static_cast<step_index>(n);
    own_book().name_resources(i, std::move(tasks[n].resources));
    if (role.empty())
      continue;
    const auto [found, is_new] = known.try_emplace(role);
    auto& fits = found->second;
    if (is_new)
      fits = participants_for(who_->scenario(), who_->who(), role);
    if (!fits.empty())
      own_book().assign(i, fits[i % fits.size()]);
  }
}

void plan_runner::create(std::vector<protocol::task>& tasks) {
  protocol::plan made{.plan_id = to_string(log_->next_id()),
                      .context_id = who_->scenario().collab.context_id,
                      .title = who_->scenario().collab.title,
                      .objective = who_->scenario().collab.purpose};
  made.steps.reserve(tasks.size());
  for (auto& t : tasks)
    fill(made.steps.emplace_back(), t, log_->next_id());
  auto delta = graph_size(roles_, made.steps);
  delta.nodes += 1;
  delta.edges += 1; // to its Context
  log_->append(protocol::plan_created{.context_id = made.context_id,
                                      .delta = delta,
                                      .plan_id = made.plan_id,
                                      .title = made.title,
                                      .objective = made.objective,
                                      .steps = made.steps});
  own_book_ = plan_book{std::move(made)};
}

void plan_runner::add(protocol::plan_step step) {
  log_->append(
    protocol::step_added{.graph_id = who_->scenario().collab.context_id,
                         .delta = graph_size(roles_, {step}),
                         .step = &step});
  own_book().add(std::move(step));
}

void plan_runner::forget() {
  own_book_.reset();
  written_.clear();
  drives_ = false;
}

void plan_runner::set_status(plan_status to, std::string_view reason) {
  const auto from = book().document().status;
  if (from == to)
    return;
  own_book().set_status(to);
  const auto& id = book().document().plan_id;
  log_->append(
    protocol::stage_changed{.event_type = "plan_status_changed",
                            .resource = protocol::stage_resource::plan,
                            .pipeline_id = id,
                            .stage_id = "plan",
                            .resource_id = id,
                            .stage_status = stage_word(to),
                            .from_status = to_word(from),
                            .to_status = to_word(to),
                            .reason = reason});
}

void plan_runner::log(const step_changes& changes, std::string_view reason) {
  for (const auto& change : changes) {
    const auto& step = book().step(change.step);
    log_->append(protocol::stage_changed{
      .event_type = "step_status_changed",
      .resource = protocol::stage_resource::step,
      .pipeline_id = book().document().plan_id,
      .stage_id = step.step_id,
      .resource_id = step.step_id,
      .stage_status = stage_word(change.to),
      .stage_name = protocol::summary_of(step.description),
      .stage_order = step.order_index.value_or(change.step),
      .from_status = to_word(change.from),
      .to_status = to_word(change.to),
      .reason = change.to == step_status::blocked
                  ? std::string_view{"a step it waits for failed"}
                  : reason});
    show(change.step, change.to);
  }
}

/// Whether it is in `book().ready()`, without a search among thousands.
bool plan_runner::is_ready(step_index step) const {
  using enum protocol::step_status;
  const auto& all = book();
  if (step >= all.size() || all.state(step).live || all.waits(step))
    return false;
  const auto status = all.step(step).status;
  return (status == pending || status == in_progress)
         && all.held_resource(step) == nullptr;
}

step_index plan_runner::step_for(participant_index who) const {
  if (!drives_)
    return no_step;
  const auto& ready = book().ready();
  const auto found = std::ranges::find_if(ready, [&](step_index i) {
    const auto to = book().state(i).assigned;
    return to == who || !who_->can_act(to);
  });
  return found == ready.end() ? no_step : *found;
}

step_changes plan_runner::begin(step_index step) {
  step_changes changes;
  own_book().begin(step, changes);
  return changes;
}

void plan_runner::close(step_index step, protocol::step_status as,
                        std::string_view reason) {
  step_changes changes;
  own_book().close(step, as, changes);
  log(changes, reason);
}

void plan_runner::end_turn(step_index step, participant_index who,
                           turn_status status) {
  if (step == no_step || status == turn_status::handed_off)
    return;
  if (status == turn_status::completed)
    return close(step, protocol::step_status::completed, "completed");
  own_book().release(step, status != turn_status::cancelled);
  if (status == turn_status::declined)
    own_book().note_decline(step, who);
}

void plan_runner::release(step_index step) {
  if (step != no_step)
    own_book().release(step, false);
}

void plan_runner::finish() {
  if (book().document().status != plan_status::in_progress)
    return;
  for (step_index i = 0; i < book().size() && book().open() != 0; ++i) {
    if (book().step(i).status != step_status::in_progress)
      continue;
    close(i, step_status::failed, "the session ended");
  }
  if (book().open() == 0 && book().failed() == 0)
    set_status(plan_status::completed, "every step is done");
  else if (book().failed() > 0)
    set_status(plan_status::failed, "steps failed");
  else
    set_status(plan_status::cancelled, "steps were left undone");
}

} // namespace convene::session
