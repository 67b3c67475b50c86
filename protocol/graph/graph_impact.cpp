#include <convene/protocol/graph/graph_impact.hpp>
#include <convene/protocol/json/members.hpp>

#include <set>
#include <utility>

namespace convene::protocol {
namespace {

bool is_record(graph_node_kind kind) {
  using enum graph_node_kind;
  return kind == trace || kind == segment || kind == dialog || kind == message
         || kind == decision;
}

std::vector<graph_key> next_to(const project_graph& in, const graph_key& of) {
  using enum graph_edge_kind;
  std::vector<graph_key> all;
  for (const auto kind : {contains, produces})
    for (auto& to : in.targets(kind, of))
      all.push_back(std::move(to));
  for (const auto kind : {has_context, depends_on, assigned_to, confirms})
    for (auto& from : in.sources(kind, of))
      all.push_back(std::move(from));
  return all;
}

bool is_work(const project_graph& in, const graph_key& of) {
  const auto status = text_of(*in.find(of), "status");
  return of.kind == graph_node_kind::step
         && (status == "completed" || status == "in_progress");
}

} // namespace

result<graph_impact> impact_of(const project_graph& in,
                               const graph_key& changed) {
  if (in.find(changed) == nullptr)
    return fail(errc::invalid_document,
                to_string(changed) + " is not in the graph", "node_missing");
  std::set<graph_key> seen{changed};
  std::vector<graph_key> open{changed};
  bool work = false;
  while (!open.empty()) {
    const auto key = std::move(open.back());
    open.pop_back();
    work = work || is_work(in, key);
    for (auto& each : next_to(in, key))
      if (!is_record(each.kind) && seen.insert(each).second)
        open.push_back(std::move(each));
  }
  seen.erase(changed);
  return graph_impact{.affected = {seen.begin(), seen.end()},
                      .risk = work           ? impact_risk::high
                              : seen.empty() ? impact_risk::low
                                             : impact_risk::medium};
}

} // namespace convene::protocol
