#pragma once

#include <convene/protocol/workflow/workflow.hpp>

#include <algorithm>

namespace convene::session {

/// Whether a node is one that dispatches choose among: any that comes right
/// after one, but for another supervisor and what is there for failures.
[[nodiscard]] inline bool is_worker(const protocol::workflow& of,
                                    std::size_t place) {
  const auto& node = of.nodes[place];
  return node.kind != protocol::node_type::supervisor
         && node.rule != protocol::trigger_rule::all_failed
         && node.rule != protocol::trigger_rule::one_failed
         && std::ranges::any_of(node.sources, [&of](auto source) {
              return of.nodes[source].kind == protocol::node_type::dispatch;
            });
}

} // namespace convene::session
