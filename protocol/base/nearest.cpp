#include <convene/protocol/base/nearest.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace convene::protocol {
namespace {

/// Longer names are never compared, so that the work stays small.
constexpr std::size_t length_max = 64;

/// How many insertions, deletions, replacements and swaps of neighbors lie
/// between two names.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  auto above = before;
  auto row = before;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = above[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

/// Whether `name` is `written` and more words before or after it.
bool is_part(std::string_view written, std::string_view name) {
  return name.size() > written.size()
         && ((name.starts_with(written) && name[written.size()] == '_')
             || (name.ends_with(written)
                 && name[name.size() - written.size() - 1] == '_'));
}

} // namespace

std::string_view find_nearest(std::string_view written,
                              std::span<const std::string_view> known) {
  if (written.size() > length_max)
    return {};
  std::string_view nearest;
  auto least = std::min<std::size_t>(written.size() / 2, 3) + 1;
  for (auto name : known)
    if (name.size() <= length_max)
      if (const auto edits = distance(written, name); edits < least) {
        least = edits;
        nearest = name;
      }
  if (!nearest.empty() || written.empty())
    return nearest;
  const auto longer = std::ranges::find_if(known, [&](std::string_view name) {
    return is_part(written, name);
  });
  return longer == known.end() ? std::string_view{} : *longer;
}

std::string suggest(std::string_view written,
                    std::span<const std::string_view> known) {
  const auto nearest = find_nearest(written, known);
  return nearest.empty() ? std::string{}
                         : " (did you mean \"" + std::string{nearest} + "\"?)";
}

std::string unknown_member(std::string_view written,
                           std::span<const std::string_view> known) {
  const std::string message = "unknown member";
  const auto nearest = find_nearest(written, known);
  if (nearest.empty())
    return message + ": remove it";
  // The secret itself was written.
  if (nearest.ends_with("_env") && !written.ends_with("_env"))
    return message + ": remove it, and write \"" + std::string{nearest}
           + "\", the name of an environment variable";
  return message
         + (is_part(written, nearest)
              ? ": rename it to \"" + std::string{nearest} + '"'
              : suggest(written, known));
}

} // namespace convene::protocol
