#include <convene/runtime/data/cluster/line_split.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>
#include <unordered_map>

namespace convene::host {

std::vector<session_part> parts_of(std::string_view lines) {
  std::vector<session_part> all;
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    const line_range range{at, end};
    const auto line = lines.substr(at, end - at - 1);
    at = end;
    const auto id = session_of(line);
    if (!id)
      continue;
    auto text = to_string(*id);
    const auto [found, is_new] = numbers.try_emplace(text, all.size());
    if (is_new)
      all.push_back({.session_id = std::move(text)});
    auto& part = all[found->second];
    part.lines.push_back(line);
    part.ranges.push_back(range);
  }
  for (auto& part : all)
    part.ends = is_of_type(part.lines.back(), "MAPSessionCompleted");
  return all;
}

std::vector<line_range> joined(std::vector<line_range> ranges) {
  std::ranges::sort(ranges, {}, &line_range::begin);
  std::vector<line_range> made;
  for (const auto& each : ranges)
    if (!made.empty() && made.back().end == each.begin)
      made.back().end = each.end;
    else
      made.push_back(each);
  return made;
}

} // namespace convene::host
