#include <convene/protocol/json_schema/compiler.hpp>

#include <algorithm>

namespace convene::protocol::validation {
namespace {

/// Calls `visit` with each node that an instruction applies to the same value.
template <class Visit>
void for_each_in_place(const program& code, const instruction& what,
                       Visit visit) {
  switch (what.code) {
    case op::all_of:
    case op::any_of:
    case op::one_of:
      std::for_each(code.lists.begin() + what.a, code.lists.begin() + what.b,
                    visit);
      break;
    case op::negation:
    case op::reference:
      visit(what.a);
      break;
    case op::condition:
      visit(what.a);
      visit(what.b);
      visit(what.c);
      break;
    case op::dependencies:
      for (auto i = what.a; i < what.b; ++i)
        visit(code.dependencies[i].node);
      break;
    default:
      break;
  }
}

template <class Visit>
void for_each_in_place(const program& code, node_index of, Visit visit) {
  const auto& first = code.nodes[of].first;
  for (auto i = first.front(); i < first.back(); ++i)
    for_each_in_place(code, code.code[i], visit);
}

/// The subschemas that a value meets at this node, from those of the nodes
/// below; the kind that meets most of them counts.
std::uint64_t cost_of(const program& code, node_index of,
                      const std::vector<std::uint64_t>& costs,
                      std::uint64_t most) {
  std::uint64_t cost = 0;
  const auto& first = code.nodes[of].first;
  for (std::uint32_t group = 0; group < group_count; ++group) {
    std::uint64_t sum = 1;
    for (auto i = first[group]; i < first[group + 1]; ++i)
      for_each_in_place(code, code.code[i], [&](node_index below) {
        sum = std::min(sum + costs[below], most + 1);
      });
    cost = std::max(cost, sum);
  }
  return cost;
}

} // namespace

void compiler::check_costs() {
  // Nodes are done once all below them are; what remains leads to a loop.
  const auto count = static_cast<node_index>(out_.nodes.size());
  std::vector<std::vector<node_index>> above(count);
  std::vector<std::size_t> open(count, 0);
  for (node_index i = 0; i < count; ++i)
    for_each_in_place(out_, i, [&](node_index below) {
      above[below].push_back(i);
      ++open[i];
    });
  std::vector<node_index> done;
  for (node_index i = 0; i < count; ++i)
    if (open[i] == 0)
      done.push_back(i);
  std::vector<std::uint64_t> costs(count, 0);
  for (std::size_t i = 0; i < done.size(); ++i) {
    costs[done[i]] = cost_of(out_, done[i], costs, options_.cost_max);
    for (auto up : above[done[i]])
      if (--open[up] == 0)
        done.push_back(up);
  }
  const auto blame = [&](node_index node, error what) {
    at_ = &pending_[node];
    what.file = at_->base;
    what.pointer = at_->pointer;
    wrong_ = std::move(what);
  };
  if (done.size() < count) {
    auto at = static_cast<node_index>(
      std::ranges::find_if(open, [](auto n) { return n != 0; }) - open.begin());
    for (node_index i = 0; i < count; ++i)
      for_each_in_place(out_, at, [&, from = at](node_index below) {
        if (at == from && open[below] != 0)
          at = below;
      });
    return blame(at, {.code = errc::invalid_document,
                      .message = "the schema comes back to itself for the "
                                 "same value and would never end",
                      .rule = "ref_loop"});
  }
  const auto largest = std::ranges::max_element(costs) - costs.begin();
  if (costs[static_cast<std::size_t>(largest)] > options_.cost_max)
    blame(static_cast<node_index>(largest),
          {.code = errc::limit_reached,
           .message = "one value would have to meet more than "
                      + std::to_string(options_.cost_max) + " subschemas",
           .rule = "schema_cost"});
}

} // namespace convene::protocol::validation
