#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace convene::protocol {
namespace {

/// With the members of all objects in the order of their names.
json::value in_name_order(const json::value& what) {
  if (const auto* list = what.if_array()) {
    json::array made;
    made.reserve(list->size());
    for (const auto& each : *list)
      made.push_back(in_name_order(each));
    return made;
  }
  const auto* object = what.if_object();
  if (object == nullptr)
    return what;
  std::vector<std::pair<std::string_view, const json::value*>> members;
  members.reserve(object->size());
  for (const auto& [name, value] : *object)
    members.emplace_back(name, &value);
  std::ranges::sort(members);
  json::object made;
  for (const auto& [name, value] : members)
    made.emplace(name, in_name_order(*value));
  return made;
}

json::object node_json(const graph_key& key, const json::object& members) {
  return {{"kind", to_word(key.kind)},
          {"id", key.id},
          {"members", in_name_order(members)}};
}

tl::unexpected<error> refused(std::string message, std::string pointer,
                              std::string rule) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule)});
}

/// A graph, and the edges for which its nodes have to be there first.
struct graph_reading {
  project_graph graph;
  std::vector<graph_edge> edges;
};

result<void> read_node(const json::object& from, graph_reading& to) {
  const auto kind = from_word<graph_node_kind>(text_of(from, "kind"));
  if (!kind)
    return refused("is not a kind of node", "/kind", "enum");
  const auto* const id = from.if_contains("id");
  if (id == nullptr || !id->is_string())
    return refused("\"id\" is missing or no string", "/id", "required");
  const auto* const members = from.if_contains("members");
  if (members == nullptr || !members->is_object())
    return refused("\"members\" is missing or no object", "/members",
                   "required");
  return to.graph.add({*kind, std::string{text_of(from, "id")}},
                      members->get_object());
}

result<void> read_edge(const json::object& from, graph_reading& to) {
  auto edge = read_graph_edge(from);
  if (!edge)
    return fail(std::move(edge).error());
  to.edges.push_back(*std::move(edge));
  return to.graph.check_edge(to.edges.back());
}

result<void>
read_list(const json::object& from, std::string_view name,
          result<void> (*read)(const json::object&, graph_reading&),
          graph_reading& to) {
  const auto pointer = '/' + std::string{name};
  const auto* const found = from.if_contains(name);
  if (found == nullptr || !found->is_array())
    return refused('"' + std::string{name} + "\" is missing or no array",
                   pointer, "required");
  const auto& list = found->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* const one = list[i].if_object();
    auto done = one == nullptr ? refused("is not an object", "", "type")
                               : read(*one, to);
    if (!done) {
      auto what = std::move(done).error();
      what.pointer = pointer + '/' + std::to_string(i) + what.pointer;
      return fail(std::move(what));
    }
  }
  return {};
}

} // namespace

json::object to_json(const graph_edge& edge) {
  return {{"kind", to_word(edge.kind)},
          {"from", to_string(edge.from)},
          {"to", to_string(edge.to)}};
}

result<graph_edge> read_graph_edge(const json::object& from) {
  const auto kind = from_word<graph_edge_kind>(text_of(from, "kind"));
  if (!kind)
    return refused("is not a kind of edge", "/kind", "enum");
  auto begin = read_graph_key(text_of(from, "from"));
  auto end = read_graph_key(text_of(from, "to"));
  if (!begin || !end)
    return refused("is not written kind:id", begin ? "/to" : "/from",
                   "pattern");
  return graph_edge{*kind, *std::move(begin), *std::move(end)};
}

std::optional<graph_key> read_graph_key(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos)
    return std::nullopt;
  const auto kind = from_word<graph_node_kind>(text.substr(0, colon));
  if (!kind)
    return std::nullopt;
  return graph_key{*kind, std::string{text.substr(colon + 1)}};
}

std::string graph_hash(const project_graph& graph) {
  std::string text;
  for (const auto& [key, members] : graph.nodes())
    text += json::serialize(node_json(key, members)) + '\n';
  for (const auto& edge : graph.edges())
    text += json::serialize(to_json(edge)) + '\n';
  return hex_of(sha256(text));
}

json::object to_json(const project_graph& graph) {
  json::array nodes;
  nodes.reserve(graph.nodes().size());
  for (const auto& [key, members] : graph.nodes())
    nodes.push_back(node_json(key, members));
  json::array edges;
  edges.reserve(graph.edge_count());
  for (const auto& edge : graph.edges())
    edges.push_back(to_json(edge));
  return {{"format", 1},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)},
          {"hash", graph_hash(graph)}};
}

result<project_graph> read_graph(const json::value& from) {
  const auto* const whole = from.if_object();
  if (whole == nullptr)
    return refused("is not an object", "", "type");
  if (integer_of(*whole, "format") != 1)
    return refused("is not a graph of format 1", "/format", "graph_format");
  graph_reading made;
  if (auto done = read_list(*whole, "nodes", read_node, made); !done)
    return fail(std::move(done).error());
  if (auto done = read_list(*whole, "edges", read_edge, made); !done)
    return fail(std::move(done).error());
  if (auto done = made.graph.connect_all(made.edges); !done)
    return fail(std::move(done).error());
  if (graph_hash(made.graph) != text_of(*whole, "hash"))
    return refused("is not the hash of these nodes and edges", "/hash",
                   "graph_hash");
  return std::move(made.graph);
}

} // namespace convene::protocol
