#include <convene/protocol/graph/graph.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/pointer.hpp>

#include <optional>
#include <utility>

namespace convene::protocol {
namespace {

namespace storage = graph_storage;

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
std::optional<std::string> first_difference(const json::object& a,
                                            const json::object& b) {
  for (const auto& [name, value] : a)
    if (const auto* other = b.if_contains(name);
        other == nullptr || *other != value)
      return std::string{name};
  for (const auto& [name, value] : b)
    if (!a.contains(name))
      return std::string{name};
  return std::nullopt;
}

std::string value_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found == nullptr ? "nothing" : shorten_value(*found);
}

std::string_view owner_of(const graph_key& part) {
  return std::string_view{part.id}.substr(0, part.id.rfind('/'));
}

bool is_step_of(const graph_key& key, std::string_view plan) {
  return key.kind == graph_node_kind::step && owner_of(key) == plan;
}

/// Whether the node that the edge ends at may not be removed while it is there.
bool is_reference(graph_edge_kind kind) {
  using enum graph_edge_kind;
  return kind != contains && kind != handoff && kind != produces
         && kind != claims;
}

} // namespace

std::string part_id(std::string_view owner, std::string_view name) {
  std::string made{owner};
  append_token(made, name);
  return made;
}

std::string to_string(const graph_key& key) {
  return std::string{to_word(key.kind)} + ':' + key.id;
}

bool storage::is_same(const node& a, const node& b) {
  bool same = a.out.size() == b.out.size() && a.members == b.members;
  if (same)
    edge_ends::visit_both(a.out, b.out, [&](const auto* one, const auto* two) {
      same = same && one != nullptr && two != nullptr;
    });
  return same;
}

result<void> project_graph::add(const graph_key& key, json::object members) {
  if (const auto* is = find(key)) {
    const auto name = first_difference(*is, members);
    if (!name)
      return {};
    return fail(errc::invalid_document,
                to_string(key) + " is there with another " + *name + ": "
                  + value_in(*is, *name) + " and " + value_in(members, *name),
                "node_differs");
  }
  if (node_count() >= nodes_max)
    return too_many("nodes", nodes_max, "nodes_max");
  storage::node_ref made{new graph_storage::node};
  made->members = std::move(members);
  name_role(key, {}, text_of(made->members, "name"));
  nodes_.insert(storage::name_ref{new storage::name{key}}, std::move(made));
  return {};
}

result<void> project_graph::update(const graph_key& key,
                                   const json::object& members) {
  auto* const found = nodes_.edit(key);
  if (found == nullptr)
    return missing_node(key);
  auto& is = own(*found).members;
  const std::string was{text_of(is, "name")};
  for (const auto& [name, value] : members)
    is.insert_or_assign(name, value);
  name_role(key, was, text_of(is, "name"));
  return {};
}

result<void> project_graph::put(const graph_key& key, json::object members) {
  auto* const found = nodes_.edit(key);
  if (found == nullptr)
    return add(key, std::move(members));
  auto& is = own(*found).members;
  name_role(key, text_of(is, "name"), text_of(members, "name"));
  is = std::move(members);
  return {};
}

result<void> project_graph::count_parts(std::size_t more) {
  if (more > nodes_max - node_count())
    return too_many("nodes", nodes_max, "nodes_max");
  if (more > edges_max - edge_count())
    return too_many("edges", edges_max, "edges_max");
  counted_ += more;
  return {};
}

result<void> project_graph::remove(const graph_key& key) {
  const auto* const is = node_at(key);
  if (is == nullptr)
    return missing_node(key);
  bool has_parts = false;
  const auto found = [&](const storage::name_ref&) { has_parts = true; };
  storage::for_each_end(is->out, graph_edge_kind::contains, found);
  storage::for_each_end(is->in, graph_edge_kind::has_context, found);
  if (has_parts)
    return fail(errc::not_allowed,
                to_string(key) + " has parts or objects; remove them first",
                "node_in_use");
  return remove_each({key});
}

result<void> project_graph::remove_all(const graph_key& key) {
  if (node_at(key) == nullptr)
    return missing_node(key);
  std::set<graph_key> all{key};
  std::vector<graph_key> next{key};
  while (!next.empty()) {
    const auto& is = *node_at(std::exchange(next.back(), {}));
    next.pop_back();
    const auto take = [&](const storage::name_ref& each) {
      if (all.insert(each->key).second)
        next.push_back(each->key);
    };
    storage::for_each_end(is.out, graph_edge_kind::contains, take);
    storage::for_each_end(is.in, graph_edge_kind::has_context, take);
  }
  return remove_each(all);
}

result<void> project_graph::remove_each(const std::set<graph_key>& all) {
  for (const auto& key : all)
    for (const auto& [end, none] : node_at(key)->in)
      if (is_reference(end.kind) && !all.contains(end.node->key))
        return fail(errc::not_allowed,
                    to_string(end.node->key) + " refers to " + to_string(key)
                      + "; change or remove it first",
                    "node_in_use");
  for (const auto& key : all) {
    // Both lists change meanwhile; these copies do not.
    const auto is = storage::node_ref{nodes_.find(key)->value};
    for (const auto& [end, none] : is->out)
      disconnect({end.kind, key, end.node->key});
    for (const auto& [end, none] : is->in)
      disconnect({end.kind, end.node->key, key});
    name_role(key, text_of(is->members, "name"), {});
    nodes_.erase(key);
  }
  return {};
}

/// A Role without a name has no entry.
void project_graph::name_role(const graph_key& key, std::string_view was,
                              std::string_view is) {
  if (key.kind != graph_node_kind::role || was == is)
    return;
  if (!was.empty())
    roles_.erase(storage::role_name{std::string{was}, key});
  if (!is.empty())
    roles_.insert({std::string{is}, key}, {});
}

