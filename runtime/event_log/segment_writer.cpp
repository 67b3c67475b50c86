#include <convene/runtime/event_log/crc32c.hpp>
#include <convene/runtime/event_log/segment_chain.hpp>
#include <convene/runtime/event_log/segment_writer.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace convene::host {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

auto refused(const fs::path& path, const char* rule, std::string why) {
  return fail({.code = errc::io_failed,
               .message = std::move(why),
               .file = path.string(),
               .rule = rule});
}

result<std::unique_ptr<storage_lock>> take_lock(storage& files,
                                                const fs::path& path) {
  auto lock = files.lock(path);
  if (!lock && lock.error() == EWOULDBLOCK)
    return refused(path, "log_locked",
                   "another runtime is writing this log; wait until it has "
                   "ended, or name another place");
  if (!lock)
    return storage_failed(path, "locking the log", lock.error());
  return *std::move(lock);
}

/// The segments in the folder, in order; a first one where there is none.
result<std::vector<fs::path>> segments(storage& files, const fs::path& folder) {
  auto names = files.list(folder);
  if (!names)
    return storage_failed(folder, "looking for the log", names.error());
  std::erase_if(*names, [](const std::string& name) {
    return !name.ends_with(".jsonl");
  });
  std::ranges::sort(*names);
  std::vector<fs::path> paths;
  for (const auto& name : *names) {
    const auto number = static_cast<std::uint32_t>(paths.size() + 1);
    if (name != segment_name(number))
      return refused(folder / name, "log_segment_missing",
                     "the segment " + segment_name(number)
                       + " comes here: put it back, or move this file away");
    paths.push_back(folder / name);
  }
  if (paths.empty())
    paths.push_back(folder / segment_name(1));
  return paths;
}

result<void> scan_file(log_file& file, group_scanner& scan) {
  constexpr std::size_t piece = std::size_t{256} << 10;
  for (std::uint64_t at = 0; at < file.size();) {
    const auto bytes = file.read(at, piece);
    if (!bytes)
      return fail(bytes.error());
    if (bytes->empty())
      break;
    if (auto fed = scan.feed(*bytes); !fed)
      return fed;
    at += bytes->size();
  }
  return {};
}

/// The names of a new file and of the folders that may have been made for it.
result<void> sync_names(storage& files, const fs::path& path) {
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

} // namespace

std::string segment_name(std::uint32_t number) {
  constexpr std::size_t digits = 6;
  const auto text = std::to_string(number);
  if (text.size() > digits)
    return {};
  return std::string(digits - text.size(), '0') + text + ".jsonl";
}

segment_writer::segment_writer(log_file file, const log_options& options)
  : options_{options}, files_{options.files != nullptr ? options.files
                                                       : &posix_storage()},
    file_{std::move(file)} {
  // nop
}

result<segment_writer> segment_writer::open(const fs::path& path,
                                            const log_options& options,
                                            const log_visitor& visit) {
  auto& files = options.files != nullptr ? *options.files : posix_storage();
  const bool segmented = options.segment_bytes != 0;
  auto lock = take_lock(files, segmented ? path / "lock" : path);
  if (!lock)
    return fail(std::move(lock).error());
  auto paths = segmented ? segments(files, path) : std::vector{path};
  if (!paths)
    return fail(std::move(paths).error());
  auto file = log_file::open(files, paths->back());
  if (!file)
    return fail(std::move(file).error());
  if (options.existing == existing_log::refuse
      && (paths->size() > 1 || file->size() != 0))
    return refused(path, "log_exists",
                   "the file exists and is not empty; name another one or "
                   "move it away");
  segment_writer writer{*std::move(file), options};
  writer.lock_ = *std::move(lock);
  if (auto ready = writer.go_on(*paths, visit); !ready)
    return fail(std::move(ready).error());
  return writer;
}

result<void> segment_writer::go_on(const std::vector<fs::path>& files,
                                   const log_visitor& visit) {
  segment_chain chain;
  for (std::size_t i = 0; i + 1 < files.size(); ++i) {
    auto file = log_file::open(*files_, files[i]);
    if (!file)
      return fail(std::move(file).error());
    const auto name = files[i].string();
    group_scanner scan{i, name, visit, {}};
    if (auto read = scan_file(*file, scan); !read)
      return read;
    if (auto tail = chain.finish(scan, false); !tail)
      return fail(std::move(tail).error());
    found_.events += scan.lines();
  }
  const auto name = file_.path().string();
  group_scanner scan{files.size() - 1, name, visit, {}};
  if (auto read = scan_file(file_, scan); !read)
    return read;
  const auto whole = file_.size();
  if (scan.only_begun()) {
    if (whole > 0)
      if (auto cut = file_.cut(0); !cut)
        return cut;
    segment_ = chain.segment() + 1;
    if (segment_ > 1)
      previous_segment_crc_ = chain.last_crc();
    found_.bytes_cut = whole;
    found_.segment = segment_;
    return begin_segment();
  }
  const auto tail = options_.segment_bytes != 0 ? chain.finish(scan, true)
                                                : scan.finish();
  if (!tail)
    return fail(tail.error());
  segment_ = scan.opened()->segment;
  previous_crc_ = scan.last_crc();
  found_ = {.events = found_.events + scan.lines(),
            .bytes_cut = *tail,
            .segment = segment_};
  if (*tail > 0)
    if (auto cut = file_.cut(scan.end()); !cut)
      return cut;
  // The last group may be in memory only, and the system may think it is not:
  // after a sync that failed. Those before it were synced before it was
  // written.
  if (auto again = file_.write_again(scan.last_group()); !again)
    return again;
  if (auto synced = sync(); !synced)
    return synced;
  return syncs() ? sync_names(*files_, file_.path()) : result<void>{};
}

result<void> segment_writer::begin_segment() {
  auto first = to_line(opened_mark{segment_, previous_segment_crc_}) + '\n';
  previous_crc_ = 0;
  if (auto written = write_group(first); !written)
    return written;
  if (auto synced = sync(); !synced)
    return synced;
  return syncs() ? sync_names(*files_, file_.path()) : result<void>{};
}

result<void> segment_writer::next_segment() {
  const auto name = segment_name(segment_ + 1);
  if (name.empty())
    return fail({.code = errc::limit_reached,
                 .message = "the log has as many segments as it may have",
                 .file = file_.path().string(),
                 .rule = "log_segments"});
  if (auto closed = close(); !closed)
    return closed;
  auto file = log_file::open(*files_, file_.path().parent_path() / name);
  if (!file)
    return fail(std::move(file).error());
  file_ = *std::move(file);
  ++segment_;
  previous_segment_crc_ = previous_crc_;
  return begin_segment();
}

result<void> segment_writer::write(std::string& lines) {
  if (options_.segment_bytes != 0 && file_.size() >= options_.segment_bytes)
    if (auto next = next_segment(); !next)
      return next;
  return write_group(lines);
}

result<void> segment_writer::write_group(std::string& lines) {
  const auto crc = crc32c(lines);
  lines += to_line(
    group_mark{.bytes = lines.size(), .crc = crc, .previous = previous_crc_});
  lines += '\n';
  previous_crc_ = crc;
  if (syncs())
    file_.reserve(lines.size());
  return file_.write(lines);
}

result<void> segment_writer::sync() {
  return syncs() ? file_.sync() : result<void>{};
}

result<void> segment_writer::close() {
  file_.release();
  return file_.close();
}

} // namespace convene::host
