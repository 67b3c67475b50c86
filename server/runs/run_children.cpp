// Child runs: what nodes of a run start, and how that ends.
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/runs/run_host.hpp>
#include <convene/session/workflow/children.hpp>
#include <convene/session/workflow/snapshot.hpp>

#include <algorithm>

namespace convene::server {
namespace {

session::child_ended failed_child(const session::start_child& of,
                                  std::string code, std::string message) {
  return {.node_id = of.node_id,
          .child_run_id = of.child_run_id,
          .outcome = session::session_outcome::failed,
          .code = std::move(code),
          .message = std::move(message)};
}

session::session_outcome outcome_of(session::run_status end) {
  return end == session::run_status::completed
           ? session::session_outcome::completed
         : end == session::run_status::failed
           ? session::session_outcome::failed
           : session::session_outcome::cancelled;
}

} // namespace

std::optional<protocol::error>
run_host::find_unknown_child(const protocol::workflow& of) const {
  for (std::size_t i = 0; i < of.nodes.size(); ++i)
    if (const auto* calls
        = std::get_if<protocol::sub_workflow_config>(&of.nodes[i].config);
        calls != nullptr && workflows_->find(calls->workflow_id) == nullptr)
      return protocol::error{.code = protocol::errc::invalid_document,
                             .message = "the workflow runs another one, which "
                                        "this server does not have",
                             .pointer = "/nodes/" + std::to_string(i)
                                        + "/config/workflowId",
                             .rule = "unknown_child_workflow",
                             .value = protocol::shorten(calls->workflow_id)};
  return std::nullopt;
}

void run_host::start_child(const run_pointer& parent,
                           const session::start_child& what) {
  session::start_run how{.inputs = what.inputs};
  std::int64_t depth = 1;
  {
    const std::lock_guard lock{parent->mutex};
    const auto open = parent->machine.open_children();
    // Its inputs stay those of the moment when it was due: variables of the
    // parent may have changed since.
    if (std::ranges::find(open, what.child_run_id,
                          &session::start_child::child_run_id)
        == open.end())
      return; // a cancellation came first
    const auto& begun = *parent->machine.state().started;
    if (begun.parent) // its log may say anything
      depth = std::min(begun.parent->depth, session::child_depth_max) + 1;
    how.tags = begun.tags;
    how.metadata = begun.metadata;
  }
  const auto refuse = [&](std::string code, std::string message) {
    feed(parent, failed_child(what, std::move(code), std::move(message)), {});
  };
  if (depth > session::child_depth_max)
    return refuse("child_depth_max",
                  "a run has at most "
                    + std::to_string(session::child_depth_max)
                    + " runs above it");
  const auto* const workflow = workflows_->find(what.workflow_id);
  if (workflow == nullptr)
    return refuse("unknown_child_workflow",
                  "there is no workflow " + protocol::quote(what.workflow_id));
  how.parent = protocol::run_parent{.run_id = to_string(parent->id),
                                    .node_id = what.node_id,
                                    .depth = depth,
                                    .is_detached = what.is_detached};
  create(
    *workflow, std::move(how),
    [this, parent, what](const run_outcome& made) {
      const auto* why = made.failure   ? &*made.failure
                        : made.refusal ? &made.refusal->what
                                       : nullptr;
      if (why == nullptr)
        return;
      alarms_->at(alarms::clock::now(), [this, parent, what, why = *why] {
        feed(parent, failed_child(what, why.rule, why.message), {});
      });
    },
    protocol::parse_uuid(what.child_run_id), false, parent->key);
}

void run_host::find_child(const run_pointer& parent,
                          const session::start_child& what) {
  const auto child = find(what.child_run_id);
  if (child == nullptr)
    return start_child(parent, what);
  if (const auto why = child->fault())
    return feed(parent, failed_child(what, why->rule, why->message), {});
  end_child(child);
}

/// A child run whose parent was stopped, before it was told so.
void run_host::stop_orphan(const run_pointer& child) {
  std::optional<protocol::run_parent> of;
  {
    const std::lock_guard lock{child->mutex};
    if (const auto& begun = child->machine.state().started; begun)
      of = begun->parent;
  }
  if (!of || of->is_detached)
    return;
  const auto parent = find(of->run_id);
  if (parent && parent->fault())
    return;
  if (parent) {
    const std::lock_guard lock{parent->mutex};
    const auto open = parent->machine.open_children();
    if (std::ranges::find(open, to_string(child->id),
                          &session::start_child::child_run_id)
        != open.end())
      return;
  }
  feed(child, session::cancel_run{.reason = "parent: it was stopped"}, {});
}

/// Parents that were not told of their child runs, or have not started them,
/// and children of parents that were stopped.
void run_host::go_on_with_children() {
  std::vector<run_pointer> live;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [id, run] : live_)
      live.push_back(run);
  }
  for (const auto& run : live) {
    std::vector<session::start_child> open;
    {
      const std::lock_guard lock{run->mutex};
      if (run->failure)
        continue;
      open = run->machine.open_children();
    }
    for (const auto& each : open)
      find_child(run, each);
    stop_orphan(run);
  }
}

void run_host::cancel_child(const session::cancel_child& what) {
  if (const auto near = find_near(what.child_run_id); near && *near)
    feed(*near, session::cancel_run{.reason = "parent: " + what.reason}, {});
}

void run_host::tell_parent(const run_pointer& child) {
  {
    const std::lock_guard lock{child->mutex};
    const auto& begun = child->machine.state().started;
    if (!begun || !begun->parent)
      return;
  }
  // Not on the log's thread, where no run may be waited for.
  alarms_->at(alarms::clock::now(), [this, child] { end_child(child); });
}

void run_host::end_child(const run_pointer& child) {
  session::child_ended ended{.child_run_id = to_string(child->id)};
  std::string parent_id;
  {
    const std::lock_guard lock{child->mutex};
    const auto& state = child->machine.state();
    if (child->failure || !state.started || !state.started->parent
        || !state.end)
      return;
    parent_id = state.started->parent->run_id;
    ended.node_id = state.started->parent->node_id;
    ended.outcome = outcome_of(*state.end);
    if (state.error) {
      // What is below a child has said so already.
      ended.message = state.error->code == session::child_failed_code
                        ? state.error->message
                        : state.error->code + ": " + state.error->message;
      ended.code = session::child_failed_code;
    }
    ended.variables
      = session::snapshot_of(child->machine).at("variables").as_object();
  }
  if (const auto parent = find_near(parent_id); parent && *parent)
    feed(*parent, std::move(ended), {});
}

} // namespace convene::server