const graph_key* project_graph::role_named(std::string_view name) const {
  const auto found
    = roles_.lower_bound(storage::role_name{std::string{name}, {}});
  return found == roles_.end() || found->key.name != name ? nullptr
                                                          : &found->key.role;
}

result<void> project_graph::check_edge(const graph_edge& edge) const {
  for (const auto* end : {&edge.from, &edge.to})
    if (node_at(*end) == nullptr)
      return missing_node(*end);
  if (edge.kind != graph_edge_kind::depends_on)
    return {};
  if (edge.from == edge.to)
    return fail(errc::invalid_document,
                to_string(edge.from) + " depends on itself", "self_loop");
  const auto plan = owner_of(edge.from);
  if (!is_step_of(edge.from, plan) || !is_step_of(edge.to, plan))
    return fail(errc::invalid_document,
                to_string(edge.from) + " depends on " + to_string(edge.to)
                  + ", which is not another step of its plan",
                "foreign_step");
  return {};
}

result<void> project_graph::connect(const graph_edge& edge) {
  return connect_all({&edge, 1});
}

result<void> project_graph::connect_all(std::span<const graph_edge> edges) {
  for (const auto& edge : edges)
    if (auto ok = check_edge(edge); !ok)
      return ok;
  std::vector<const graph_edge*> added;
  std::vector<storage::name_ref> late;
  auto done = result<void>{};
  for (const auto& edge : edges) {
    if (edge_count() >= edges_max && !has_edge(edge)) {
      done = too_many("edges", edges_max, "edges_max");
      break;
    }
    const auto before = edges_;
    if (auto behind = link(edge))
      late.push_back(std::move(behind));
    if (edges_ != before)
      added.push_back(&edge);
  }
  if (done && !late.empty())
    done = order(late);
  if (!done)
    for (const auto* edge : added)
      disconnect(*edge);
  return done;
}

/// The step whose depth is not above that of the one that it waits for.
storage::name_ref project_graph::link(const graph_edge& edge) {
  auto* const from_entry = nodes_.edit(edge.from);
  const auto from_name = from_entry->key;
  auto& from = own(*from_entry);
  auto* const to_entry = nodes_.edit(edge.to);
  if (!from.out.insert({edge.kind, to_entry->key}, {}))
    return nullptr;
  auto& to = own(*to_entry);
  to.in.insert({edge.kind, from_name}, {});
  ++edges_;
  const bool keeps_order = edge.kind != graph_edge_kind::depends_on
                           || from.depth > to.depth;
  return keeps_order ? nullptr : from_name;
}

void project_graph::disconnect(const graph_edge& edge) {
  if (!has_edge(edge))
    return;
  auto* const from_entry = nodes_.edit(edge.from);
  const auto from_name = from_entry->key;
  auto* const from = &own(*from_entry);
  auto* const to_entry = nodes_.edit(edge.to);
  from->out.erase(storage::edge_end{edge.kind, to_entry->key});
  own(*to_entry).in.erase(storage::edge_end{edge.kind, from_name});
  --edges_;
}

const graph_storage::node* project_graph::node_at(const graph_key& key) const {
  const auto* const found = nodes_.find(key);
  return found == nullptr ? nullptr : found->value.get();
}

graph_storage::node& project_graph::own(storage::node_map::entry& at) {
  if (at.value->use_count() != 1)
    at.value.reset(new storage::node{*at.value});
  return *at.value;
}

const json::object* project_graph::find(const graph_key& key) const {
  const auto* const is = node_at(key);
  return is == nullptr ? nullptr : &is->members;
}

bool project_graph::has_edge(const graph_edge& edge) const {
  const auto* const from = node_at(edge.from);
  const auto* const to = nodes_.find(edge.to);
  return from != nullptr && to != nullptr
         && from->out.find(storage::edge_end{edge.kind, to->key}) != nullptr;
}

std::vector<graph_edge_view> project_graph::edges() const {
  std::vector<graph_edge_view> all;
  all.reserve(edges_);
  for (std::size_t i = 0; i < words_of<graph_edge_kind>.size(); ++i) {
    const auto kind = static_cast<graph_edge_kind>(i);
    for (const auto& from : nodes_)
      storage::for_each_end(from.value->out, kind,
                            [&](const storage::name_ref& to) {
                              all.push_back({kind, from.key->key, to->key});
                            });
  }
  return all;
}

bool project_graph::operator==(const project_graph& other) const {
  bool same = edges_ == other.edges_ && nodes_.size() == other.nodes_.size()
              && counted_ == other.counted_;
  if (same)
    storage::node_map::visit_both(
      nodes_, other.nodes_, [&](const auto* one, const auto* two) {
        same = same && one != nullptr && two != nullptr
               && storage::is_same(*one->value, *two->value);
      });
  return same;
}

std::vector<graph_key> project_graph::targets(graph_edge_kind kind,
                                              const graph_key& from) const {
  std::vector<graph_key> all;
  if (const auto* const is = node_at(from))
    storage::for_each_end(is->out, kind, [&](const storage::name_ref& to) {
      all.push_back(to->key);
    });
  return all;
}

std::vector<graph_key> project_graph::sources(graph_edge_kind kind,
                                              const graph_key& to) const {
  std::vector<graph_key> all;
  if (const auto* const is = node_at(to))
    storage::for_each_end(is->in, kind, [&](const storage::name_ref& from) {
      all.push_back(from->key);
    });
  return all;
}

} // namespace convene::protocol
