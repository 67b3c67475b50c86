#include <convene/integrations/intake/file_reporter.hpp>

#include <utility>

namespace convene::host {

using namespace convene::protocol;

result<file_reporter> file_reporter::open(const std::filesystem::path& folder,
                                          drift_scope scope) {
  auto opened = project_folder::open(folder);
  if (!opened)
    return fail(std::move(opened).error());
  file_reporter made{*std::move(opened), std::move(scope)};
  if (auto done = made.look_at_all([](const std::string&, change_type) {});
      !done)
    return fail(std::move(done).error());
  return made;
}

result<void> file_reporter::look_at_all(const teller& tell) {
  const auto found = folder_.list(scope_.excluded);
  if (!found)
    return fail(found.error());
  folders_ = {found->folders.begin(), found->folders.end()};
  folders_.insert("");
  std::set<std::string> all{found->files.begin(), found->files.end()};
  for (const auto& [path, state] : known_)
    all.insert(path);
  for (const auto& path : all)
    look_at(path, tell);
  return {};
}

void file_reporter::look_at(const std::string& path, const teller& tell) {
  const auto known = known_.find(path);
  const bool was_there = known != known_.end();
  if (scope_.ignores(path) || is_excluded_below(scope_.excluded, path))
    return;
  auto now = folder_.look(path);
  if (!now) // a link, a device, or nobody may read it
    return;
  if (!now->exists && was_there) {
    known_.erase(known);
    tell(path, change_type::deleted);
  } else if (now->exists && !was_there) {
    known_.emplace(path, *std::move(now));
    tell(path, change_type::created);
  } else if (now->exists && known->second != *now) {
    known->second = *std::move(now);
    tell(path, change_type::modified);
  }
}

} // namespace convene::host
