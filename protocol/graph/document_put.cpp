#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/json/members.hpp>

#include <set>

namespace convene::protocol {
namespace {

/// The nodes that an object's document gave parts to: also those that are
/// contained in another part.
std::vector<graph_key> known_parts(const project_graph& in,
                                   const graph_key& object,
                                   std::optional<graph_node_kind> kind) {
  std::vector<graph_key> all;
  std::set<graph_key> seen{object};
  const auto take = [&](const graph_key& owner) {
    for (auto& part : in.targets(graph_edge_kind::contains, owner))
      if (part.kind == kind && seen.insert(part).second)
        all.push_back(std::move(part));
  };
  take(object);
  for (std::size_t i = 0; i < all.size(); ++i)
    take(graph_key{all[i]});
  return all;
}

/// Removes the edges that a document's members say; those that a log tells of
/// stay, and so does what else the object contains.
void forget_edges(project_graph& in, const graph_key& from,
                  std::optional<graph_node_kind> part) {
  using enum graph_edge_kind;
  for (const auto kind : {has_context, depends_on, assigned_to, traces,
                          confirms, decided_by, contains})
    for (auto& to : in.targets(kind, from))
      if (kind != contains || to.kind == part)
        in.disconnect({kind, from, std::move(to)});
}

} // namespace

result<void> put_document(project_graph& to, module which,
                          const json::object& document) {
  const auto part = part_kind(which);
  const graph_key key{
    object_kind(which),
    std::string{text_of(document, std::string{to_word(which)} + "_id")}};
  if (to.find(key) == nullptr)
    return add_document(to, which, document);
  const auto before = known_parts(to, key, part);
  forget_edges(to, key, part);
  for (const auto& each : before)
    forget_edges(to, each, part);
  if (auto done = to.put(key, node_members(key.kind, document)); !done)
    return done;
  std::set<graph_key> now;
  for (const auto& [name, members] : parts_of(which, document)) {
    if (to.find(name) != nullptr)
      if (auto done = to.put(name, node_members(name.kind, *members)); !done)
        return done;
    now.insert(name);
  }
  for (const auto& each : before)
    if (!now.contains(each))
      if (auto done = to.remove(each); !done)
        return done;
  return add_document(to, which, document);
}

} // namespace convene::protocol
