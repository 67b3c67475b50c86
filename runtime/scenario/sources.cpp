#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/scenario/commands.hpp>
#include <convene/runtime/scenario/locate.hpp>
#include <convene/runtime/scenario/sources.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

constexpr std::string_view documents[] = {"context", "collab", "plan",
                                          "confirm", "core",   "network"};

/// Lists of documents.
constexpr std::string_view lists[] = {"roles", "extensions",
                                      "extension_confirms"};

/// Reads a file that must hold one JSON object. Its comment, which the
/// protocol's own examples carry and its schemas refuse, is dropped.
result<json::object> read_object(scenario_sources& sources, std::string pointer,
                                 const fs::path& file, bool relaxed) {
  auto text = read_file(file);
  if (!text)
    return fail(std::move(text).error());
  auto value = relaxed ? parse_relaxed_json(*text) : parse_json(*text);
  if (!value) {
    auto what = std::move(value).error();
    what.file = file.string();
    return fail(std::move(what));
  }
  if (!value->is_object())
    return fail({.code = errc::invalid_document,
                 .message = "must hold a JSON object",
                 .file = file.string(),
                 .rule = "type",
                 .line = 1,
                 .column = 1});
  auto object = std::move(*value).as_object();
  object.erase("$comment");
  sources.origins.push_back({.pointer = std::move(pointer),
                             .file = file.string(),
                             .text = std::move(*text)});
  return object;
}

/// Whether the scenario may name this file.
result<void> may_name(const scenario_sources& sources, const fs::path& file,
                      const std::string& pointer) {
  const auto folder = sources.folder.empty() ? fs::path{"."} : sources.folder;
  if (is_below(file, folder)
      || (sources.allow != nullptr && sources.allow->may_read(file)))
    return {};
  std::error_code failed;
  const auto real = fs::weakly_canonical(file, failed);
  return fail({.code = errc::invalid_document,
               .message = "names a file outside of the scenario's folder; to "
                          "allow that, add --allow read="
                          + real.parent_path().string(),
               .pointer = pointer,
               .rule = "permission_needed",
               .value = shorten(real.string())});
}

/// Replaces a string by the document it names.
result<void> embed(scenario_sources& sources, json::value& at,
                   const std::string& pointer) {
  if (auto* object = at.if_object())
    object->erase("$comment");
  const auto* named = at.if_string();
  if (named == nullptr)
    return {};
  const fs::path name{std::string{named->data(), named->size()}};
  if (name.empty())
    return fail(
      {.code = errc::invalid_document,
       .message = "must name a file in or below the scenario's folder",
       .pointer = pointer,
       .rule = "document_path"});
  const auto file = sources.folder / name;
  if (auto allowed = may_name(sources, file, pointer); !allowed)
    return allowed;
  auto object = read_object(sources, pointer, file, false);
  if (!object)
    return fail(std::move(object).error());
  at = std::move(*object);
  return {};
}

result<scenario_sources> read_scenario(const fs::path& file) {
  scenario_sources sources;
  sources.folder = file.parent_path();
  auto object = read_object(sources, "", file, true);
  if (!object)
    return fail(std::move(object).error());
  object->erase("$schema"); // for editors
  sources.scenario = std::move(*object);
  return sources;
}

/// The list that a file belongs into by its name; empty: into none.
std::string_view list_for(std::string_view name) {
  if (name.starts_with("role"))
    return "roles";
  if (name.starts_with("extension-confirm"))
    return "extension_confirms";
  return name.starts_with("extension") ? "extensions" : "";
}

bool is_document(std::string_view name) {
  return std::ranges::any_of(documents, [name](std::string_view document) {
    return name == std::string{document} + ".json";
  });
}

/// The names of a folder's JSON files, sorted.
result<std::vector<std::string>> json_files(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::string> names;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed))
    if (auto name = at->path().filename().string(); name.ends_with(".json"))
      names.push_back(std::move(name));
  if (failed)
    return fail({.code = errc::unreadable,
                 .message = "cannot be read: " + failed.message(),
                 .file = folder.string()});
  std::ranges::sort(names);
  return names;
}

