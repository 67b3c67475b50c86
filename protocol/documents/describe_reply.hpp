#pragma once

#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/reply_codec.hpp>

namespace convene::protocol {

void describe(auto& v, of<reply_error> auto& x) {
  v.sparse("code", x.code);
  v.sparse("message", x.message);
}

void describe(auto& v, of<task> auto& x) {
  v.member("title", x.title, not_empty);
  v.sparse("description", x.description);
  v.sparse("resources", x.resources);
  v.sparse("role", x.role);
}

void describe(auto& v, of<resource_write> auto& x) {
  v.member("resource_type", x.resource_type, not_empty);
  v.member("resource_id", x.resource_id, not_empty);
  v.member("base_version", x.base_version, from_zero);
  v.sparse("op", x.op);
  v.sparse("value", x.value, any_json);
}

void describe(auto& v, of<claim> auto& x) {
  v.member("resource_type", x.resource_type, not_empty);
  v.member("resource_id", x.resource_id, not_empty);
  v.sparse("release", x.release);
  v.sparse("to", x.to);
}

void describe(auto& v, of<resource_ref> auto& x) {
  v.member("resource_type", x.resource_type, not_empty);
  v.member("resource_id", x.resource_id, not_empty);
}

void describe(auto& v, of<handoff> auto& x) {
  v.member("to", x.to, not_empty);
  v.sparse("instructions", x.instructions);
  v.sparse("reason", x.reason);
}

void describe(auto& v, of<vote> auto& x) {
  v.member("conflict_id", x.conflict_id, not_empty);
  v.member("for", x.in_favour_of, not_empty);
}

void describe(auto& v, of<usage> auto& x) {
  v.sparse("prompt_tokens", x.prompt_tokens, from_zero);
  v.sparse("completion_tokens", x.completion_tokens, from_zero);
  v.sparse("cost_microusd", x.cost_microusd, from_zero);
}

void describe(auto& v, of<dispatch_decision> auto& x) {
  v.sparse("participant", x.participant);
  v.sparse("role", x.role);
  v.sparse("task", x.task);
  v.sparse("step_id", x.step_id);
  v.sparse("resources", x.resources, at_most(dispatch_resources_max));
}

void describe(auto& v, of<broadcast_decision> auto& x) {
  v.sparse("task", x.task);
}

void describe(auto& v, of<close_step_decision> auto& x) {
  v.member("step_id", x.step_id, not_empty);
  v.sparse("skip", x.skip);
  v.sparse("reason", x.reason);
}

void describe(auto& v, of<complete_decision> auto& x) {
  v.defaulted("success", x.success);
  v.sparse("reason", x.reason);
}

void describe(auto&, of<wait_decision> auto&) {
  // nop
}

void describe(auto& v, of<ask_decision> auto& x) {
  v.sparse("participant", x.participant);
  v.member("task", x.task, not_empty);
}

bool read_variant(reading& r, const json::value& from, const place& at,
                  decision& to);
json::value write_variant(const decision& from);

/// The member name of the `index`-th kind of decision.
[[nodiscard]] std::string_view decision_name(std::size_t index) noexcept;

/// Calls `visit(name, value)` with the one member of a decision.
auto visit_variant(const decision& from, const auto& visit) {
  return std::visit(
    [&](const auto& known) {
      return visit(decision_name(from.index()), known);
    },
    from);
}

void describe(auto& v, of<reply> auto& x) {
  v.sparse("status", x.status);
  v.sparse("content", x.content);
  v.sparse("writes", x.writes, at_most(reply_writes_max));
  v.sparse("claim", x.claim, at_most(reply_claims_max));
  v.sparse("claim_all", x.claim_all);
  v.sparse("handoff", x.handoff);
  v.sparse("vote", x.vote);
  v.sparse("tasks", x.tasks, at_most(reply_tasks_max));
  v.sparse("decision", x.decision, at_most(reply_decisions_max));
  v.sparse("end", x.end);
  v.sparse("usage", x.usage);
  v.sparse("reasoning", x.reasoning, at_most(reply_reasoning_max));
  v.sparse("result", x.result);
  v.sparse("error", x.error);
}

} // namespace convene::protocol
