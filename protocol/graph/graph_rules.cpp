#include <convene/protocol/graph/graph_rules.hpp>
#include <convene/protocol/json/members.hpp>

#include <set>
#include <utility>
#include <vector>

namespace convene::protocol {
namespace {

tl::unexpected<error> not_allowed(const graph_key& node, std::string why,
                                  std::string rule) {
  return fail(errc::not_allowed, to_string(node) + ' ' + std::move(why),
              std::move(rule));
}

/// Null: nodes of the kind have no status of their own.
const lifecycle* lifecycle_of_kind(graph_node_kind kind) {
  if (kind == graph_node_kind::module_entry)
    return find_lifecycle("core_module");
  if (kind == graph_node_kind::network_node)
    return find_lifecycle("node");
  const auto* const found = find_lifecycle(to_word(kind));
  return found == nullptr || found->states.empty() ? nullptr : found;
}

bool is_part(graph_node_kind kind) {
  using enum graph_node_kind;
  return kind == step || kind == decision || kind == segment || kind == message
         || kind == participant || kind == module_entry || kind == network_node
         || kind == resource;
}

bool is_of_context(graph_node_kind kind) {
  using enum graph_node_kind;
  return kind == plan || kind == trace || kind == dialog || kind == collab
         || kind == extension || kind == network;
}

result<void> check_parent(const project_graph& in, const graph_key& node) {
  using enum graph_edge_kind;
  if (in.find(node) == nullptr)
    return {};
  if (is_part(node.kind) && in.sources(contains, node).empty())
    return not_allowed(node, "is part of nothing; add what contains it first",
                       "parent_missing");
  if (is_of_context(node.kind) && in.targets(has_context, node).empty())
    return not_allowed(node, "has no Context; add that first",
                       "parent_missing");
  return {};
}

bool has_lock(const json::object* object) {
  if (object == nullptr)
    return false;
  const auto* const locked
    = object_of(*object, "governance").if_contains("locked");
  return locked != nullptr && locked->is_bool() && locked->get_bool();
}

bool is_locked_object(const judged_change& change, const graph_key& object) {
  return has_lock(change.before.find(object))
         || has_lock(change.document(object));
}

/// A Plan is locked with its Context.
bool is_frozen_by_lock(const judged_change& change, const graph_key& object) {
  if (is_locked_object(change, object))
    return true;
  if (object.kind != graph_node_kind::plan)
    return false;
  for (const auto& context :
       change.before.targets(graph_edge_kind::has_context, object))
    if (is_locked_object(change, context))
      return true;
  return false;
}

result<void> check_status(const graph_key& node, const json::object& before,
                          const json::object& after,
                          const lifecycle_policy& policy) {
  const auto* const of = lifecycle_of_kind(node.kind);
  const auto from = text_of(before, "status");
  const auto to = text_of(after, "status");
  if (of == nullptr || from.empty() || find_state(*of, from, policy) == nullptr)
    return {};
  const auto next = next_statuses(*of, from, policy);
  if (next.empty())
    return not_allowed(node,
                       "is " + quote(from)
                         + ", which is final; nothing "
                           "of it changes any more",
                       "frozen");
  if (from == to)
    return {};
  if (find_state(*of, to, policy) == nullptr)
    return not_allowed(node,
                       "may not become " + quote(to)
                         + ", which is not a status of a "
                         + std::string{of->name},
                       "status_known");
  if (find_move(*of, from, to, policy) != nullptr)
    return {};
  std::string allowed;
  for (const auto word : next)
    allowed += (allowed.empty() ? "" : ", ") + quote(word);
  return not_allowed(node,
                     "is " + quote(from) + " and may not become " + quote(to)
                       + "; it may become " + allowed,
                     "status_move");
}

bool is_of_node(update_kind kind) {
  using enum update_kind;
  return kind == node_add || kind == node_update || kind == node_delete;
}

result<void> check_node(const judged_change& change,
                        const graph_difference& what,
                        const lifecycle_policy& policy) {
  using enum update_kind;
  if (what.kind == node_delete
      && (what.node.kind == graph_node_kind::trace
          || what.node.kind == graph_node_kind::segment))
    return not_allowed(what.node, "may not be removed: a Trace only grows",
                       "trace_append_only");
  if (what.kind == node_update)
    return check_status(what.node, *change.before.find(what.node), what.members,
                        policy);
  return {};
}

/// Of the parts that are there before, and of those that are there after.
struct owners_at {
  part_owners before;
  part_owners after;
};

result<void>
check_one_difference(const judged_change& change, const graph_difference& what,
                     owners_at& owners, const lifecycle_policy& policy) {
  const bool of_node = is_of_node(what.kind);
  if (!of_node && is_fact(what.edge.kind))
    return {};
  const auto& node = of_node ? what.node : what.edge.from;
  auto& known = change.before.find(node) == nullptr ? owners.after
                                                    : owners.before;
  const auto& object = known.object_of(node);
  if (change.before.find(object) == nullptr || change.is_accepted(object))
    return {};
  if (change.document(object) != nullptr
      && change.after.find(object) != nullptr)
    return not_allowed(
      node, "changes with the document of " + to_string(object) + "; put that",
      "document_differs");
  if (is_frozen_by_lock(change, object))
    return not_allowed(node,
                       "is locked (governance.locked of " + to_string(object)
                         + " or of its Context)",
                       "locked");
  return of_node ? check_node(change, what, policy) : result<void>{};
}

} // namespace

bool is_fact(graph_edge_kind kind) {
  using enum graph_edge_kind;
  return kind == handoff || kind == produces || kind == claims;
}

const graph_key& part_owners::object_of(const graph_key& part) {
  std::vector<graph_key> way;
  std::set<graph_key> passed;
  auto at = part;
  auto found = known_.find(at);
  // Containment may be a cycle in a graph from outside: it ends there.
  while (found == known_.end() && is_part(at.kind)
         && passed.insert(at).second) {
    auto above = in_.sources(graph_edge_kind::contains, at);
    if (above.empty())
      break;
    way.push_back(std::exchange(at, std::move(above.front())));
    found = known_.find(at);
  }
  const auto object = found == known_.end() ? at : found->second;
  for (auto& each : way)
    known_.insert_or_assign(std::move(each), object);
  return known_.insert_or_assign(part, object).first->second;
}

result<void> check_differences(const judged_change& change,
                               const lifecycle_policy& policy) {
  using enum update_kind;
  owners_at owners{part_owners{change.before}, part_owners{change.after}};
  for (const auto& each : change.differences) {
    if (auto ok = check_one_difference(change, each, owners, policy); !ok)
      return ok;
    auto child = each.node;
    if (each.kind == edge_delete)
      child = each.edge.kind == graph_edge_kind::contains ? each.edge.to
                                                          : each.edge.from;
    if (each.kind == node_add || each.kind == edge_delete)
      if (auto ok = check_parent(change.after, child); !ok)
        return ok;
  }
  return {};
}

} // namespace convene::protocol