result<scenario_sources> read_folder(const fs::path& folder, bool single_agent,
                                     std::vector<source_note>* notes) {
  const auto names = json_files(folder);
  if (!names)
    return fail(names.error());
  const std::string other = single_agent ? "plan.json" : "collab.json";
  for (const std::string& required : {other, std::string{"context.json"}}) {
    if (std::ranges::binary_search(*names, required))
      continue;
    std::string message = "has no " + required
                          + "; a folder to run has a context.json and a "
                          + other;
    if (std::ranges::binary_search(*names, "scenario.json"))
      message += ", or name its scenario.json";
    return fail({.code = errc::unreadable,
                 .message = std::move(message),
                 .file = folder.string(),
                 .rule = "folder"});
  }
  scenario_sources sources;
  sources.folder = folder;
  for (const auto& name : *names) {
    if (is_document(name) && !(single_agent && name == "collab.json")) {
      const auto member = name.substr(0, name.size() - 5);
      sources.scenario[member] = name;
    } else if (const auto list = list_for(name); !list.empty()) {
      auto& member = sources.scenario[list];
      if (member.is_null())
        member.emplace_array();
      member.get_array().emplace_back(name);
    } else if (notes != nullptr) {
      notes->push_back(
        {.file = (folder / name).string(), .message = "not used"});
    }
  }
  sources.scenario["behaviours"]
    = json::object{{"*", json::object{{"type", "echo"}}}};
  return sources;
}

} // namespace

result<scenario_sources> read_sources(const fs::path& path, bool single_agent,
                                      std::vector<source_note>* notes) {
  std::error_code ignored; // read_file says why a path is no good
  return fs::is_directory(path, ignored)
           ? read_folder(path, single_agent, notes)
           : read_scenario(path);
}

result<void> embed_documents(scenario_sources& sources) {
  for (const auto name : documents)
    if (auto* at = sources.scenario.if_contains(name))
      if (auto done = embed(sources, *at, '/' + std::string{name}); !done)
        return done;
  for (const auto member : lists) {
    const std::string name{member};
    auto* list = sources.scenario.if_contains(name);
    if (list == nullptr || !list->is_array())
      continue;
    for (std::size_t i = 0; i < list->get_array().size(); ++i)
      if (auto done = embed(sources, list->get_array()[i],
                            '/' + name + '/' + std::to_string(i));
          !done)
        return done;
  }
  return {};
}

result<void> check_names_no_file(const json::object& scenario) {
  const auto check = [](const json::value& at, const std::string& pointer) {
    if (!at.is_string())
      return result<void>{};
    return result<void>{
      fail({.code = errc::invalid_document,
            .message = "names a file, and here is none: embed the document",
            .pointer = pointer,
            .rule = "names_file",
            .value = shorten_value(at)})};
  };
  for (const auto name : documents)
    if (const auto* at = scenario.if_contains(name))
      if (auto whole = check(*at, '/' + std::string{name}); !whole)
        return whole;
  for (const auto name : lists) {
    const auto* list = scenario.if_contains(name);
    if (list == nullptr || !list->is_array())
      continue;
    for (std::size_t i = 0; i < list->get_array().size(); ++i)
      if (auto whole = check(list->get_array()[i],
                             '/' + std::string{name} + '/' + std::to_string(i));
          !whole)
        return whole;
  }
  return check_no_placed_command(scenario);
}

error located(error what, const scenario_sources& sources) {
  if (!what.file.empty())
    return what;
  const scenario_sources::origin* best = nullptr;
  for (const auto& origin : sources.origins)
    if (what.pointer == origin.pointer
        || what.pointer.starts_with(origin.pointer + '/'))
      // The latest: a document may have been replaced.
      if (best == nullptr || origin.pointer.size() >= best->pointer.size())
        best = &origin;
  if (best == nullptr)
    return what;
  what.file = best->file;
  what.pointer.erase(0, best->pointer.size());
  const auto place = locate(best->text, what.pointer);
  what.line = place.line;
  what.column = place.column;
  return what;
}

} // namespace convene::host
