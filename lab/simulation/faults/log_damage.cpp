#include <convene/lab/simulation/faults/log_damage.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {
namespace {

namespace fs = std::filesystem;

std::size_t drawn_index(double draw, std::size_t size) {
  return static_cast<std::size_t>(draw * static_cast<double>(size));
}

/// Where the complete groups of a file end.
std::vector<std::size_t> group_ends(const std::string& bytes) {
  std::vector<std::size_t> ends;
  group_scanner scan{""};
  scan.feed(bytes);
  for (auto group = scan.next(); group && *group; group = scan.next())
    ends.push_back(scan.place().offset);
  return ends;
}

/// Of the bytes before `end`, but for the first line: what says that the file
/// is a log may be told by another name.
bool alter_bit(frail_storage& disk, const fs::path& file, std::size_t end,
               double draw) {
  constexpr std::size_t bits = 8;
  auto bytes = disk.content(file);
  const auto begin = bytes.find('\n') + 1;
  if (begin == 0 || begin >= end)
    return false;
  const auto bit = drawn_index(draw, (end - begin) * bits);
  auto& byte = bytes[begin + bit / bits];
  byte
    = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << bit % bits));
  disk.set_content(file, bytes);
  return true;
}

/// Before the last complete group: what is behind shows that it was complete.
bool damage_newest(frail_storage& disk, const fs::path& file, double draw) {
  const auto ends = group_ends(disk.content(file));
  return ends.size() > 1 && alter_bit(disk, file, ends[ends.size() - 2], draw);
}

/// A segment, and the one behind it, which says how it ends.
void damage_earlier(frail_storage& disk, const fs::path& file,
                    const fs::path& next, const damage_draws& draws) {
  const auto bytes = disk.content(file);
  const auto ends = group_ends(bytes);
  std::vector<std::function<void()>> ways{
    [&] { disk.take_away(file); },
    [&] {
      const auto other = disk.content(next);
      disk.set_content(next, bytes);
      disk.set_content(file, other);
    },
    [&] {
      static_cast<void>(alter_bit(disk, file, bytes.size(), draws.place));
    }};
  if (ends.size() > 1)
    ways.emplace_back([&] {
      const auto last = drawn_index(draws.place, ends.size() - 1);
      disk.set_content(file, bytes.substr(0, ends[last]));
    });
  ways[drawn_index(draws.how, ways.size())]();
}

} // namespace

bool damage_log(frail_storage& disk, const fs::path& path, bool is_segmented,
                const damage_draws& draws) {
  if (!is_segmented)
    return damage_newest(disk, path, draws.place);
  const auto found = segments_in(disk, path);
  if (!found)
    return false;
  const auto& files = found->segments;
  std::vector<std::size_t> earlier; // those whose next one has begun for good
  for (std::size_t i = 0; i + 1 < files.size(); ++i)
    if (!group_ends(disk.content(files[i + 1])).empty())
      earlier.push_back(i);
  if (earlier.empty())
    return damage_newest(disk, files.back(), draws.place);
  const auto at = earlier[drawn_index(draws.segment, earlier.size())];
  damage_earlier(disk, files[at], files[at + 1], draws);
  return true;
}

} // namespace convene::host
