#pragma once

#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/documents/describe_trace_context.hpp>
#include <convene/session/spec/spec.hpp>
#include <convene/session/workspace/workspace.hpp>

namespace convene::session {

/// The members of `session.budget` in a scenario.
void describe(auto& v, protocol::of<budget> auto& x) {
  constexpr auto amount = protocol::between(1, 1'000'000'000'000'000);
  v.defaulted("tokens", x.tokens, amount);
  v.defaulted("cost_microusd", x.cost_microusd, amount);
}

/// The members of `session.conflicts`; see codec/description.hpp.
void describe(auto& v, protocol::of<conflict_options> auto& x) {
  v.defaulted("strategy", x.strategy);
  v.sparse("ranks", x.ranks, protocol::between(-rank_max, rank_max));
  v.sparse("by_resource_type", x.by_resource_type);
  v.sparse("name", x.name, protocol::not_empty);
}

/// The members of an entry of `workspace`; see codec/description.hpp.
void describe(auto& v, protocol::of<initial_resource> auto& x) {
  v.member("resource_type", x.resource_type, protocol::not_empty);
  v.member("resource_id", x.resource_id, protocol::not_empty);
  v.sparse("value", x.value, protocol::any_json);
}

/// The members of `session.restart` in a scenario.
void describe(auto& v, protocol::of<restart> auto& x) {
  v.defaulted("limit", x.limit, protocol::between(0, 100));
  v.defaulted("backoff_ms", x.backoff_ms, protocol::between(1, 3'600'000));
}

/// The members of `session` in a scenario; see codec/description.hpp.
void describe(auto& v, protocol::of<options> auto& x) {
  using protocol::between;
  constexpr auto duration = between(1, duration_ms_max);
  constexpr protocol::constraint share{.minimum = 0,
                                       .maximum = 1,
                                       .above_minimum = true};
  v.defaulted("turn_timeout_ms", x.turn_timeout_ms, duration);
  v.defaulted("max_turns", x.max_turns, between(1, 1'000'000'000));
  v.defaulted("max_duration_ms", x.max_duration_ms, duration);
  v.defaulted("rounds", x.rounds, between(1, 1'000'000));
  v.defaulted("swap_every", x.swap_every, between(0, 1'000'000));
  v.sparse("quorum", x.quorum, share);
  v.sparse("claim_timeout_ms", x.claim_timeout_ms, duration);
  v.sparse("max_handoff_depth", x.max_handoff_depth, between(0, 1000));
  v.defaulted("retries", x.retries, between(0, 100));
  v.defaulted("orchestrator", x.orchestrator, protocol::not_empty);
  v.defaulted("deputy", x.deputy, protocol::not_empty);
  v.defaulted("initiator", x.initiator, protocol::not_empty);
  v.sparse("assign", x.assign, protocol::not_empty);
  v.defaulted("policy", x.policy, protocol::not_empty);
  v.sparse("end", x.end);
  v.sparse("budget", x.budget);
  v.sparse("restart", x.restart);
  v.sparse("no_progress", x.no_progress, between(0, 1'000'000'000));
  v.sparse("conflicts", x.conflicts);
}

/// The members of `origin` in a scenario; see codec/description.hpp.
void describe(auto& v, protocol::of<session_origin> auto& x) {
  v.member("log", x.log);
  v.member("session_id", x.session_id, protocol::not_empty);
  v.member("event_id", x.event_id, protocol::not_empty);
}

/// The members of a scenario; see codec/description.hpp.
void describe(auto& v, protocol::of<spec> auto& x) {
  v.ignored("$schema");
  v.ignored("$comment");
  v.constant("convene", "1");
  v.member("context", x.context);
  v.member("collab", x.collab);
  v.defaulted("plan", x.plan);
  v.defaulted("confirm", x.confirm);
  v.sparse("roles", x.roles, protocol::at_most(participants_max));
  v.sparse("extensions", x.extensions, protocol::at_most(extensions_max));
  v.sparse("extension_confirms", x.extension_confirms,
           protocol::at_most(extensions_max));
  v.defaulted("core", x.core);
  v.defaulted("network", x.network);
  v.defaulted("task", x.task);
  v.sparse("tasks", x.tasks, protocol::at_most(steps_max));
  v.sparse("behaviours", x.behaviours);
  v.sparse("mcp_servers", x.mcp_servers);
  v.sparse("workspace", x.workspace, protocol::at_most(resources_max));
  v.defaulted("session", x.options);
  v.defaulted("seed", x.seed);
  v.sparse("origin", x.origin);
  v.defaulted("trace_context", x.trace_context);
}

} // namespace convene::session
