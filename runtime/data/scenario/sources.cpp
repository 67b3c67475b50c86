#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/named_files.hpp>
#include <convene/runtime/data/scenario/sources.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

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
  return std::ranges::any_of(document_members,
                             [name](std::string_view document) {
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
    return fail(file_error(errc::unreadable, folder, "cannot be read", failed));
  std::ranges::sort(names);
  return names;
}

/// The folder's scenario; empty: it has none.
result<fs::path> scenario_in(const fs::path& folder) {
  fs::path found;
  for (const auto name : scenario_names) {
    std::error_code ignored;
    const auto file = folder / name;
    if (!fs::exists(file, ignored))
      continue;
    if (!found.empty())
      return fail(file_error(errc::usage, folder,
                             "has " + found.filename().string() + " and "
                               + std::string{name}
                               + ": name the one to run, or remove the other",
                             "scenario_ambiguous"));
    found = file;
  }
  return found;
}

result<scenario_sources> read_folder(const fs::path& folder, bool single_agent,
                                     std::vector<source_note>* notes) {
  const auto names = json_files(folder);
  if (!names)
    return fail(names.error());
  const std::string other = single_agent ? "plan.json" : "collab.json";
  const auto has = [&](std::string_view name) {
    return std::ranges::binary_search(*names, name);
  };
  if (!has("context.json") && !has(other)) {
    const auto found = scenario_in(folder);
    if (!found)
      return fail(found.error());
    if (!found->empty())
      return read_scenario(*found);
  }
  for (const std::string& required : {other, std::string{"context.json"}}) {
    if (has(required))
      continue;
    return fail(file_error(errc::unreadable, folder,
                           "has no " + required
                             + "; a folder to run has a context.json and a "
                             + other + ", or a scenario.json or scenario.yaml",
                           "folder"));
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

result<json::object> read_object(scenario_sources& sources, std::string pointer,
                                 const fs::path& file, bool relaxed) {
  auto text = read_file(file);
  if (!text)
    return fail(std::move(text).error());
  auto read = parse_source(*std::move(text), file, relaxed);
  if (!read)
    return fail(in_file(std::move(read).error(), file));
  if (!read->value.is_object())
    return fail({.code = errc::invalid_document,
                 .message = is_yaml(file) ? "must hold a mapping"
                                          : "must hold a JSON object",
                 .file = file.string(),
                 .rule = "type",
                 .line = 1,
                 .column = 1});
  auto object = std::move(read->value).as_object();
  object.erase("$comment");
  sources.origins.push_back({.pointer = std::move(pointer),
                             .file = file.string(),
                             .text = std::move(read->text)});
  return object;
}

result<scenario_sources> read_sources(const fs::path& path, bool single_agent,
                                      std::vector<source_note>* notes) {
  std::error_code ignored; // read_file says why a path is no good
  return fs::is_directory(path, ignored)
           ? read_folder(path, single_agent, notes)
           : read_scenario(path);
}

error located(error what, const scenario_sources& sources) {
  if (!what.file.empty())
    return what;
  const scenario_sources::origin* best = nullptr;
  std::string_view matched;
  const auto consider = [&](const auto& origin, std::string_view pointer) {
    if (!what.pointer.starts_with(pointer)
        || (what.pointer.size() > pointer.size()
            && what.pointer[pointer.size()] != '/'))
      return;
    // The latest: a document may have been replaced.
    if (best != nullptr && pointer.size() < matched.size())
      return;
    best = &origin;
    matched = pointer;
  };
  for (const auto& origin : sources.origins) {
    for (const auto& part : origin.parts)
      consider(origin, part);
    if (!origin.is_included)
      consider(origin, origin.pointer);
  }
  if (best == nullptr)
    return what;
  what.file = best->file;
  if (!best->is_included)
    what.pointer.erase(0, matched.size());
  const auto place = best->text.locate(what.pointer);
  what.line = place.line;
  what.column = place.column;
  return what;
}

} // namespace convene::host
