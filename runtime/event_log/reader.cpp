#include <convene/runtime/event_log/group_scanner.hpp>
#include <convene/runtime/event_log/reader.hpp>
#include <convene/runtime/event_log/segment_chain.hpp>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::fail;
using protocol::result;

auto unreadable(const fs::path& path, std::string message) {
  return fail({.code = errc::unreadable,
               .message = std::move(message),
               .file = path.string()});
}

/// Feeds the file to `scan`.
result<void> read_file(const fs::path& path, group_scanner& scan) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return unreadable(path, "the file cannot be opened");
  std::string piece(std::size_t{256} << 10, '\0');
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(in.gcount());
    if (auto ok = scan.feed({piece.data(), count}); !ok)
      return ok;
  }
  if (in.bad())
    return unreadable(path, "the file cannot be read to its end");
  return {};
}

} // namespace

result<std::vector<fs::path>> log_files(const fs::path& path) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (fs::is_regular_file(status))
    return std::vector{path};
  if (!fs::exists(status))
    return unreadable(path, "there is no such file or folder");
  if (!fs::is_directory(status))
    return unreadable(path, "neither a regular file nor a folder");
  if (fs::is_regular_file(path / "events.jsonl", code))
    return std::vector{path / "events.jsonl"};
  std::vector<fs::path> files;
  fs::directory_iterator entry{path / "log", code};
  for (; !code && entry != fs::directory_iterator{}; entry.increment(code))
    if (entry->path().extension() == ".jsonl"
        && fs::is_regular_file(entry->path(), code))
      files.push_back(entry->path());
  if (files.empty())
    return unreadable(path,
                      "the folder has neither events.jsonl nor log/*.jsonl");
  std::ranges::sort(files);
  return files;
}

result<log_summary> visit_log(const fs::path& path, const log_visitor& visit,
                              const read_limits& limits) {
  const auto paths = log_files(path);
  if (!paths)
    return fail(paths.error());
  log_summary summary;
  for (const auto& each : *paths)
    summary.files.push_back(each.string());
  segment_chain chain;
  const bool alone = paths->front() == path; // a segment may be read by itself
  for (std::size_t i = 0; i < paths->size(); ++i) {
    group_scanner scan{i, summary.files[i], visit, limits};
    if (auto read = read_file((*paths)[i], scan); !read)
      return fail(std::move(read).error());
    const auto tail = alone ? scan.finish()
                            : chain.finish(scan, i + 1 == paths->size());
    if (!tail)
      return fail(tail.error());
    summary.lines += scan.lines();
    summary.groups += scan.groups();
    summary.unacknowledged_bytes += *tail;
  }
  return summary;
}

result<log_contents> read_log(const fs::path& path, const read_limits& limits) {
  log_contents contents;
  auto keep = [&](const log_place& place, std::string_view text) {
    contents.lines.push_back(
      {place.file_index, place.number, std::string{text}});
  };
  auto summary = visit_log(path, keep, limits);
  if (!summary)
    return fail(std::move(summary).error());
  contents.summary = *std::move(summary);
  return contents;
}

} // namespace convene::host
