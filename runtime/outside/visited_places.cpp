#include <convene/runtime/outside/visited_places.hpp>

#include <deque>
#include <system_error>

namespace convene::host {

namespace fs = std::filesystem;

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

} // namespace convene::host
