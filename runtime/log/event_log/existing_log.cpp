#include <convene/protocol/base/lines.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

namespace {

auto refused(const fs::path& path, const char* rule, std::string why) {
  return fail(file_error(errc::io_failed, path, std::move(why), rule));
}

/// Shows the events of a group to `visit`, if there is one; how many there are.
std::uint64_t show(const scanned_group& group, log_place place,
                   const log_visitor& visit) {
  std::uint64_t events = 0;
  auto left = group.text;
  for (place.number = group.at.line; !left.empty(); ++place.number) {
    const auto line = cut_line(left);
    place.offset
      = group.at.offset
        + static_cast<std::uint64_t>(line.data() - group.text.data());
    if (place.number == 1) // log_opened
      continue;
    ++events;
    if (visit)
      visit(place, line);
  }
  return events;
}

result<std::string> read_whole(storage& files, const fs::path& path) {
  auto file = log_file::open(files, path);
  if (!file)
    return fail(std::move(file).error());
  return file->read(0, file->size());
}

/// Whether the name is that of one of the first segments, or of its index.
bool is_of_segment_up_to(const std::string& name, std::uint32_t last) {
  std::uint32_t number = 0;
  const auto* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc{} || number == 0 || number > last)
    return false;
  return name == segment_name(number) || name == index_name(number);
}

} // namespace

std::string index_name(std::uint32_t number) {
  auto name = segment_name(number);
  return name.empty() ? name : name.substr(0, name.find('.')) + ".index";
}

std::string segment_name(std::uint32_t number) {
  constexpr std::size_t digits = 6;
  const auto text = std::to_string(number);
  if (text.size() > digits)
    return {};
  return std::string(digits - text.size(), '0') + text + ".jsonl";
}

result<std::unique_ptr<storage_lock>> take_lock(storage& files,
                                                const fs::path& path) {
  auto lock = files.lock(path);
  if (!lock && lock.error() == EWOULDBLOCK)
    return refused(path, "log_locked",
                   "another runtime is writing this log; wait until it has "
                   "ended, or use another place");
  if (!lock)
    return storage_failed(path, "locking the log", lock.error());
  return *std::move(lock);
}

result<segment_files> segments_in(storage& files, const fs::path& folder) {
  auto names = files.list(folder);
  if (!names)
    return storage_failed(folder, "looking for the log", names.error());
  segment_files found;
  found.has_removals = std::ranges::find(*names, removed_file_name)
                       != names->end();
  if (found.has_removals) {
    const auto path = folder / removed_file_name;
    const auto bytes = read_whole(files, path);
    if (!bytes)
      return fail(bytes.error());
    auto removals = parse_removals(*bytes, path.string());
    if (!removals)
      return fail(std::move(removals).error());
    found.removals = *removals;
  }
  if (std::ranges::find(*names, ended_file_name) != names->end()) {
    const auto path = folder / ended_file_name;
    const auto bytes = read_whole(files, path);
    if (!bytes)
      return fail(bytes.error());
    auto ended = parse_ended(*bytes, path.string());
    if (!ended)
      return fail(std::move(ended).error());
    found.ended = *std::move(ended);
  }
  const auto removed = found.removals.last.through;
  std::ranges::sort(*names);
  auto number = removed;
  for (const auto& name : *names) {
    if (is_of_segment_up_to(name, removed))
      found.leftovers.push_back(folder / name);
    else if (name.ends_with(".jsonl")) {
      if (name != segment_name(++number))
        return refused(folder / name, "log_damaged",
                       "the segment " + segment_name(number)
                         + " comes here: put it back, or move this file away");
      found.segments.push_back(folder / name);
    }
  }
  if (found.segments.empty() && removed != 0)
    return refused(folder, "log_damaged",
                   "the segment " + segment_name(removed + 1)
                     + " is missing: only those before it were removed");
  found.has_segments = !found.segments.empty();
  if (!found.has_segments)
    found.segments.push_back(folder / segment_name(1));
  return found;
}

result<file_scan> scan_file(log_file& file, std::size_t index,
                            const log_visitor& visit) {
  constexpr std::size_t piece = std::size_t{256} << 10;
  const auto name = file.path().string();
  file_scan found{group_scanner{name}};
  for (std::uint64_t at = 0; at < file.size();) {
    const auto bytes = file.read(at, found.scan.room(piece));
    if (!bytes)
      return fail(bytes.error());
    if (*bytes == 0)
      break;
    at += *bytes;
    found.scan.fed(*bytes);
    auto group = found.scan.next();
    for (; group && *group; group = found.scan.next()) {
      found.events += show(**group, {name, index, found.scan.opened()->segment},
                           visit);
      found.last_group = (*group)->at.offset;
    }
    if (!group)
      return fail(std::move(group).error());
  }
  return found;
}

result<void> sync_names(storage& files, const fs::path& path) {
  if (off(log_mutant::names_sync))
    return {};
  constexpr int levels = 4;
  auto folder = path.parent_path();
  if (auto done = files.sync_folder(folder); !done)
    return storage_failed(folder, "syncing the log's folder", done.error());
  for (int i = 1; i < levels && !folder.empty(); ++i) {
    folder = folder.parent_path();
    // Ours or not, readable or not: whoever made it synced it, or we do.
    static_cast<void>(files.sync_folder(folder));
  }
  return {};
}

} // namespace convene::host
