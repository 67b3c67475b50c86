#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/describe_map_events.hpp>

// The members of the core events; see describe_map_events.hpp.

namespace convene::protocol {

void core_head(auto& v, const event_head& head, auto family,
               std::string_view type) {
  using enum member_kind;
  v.id("event_id"_m, head.event_id, text);
  v.type("event_type"_m, type);
  v.constant("event_family"_m, family, name);
  v.time("timestamp"_m, head.timestamp);
  v.text("session_id"_m, head.session_id, id);
}

inline std::array<stage_changed, 4> samples_of(const stage_changed*) {
  return {{{"plan_status_changed", stage_resource::plan},
           {"step_status_changed", stage_resource::step},
           {"confirm_created", stage_resource::confirm},
           {"confirm_resolved", stage_resource::confirm}}};
}

void describe(auto& v, const event_head& head, const stage_changed& e) {
  using enum member_kind;
  core_head(v, head, "pipeline_stage"_m, e.event_type);
  const bool is_step = e.resource == stage_resource::step;
  v.text("pipeline_id"_m, e.pipeline_id, id);
  v.text("stage_id"_m, e.stage_id,
         e.resource == stage_resource::plan ? text : id);
  if (is_step)
    v.text("stage_name"_m, e.stage_name, text);
  v.text("stage_status"_m, e.stage_status, stage);
  if (is_step)
    v.number("stage_order"_m, e.stage_order);
  v.object("payload"_m, [&](auto& p) {
    p.text("resource_type"_m, to_word(e.resource), name);
    p.text("resource_id"_m, e.resource_id, id);
    p.text("from_status"_m, e.from_status);
    p.text("to_status"_m, e.to_status);
    p.text("reason"_m, e.reason);
    if (e.resource == stage_resource::confirm)
      p.text("target_id"_m, e.target_id, id);
  });
}

/// A graph_update, up to its payload.
void update_head(auto& v, const event_head& head, std::string_view type,
                 std::string_view graph_id, auto kind, const graph_delta& delta,
                 auto module) {
  using enum member_kind;
  core_head(v, head, "graph_update"_m, type);
  v.text("graph_id"_m, graph_id, id);
  v.constant("update_kind"_m, kind, name);
  v.number("node_delta"_m, delta.nodes, any);
  v.number("edge_delta"_m, delta.edges, any);
  v.constant("source_module"_m, module, name);
}

/// What a step has that is new and waits for nothing.
void step_members(auto& v, const plan_step& step) {
  using enum member_kind;
  v.text("step_id"_m, step.step_id, id);
  v.text("description"_m, step.description);
  v.constant("status"_m, "pending"_m, name);
  v.optional("agent_role"_m, step.agent_role
                               ? std::string_view{*step.agent_role}
                               : std::string_view{});
}

void describe(auto& v, const event_head& head, const plan_created& e) {
  using enum member_kind;
  update_head(v, head, "plan_created", e.context_id, "node_add"_m, e.delta,
              "plan"_m);
  v.object("payload"_m, [&](auto& p) {
    p.object("plan"_m, [&](auto& plan) {
      plan.text("plan_id"_m, e.plan_id, id);
      plan.text("context_id"_m, e.context_id, id);
      plan.text("title"_m, e.title);
      plan.text("objective"_m, e.objective);
      plan.template list<3, 1>("steps"_m, e.steps,
                               [](auto& each, const plan_step& step) {
                                 step_members(each, step);
                               });
    });
  });
}

inline std::array<step_added, 1> samples_of(const step_added*) {
  static const plan_step step;
  return {{{.step = &step}}};
}

void describe(auto& v, const event_head& head, const step_added& e) {
  update_head(v, head, "step_added", e.graph_id, "node_add"_m, e.delta,
              "plan"_m);
  v.object("payload"_m, [&](auto& p) {
    p.object("step"_m, [&](auto& step) { step_members(step, *e.step); });
  });
}

inline std::array<part_added, 2> samples_of(const part_added*) {
  return {{{.part = graph_part::confirm}, {.part = graph_part::decision}}};
}

void describe(auto& v, const event_head& head, const part_added& e) {
  using enum member_kind;
  const auto begin = [&](std::string_view type) {
    update_head(v, head, type, e.graph_id, "node_add"_m, e.delta, "confirm"_m);
  };
  const auto payload = [&](auto of) {
    v.object("payload"_m, [&](auto& p) {
      if (e.part == graph_part::decision)
        p.text("confirm_id"_m, e.confirm_id, id);
      p.json_text(of, e.text, object);
    });
  };
  switch (e.part) {
    case graph_part::confirm:
      begin("confirm_added");
      return payload("confirm"_m);
    case graph_part::decision:
      begin("decision_added");
      return payload("decision"_m);
  }
}

void describe(auto& v, const event_head& head, const graph_opened& e) {
  update_head(v, head, "graph_opened", e.graph_id, "bulk"_m, e.size,
              "collab"_m);
  v.object("payload"_m, [&](auto& p) {
    p.number("nodes"_m, e.size.nodes);
    p.number("edges"_m, e.size.edges);
  });
}

void describe(auto& v, const event_head& head, const handoff_added& e) {
  update_head(v, head, "handoff_added", e.graph_id, "edge_add"_m, {0, 1},
              "collab"_m);
  v.object("payload"_m, [&](auto& p) {
    p.text("from_role"_m, e.from.role_id);
    p.text("from_participant"_m, e.from.participant_id, member_kind::name);
    p.text("to_role"_m, e.to.role_id);
    p.text("to_participant"_m, e.to.participant_id, member_kind::name);
  });
}

void describe(auto& v, const event_head& head, const session_recorded& e) {
  update_head(v, head, "session_recorded", e.graph_id, "bulk"_m, e.delta,
              "trace"_m);
  v.object("payload"_m, [&](auto& p) {
    p.id("dialog_id"_m, e.dialog_id);
    p.id("trace_id"_m, e.trace_id);
    p.number("messages"_m, static_cast<std::int64_t>(e.messages));
    p.number("segments"_m, static_cast<std::int64_t>(e.segments));
  });
}

void input_head(auto& v, const event_head& head, const uuid& execution_id,
                std::string_view executor_role, const auto& kind) {
  using enum member_kind;
  core_head(v, head, "runtime_execution"_m, "session_input");
  v.id("execution_id"_m, execution_id);
  kind();
  v.optional("executor_role"_m, executor_role);
  v.constant("status"_m, "completed"_m, name);
}

void describe(auto& v, const event_head& head, const session_input& e) {
  using enum member_kind;
  input_head(v, head, e.execution_id, e.who.role_id,
             [&] { v.text("executor_kind"_m, e.executor_kind, name); });
  v.object("payload"_m, [&](auto& p) {
    p.text("input"_m, e.input, name);
    p.optional("participant_id"_m, e.who.participant_id, name);
    p.optional_id("request_id"_m, e.request_id);
    p.optional("condition"_m, e.condition, name);
    p.optional_flag("holds"_m, e.holds);
    p.optional("observed"_m, e.observed);
    p.optional("error"_m, e.error);
    p.optional("content"_m, e.content);
    p.optional("reason"_m, e.reason);
    p.reply("reply"_m, e.reply);
  });
}

void describe(auto& v, const event_head& head, const decision_input& e) {
  using enum member_kind;
  input_head(v, head, e.execution_id, e.who.role_id,
             [&] { v.constant("executor_kind"_m, "agent"_m, name); });
  v.object("payload"_m, [&](auto& p) {
    p.constant("input"_m, "decision"_m, name);
    p.text("participant_id"_m, e.who.participant_id);
    p.id("request_id"_m, e.request_id);
    p.reply("reply"_m, e.reply);
    p.optional("refused"_m, e.refused);
  });
}

/// An attempt at an action, up to its payload.
void attempt_head(auto& v, const event_head& head, std::string_view type,
                  const action_attempt& of, std::string_view status) {
  using enum member_kind;
  core_head(v, head, "runtime_execution"_m, type);
  v.id("execution_id"_m, of.execution_id);
  v.text("executor_kind"_m, executor_of(of.kind), name);
  v.optional("executor_role"_m, of.who.role_id);
  v.text("status"_m, status, name);
}

/// Whose attempt it is, and at what.
void attempt_members(auto& v, const action_attempt& of) {
  using enum member_kind;
  v.text("participant_id"_m, of.who.participant_id, name);
  v.id("token_id"_m, of.token_id);
  v.number_if(of.turn_number != 0, "turn_number"_m, of.turn_number);
  v.text("position"_m, of.position, name);
}

/// What is null is left out.
[[nodiscard]] inline const json::value*
value_unless_null(const json::value& of) noexcept {
  return of.is_null() ? nullptr : &of;
}

inline std::array<action_started, 1> samples_of(const action_started*) {
  static const action nothing;
  return {{{.what = &nothing}}};
}

void describe(auto& v, const event_head& head, const action_started& e) {
  using enum member_kind;
  attempt_head(v, head, "action_started", e.attempt, "running");
  v.object("payload"_m, [&](auto& p) {
    attempt_members(p, e.attempt);
    p.text("kind"_m, to_word(e.attempt.kind), name);
    p.text("name"_m, e.what->name, name);
    p.value("arguments"_m, value_unless_null(e.what->arguments));
    p.number("attempt"_m, e.attempt.number);
    p.flag("repeatable"_m, e.what->repeatable);
    p.constant("input"_m, "action"_m, name);
  });
}

inline std::array<action_ended, 1> samples_of(const action_ended*) {
  static const action_result none;
  return {{{.result = &none}}};
}

void describe(auto& v, const event_head& head, const action_ended& e) {
  using enum member_kind;
  attempt_head(v, head, "action_ended", e.attempt,
               execution_status_of(e.result->status));
  v.object("payload"_m, [&](auto& p) {
    attempt_members(p, e.attempt);
    p.number("attempt"_m, e.attempt.number);
    p.object("result"_m, [&](auto& r) {
      const auto& error = e.result->error;
      const auto& used = e.result->usage;
      r.text("status"_m, to_word(e.result->status), name);
      r.value("output"_m, value_unless_null(e.result->output));
      r.template object_if<2>(error != action_error{}, "error"_m, [&](auto& x) {
        x.text("code"_m, error.code);
        x.text("message"_m, error.message);
        x.flag("transient"_m, error.transient);
      });
      r.template object_if<3>(used != usage{}, "usage"_m, [&](auto& x) {
        x.number("prompt_tokens"_m, used.prompt_tokens);
        x.number("completion_tokens"_m, used.completion_tokens);
        x.number("cost_microusd"_m, used.cost_microusd);
      });
    });
    p.number("duration_ms"_m, e.duration_ms);
    p.optional("sha256"_m, e.sha256);
    p.constant_if(e.input, "input"_m, "action"_m);
  });
}

/// An event of the family cost_budget, up to what it says of the budget.
void cost_event(auto& v, const event_head& head, std::string_view type,
                const action_attempt& of, const auto& rest) {
  using enum member_kind;
  core_head(v, head, "cost_budget"_m, type);
  v.object("payload"_m, [&](auto& p) {
    p.text("participant_id"_m, of.who.participant_id, name);
    p.text("role_id"_m, of.who.role_id);
    p.number_if(of.turn_number != 0, "turn_number"_m, of.turn_number);
    p.id("token_id"_m, of.token_id);
    p.id("execution_id"_m, of.execution_id);
    p.text("position"_m, of.position, name);
    rest(p);
  });
}

void describe(auto& v, const event_head& head, const usage_recorded& e) {
  cost_event(v, head, "usage_recorded", e.attempt, [&](auto& p) {
    p.optional("model"_m, e.model, member_kind::name);
    p.number("tokens_used"_m, total_tokens(e.used));
    p.dollars("cost_usd"_m, e.used.cost_microusd);
    p.number("cumulative_tokens"_m, total_tokens(e.total));
    p.dollars("cumulative_cost_usd"_m, e.total.cost_microusd);
    p.template object_if<2>(
      e.tokens_left || e.microusd_left, "budget_remaining"_m, [&](auto& left) {
        left.number_if(e.tokens_left.has_value(), "tokens"_m,
                       e.tokens_left.value_or(0));
        left.dollars_if(e.microusd_left.has_value(), "cost_usd"_m,
                        e.microusd_left.value_or(0));
      });
  });
}

void describe(auto& v, const event_head& head, const budget_exceeded& e) {
  cost_event(v, head, "budget_exceeded", e.attempt, [&](auto& p) {
    p.text("budget"_m, e.budget, member_kind::name);
    p.number("used"_m, e.used);
    p.number("limit"_m, e.limit);
  });
}

void describe(auto& v, const event_head& head, const reasons_given& e) {
  using enum member_kind;
  core_head(v, head, "reasoning_graph"_m, "coordination_reasoning");
  v.object("payload"_m, [&](auto& p) {
    p.text("participant_id"_m, e.who.participant_id, name);
    p.text("role_id"_m, e.who.role_id);
    p.number_if(e.turn_number != 0, "turn_number"_m, e.turn_number);
    p.id("token_id"_m, e.token_id);
    p.items("reasoning"_m, e.reasoning, &given_reason::text);
  });
}

} // namespace convene::protocol
