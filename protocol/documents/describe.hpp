#pragma once

// The members of each protocol type, listed once for decoder and encoder, in
// the order of its schema; see codec/description.hpp.

#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/codec/description.hpp>
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

namespace convene::protocol {

CONVENE_DESCRIBE(metadata, MEMBER(protocol_version, version),
                 MEMBER(schema_version, version), MEMBER(created_at, date_time),
                 MEMBER(created_by), MEMBER(updated_at, date_time),
                 MEMBER(updated_by), MEMBER(tags, unique_texts),
                 MEMBER(cross_cutting, duties));

CONVENE_DESCRIBE(trace_base, MEMBER(trace_id, identifier),
                 MEMBER(span_id, identifier),
                 MEMBER(parent_span_id, identifier),
                 MEMBER(context_id, identifier), MEMBER(attributes));

CONVENE_DESCRIBE(base_event, MEMBER(event_id, identifier),
                 MEMBER(event_type, event_type), MEMBER(source),
                 MEMBER(timestamp, date_time), MEMBER(trace_id, identifier),
                 MEMBER(data));

CONVENE_DESCRIBE(module_ref, MEMBER(id, identifier), MEMBER(module),
                 MEMBER(description));

CONVENE_DESCRIBE(governance, CAMEL(lifecycle_phase), CAMEL(truth_domain),
                 MEMBER(locked), CAMEL(last_confirm_ref));

CONVENE_DESCRIBE(context, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(governance), MEMBER(context_id, identifier),
                 v.open("root", x.root, {"domain", "environment"},
                        {"entry_point"}),
                 MEMBER(title, not_empty), MEMBER(summary), MEMBER(status),
                 MEMBER(tags, not_empty), MEMBER(language), MEMBER(owner_role),
                 MEMBER(constraints), MEMBER(created_at, date_time),
                 MEMBER(updated_at, date_time), MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(plan_step, MEMBER(step_id, identifier),
                 MEMBER(description, not_empty), MEMBER(status),
                 MEMBER(dependencies, identifier), MEMBER(agent_role),
                 MEMBER(order_index, from_zero));

CONVENE_DESCRIBE(plan, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(plan_id, identifier), MEMBER(context_id, identifier),
                 MEMBER(title, not_empty), MEMBER(objective, not_empty),
                 MEMBER(status), MEMBER(steps, at_least_one), MEMBER(trace),
                 MEMBER(events));

CONVENE_DESCRIBE(confirm_decision, MEMBER(decision_id, identifier),
                 MEMBER(status), MEMBER(decided_by_role),
                 MEMBER(decided_at, date_time), MEMBER(reason));

CONVENE_DESCRIBE(confirm, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(governance), MEMBER(confirm_id, identifier),
                 MEMBER(target_type), MEMBER(target_id, identifier),
                 MEMBER(status), MEMBER(requested_by_role),
                 MEMBER(requested_at, date_time), MEMBER(reason),
                 MEMBER(decisions), MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(trace_segment, MEMBER(segment_id, identifier),
                 MEMBER(parent_segment_id, identifier), MEMBER(label),
                 MEMBER(status), MEMBER(started_at, date_time),
                 MEMBER(finished_at, date_time), MEMBER(attributes));

CONVENE_DESCRIBE(trace, v.ignored("$comment"), MEMBER(meta), MEMBER(governance),
                 MEMBER(trace_id, identifier), MEMBER(context_id, identifier),
                 MEMBER(plan_id, identifier), MEMBER(root_span), MEMBER(status),
                 MEMBER(started_at, date_time), MEMBER(finished_at, date_time),
                 MEMBER(segments), MEMBER(events));

CONVENE_DESCRIBE(role, v.ignored("$comment"), MEMBER(meta), MEMBER(governance),
                 MEMBER(role_id, identifier), MEMBER(name), MEMBER(description),
                 MEMBER(capabilities), MEMBER(created_at, date_time),
                 MEMBER(updated_at, date_time), MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(dialog_message, MEMBER(role), MEMBER(content),
                 MEMBER(timestamp, date_time), MEMBER(event));

CONVENE_DESCRIBE(dialog, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(governance), MEMBER(dialog_id, identifier),
                 MEMBER(context_id, identifier), MEMBER(thread_id, identifier),
                 MEMBER(status), MEMBER(messages),
                 MEMBER(started_at, date_time), MEMBER(ended_at, date_time),
                 MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(participant, MEMBER(participant_id, not_empty),
                 MEMBER(role_id), MEMBER(kind), MEMBER(display_name));

CONVENE_DESCRIBE(collab, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(governance), MEMBER(collab_id, identifier),
                 MEMBER(context_id, identifier), MEMBER(title, not_empty),
                 MEMBER(purpose, not_empty), MEMBER(mode), MEMBER(status),
                 MEMBER(participants, at_least_one),
                 MEMBER(created_at, date_time), MEMBER(updated_at, date_time),
                 MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(extension, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(governance), MEMBER(extension_id, identifier),
                 MEMBER(context_id, identifier), MEMBER(name, not_empty),
                 MEMBER(extension_type), MEMBER(version, semantic_version),
                 MEMBER(status), MEMBER(config), MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(module_descriptor, MEMBER(module_id),
                 MEMBER(version, not_empty), MEMBER(status), MEMBER(required),
                 MEMBER(description));

CONVENE_DESCRIBE(core, v.ignored("$comment"), MEMBER(meta), MEMBER(governance),
                 MEMBER(core_id, identifier),
                 MEMBER(protocol_version, not_empty), MEMBER(status),
                 MEMBER(modules, at_least_one), MEMBER(trace), MEMBER(events));

CONVENE_DESCRIBE(network_node, MEMBER(node_id, identifier), MEMBER(name),
                 MEMBER(kind), MEMBER(role_id), MEMBER(status));

CONVENE_DESCRIBE(network, v.ignored("$comment"), MEMBER(meta),
                 MEMBER(governance), MEMBER(network_id, identifier),
                 MEMBER(context_id, identifier), MEMBER(name, not_empty),
                 MEMBER(description), MEMBER(topology_type), MEMBER(status),
                 MEMBER(nodes), MEMBER(trace), MEMBER(events));

} // namespace convene::protocol
