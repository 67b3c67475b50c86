#include <convene/protocol/graph/graph.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <utility>

namespace convene::protocol {
namespace {

tl::unexpected<error> missing_node(const graph_key& key) {
  return fail(errc::invalid_document, to_string(key) + " is not in the graph",
              "node_missing");
}

tl::unexpected<error> too_many(std::string what, std::size_t most,
                               std::string rule) {
  return fail(errc::limit_reached,
              "the graph has over " + std::to_string(most) + ' '
                + std::move(what),
              std::move(rule));
}

/// The member in which two nodes differ.
std::string first_difference(const json::object& a, const json::object& b) {
  for (const auto& [name, value] : a)
    if (const auto* other = b.if_contains(name);
        other == nullptr || *other != value)
      return name;
  for (const auto& [name, value] : b)
    if (!a.contains(name))
      return name;
  return {};
}

std::string value_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found == nullptr ? "nothing" : shorten_value(*found);
}

std::string_view owner_of(const graph_key& part) {
  return std::string_view{part.id}.substr(0, part.id.rfind('/'));
}

} // namespace

std::string part_id(std::string_view owner, std::string_view name) {
  std::string made{owner};
  made += '/';
  for (const char c : name)
    if (c == '~')
      made += "~0";
    else if (c == '/')
      made += "~1";
    else
      made += c;
  return made;
}

std::string to_string(const graph_key& key) {
  return std::string{to_word(key.kind)} + ':' + key.id;
}

result<void> project_graph::add(const graph_key& key, json::object members) {
  if (const auto* is = find(key)) {
    const auto name = first_difference(*is, members);
    if (name.empty())
      return {};
    return fail(errc::invalid_document,
                to_string(key) + " is there with another " + name + ": "
                  + value_in(*is, name) + " and " + value_in(members, name),
                "node_differs");
  }
  if (nodes_.size() == nodes_max)
    return too_many("nodes", nodes_max, "nodes_max");
  nodes_.emplace(key, std::move(members));
  return {};
}

result<void> project_graph::update(const graph_key& key,
                                   const json::object& members) {
  const auto found = nodes_.find(key);
  if (found == nodes_.end())
    return missing_node(key);
  for (const auto& [name, value] : members)
    found->second.insert_or_assign(name, value);
  return {};
}

result<void> project_graph::remove(const graph_key& key) {
  if (!nodes_.contains(key))
    return missing_node(key);
  if (!targets(graph_edge_kind::contains, key).empty()
      || !sources(graph_edge_kind::has_context, key).empty())
    return fail(errc::not_allowed,
                to_string(key) + " has parts or objects; remove them first",
                "node_in_use");
  for (std::size_t i = 0; i < words_of<graph_edge_kind>.size(); ++i) {
    const auto kind = static_cast<graph_edge_kind>(i);
    for (auto& to : targets(kind, key))
      disconnect({kind, key, std::move(to)});
    for (auto& from : sources(kind, key))
      disconnect({kind, std::move(from), key});
  }
  nodes_.erase(key);
  return {};
}

result<void> project_graph::connect(const graph_edge& edge) {
  for (const auto& end : {edge.from, edge.to})
    if (!nodes_.contains(end))
      return missing_node(end);
  if (edge.kind == graph_edge_kind::depends_on) {
    if (edge.from == edge.to)
      return fail(errc::invalid_document,
                  to_string(edge.from) + " depends on itself", "self_loop");
    if (owner_of(edge.from) != owner_of(edge.to))
      return fail(errc::invalid_document,
                  to_string(edge.from) + " depends on a step of another plan, "
                    + to_string(edge.to),
                  "foreign_step");
  }
  if (edges_.contains(edge))
    return {};
  if (edges_.size() == edges_max)
    return too_many("edges", edges_max, "edges_max");
  reversed_.insert({edge.kind, edge.to, edge.from});
  edges_.insert(edge);
  return {};
}

void project_graph::disconnect(const graph_edge& edge) {
  if (edges_.erase(edge) != 0)
    reversed_.erase({edge.kind, edge.to, edge.from});
}

result<void> project_graph::check_order() const {
  std::map<graph_key, std::size_t> waits_for;
  for (auto at = edges_.lower_bound({graph_edge_kind::depends_on, {}, {}});
       at != edges_.end() && at->kind == graph_edge_kind::depends_on; ++at) {
    ++waits_for[at->from];
    waits_for.try_emplace(at->to);
  }
  std::vector<graph_key> ready;
  for (const auto& [key, count] : waits_for)
    if (count == 0)
      ready.push_back(key);
  std::size_t done = 0;
  while (!ready.empty()) {
    const auto key = std::move(ready.back());
    ready.pop_back();
    ++done;
    for (auto& next : sources(graph_edge_kind::depends_on, key))
      if (--waits_for[next] == 0)
        ready.push_back(std::move(next));
  }
  if (done == waits_for.size())
    return {};
  for (const auto& [key, count] : waits_for)
    if (count != 0)
      return fail(errc::invalid_document,
                  to_string(key) + " waits for steps that wait for each other",
                  "steps_acyclic");
  return {};
}

const json::object* project_graph::find(const graph_key& key) const {
  const auto found = nodes_.find(key);
  return found == nodes_.end() ? nullptr : &found->second;
}

std::vector<graph_key> project_graph::targets(graph_edge_kind kind,
                                              const graph_key& from) const {
  std::vector<graph_key> all;
  for (auto at = edges_.lower_bound({kind, from, {}});
       at != edges_.end() && at->kind == kind && at->from == from; ++at)
    all.push_back(at->to);
  return all;
}

std::vector<graph_key> project_graph::sources(graph_edge_kind kind,
                                              const graph_key& to) const {
  std::vector<graph_key> all;
  for (auto at = reversed_.lower_bound({kind, to, {}});
       at != reversed_.end() && at->kind == kind && at->to == to; ++at)
    all.push_back(at->from);
  return all;
}

} // namespace convene::protocol
