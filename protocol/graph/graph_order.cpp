#include <convene/protocol/graph/graph.hpp>

#include <algorithm>
#include <unordered_map>

// Dependencies of steps stay without cycles because each step has a depth above
// those of the steps that it waits for: an edge that keeps this closes no
// cycle.

namespace convene::protocol {

/// Gives the steps that are not above what they wait for, and all that wait for
/// them, new depths. Rule `steps_acyclic` where there are none.
result<void>
project_graph::order(const std::vector<graph_storage::name_ref>& late) {
  using graph_storage::name_ref;
  struct standing {
    std::size_t waits_for = 0; ///< of the steps here
    std::uint32_t depth = 0;
  };
  constexpr auto waits = graph_edge_kind::depends_on;
  std::unordered_map<const graph_storage::name*, standing> all;
  std::vector<name_ref> steps;
  const auto take = [&](const name_ref& step) {
    const auto [at, is_new] = all.try_emplace(step.get());
    if (is_new)
      steps.push_back(step);
    return at;
  };
  for (const auto& step : late)
    take(step);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto is = nodes_.find(steps[i])->value;
    for_each_end(is->in, waits, [&](const name_ref& waiting) {
      ++take(waiting)->second.waits_for;
    });
  }
  std::vector<name_ref> ready;
  std::ranges::copy_if(steps, std::back_inserter(ready), [&](const auto& each) {
    return all[each.get()].waits_for == 0;
  });
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto is = nodes_.find(ready[i])->value;
    std::uint32_t below = 0;
    for_each_end(is->out, waits, [&](const name_ref& first) {
      const auto here = all.find(first.get());
      below = std::max(below, here != all.end()
                                ? here->second.depth
                                : nodes_.find(first)->value->depth);
    });
    all[ready[i].get()].depth = below + 1;
    for_each_end(is->in, waits, [&](const name_ref& waiting) {
      if (--all[waiting.get()].waits_for == 0)
        ready.push_back(waiting);
    });
  }
  if (ready.size() != steps.size()) {
    std::erase_if(steps, [&](const auto& each) {
      return all[each.get()].waits_for == 0;
    });
    const auto& first = *std::ranges::min_element(
      steps, {}, [](const auto& each) { return each->key; });
    return fail(errc::invalid_document,
                to_string(first->key)
                  + " waits for steps that wait for each other",
                "steps_acyclic");
  }
  for (const auto& each : steps)
    own(*nodes_.edit(each)).depth = all[each.get()].depth;
  return {};
}

} // namespace convene::protocol
