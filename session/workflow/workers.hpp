#pragma once

#include <convene/protocol/workflow/workflow.hpp>

#include <algorithm>

namespace convene::session {

/// Whether the workers of a dispatch are workflows, of which each becomes a
/// child run.
[[nodiscard]] inline bool runs_children(const protocol::workflow& of,
                                        std::size_t place) {
  const auto& node = of.nodes[place];
  const auto* const dispatch
    = std::get_if<protocol::dispatch_config>(&node.config);
  return dispatch != nullptr
         && dispatch->model.value_or(node.targets.empty()
                                       ? protocol::dispatch_model::child_run
                                       : protocol::dispatch_model::node)
              == protocol::dispatch_model::child_run;
}

/// Whether a node is a dispatch whose workers are the nodes right after it.
[[nodiscard]] inline bool chooses_nodes(const protocol::workflow& of,
                                        std::size_t place) {
  return of.nodes[place].kind == protocol::node_type::dispatch
         && !runs_children(of, place);
}

/// Whether a node is one that dispatches choose among: any that comes right
/// after one, but for another supervisor and what is there for failures.
[[nodiscard]] inline bool is_worker(const protocol::workflow& of,
                                    std::size_t place) {
  const auto& node = of.nodes[place];
  return node.kind != protocol::node_type::supervisor
         && node.rule != protocol::trigger_rule::all_failed
         && node.rule != protocol::trigger_rule::one_failed
         && std::ranges::any_of(node.sources, [&of](auto source) {
              return chooses_nodes(of, source);
            });
}

} // namespace convene::session
