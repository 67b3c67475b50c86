#include <convene/runtime/outside/processes/confined_user.hpp>
#include <convene/runtime/outside/processes/sandbox_view.hpp>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace convene::host {
namespace {

namespace fs = std::filesystem;

/// Memory that files of its own may take.
constexpr auto temporary_bytes_max = "1073741824";

bool is_top(const fs::path& folder) {
  return folder == folder.parent_path();
}

} // namespace

sandbox_view::sandbox_view()
  : entries_{{"/tmp", {}}, {"/run", {}}, {"/var/tmp", {}}} {
  // nop
}

bool sandbox_view::is_hidden(const fs::path& file) const {
  for (auto above = file.parent_path(); !is_top(above);
       above = above.parent_path())
    if (const auto found = entries_.find(above); found != entries_.end())
      return found->second.is == how::hidden;
  return false;
}

void sandbox_view::open_way_to(const fs::path& file) {
  for (auto above = file.parent_path(); !is_top(above);
       above = above.parent_path())
    if (!lets(confined_user(), above, X_OK))
      entries_.insert_or_assign(above, entry{});
}

void sandbox_view::show(const fs::path& file, const fs::path& as) {
  if (is_hidden(as))
    entries_.insert({as, {how::readable, file}});
}

void sandbox_view::show_writable(const fs::path& folder) {
  entries_.insert_or_assign(folder, entry{how::writable, folder});
}

void sandbox_view::add_folders_above(const fs::path& file,
                                     std::vector<std::string>& to) const {
  if (!is_hidden(file))
    return;
  std::vector<std::string> missing;
  for (auto above = file.parent_path(); !entries_.contains(above);
       above = above.parent_path())
    missing.push_back(above.string());
  std::ranges::reverse(missing);
  for (auto& each : missing)
    to.insert(to.end(), {"--perms", "0755", "--dir", std::move(each)});
}

std::vector<fs::path> sandbox_view::sources() const {
  std::vector<fs::path> all;
  for (const auto& [path, each] : entries_)
    if (each.is != how::hidden)
      all.push_back(each.source);
  return all;
}

std::vector<std::string> sandbox_view::arguments() const {
  std::vector<std::string> all;
  std::vector<std::string> at_end;
  const auto add = [&all](auto... words) { (all.emplace_back(words), ...); };
  for (const auto& [path, each] : entries_) {
    add_folders_above(path, all);
    switch (each.is) {
      case how::hidden:
        if (path == "/tmp") {
          add("--perms", "1777", "--size", temporary_bytes_max, "--tmpfs",
              "/tmp");
        } else {
          add("--tmpfs", path.string());
          at_end.insert(at_end.end(), {"--remount-ro", path.string()});
        }
        break;
      case how::readable:
        add("--ro-bind", each.source.string(), path.string());
        break;
      case how::writable:
        add("--bind", each.source.string(), path.string());
        break;
    }
  }
  std::ranges::move(at_end, std::back_inserter(all));
  return all;
}

} // namespace convene::host
