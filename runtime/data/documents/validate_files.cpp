#include <convene/runtime/data/documents/folder_rules.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/data/scenario/sources.hpp>
#include <convene/runtime/data/yaml/yaml.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

struct listed_file {
  fs::path file;
  bool is_named = false; ///< and not found in a folder
};

result<std::vector<listed_file>>
list_files(const std::vector<fs::path>& paths) {
  std::vector<listed_file> all;
  std::set<fs::path> seen; // a file counts once, even if it is named twice
  const auto add = [&](fs::path file, bool is_named) {
    if (seen.insert(file.lexically_normal()).second)
      all.push_back({std::move(file), is_named});
  };
  for (const auto& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      add(path, true);
      continue;
    }
    auto found = json_files(path);
    if (!found)
      return fail(found.error());
    for (auto& file : *found)
      add(std::move(file), false);
    for (const auto name : scenario_names)
      if (fs::is_regular_file(fs::symlink_status(path / name, ignored)))
        add(path / name, false);
  }
  return all;
}

/// The schema of a file that a run writes beside the protocol's documents, by
/// its name and by what a run writes with it; empty: of any other file.
std::string schema_in_run(const fs::path& file) {
  struct written {
    std::string_view name, beside, schema;
  };
  constexpr written all[]{{"result.json", "trace.json", "convene-result"},
                          {"workspace.json", "trace.json", "convene-workspace"},
                          {"run.json", "scenario.json", "convene-run"}};
  for (const auto& [name, beside, schema] : all) {
    std::error_code ignored;
    if (file.filename() == name
        && fs::exists(file.parent_path() / beside, ignored))
      return std::string{schema};
  }
  return {};
}

/// Validates the file; `lines` becomes the number of its lines, if it has such.
result<void> check_file(const fs::path& file, const validation_rules& rules,
                        file_verdict& out, std::size_t& lines) {
  if (is_json_lines(file))
    return visit_lines(file, [&](std::string_view line, std::size_t number) {
      lines = number;
      return check_line(line, number, rules, out);
    });
  const auto text = read_file(file, written_document_bytes_max);
  if (!text)
    return fail(text.error());
  return is_yaml(file) && !rules.strict ? check_yaml(*text, rules, out)
                                        : check_document(*text, rules, out);
}

} // namespace

result<void> validate_files(const validation_request& request,
                            const verdict_visitor& visit) {
  const auto files = list_files(request.paths);
  if (!files)
    return fail(files.error());
  std::optional<folder_rules> folders;
  if (request.rules != nullptr) {
    folders.emplace(*request.rules, request.rests);
    for (const auto& each : *files)
      if (auto done = folders->add(each.file, request.schema); !done)
        return done;
  }
  for (const auto& [file, is_named] : *files) {
    file_verdict out{.file = file.string()};
    std::size_t lines = 0;
    const auto invariants = folders ? folders->open(file) : invariant_rules{};
    auto done = check_file(file,
                           {.schema = request.schema,
                            .otherwise = schema_in_run(file),
                            .unknown_is_error = is_named,
                            .strict = request.strict,
                            .invariants = folders ? &invariants : nullptr},
                           out, lines);
    if (!done)
      return done;
    if (folders)
      folders->close(file, lines, out);
    visit(out);
  }
  return {};
}

} // namespace convene::host
