#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/read_watch.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

result<std::vector<fs::path>> log_files(const fs::path& path) {
  return log_segments(path).map([](const std::vector<log_segment>& segments) {
    std::vector<fs::path> files;
    for (const auto& each : segments)
      files.push_back(each.path);
    return files;
  });
}

namespace {

/// Tells sessions that begin on the log from those that began before it.
class cut_sessions {
public:
  [[nodiscard]] bool has(std::string_view line) {
    const auto id = session_of(line);
    if (!id)
      return false;
    const auto [found, fresh] = is_cut_.try_emplace(*id, false);
    if (fresh && !is_of_type(line, "MAPSessionStarted")) {
      found->second = true;
      ++total_;
    }
    if (found->second && is_of_type(line, "MAPSessionCompleted"))
      ++ended_;
    return found->second;
  }

  /// Those whose end is not on the log either.
  [[nodiscard]] std::uint64_t without_end() const noexcept {
    return total_ - std::min(total_, ended_);
  }

  [[nodiscard]] std::uint64_t total() const noexcept {
    return total_;
  }

private:
  std::map<uuid, bool> is_cut_;
  std::uint64_t total_ = 0;
  std::uint64_t ended_ = 0;
};

/// Reports how far a reading is, if the thread has a `read_watch`.
class reading_reporter {
public:
  void note(const log_reader& reader, const event_line& line) {
    if (report_ == nullptr)
      return;
    for (; sizes_.size() < reader.segments().size();) {
      std::error_code failed;
      const auto size = fs::file_size(reader.segments()[sizes_.size()].path,
                                      failed);
      sizes_.push_back(failed ? 0 : size);
      all_ += sizes_.back();
    }
    for (; file_ < line.file_index; ++file_)
      before_ += sizes_[file_];
    constexpr std::uint64_t each_bytes = std::uint64_t{64} << 10;
    const auto read = before_ + line.offset;
    if (read < reported_ + each_bytes)
      return;
    reported_ = read;
    (*report_)(read, all_);
  }

private:
  const read_watch::report* report_ = read_watch::current();
  std::vector<std::uint64_t> sizes_; ///< of the files
  std::uint64_t all_ = 0;
  std::uint64_t before_ = 0; ///< in files that are read
  std::size_t file_ = 0;
  std::uint64_t reported_ = 0;
};

result<log_summary> visit_all(result<log_reader> reader,
                              const log_visitor& visit) {
  if (!reader)
    return fail(std::move(reader).error());
  log_summary summary;
  reading_reporter reporter;
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
    reporter.note(*reader, line);
    visit({summary.files[line.file_index], line.file_index,
           reader->segments()[line.file_index].number, line.number,
           line.offset},
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

} // namespace

result<log_summary> visit_log(const fs::path& path, const log_visitor& visit,
                              const read_limits& limits) {
  return visit_all(log_reader::open(path, {}, limits), visit);
}

result<log_summary> visit_sessions(const fs::path& path,
                                   const log_visitor& visit,
                                   const read_limits& limits) {
  auto reader = log_reader::open(path, {}, limits);
  if (!reader || !reader->segments().front().after_removed)
    return visit_all(std::move(reader), visit);
  cut_sessions cut;
  std::uint64_t left_out = 0;
  auto read = visit_all(std::move(reader),
                        [&](const log_place& place, std::string_view line) {
                          if (cut.has(line))
                            ++left_out;
                          else
                            visit(place, line);
                        });
  if (read) {
    read->lines -= left_out;
    read->sessions_cut = cut.total();
    read->sessions_lost = cut.without_end();
  }
  return read;
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
