#include <convene/runtime/data/scenario/extension_approval.hpp>
#include <convene/session/spec/modules.hpp>
#include <convene/session/spec/security.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

void settle(session::spec& scenario, const extension& about,
            confirm_decision decision, uuid_source& ids, timestamp_ms now) {
  auto& all = scenario.extension_confirms;
  auto found = std::ranges::find(all, about.extension_id, &confirm::target_id);
  if (found == all.end())
    found = all.insert(all.end(),
                       confirm{.meta = about.meta,
                               .confirm_id = to_string(ids.next()),
                               .target_type = confirm_target::extension,
                               .target_id = about.extension_id,
                               .requested_by_role = "convene",
                               .requested_at = format_timestamp(now)});
  found->status = confirm_status::approved;
  if (!found->decisions)
    found->decisions.emplace();
  decision.decision_id = to_string(ids.next());
  found->decisions->push_back(std::move(decision));
}

bool waits_for_approval(const session::spec& scenario, const extension& what) {
  const auto* known = session::confirm_of(scenario, what);
  return session::is_to_confirm(what)
         && (known == nullptr || known->status == confirm_status::pending);
}

void approve_extensions(session::spec& scenario, uuid_source& ids,
                        timestamp_ms now) {
  if (session::is_secured(scenario))
    return;
  for (const auto& each : scenario.extensions)
    if (waits_for_approval(scenario, each))
      settle(scenario, each,
             {.status = decision_status::approved,
              .decided_by_role = "convene",
              .decided_at = format_timestamp(now),
              .reason = "automatic approval"},
             ids, now);
}

} // namespace convene::host
