#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/context.hpp>
#include <convene/protocol/documents/core.hpp>
#include <convene/protocol/documents/dialog.hpp>
#include <convene/protocol/documents/extension.hpp>
#include <convene/protocol/documents/network.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/documents/role.hpp>
#include <convene/protocol/documents/trace.hpp>
#include <convene/protocol/events/any_event.hpp>
#include <convene/protocol/events/stamp.hpp>

namespace convene::protocol {
namespace {

void fill(std::string& to, const std::string& with) {
  if (to.empty())
    to = with;
}

void fill(std::optional<std::string>& to, const std::string& with) {
  if (!to)
    to = with;
}

// What a kind of document needs besides its times.

void fill_own(context& x, const std::string& id) {
  fill(x.context_id, id);
  x.root.emplace("domain", "convene");
  x.root.emplace("environment", "local");
}

void fill_own(plan& x, const std::string& id) {
  fill(x.plan_id, id);
  const auto key = parse_uuid(x.plan_id).value_or(uuid{});
  std::int64_t index = 0;
  for (auto& step : x.steps) {
    fill(step.step_id,
         to_string(derive_uuid(key, 0, static_cast<std::uint64_t>(index))));
    if (!step.order_index)
      step.order_index = index;
    ++index;
  }
}

void fill_own(confirm& x, const std::string& id) {
  fill(x.confirm_id, id);
  if (!x.decisions)
    x.decisions.emplace();
}

void fill_own(trace& x, const std::string& id) {
  fill(x.trace_id, id);
  fill(x.root_span.trace_id, x.trace_id);
  const auto key = parse_uuid(x.trace_id).value_or(uuid{});
  fill(x.root_span.span_id, to_string(derive_uuid(key, 0, 0)));
  if (!x.segments)
    x.segments.emplace();
}

void fill_own(role& x, const std::string& id) {
  fill(x.role_id, id);
  if (!x.capabilities)
    x.capabilities.emplace();
}

void fill_own(dialog& x, const std::string& id) {
  fill(x.dialog_id, id);
}

void fill_own(collab& x, const std::string& id) {
  fill(x.collab_id, id);
}

void fill_own(extension& x, const std::string& id) {
  fill(x.extension_id, id);
}

void fill_own(core& x, const std::string& id) {
  fill(x.core_id, id);
}

void fill_own(network& x, const std::string& id) {
  fill(x.network_id, id);
  if (!x.nodes)
    x.nodes.emplace();
  const auto key = parse_uuid(x.network_id).value_or(uuid{});
  std::uint64_t index = 0;
  for (auto& node : *x.nodes)
    fill(node.node_id, to_string(derive_uuid(key, 0, index++)));
}

/// The members by which all types tell when they came to be.
template <class T>
void fill_times(T& x, const std::string& time) {
  if constexpr (requires { x.created_at; })
    fill(x.created_at, time);
  if constexpr (requires { x.timestamp; })
    fill(x.timestamp, time);
  if constexpr (requires { x.requested_at; })
    fill(x.requested_at, time);
  if constexpr (requires { x.started_at; })
    fill(x.started_at, time);
  if constexpr (requires { x.timestamps; })
    fill(x.timestamps.started_at, time);
  if constexpr (requires { x.messages; })
    for (auto& message : x.messages)
      fill(message.timestamp, time);
}

} // namespace

template <class T>
T stamp(T what, const origin& from) {
  const auto id = to_string(from.id);
  const auto time = format_timestamp(from.at);
  if constexpr (requires { fill_own(what, id); }) {
    fill_own(what, id);
    fill(what.meta.created_at, time);
    if (from.by)
      fill(what.meta.created_by, *from.by);
  }
  if constexpr (requires { what.event_id; })
    fill(what.event_id, id);
  if constexpr (requires { what.sample_id; })
    fill(what.sample_id, id);
  if constexpr (requires { what.invocation_id; })
    fill(what.invocation_id, id);
  fill_times(what, time);
  return what;
}

template context stamp(context, const origin&);
template plan stamp(plan, const origin&);
template confirm stamp(confirm, const origin&);
template trace stamp(trace, const origin&);
template role stamp(role, const origin&);
template dialog stamp(dialog, const origin&);
template collab stamp(collab, const origin&);
template extension stamp(extension, const origin&);
template core stamp(core, const origin&);
template network stamp(network, const origin&);
template map_event stamp(map_event, const origin&);
template sa_event stamp(sa_event, const origin&);
template pipeline_stage_event stamp(pipeline_stage_event, const origin&);
template graph_update_event stamp(graph_update_event, const origin&);
template runtime_execution_event stamp(runtime_execution_event, const origin&);
template core_event stamp(core_event, const origin&);
template base_event stamp(base_event, const origin&);
template file_update_event stamp(file_update_event, const origin&);
template git_event stamp(git_event, const origin&);
template ci_event stamp(ci_event, const origin&);
template tool_event stamp(tool_event, const origin&);
template run_sample stamp(run_sample, const origin&);
template intent_sample stamp(intent_sample, const origin&);
template delta_sample stamp(delta_sample, const origin&);
template learning_sample stamp(learning_sample, const origin&);

} // namespace convene::protocol
