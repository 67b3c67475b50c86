#include <convene/integrations/drift/drift_check.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

bool drift_scope::ignores(std::string_view path) const {
  for (auto end = path.size(); end != path.npos && end > 0;
       end = path.rfind('/', end - 1))
    if (ignored.contains(path.substr(0, end)))
      return true;
  return !excluded.empty() && is_excluded_below(excluded, path);
}

drift_check::drift_check(project_folder folder, const tracked_files& tracked,
                         drift_scope scope, listener tell)
  : folder_{std::move(folder)}, scope_{std::move(scope)}, tell_{
                                                            std::move(tell)} {
  for (const auto& each : tracked.artifacts) {
    tracked_.insert(each.path);
    book_.track(each);
  }
  cover_tracked();
}

void drift_check::cover_tracked() {
  folders_ = {""};
  for (const auto& path : tracked_)
    for (auto end = path.rfind('/'); end != path.npos && end > 0;
         end = path.rfind('/', end - 1))
      if (!folders_.insert(path.substr(0, end)).second)
        break;
}

result<void> drift_check::look_at_all(timestamp_ms now) {
  folder_listing found;
  if (scope_.whole) {
    auto listed = folder_.list(scope_.excluded);
    if (!listed)
      return fail(std::move(listed).error());
    found = *std::move(listed);
  }
  cover_tracked();
  folders_.insert(found.folders.begin(), found.folders.end());
  skipped_ = std::move(found.skipped);
  errors_.clear();
  for (auto& each : found.errors)
    errors_.emplace(each.file, std::move(each));
  std::set<std::string, std::less<>> all = tracked_;
  all.insert(std::make_move_iterator(found.files.begin()),
             std::make_move_iterator(found.files.end()));
  for (const auto& [path, record] : book_.open())
    all.insert(path);
  std::erase_if(all, [&](const auto& path) { return scope_.ignores(path); });
  compared_ = 0;
  const auto at = std::max(now, book_.latest() + 1);
  for (const auto& path : all)
    look(path, at);
  return {};
}

void drift_check::look_at(const std::string& path, timestamp_ms at) {
  const bool known = tracked_.contains(path) || book_.open().contains(path);
  if (scope_.ignores(path)
      || (!known
          && (!scope_.whole || is_excluded_below(scope_.excluded, path))))
    return;
  look(path, at);
}

void drift_check::look(const std::string& path, timestamp_ms at) {
  ++compared_;
  auto actual = folder_.look(path);
  if (!actual) {
    // A link or a device that nobody tracks is no file of the project.
    if (tracked_.contains(path) || book_.open().contains(path)
        || actual.error().rule != "no_file")
      errors_.insert_or_assign(path, std::move(actual).error());
    return;
  }
  errors_.erase(path);
  const auto how = book_.observe({path, *std::move(actual), at});
  outdated_ += how == drift_change::outdated ? 1 : 0;
  if (how == drift_change::resolved)
    tell_(how, book_.closed());
  else if (how == drift_change::detected || how == drift_change::changed)
    tell_(how, book_.open().find(path)->second);
}

} // namespace convene::host
