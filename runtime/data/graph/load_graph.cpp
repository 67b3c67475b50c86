#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/documents/sources.hpp>
#include <convene/runtime/data/graph/load_graph.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;

struct loaded_document {
  module which;
  std::string file;
  json::object document;
};

/// What a document is to a graph.
struct loaded {
  std::vector<loaded_document> objects;
  std::vector<std::pair<std::string, json::object>> workspaces;
  std::optional<project_graph> graph; ///< read back
};

std::optional<module> module_of(std::string_view schema) {
  constexpr std::string_view prefix = "mplp-";
  if (!schema.starts_with(prefix))
    return std::nullopt;
  return from_word<module>(schema.substr(prefix.size()));
}

bool is_graph(const json::object& document) {
  return document.contains("nodes") && document.contains("edges")
         && document.contains("hash");
}

result<void> sort_in(loaded& to, const read_item& item) {
  const auto* const document = item.value.if_object();
  if (document == nullptr)
    return {};
  const auto schema = guess_schema(item.value);
  if (const auto which = module_of(schema))
    to.objects.push_back({*which, item.file, *document});
  else if (schema == "convene-workspace")
    to.workspaces.emplace_back(item.file, *document);
  else if (is_graph(*document) && !to.graph) {
    auto graph = read_graph(item.value);
    if (!graph)
      return fail(std::move(graph).error());
    to.graph = std::move(*graph);
  }
  return {};
}

result<void> placed(result<void> done, const std::string& file) {
  if (done || !done.error().file.empty())
    return done;
  auto what = std::move(done).error();
  what.file = file;
  return fail(std::move(what));
}

result<void> add_all(project_graph& to, loaded& from, role_words roles) {
  std::ranges::stable_sort(from.objects, {}, [](const loaded_document& each) {
    return graph_order(each.which);
  });
  for (const auto& [which, file, document] : from.objects)
    if (auto done = placed(add_document(to, which, document, roles), file);
        !done)
      return done;
  for (const auto& [file, document] : from.workspaces) {
    const auto* const list = document.if_contains("resources");
    if (list == nullptr || !list->is_array())
      continue;
    if (auto done = placed(add_workspace(to, text_of(document, "session_id"),
                                         list->get_array()),
                           file);
        !done)
      return done;
  }
  return {};
}

/// A single agent's run that was rolled back: the runs of its compensations are
/// not part of it.
bool is_of_an_attempt(const export_source& source, bool is_rolled_back) {
  return is_rolled_back && source.name.starts_with("rollback/");
}

/// What a rollback takes from the graph.
result<graph_update> lost_by(const json::object& event) {
  json::object update{{"update_id", 1}};
  const auto take = [&](const json::object& from, std::string_view name,
                        std::string_view as) {
    if (const auto* member = from.if_contains(name))
      update.emplace(as, *member);
  };
  take(event, "timestamp", "at");
  for (const auto* name : {"update_kind", "node_delta", "edge_delta"})
    take(event, name, name);
  take(object_of(event, "payload"), "changes", "changes");
  return read_update(update);
}

} // namespace

result<project_graph> load_graph(const std::filesystem::path& path) {
  const auto sources = export_sources(path);
  if (!sources)
    return fail(sources.error());
  project_graph made;
  graph_fold fold{made};
  loaded documents;
  const bool is_rolled_back = std::ranges::find(*sources, "rollback.jsonl",
                                                &export_source::name)
                              != sources->end();
  std::vector<std::pair<std::string, graph_update>> lost;
  for (const auto& source : *sources) {
    if (is_of_an_attempt(source, is_rolled_back))
      continue;
    const auto read
      = visit_items(source, [&](const read_item& item) -> result<void> {
          if (!source.is_events)
            return sort_in(documents, item);
          const auto* const event = item.value.if_object();
          if (event == nullptr)
            return {};
          if (text_of(*event, "event_type") != "graph_rolled_back")
            return fold.feed(*event);
          return lost_by(*event).map([&](graph_update update) {
            lost.emplace_back(item.file, std::move(update));
          });
        });
    if (!read)
      return fail(read.error());
  }
  if (documents.graph && sources->size() == 1)
    return *std::move(documents.graph);
  if (auto done = add_all(made, documents,
                          fold.has_sessions() ? role_words::any
                                              : role_words::known);
      !done)
    return fail(std::move(done).error());
  for (const auto& [file, update] : lost)
    if (auto done = placed(apply_changes(made, update.changes), file); !done)
      return fail(std::move(done).error());
  if (made.nodes().empty())
    return fail(file_error(errc::invalid_document, path,
                           "has no document of a module and no session's "
                           "events, so there is no graph"));
  return made;
}

} // namespace convene::host
