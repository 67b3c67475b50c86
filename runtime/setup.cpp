#include <convene/runtime/setup.hpp>

#include <utility>

namespace convene {

session::spec make_spec(const session_setup& setup, protocol::uuid_source& ids,
                        protocol::timestamp_ms now) {
  const auto time = protocol::format_timestamp(now);
  const std::string fallback = setup.task.empty() ? "session" : setup.task;
  session::spec made{.plan = setup.plan,
                     .roles = setup.roles,
                     .workspace = setup.workspace,
                     .task = fallback,
                     .tasks = setup.tasks,
                     .options = setup.options,
                     .trace_context = setup.trace_context};
  made.context.context_id = setup.plan ? setup.plan->context_id
                                       : to_string(ids.next());
  made.context.root = {{"domain", "convene"}, {"environment", "local"}};
  made.context.title = setup.title.empty() ? fallback : setup.title;
  made.context.status = protocol::context_status::active;
  made.context.created_at = time;
  auto& collab = made.collab;
  collab.collab_id = to_string(ids.next());
  collab.context_id = made.context.context_id;
  collab.title = made.context.title;
  collab.purpose = setup.purpose.empty() ? fallback : setup.purpose;
  collab.mode = setup.mode;
  collab.created_at = time;
  collab.participants.reserve(setup.participants.size());
  for (const auto& p : setup.participants) {
    collab.participants.push_back({.participant_id = p.participant_id,
                                   .role_id = p.role_id,
                                   .kind = p.kind});
    if (p.is_bound())
      made.behaviours[p.participant_id] = {{"type", "function"}};
  }
  return made;
}

session_result make_result(session::report&& from) {
  const auto kept = std::make_shared<const session::report>(std::move(from));
  std::map<std::string, protocol::usage> used_by;
  for (const auto& [who, used] : kept->used_by)
    used_by.emplace(kept->collab.participants[who].participant_id, used);
  return {.status = kept->outcome.status,
          .stop_reason = {.condition = kept->outcome.condition,
                          .observed = kept->outcome.observed,
                          .limit = kept->outcome.limit},
          .turns = kept->counts.turns,
          .broadcasts = kept->counts.broadcasts,
          .conflicts = kept->counts.conflicts,
          .handoffs = kept->counts.handoffs,
          .duration_ms = kept->ended_at - kept->started_at,
          .usage = kept->counts.usage,
          .usage_by_participant = std::move(used_by),
          .collab = kept->collab,
          .context = kept->context,
          .plan = kept->plan,
          .confirm = kept->confirm,
          .report = kept};
}

} // namespace convene
