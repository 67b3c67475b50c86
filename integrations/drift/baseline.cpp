#include <convene/integrations/drift/baseline.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <system_error>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// One name for each folder and file, without a slash at its end.
fs::path plain(const fs::path& path) {
  std::error_code failed;
  auto found = fs::weakly_canonical(path, failed);
  if (failed)
    return fs::absolute(path, failed);
  return found.has_filename() ? found : found.parent_path();
}

} // namespace

result<taken_baseline>
take_baseline(const project_folder& folder, const tracked_files& known,
              const drift_scope& scope, timestamp_ms at) {
  taken_baseline made{
    .baseline = {.at = at, .whole = scope.whole, .excluded = scope.excluded}};
  std::map<std::string, artifact> before;
  for (const auto& each : known.artifacts)
    before.emplace(each.path, each);
  std::set<std::string> paths;
  if (scope.whole) {
    auto found = folder.list(scope.excluded);
    if (!found)
      return fail(std::move(found).error());
    paths.insert(found->files.begin(), found->files.end());
    made.skipped = std::move(found->skipped);
    made.errors = std::move(found->errors);
  } else {
    for (const auto& [path, each] : before)
      paths.insert(path);
  }
  for (const auto& path : paths) {
    if (scope.ignores(path))
      continue;
    const auto found = before.find(path);
    auto state = folder.look(path);
    if (!state) {
      made.errors.push_back(std::move(state).error());
      if (found != before.end())
        made.baseline.artifacts.push_back(found->second);
    } else if (state->exists || !scope.whole) {
      made.baseline.artifacts.push_back(
        {.path = path,
         .node = found == before.end() ? "" : found->second.node,
         .expected = *std::move(state),
         .at = at});
    }
  }
  return made;
}

result<void> write_baseline(const fs::path& file, drift_baseline what,
                            const fs::path& folder) {
  const auto beside
    = plain(folder).lexically_relative(plain(file).parent_path());
  what.folder = (beside.empty() ? plain(folder) : beside).string();
  if (!valid_utf8(what.folder))
    return fail(file_error(errc::usage, folder,
                           "has a name that is not UTF-8, which a record "
                           "cannot have"));
  const auto text = pretty(to_json(what));
  if (text.size() > document_bytes_max)
    return fail(file_error(errc::limit_reached, file,
                           "would be larger than "
                             + std::to_string(document_bytes_max)
                             + " bytes: leave out files with --exclude",
                           "document_bytes_max"));
  return write_file(file, text, synced::yes);
}

std::set<std::string, std::less<>>
paths_below(const fs::path& folder, const std::vector<fs::path>& files) {
  std::set<std::string, std::less<>> made;
  for (const auto& file : files)
    if (!file.empty())
      if (auto path = plain(file).lexically_relative(plain(folder)).string();
          why_not_below(path).empty())
        made.insert(std::move(path));
  return made;
}

} // namespace convene::host
