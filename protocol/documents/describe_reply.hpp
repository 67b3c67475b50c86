#pragma once

#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/reply_codec.hpp>

namespace convene::protocol {

CONVENE_DESCRIBE(reply_error, SPARSE(code), SPARSE(message));

CONVENE_DESCRIBE(task, MEMBER(title, not_empty), SPARSE(description),
                 SPARSE(resources), SPARSE(role));

CONVENE_DESCRIBE(resource_write, MEMBER(resource_type, not_empty),
                 MEMBER(resource_id, not_empty),
                 MEMBER(base_version, from_zero), SPARSE(op),
                 SPARSE(value, any_json));

CONVENE_DESCRIBE(claim, MEMBER(resource_type, not_empty),
                 MEMBER(resource_id, not_empty), SPARSE(release), SPARSE(to));

CONVENE_DESCRIBE(resource_ref, MEMBER(resource_type, not_empty),
                 MEMBER(resource_id, not_empty));

CONVENE_DESCRIBE(handoff, MEMBER(to, not_empty), SPARSE(instructions),
                 SPARSE(reason));

CONVENE_DESCRIBE(vote, MEMBER(conflict_id, not_empty),
                 v.member("for", x.in_favour_of, not_empty));

CONVENE_DESCRIBE(usage, SPARSE(prompt_tokens, from_zero),
                 SPARSE(completion_tokens, from_zero),
                 SPARSE(cost_microusd, from_zero));

CONVENE_DESCRIBE(dispatch_decision, SPARSE(participant), SPARSE(role),
                 SPARSE(task), SPARSE(step_id),
                 SPARSE(resources, at_most(dispatch_resources_max)));

CONVENE_DESCRIBE(broadcast_decision, SPARSE(task));

CONVENE_DESCRIBE(close_step_decision, MEMBER(step_id, not_empty), SPARSE(skip),
                 SPARSE(reason));

CONVENE_DESCRIBE(complete_decision, DEFAULTED(success), SPARSE(reason));

void describe(auto&, of<wait_decision> auto&) {
  // nop
}

CONVENE_DESCRIBE(ask_decision, SPARSE(participant), MEMBER(task, not_empty));

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

CONVENE_DESCRIBE(reply, SPARSE(status), SPARSE(content),
                 SPARSE(writes, at_most(reply_writes_max)),
                 SPARSE(claim, at_most(reply_claims_max)), SPARSE(claim_all),
                 SPARSE(handoff), SPARSE(vote),
                 SPARSE(tasks, at_most(reply_tasks_max)),
                 SPARSE(decision, at_most(reply_decisions_max)), SPARSE(end),
                 SPARSE(usage), SPARSE(reasoning, at_most(reply_reasoning_max)),
                 SPARSE(result), SPARSE(error));

} // namespace convene::protocol
