#include <convene/runtime/event_log/log_reader.hpp>
#include <convene/runtime/event_log/reader.hpp>

#include <utility>

namespace convene::host {

namespace fs = std::filesystem;
using protocol::fail;
using protocol::result;

result<std::vector<fs::path>> log_files(const fs::path& path) {
  return log_segments(path).map([](const std::vector<log_segment>& segments) {
    std::vector<fs::path> files;
    for (const auto& each : segments)
      files.push_back(each.path);
    return files;
  });
}

result<log_summary> visit_log(const fs::path& path, const log_visitor& visit,
                              const read_limits& limits) {
  auto reader = log_reader::open(path, {}, limits);
  if (!reader)
    return fail(std::move(reader).error());
  log_summary summary;
  while (true) {
    const auto event = reader->next();
    if (!event)
      return fail(event.error());
    // The reader may have found more segments.
    for (auto i = summary.files.size(); i < reader->segments().size(); ++i)
      summary.files.push_back(reader->segments()[i].path.string());
    if (!*event)
      break;
    const auto& line = **event;
    visit({summary.files[line.file_index], line.file_index, line.number},
          line.text);
    ++summary.lines;
  }
  const auto tail = reader->unacknowledged_bytes();
  if (!tail)
    return fail(tail.error());
  summary.groups = reader->groups();
  summary.unacknowledged_bytes = *tail;
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
