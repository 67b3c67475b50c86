#include <convene/runtime/outside/visited_places.hpp>

#include <algorithm>
#include <deque>
#include <system_error>

namespace convene::host {

namespace fs = std::filesystem;

namespace {

bool is_below_or_same(const fs::path& file, const fs::path& folder) {
  return std::ranges::mismatch(file, folder).in2 == folder.end();
}

/// A path without links as far as there is anything.
fs::path real_path(const fs::path& from) {
  std::error_code failed;
  auto made = fs::weakly_canonical(fs::absolute(from, failed), failed);
  if (made.filename().empty() && made.has_relative_path())
    made = made.parent_path();
  return made;
}

} // namespace

std::vector<fs::path> visited_places(const fs::path& from) {
  constexpr int links_max = 40; // as the system's
  std::error_code failed;
  const auto whole = fs::absolute(from, failed);
  std::deque<fs::path> left{whole.begin(), whole.end()};
  std::vector<fs::path> made;
  fs::path at;
  int links = 0;
  while (!left.empty()) {
    const auto name = left.front();
    left.pop_front();
    if (name.empty() || name == ".")
      continue;
    if (name == "..") {
      at = at.parent_path();
      continue;
    }
    const auto next = name.is_absolute() ? name : at / name;
    const auto target = fs::read_symlink(next, failed);
    if (next.has_relative_path())
      made.push_back(next);
    if (failed) {
      at = next;
      continue;
    }
    if (++links > links_max)
      break;
    left.insert(left.begin(), target.begin(), target.end());
  }
  if (made.empty() || made.back() != at)
    made.push_back(at); // which ended with `..`
  return made;
}

protocol::result<void> check_apart(const outside_options& how,
                                   const fs::path& folder) {
  if (!how.sandbox)
    return {};
  const auto named = real_path(folder);
  for (const auto& each : how.guarded) {
    const auto places = visited_places(each);
    const auto& guarded = places.back();
    if (is_below_or_same(named, guarded)
        || std::ranges::any_of(places, [&](const fs::path& place) {
             return is_below_or_same(place, named);
           }))
      return protocol::fail(
        {.code = protocol::errc::activation_refused,
         .message = "a sandboxed program cannot work in " + named.string()
                    + ": it could replace " + guarded.string()
                    + ", which convene writes or trusts; choose another "
                      "working folder, or another place for convene's files",
         .file = named.string(),
         .rule = "written_folder"});
  }
  return {};
}

} // namespace convene::host
