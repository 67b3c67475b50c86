#pragma once

// The members of each protocol type, listed once for decoder and encoder:
// `describe(visitor, struct)` names them in schema order. Calls of a visitor:
//   member       required, unless it is an optional
//   defaulted    if absent, keeps the value it has; always written
//   sparse       likewise, but written only if it is not the type's default
//   open         an object that may contain anything besides some texts
//   ignored      a name that is accepted and dropped
//   constant     required, always this text
//   unsupported  refused by name, unless it is empty
//   others       comes last: members of any other name are kept there
//                verbatim; without it they are refused

#include <convene/protocol/codec/constraint.hpp>
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

#include <concepts>

namespace convene::protocol {

/// `T`, const or not: encoders see the const one.
template <class X, class T>
concept of = std::same_as<std::remove_const_t<X>, T>;

void describe(auto& v, of<metadata> auto& x) {
  v.member("protocol_version", x.protocol_version, version);
  v.member("schema_version", x.schema_version, version);
  v.member("created_at", x.created_at, date_time);
  v.member("created_by", x.created_by);
  v.member("updated_at", x.updated_at, date_time);
  v.member("updated_by", x.updated_by);
  v.member("tags", x.tags, unique_texts);
  v.member("cross_cutting", x.cross_cutting, duties);
}

void describe(auto& v, of<trace_base> auto& x) {
  v.member("trace_id", x.trace_id, identifier);
  v.member("span_id", x.span_id, identifier);
  v.member("parent_span_id", x.parent_span_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("attributes", x.attributes);
}

void describe(auto& v, of<base_event> auto& x) {
  v.member("event_id", x.event_id, identifier);
  v.member("event_type", x.event_type, event_type);
  v.member("source", x.source);
  v.member("timestamp", x.timestamp, date_time);
  v.member("trace_id", x.trace_id, identifier);
  v.member("data", x.data);
}

void describe(auto& v, of<module_ref> auto& x) {
  v.member("id", x.id, identifier);
  v.member("module", x.module);
  v.member("description", x.description);
}

void describe(auto& v, of<governance> auto& x) {
  v.member("lifecyclePhase", x.lifecycle_phase);
  v.member("truthDomain", x.truth_domain);
  v.member("locked", x.locked);
  v.member("lastConfirmRef", x.last_confirm_ref);
}

void describe(auto& v, of<context> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("context_id", x.context_id, identifier);
  v.open("root", x.root, {"domain", "environment"}, {"entry_point"});
  v.member("title", x.title, not_empty);
  v.member("summary", x.summary);
  v.member("status", x.status);
  v.member("tags", x.tags, not_empty);
  v.member("language", x.language);
  v.member("owner_role", x.owner_role);
  v.member("constraints", x.constraints);
  v.member("created_at", x.created_at, date_time);
  v.member("updated_at", x.updated_at, date_time);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<plan_step> auto& x) {
  v.member("step_id", x.step_id, identifier);
  v.member("description", x.description, not_empty);
  v.member("status", x.status);
  v.member("dependencies", x.dependencies, identifier);
  v.member("agent_role", x.agent_role);
  v.member("order_index", x.order_index, from_zero);
}

void describe(auto& v, of<plan> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("plan_id", x.plan_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("title", x.title, not_empty);
  v.member("objective", x.objective, not_empty);
  v.member("status", x.status);
  v.member("steps", x.steps, at_least_one);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<confirm_decision> auto& x) {
  v.member("decision_id", x.decision_id, identifier);
  v.member("status", x.status);
  v.member("decided_by_role", x.decided_by_role);
  v.member("decided_at", x.decided_at, date_time);
  v.member("reason", x.reason);
}

void describe(auto& v, of<confirm> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("confirm_id", x.confirm_id, identifier);
  v.member("target_type", x.target_type);
  v.member("target_id", x.target_id, identifier);
  v.member("status", x.status);
  v.member("requested_by_role", x.requested_by_role);
  v.member("requested_at", x.requested_at, date_time);
  v.member("reason", x.reason);
  v.member("decisions", x.decisions);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<trace_segment> auto& x) {
  v.member("segment_id", x.segment_id, identifier);
  v.member("parent_segment_id", x.parent_segment_id, identifier);
  v.member("label", x.label);
  v.member("status", x.status);
  v.member("started_at", x.started_at, date_time);
  v.member("finished_at", x.finished_at, date_time);
  v.member("attributes", x.attributes);
}

void describe(auto& v, of<trace> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("trace_id", x.trace_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("plan_id", x.plan_id, identifier);
  v.member("root_span", x.root_span);
  v.member("status", x.status);
  v.member("started_at", x.started_at, date_time);
  v.member("finished_at", x.finished_at, date_time);
  v.member("segments", x.segments);
  v.member("events", x.events);
}

void describe(auto& v, of<role> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("role_id", x.role_id, identifier);
  v.member("name", x.name);
  v.member("description", x.description);
  v.member("capabilities", x.capabilities);
  v.member("created_at", x.created_at, date_time);
  v.member("updated_at", x.updated_at, date_time);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<dialog_message> auto& x) {
  v.member("role", x.role);
  v.member("content", x.content);
  v.member("timestamp", x.timestamp, date_time);
  v.member("event", x.event);
}

void describe(auto& v, of<dialog> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("dialog_id", x.dialog_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("thread_id", x.thread_id, identifier);
  v.member("status", x.status);
  v.member("messages", x.messages);
  v.member("started_at", x.started_at, date_time);
  v.member("ended_at", x.ended_at, date_time);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<participant> auto& x) {
  v.member("participant_id", x.participant_id, not_empty);
  v.member("role_id", x.role_id);
  v.member("kind", x.kind);
  v.member("display_name", x.display_name);
}

void describe(auto& v, of<collab> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("collab_id", x.collab_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("title", x.title, not_empty);
  v.member("purpose", x.purpose, not_empty);
  v.member("mode", x.mode);
  v.member("status", x.status);
  v.member("participants", x.participants, at_least_one);
  v.member("created_at", x.created_at, date_time);
  v.member("updated_at", x.updated_at, date_time);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<extension> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("extension_id", x.extension_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("name", x.name, not_empty);
  v.member("extension_type", x.extension_type);
  v.member("version", x.version, semantic_version);
  v.member("status", x.status);
  v.member("config", x.config);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<module_descriptor> auto& x) {
  v.member("module_id", x.module_id);
  v.member("version", x.version, not_empty);
  v.member("status", x.status);
  v.member("required", x.required);
  v.member("description", x.description);
}

void describe(auto& v, of<core> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("core_id", x.core_id, identifier);
  v.member("protocol_version", x.protocol_version, not_empty);
  v.member("status", x.status);
  v.member("modules", x.modules, at_least_one);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

void describe(auto& v, of<network_node> auto& x) {
  v.member("node_id", x.node_id, identifier);
  v.member("name", x.name);
  v.member("kind", x.kind);
  v.member("role_id", x.role_id);
  v.member("status", x.status);
}

void describe(auto& v, of<network> auto& x) {
  v.ignored("$comment");
  v.member("meta", x.meta);
  v.member("governance", x.governance);
  v.member("network_id", x.network_id, identifier);
  v.member("context_id", x.context_id, identifier);
  v.member("name", x.name, not_empty);
  v.member("description", x.description);
  v.member("topology_type", x.topology_type);
  v.member("status", x.status);
  v.member("nodes", x.nodes);
  v.member("trace", x.trace);
  v.member("events", x.events);
}

} // namespace convene::protocol
