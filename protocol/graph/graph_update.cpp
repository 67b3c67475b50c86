#include <convene/protocol/graph/graph_update.hpp>

#include <set>
#include <utility>

namespace convene::protocol {
namespace {

using update = update_kind;

/// Differences by what is done, in the order of doing it.
struct sorted_differences {
  std::vector<graph_difference> edges_gone;
  std::vector<graph_difference> nodes_gone;
  std::vector<graph_difference> nodes_new;
  std::vector<graph_difference> nodes_changed;
  std::vector<graph_difference> edges_new;
};

void compare_ends(const graph_key& from, const graph_storage::edge_ends& before,
                  const graph_storage::edge_ends& after,
                  sorted_differences& out) {
  graph_storage::edge_ends::visit_both(
    before, after, [&](const auto* old_end, const auto* new_end) {
      if (new_end == nullptr)
        out.edges_gone.push_back(
          {.kind = update::edge_delete,
           .edge = {old_end->key.kind, from, old_end->key.node->key}});
      else if (old_end == nullptr)
        out.edges_new.push_back(
          {.kind = update::edge_add,
           .edge = {new_end->key.kind, from, new_end->key.node->key}});
    });
}

void compare_nodes(const graph_storage::node_map::entry* before,
                   const graph_storage::node_map::entry* after,
                   sorted_differences& out) {
  static const graph_storage::edge_ends no_ends;
  if (after == nullptr) {
    const auto& key = before->key->key;
    out.nodes_gone.push_back({.kind = update::node_delete, .node = key});
    compare_ends(key, before->value->out, no_ends, out);
    return;
  }
  const auto& key = after->key->key;
  const auto& members = after->value->members;
  if (before == nullptr) {
    out.nodes_new.push_back(
      {.kind = update::node_add, .node = key, .members = members});
    compare_ends(key, no_ends, after->value->out, out);
    return;
  }
  if (before->value == after->value)
    return;
  if (before->value->members != members)
    out.nodes_changed.push_back(
      {.kind = update::node_update, .node = key, .members = members});
  compare_ends(key, before->value->out, after->value->out, out);
}

std::int64_t delta_of(const std::vector<graph_difference>& changes, update adds,
                      update deletes) {
  std::int64_t sum = 0;
  for (const auto& each : changes)
    sum += each.kind == adds ? 1 : each.kind == deletes ? -1 : 0;
  return sum;
}

std::string in_words(const graph_edge& edge) {
  return std::string{to_word(edge.kind)} + " from " + to_string(edge.from)
         + " to " + to_string(edge.to);
}

result<void> apply(project_graph& to, const graph_difference& change) {
  const auto refuse = [](std::string what, std::string rule) {
    return fail(errc::invalid_document, std::move(what), std::move(rule));
  };
  const bool is_there = to.find(change.node) != nullptr;
  switch (change.kind) {
    case update::node_add:
      return is_there ? refuse(to_string(change.node) + " is there already",
                               "node_differs")
                      : to.add(change.node, change.members);
    case update::node_update:
      return is_there ? to.put(change.node, change.members)
                      : refuse(to_string(change.node) + " is not in the graph",
                               "node_missing");
    case update::node_delete:
      return to.remove(change.node);
    case update::edge_delete:
      if (!to.has_edge(change.edge))
        return refuse(in_words(change.edge) + " is not in the graph",
                      "edge_missing");
      to.disconnect(change.edge);
      return {};
    default:
      return refuse(std::string{to_word(change.kind)}
                      + " is not a change of one node or edge",
                    "enum");
  }
}

/// New edges come last, and dependencies among them are judged together.
result<void> apply_edges(project_graph& to,
                         std::span<const graph_difference> changes) {
  std::vector<graph_edge> all;
  std::set<graph_edge> seen;
  for (const auto& each : changes) {
    if (to.has_edge(each.edge) || !seen.insert(each.edge).second)
      return fail(errc::invalid_document,
                  in_words(each.edge) + " is there already", "edge_differs");
    all.push_back(each.edge);
  }
  return to.connect_all(all);
}

} // namespace

std::vector<graph_difference> compare(const project_graph& before,
                                      const project_graph& after) {
  sorted_differences found;
  graph_storage::node_map::visit_both(before.storage(), after.storage(),
                                      [&](const auto* one, const auto* two) {
                                        compare_nodes(one, two, found);
                                      });
  auto all = std::move(found.edges_gone);
  for (auto* list : {&found.nodes_gone, &found.nodes_new, &found.nodes_changed,
                     &found.edges_new})
    all.insert(all.end(), std::make_move_iterator(list->begin()),
               std::make_move_iterator(list->end()));
  return all;
}

graph_update make_update(std::uint64_t update_id, timestamp_ms at,
                         std::vector<graph_difference> changes) {
  graph_update made{.update_id = update_id, .at = at};
  made.kind = changes.size() == 1 ? changes.front().kind : update::bulk;
  made.node_delta = delta_of(changes, update::node_add, update::node_delete);
  made.edge_delta = delta_of(changes, update::edge_add, update::edge_delete);
  made.changes = std::move(changes);
  return made;
}

result<void> apply_changes(project_graph& to,
                           std::span<const graph_difference> changes) {
  auto made = to;
  for (std::size_t i = 0; i < changes.size();) {
    auto next = i;
    while (next < changes.size() && changes[next].kind == update::edge_add)
      ++next;
    auto done = next == i ? apply(made, changes[i])
                          : apply_edges(made, changes.subspan(i, next - i));
    if (!done)
      return done;
    i = next == i ? i + 1 : next;
  }
  to = std::move(made);
  return {};
}

} // namespace convene::protocol
