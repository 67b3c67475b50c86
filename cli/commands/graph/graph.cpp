#include <convene/cli/commands/graph/graph_text.hpp>
#include <convene/cli/common/event_file.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/graph/graph_impact.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_query.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/graph/load_graph.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct graph_arguments {
  std::string path;
  std::string format;
  std::string from;
  std::vector<std::string> kinds;
  std::size_t depth = 1;
  std::string impact;
  std::filesystem::path events;
};

void add_options(const command_line& command, graph_arguments& arguments) {
  constexpr std::size_t depth_max = 1'000;
  command.add("PATH", arguments.path).required();
  command.add("--format", arguments.format, one_of({"json", "mermaid", "dot"}));
  const auto kinds = words_of<graph_node_kind>;
  command.add("--kind", arguments.kinds, one_of({kinds.begin(), kinds.end()}))
    .with_commas();
  const auto from = command.add("--from", arguments.from);
  command.add("--depth", arguments.depth, whole_number(0, depth_max))
    .needs(from);
  const auto impact = command.add("--impact", arguments.impact).excludes(from);
  command.add("--events", arguments.events).needs(impact);
}

/// The most that an event of an impact names.
constexpr std::size_t affected_named_max = 1'000;

result<graph_query> query_of(const graph_arguments& arguments) {
  graph_query made{.depth = arguments.depth};
  for (const auto& word : arguments.kinds)
    if (const auto kind = from_word<graph_node_kind>(word))
      made.kinds.insert(*kind);
  if (arguments.from.empty())
    return made;
  made.from = read_graph_key(arguments.from);
  if (!made.from)
    return fail(errc::usage,
                "--from is a node as kind:id, with one of the kinds of --kind");
  return made;
}

json::object impact_payload(const graph_key& changed,
                            const graph_impact& impact) {
  json::array named;
  for (const auto& key : impact.affected)
    if (named.size() < affected_named_max)
      named.emplace_back(sanitize_utf8(to_string(key)));
  return {{"impact_id", to_string(uuid_source::from_entropy().next())},
          {"changed", sanitize_utf8(to_string(changed))},
          {"affected_count", impact.affected.size()},
          {"affected_resources", std::move(named)},
          {"risk_level", to_word(impact.risk)}};
}

result<int> show_impact(const project_graph& in,
                        const graph_arguments& arguments,
                        const common_options& common) {
  const auto changed = read_graph_key(arguments.impact);
  if (!changed)
    return fail({.code = errc::usage,
                 .message = "--impact is a node as kind:id, with one of the "
                            "kinds of --kind"});
  const auto impact = impact_of(in, *changed);
  if (!impact)
    return fail(impact.error());
  const auto payload = impact_payload(*changed, *impact);
  const lifecycle_events told{{.type = "impact_assessed",
                               .family = "impact_analysis",
                               .members = {{"source_module", "plan"}},
                               .payload = payload}};
  if (auto done = append_events(arguments.events, told, now_ms()); !done)
    return fail(done.error());
  if (common.json) {
    print_json(payload);
    return exit_good;
  }
  print(fmt::format("{}: {} affected, risk {}\n", neutral(to_string(*changed)),
                    plural(impact->affected.size(), "node"),
                    to_word(impact->risk)));
  for (const auto& key : impact->affected)
    if (!common.quiet)
      print("  " + neutral(to_string(key)) + '\n');
  return exit_good;
}

result<int> show_graph(const graph_arguments& arguments,
                       const common_options& common) {
  const auto whole = host::load_graph(arguments.path);
  if (!whole) {
    // That two sources disagree is an answer.
    const auto code = report(whole.error(), common.json);
    return whole.error().rule == "node_differs" ? exit_no : code;
  }
  if (!arguments.impact.empty())
    return show_impact(*whole, arguments, common);
  const auto wanted = query_of(arguments).and_then(
    [&](const graph_query& what) { return select(*whole, what); });
  if (!wanted)
    return fail(wanted.error());
  if (common.json || arguments.format == "json") {
    print_json(to_json(*wanted));
    return exit_good;
  }
  auto text = result<std::string>{graph_summary(*wanted)};
  if (arguments.format == "mermaid")
    text = to_mermaid(*wanted);
  else if (arguments.format == "dot")
    text = to_dot(*wanted);
  if (!text)
    return fail(text.error());
  print_lines(*text);
  return exit_good;
}

} // namespace

void add_graph(const command_line& program) {
  program.add<graph_arguments>("graph", show_graph, add_options);
}

} // namespace convene::cli
