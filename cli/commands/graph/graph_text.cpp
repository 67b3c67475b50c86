#include <convene/cli/commands/graph/graph_text.hpp>
#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

namespace convene::cli {
namespace {

using namespace protocol;

constexpr std::size_t graph_label_columns = 48;

/// What a person knows a node by.
std::string label_of(const graph_key& key, const json::object& members) {
  std::string name;
  for (std::string_view member :
       {"title", "name", "description", "display_name", "label", "resource_id"})
    if (const auto text = text_of(members, member); !text.empty()) {
      name = text;
      break;
    }
  if (name.empty())
    name = key.id.substr(key.id.rfind('/') + 1);
  auto label = fmt::format("{}: {}", to_word(key.kind),
                           fit(neutral(name), graph_label_columns));
  if (const auto status = text_of(members, "status"); !status.empty())
    label += fmt::format(" ({})", neutral(status));
  else if (const auto version = integer_of(members, "version"))
    label += fmt::format(" (version {})", *version);
  return label;
}

/// In quotes, for Graphviz.
std::string dot_text(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      made += '\\';
    made += c;
  }
  return made += '"';
}

struct drawn_graph {
  std::vector<std::string> nodes;
  std::vector<std::string> edges;
};

/// How a node and an edge are written; nodes are n0, n1 and so on.
struct graph_syntax {
  std::string (*node)(std::size_t number, const std::string& label);
  std::string (*edge)(std::size_t from, std::size_t to, std::string_view kind);
};

result<drawn_graph> draw(const project_graph& graph,
                         const graph_syntax& syntax) {
  if (graph.nodes().size() > graph_nodes_drawn_max)
    return fail(errc::limit_reached,
                fmt::format("has {} nodes, and at most {} are drawn; choose "
                            "some with --kind or --from",
                            graph.nodes().size(), graph_nodes_drawn_max),
                "graph_nodes_drawn_max");
  drawn_graph made;
  std::map<graph_key, std::size_t> numbers;
  for (const auto& [key, members] : graph.nodes()) {
    const auto number = numbers.size();
    numbers.emplace(key, number);
    made.nodes.push_back(syntax.node(number, label_of(key, members)));
  }
  for (const auto& edge : graph.edges())
    made.edges.push_back(syntax.edge(numbers.at(edge.from), numbers.at(edge.to),
                                     to_word(edge.kind)));
  return made;
}

std::string join(std::string head, const drawn_graph& of,
                 std::string_view end) {
  for (const auto& line : of.nodes)
    head += line;
  for (const auto& line : of.edges)
    head += line;
  return head.append(end);
}

} // namespace

result<std::string> to_mermaid(const project_graph& graph) {
  const auto drawn = draw(
    graph, {.node =
              [](std::size_t number, const std::string& label) {
                return fmt::format("  n{}[\"{}\"]\n", number,
                                   diagram_label(label));
              },
            .edge =
              [](std::size_t from, std::size_t to, std::string_view kind) {
                return fmt::format("  n{} -- {} --> n{}\n", from, kind, to);
              }});
  if (!drawn)
    return fail(drawn.error());
  return join("flowchart LR\n", *drawn, "");
}

result<std::string> to_dot(const project_graph& graph) {
  const auto drawn = draw(
    graph,
    {.node =
       [](std::size_t number, const std::string& label) {
         return fmt::format("  n{} [label={}];\n", number, dot_text(label));
       },
     .edge =
       [](std::size_t from, std::size_t to, std::string_view kind) {
         return fmt::format("  n{} -> n{} [label=\"{}\"];\n", from, to, kind);
       }});
  if (!drawn)
    return fail(drawn.error());
  return join("digraph project {\n  rankdir=LR;\n  node [shape=box];\n", *drawn,
              "}\n");
}

std::string graph_summary(const project_graph& graph) {
  constexpr std::size_t name_columns = 14;
  std::map<std::string_view, std::size_t> nodes;
  std::map<std::string_view, std::size_t> edges;
  for (const auto& [key, members] : graph.nodes())
    ++nodes[to_word(key.kind)];
  for (const auto& edge : graph.edges())
    ++edges[to_word(edge.kind)];
  auto text = fmt::format("{} nodes\n", graph.nodes().size());
  for (const auto& [kind, count] : nodes)
    text += fmt::format("  {}{}\n", column(kind, name_columns), count);
  text += fmt::format("{} edges\n", graph.edge_count());
  for (const auto& [kind, count] : edges)
    text += fmt::format("  {}{}\n", column(kind, name_columns), count);
  return text + fmt::format("hash {}\n", graph_hash(graph));
}

} // namespace convene::cli
