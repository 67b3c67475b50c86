#pragma once

#include <convene/protocol/events/describe_core_events.hpp>
#include <convene/protocol/events/workspace_event.hpp>

// The members of the events about shared resources; see
// describe_map_events.hpp.

namespace convene::protocol {

void act_name(auto& v, const resource_act& act) {
  v.text("resource_type"_m, act.resource_type, member_kind::name);
  v.text("resource_id"_m, act.resource_id, member_kind::name);
}

/// Who did it: a participant who holds a request.
void act_of_participant(auto& v, const resource_act& act) {
  v.text("participant_id"_m, act.who.participant_id, member_kind::name);
  v.text("role_id"_m, act.who.role_id);
  v.number_if(act.turn_number != 0, "turn_number"_m, act.turn_number);
  v.id("token_id"_m, act.token_id);
}

void error_members(auto& v, const auto& event) {
  v.object("error"_m, [&](auto& error) {
    error.text("code"_m, event.error_code);
    error.text("message"_m, event.error_message);
  });
}

/// A graph_update about a resource, up to its payload.
void graph_head(auto& v, const event_head& head, std::string_view type,
                std::string_view graph_id, const auto& change) {
  using enum member_kind;
  core_head(v, head, "graph_update"_m, type);
  v.text("graph_id"_m, graph_id, id);
  change();
  v.constant("source_module"_m, "collab"_m, name);
}

/// What could not be carried out, up to its payload.
void refused_head(auto& v, const event_head& head, std::string_view type,
                  const auto& event) {
  using enum member_kind;
  core_head(v, head, "runtime_execution"_m, type);
  v.id("execution_id"_m, event.execution_id);
  v.constant("executor_kind"_m, "agent"_m, name);
  v.optional("executor_role"_m, event.act.who.role_id);
  v.constant("status"_m, "failed"_m, name);
}

void graph_change(auto& v, auto kind, auto nodes, auto edges) {
  using enum member_kind;
  v.constant("update_kind"_m, kind, name);
  v.fixed("node_delta"_m, nodes, any);
  v.fixed("edge_delta"_m, edges, any);
}

void describe(auto& v, const event_head& head, const resource_written& e) {
  using enum member_kind;
  graph_head(v, head, "resource_written", e.graph_id, [&] {
    switch (e.change) {
      case node_change::added:
        v.constant("update_kind"_m, "node_add"_m, name);
        break;
      case node_change::updated:
        v.constant("update_kind"_m, "node_update"_m, name);
        break;
      case node_change::removed:
        v.constant("update_kind"_m, "node_delete"_m, name);
        break;
    }
    v.number("node_delta"_m, e.delta.nodes, any);
    v.number("edge_delta"_m, e.delta.edges, any);
  });
  v.object("payload"_m, [&](auto& p) {
    act_name(p, e.act);
    p.number("version"_m, static_cast<std::int64_t>(e.version));
    p.number("base_version"_m, e.base_version);
    p.text("op"_m, to_word(e.op), name);
    p.value("value"_m, e.value);
    act_of_participant(p, e.act);
    p.optional("step_id"_m, e.step_id);
    p.optional_id("conflict_id"_m, e.conflict_id);
    p.constant_if(e.input, "input"_m, "write"_m);
  });
}

inline std::array<write_refused, 1> samples_of(const write_refused*) {
  static const resource_write write;
  return {{{.write = &write}}};
}

void describe(auto& v, const event_head& head, const write_refused& e) {
  using enum member_kind;
  refused_head(v, head, "write_refused", e);
  v.object("payload"_m, [&](auto& p) {
    act_name(p, e.act);
    p.number("base_version"_m, e.write->base_version);
    p.text("op"_m, to_word(e.write->op), name);
    p.value("value"_m,
            e.input && !e.write->value.is_null() ? &e.write->value : nullptr);
    act_of_participant(p, e.act);
    p.constant_if(e.input, "input"_m, "write"_m);
    error_members(p, e);
  });
}

inline std::array<claim_event, 4> samples_of(const claim_event*) {
  static const claim of;
  using enum claim_event_kind;
  return {{{.kind = taken, .claim = &of},
           {.kind = released, .claim = &of},
           {.kind = handed_over, .claim = &of},
           {.kind = refused, .claim = &of}}};
}

inline void describe_refused(auto& v, const event_head& head,
                             const claim_event& e) {
  refused_head(v, head, "claim_refused", e);
  v.object("payload"_m, [&](auto& p) {
    act_name(p, e.act);
    p.flag("release"_m, e.claim->release);
    p.optional("to"_m, e.claim->to, member_kind::name);
    act_of_participant(p, e.act);
    p.constant_if(e.input, "input"_m, "claim"_m);
    error_members(p, e);
  });
}

void describe(auto& v, const event_head& head, const claim_event& e) {
  using enum member_kind;
  if (e.kind == claim_event_kind::refused)
    return describe_refused(v, head, e);
  const bool released = e.kind == claim_event_kind::released;
  const bool moves = e.kind == claim_event_kind::handed_over;
  graph_head(v, head,
             released ? "claim_released"
             : moves  ? "claim_handed_over"
                      : "claim_taken",
             e.graph_id, [&] {
               if (released && e.unwritten)
                 graph_change(v, "bulk"_m, "-1"_m, "-2"_m);
               else if (released)
                 graph_change(v, "edge_delete"_m, "0"_m, "-1"_m);
               else if (moves || e.renewed)
                 graph_change(v, "edge_update"_m, "0"_m, "0"_m);
               else if (e.unwritten)
                 graph_change(v, "bulk"_m, "1"_m, "2"_m);
               else
                 graph_change(v, "edge_add"_m, "0"_m, "1"_m);
             });
  v.object("payload"_m, [&](auto& p) {
    act_name(p, e.act);
    p.text("participant_id"_m, e.act.who.participant_id, name);
    p.text("role_id"_m, e.act.who.role_id);
    p.number_if(e.act.turn_number != 0, "turn_number"_m, e.act.turn_number);
    p.optional_id("token_id"_m, e.act.token_id);
    p.optional("to_participant"_m, e.to.participant_id, name);
    p.optional("to_role"_m, e.to.role_id);
    p.optional_time("expires_at"_m, e.expires_at);
    p.optional("reason"_m, e.reason, name);
    p.constant_if(e.input, "input"_m, "claim"_m);
  });
}

void describe(auto& v, const event_head& head, const workspace_opened& e) {
  using enum member_kind;
  const auto resources = static_cast<std::int64_t>(e.resources);
  graph_head(v, head, "workspace_opened", e.graph_id, [&] {
    v.constant("update_kind"_m, "bulk"_m, name);
    v.number("node_delta"_m, resources, any);
    v.number("edge_delta"_m, resources, any);
  });
  v.object("payload"_m, [&](auto& p) { p.number("resources"_m, resources); });
}

} // namespace convene::protocol
