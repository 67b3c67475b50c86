// The plan's lifecycle in a session: how it is opened, how replies add to it,
// how it ends.

#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/session/machine/append.hpp>

#include <map>
#include <utility>

namespace convene::session {
namespace {

using protocol::plan_status;
using protocol::step_status;

protocol::plan_step step_of(const protocol::task& t, const protocol::uuid& id) {
  protocol::plan_step step{.step_id = to_string(id),
                           .description = t.description.empty()
                                            ? t.title
                                            : t.title + ": " + t.description};
  if (!t.role.empty())
    step.agent_role = t.role;
  return step;
}

/// A new step as its document has it.
void write_step(protocol::json_writer& out, const protocol::plan_step& step) {
  out.raw(R"({"step_id":)").string(step.step_id);
  out.raw(R"(,"description":)").string(step.description);
  out.raw(R"(,"status":"pending")");
  if (step.agent_role)
    out.raw(R"(,"agent_role":)").string(*step.agent_role);
  out.raw("}");
}

} // namespace

void machine::open_plan() {
  if (spec_.plan) {
    plan_ = plan_book{*std::exchange(spec_.plan, std::nullopt)};
    plan_drives_ = true;
  } else if (spec_.tasks.empty() && policy_->needs_plan) {
    spec_.tasks.push_back({.title = spec_.task});
  }
  plan_drives_ |= !spec_.tasks.empty();
  add_tasks(std::exchange(spec_.tasks, {}));
  if (!plan_drives_)
    return;
  assign_steps(plan_, spec_, roster_);
  start_plan("session started");
  step_changes changes;
  plan_.settle(changes);
  log_steps(changes, "dependency did not complete");
}

void machine::start_plan(std::string_view reason) {
  approve_plan();
  set_plan_status(plan_status::in_progress, reason);
}

void machine::approve_plan() {
  if (plan_.document().status == plan_status::draft)
    set_plan_status(plan_status::proposed, "submitted by the session");
  if (plan_.document().status != plan_status::proposed)
    return;
  const auto& plan_id = plan_.document().plan_id;
  using protocol::confirm_status;
  auto log_confirm = [&](std::string_view type, std::string_view from,
                         confirm_status to, std::string_view reason) {
    append(
      protocol::stage_changed{.event_type = type,
                              .resource = protocol::stage_resource::confirm,
                              .pipeline_id = spec_.confirm->confirm_id,
                              .stage_id = spec_.confirm->confirm_id,
                              .resource_id = spec_.confirm->confirm_id,
                              .stage_status = stage_word(to),
                              .from_status = from,
                              .to_status = to_word(to),
                              .reason = reason,
                              .target_id = plan_id});
  };
  if (!spec_.confirm) {
    spec_.confirm
      = protocol::confirm{.confirm_id = to_string(next_id()),
                          .target_type = protocol::confirm_target::plan,
                          .target_id = plan_id,
                          .requested_by_role = std::string{initiator_role()},
                          .requested_at = protocol::format_timestamp(now_)};
    log_confirm("confirm_created", "", confirm_status::pending,
                "the plan needs approval");
  }
  if (spec_.confirm->status == confirm_status::pending) {
    auto& decisions = spec_.confirm->decisions;
    if (!decisions)
      decisions.emplace();
    decisions->push_back({.decision_id = to_string(next_id()),
                          .decided_by_role = "convene",
                          .decided_at = protocol::format_timestamp(now_),
                          .reason = "automatic approval"});
    protocol::change_status(spec_.confirm->status, confirm_status::approved);
    log_confirm("confirm_resolved", to_word(confirm_status::pending),
                confirm_status::approved, "automatic approval");
  }
  set_plan_status(plan_status::approved, "confirmed");
}

void machine::add_tasks(const std::vector<protocol::task>& tasks) {
  if (tasks.empty())
    return;
  const auto first = static_cast<step_index>(plan_.size());
  if (first == 0)
    create_plan(tasks);
  else
    for (const auto& t : tasks)
      add_step(step_of(t, next_id()));
  std::map<std::string_view, std::vector<participant_index>> known;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const auto& role = tasks[n].role;
    if (role.empty())
      continue;
    const auto i = first + static_cast<step_index>(n);
    const auto [found, is_new] = known.try_emplace(role);
    auto& fits = found->second;
    if (is_new)
      fits = participants_for(spec_, roster_, role);
    if (!fits.empty())
      plan_.assign(i, fits[i % fits.size()]);
  }
}

void machine::create_plan(const std::vector<protocol::task>& tasks) {
  protocol::plan made{.plan_id = to_string(next_id()),
                      .context_id = spec_.collab.context_id,
                      .title = spec_.collab.title,
                      .objective = spec_.collab.purpose};
  made.steps.reserve(tasks.size());
  protocol::byte_buffer text;
  {
    protocol::json_writer out{text};
    out.raw(R"({"plan_id":)").string(made.plan_id);
    out.raw(R"(,"context_id":)").string(made.context_id);
    out.raw(R"(,"title":)").string(made.title);
    out.raw(R"(,"objective":)").string(made.objective);
    out.raw(R"(,"steps":[)");
    for (const auto& t : tasks) {
      made.steps.push_back(step_of(t, next_id()));
      out.raw(made.steps.size() == 1 ? "" : ",");
      write_step(out, made.steps.back());
    }
    out.raw("]}");
  }
  append(protocol::node_added{.event_type = "plan_created",
                              .graph_id = spec_.collab.context_id,
                              .node_delta
                              = static_cast<std::int64_t>(1 + tasks.size()),
                              .payload_name = "plan",
                              .payload_value = text.view()});
  plan_ = plan_book{std::move(made)};
}

void machine::add_step(protocol::plan_step step) {
  protocol::byte_buffer text;
  {
    protocol::json_writer out{text};
    write_step(out, step);
  }
  append(protocol::node_added{.event_type = "step_added",
                              .graph_id = spec_.collab.context_id,
                              .payload_name = "step",
                              .payload_value = text.view()});
  plan_.add(std::move(step));
}

void machine::set_plan_status(plan_status to, std::string_view reason) {
  const auto from = plan_.document().status;
  if (from == to)
    return;
  plan_.set_status(to);
  const auto& id = plan_.document().plan_id;
  append(protocol::stage_changed{.event_type = "plan_status_changed",
                                 .resource = protocol::stage_resource::plan,
                                 .pipeline_id = id,
                                 .stage_id = "plan",
                                 .resource_id = id,
                                 .stage_status = stage_word(to),
                                 .from_status = to_word(from),
                                 .to_status = to_word(to),
                                 .reason = reason});
}

void machine::log_steps(const step_changes& changes, std::string_view reason) {
  for (const auto& change : changes) {
    const auto& step = plan_.step(change.step);
    append(protocol::stage_changed{
      .event_type = "step_status_changed",
      .resource = protocol::stage_resource::step,
      .pipeline_id = plan_.document().plan_id,
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
  }
}

void machine::close_plan() {
  if (plan_.document().status != plan_status::in_progress)
    return;
  for (step_index i = 0; i < plan_.size(); ++i) {
    if (plan_.step(i).status != step_status::in_progress)
      continue;
    step_changes changes;
    plan_.close(i, step_status::failed, changes);
    log_steps(changes, "the session ended");
  }
  if (plan_.open() == 0 && plan_.failed() == 0)
    set_plan_status(plan_status::completed, "every step is done");
  else if (plan_.failed() > 0)
    set_plan_status(plan_status::failed, "steps failed");
  else
    set_plan_status(plan_status::cancelled, "steps were left undone");
}

} // namespace convene::session
