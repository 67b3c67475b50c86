#include <convene/protocol/drift/drift.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace convene::protocol {
namespace {

drift_type type_of(const file_state& expected, const file_state& actual) {
  if (!actual.exists)
    return drift_type::deleted;
  return expected.exists ? drift_type::modified : drift_type::added;
}

/// The paths of the deleted and of the added files of one content.
struct candidates {
  std::vector<std::string_view> deleted;
  std::vector<std::string_view> added;
};

} // namespace

drift_severity severity_of(drift_type type) noexcept {
  switch (type) {
    case drift_type::deleted:
      return drift_severity::high;
    case drift_type::added:
      return drift_severity::low;
    case drift_type::modified:
    case drift_type::renamed:
      break;
  }
  return drift_severity::medium;
}

void drift_book::track(artifact what) {
  latest_ = std::max(latest_, what.at);
  auto path = what.path;
  tracked_.insert_or_assign(std::move(path), std::move(what));
}

void drift_book::restore(drift_record known) {
  latest_ = std::max(latest_, known.at);
  seen_.insert_or_assign(known.path, seen{known.at, known.actual});
  auto path = known.path;
  open_.insert_or_assign(std::move(path), std::move(known));
}

const artifact* drift_book::find(std::string_view path) const {
  const auto found = tracked_.find(path);
  return found == tracked_.end() ? nullptr : &found->second;
}

drift_change drift_book::observe(const observation& what) {
  const auto* const known = find(what.path);
  if (known != nullptr && what.at < known->at)
    return drift_change::outdated;
  const seen now{what.at, what.actual};
  const auto before = seen_.find(what.path);
  if (before != seen_.end() && now < before->second)
    return drift_change::outdated;
  seen_.insert_or_assign(what.path, now);
  latest_ = std::max(latest_, what.at);

  const auto expected = known == nullptr ? file_state{} : known->expected;
  const auto open = open_.find(what.path);
  if (what.actual == expected) {
    if (open == open_.end())
      return drift_change::none;
    closed_ = std::move(open->second);
    open_.erase(open);
    return drift_change::resolved;
  }
  drift_record made{.type = type_of(expected, what.actual),
                    .path = what.path,
                    .node = known == nullptr ? std::string{} : known->node,
                    .expected = expected,
                    .actual = what.actual,
                    .at = what.at};
  if (open == open_.end()) {
    open_.emplace(what.path, std::move(made));
    return drift_change::detected;
  }
  const bool same = open->second.expected == expected
                    && open->second.actual == what.actual;
  open->second = std::move(made);
  return same ? drift_change::none : drift_change::changed;
}

std::vector<drift_record> with_renames(const drift_book::record_map& records) {
  std::map<file_state, candidates> by_content;
  for (const auto& [path, record] : records) {
    if (record.type == drift_type::deleted && record.expected.bytes > 0)
      by_content[record.expected].deleted.push_back(path);
    if (record.type == drift_type::added && record.actual.bytes > 0)
      by_content[record.actual].added.push_back(path);
  }
  std::map<std::string_view, std::string_view> moved;
  std::set<std::string_view> moved_to;
  for (const auto& [content, of] : by_content)
    if (of.deleted.size() == 1 && of.added.size() == 1) {
      moved.emplace(of.deleted.front(), of.added.front());
      moved_to.insert(of.added.front());
    }
  std::vector<drift_record> made;
  for (const auto& [path, record] : records) {
    if (moved_to.contains(path))
      continue;
    made.push_back(record);
    const auto found = moved.find(path);
    if (found == moved.end())
      continue;
    made.back().type = drift_type::renamed;
    made.back().new_path = found->second;
    made.back().actual = record.expected;
  }
  return made;
}

std::string_view why_not_below(std::string_view path) noexcept {
  constexpr std::size_t path_bytes_max = 4'095;
  if (path.empty())
    return "is empty";
  if (path.size() > path_bytes_max)
    return "is longer than 4095 bytes";
  if (path.find('\0') != path.npos)
    return "has a zero byte";
  if (path.front() == '/')
    return "is absolute, and only files below the folder are looked at";
  for (;;) {
    const auto end = path.find('/');
    const auto part = path.substr(0, end);
    if (part == "..")
      return "leads out of the folder";
    if (part.empty() || part == ".")
      return "has an empty part or a dot as one: leave it out";
    if (end == path.npos)
      return {};
    path.remove_prefix(end + 1);
  }
}

} // namespace convene::protocol
