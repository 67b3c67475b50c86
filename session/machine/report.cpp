#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/network.hpp>
#include <convene/session/workspace/fold.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

bool has_session_ended(protocol::collab_status status) noexcept {
  return status == protocol::collab_status::completed
         || status == protocol::collab_status::cancelled;
}

std::optional<protocol::json::object>
make_workspace_document(const report& of) {
  if (of.workspace.empty())
    return std::nullopt;
  std::vector<std::string> ids;
  for (const auto& p : of.collab.participants)
    ids.push_back(p.participant_id);
  return workspace_document(of.collab.collab_id, of.workspace, ids);
}

report make_report(std::unique_ptr<machine> left) {
  auto& from = *left;
  auto work = from.plan_.take_work();
  report made{.outcome
              = from.result().value_or(outcome{.status = from.status()}),
              .counts = from.counts(),
              .used_by = from.used_by(),
              .started_at = from.started_at(),
              .ended_at = from.last_at(),
              .collab = std::move(from.spec_.collab),
              .context = std::move(from.spec_.context),
              .confirm = std::move(work.confirm),
              .extensions = active_extensions(std::move(from.spec_.extensions)),
              .extension_confirms = std::move(from.spec_.extension_confirms),
              .core = std::move(from.spec_.core),
              .network = network_after(from.spec_.network, from.members_),
              .talk = from.talk_.release(),
              .workspace = from.workspace().view(),
              .key = from.key()};
  made.collab.status = from.status();
  // Whatever the clock says: nothing is updated before it is made.
  const auto created = protocol::parse_timestamp(made.collab.created_at);
  made.collab.updated_at
    = protocol::format_timestamp(std::max(made.ended_at, created.value_or(0)));
  if (work.plan)
    made.plan = std::make_shared<const protocol::plan>(*std::move(work.plan));
  return made;
}

report make_fault_report(std::unique_ptr<machine> failed, std::string why) {
  auto left = make_report(std::move(failed));
  left.outcome = {.status = protocol::collab_status::cancelled,
                  .condition = "fault",
                  .observed = std::move(why)};
  left.collab.status = left.outcome.status;
  return left;
}

} // namespace convene::session
