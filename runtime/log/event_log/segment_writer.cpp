#include <convene/protocol/base/timestamp.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/event_log/segment_chain.hpp>
#include <convene/runtime/log/event_log/segment_writer.hpp>
#include <convene/runtime/log/event_log/shared_log.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

namespace {

timestamp_ms time_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

/// When a file was last written to. One of no real file system: now.
timestamp_ms written_at(const fs::path& file) {
  std::error_code failed;
  const auto at = fs::last_write_time(file, failed);
  if (failed)
    return time_now();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
           std::chrono::file_clock::to_sys(at).time_since_epoch())
    .count();
}

/// The time of an event, as its line has it; at most now.
timestamp_ms time_of(std::string_view line) {
  constexpr std::string_view before = R"("timestamp":")";
  const auto now = time_now();
  const auto at = line.find(before);
  if (at == line.npos)
    return now;
  line.remove_prefix(at + before.size());
  const auto time = parse_timestamp(line.substr(0, line.find('"')));
  return std::min(time.value_or(now), now);
}

} // namespace

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
  auto found = segmented ? segments_in(files, path)
                         : segment_files{.segments = {path}};
  if (!found)
    return fail(std::move(found).error());
  if (const auto& told = found->ended.last;
      told && !found->has_segments && !options.accept_loss)
    return lost_end(*told, path);
  auto file = log_file::open(files, found->segments.back());
  if (!file)
    return fail(std::move(file).error());
  if (options.existing == existing_log::refuse
      && (found->segments.size() > 1 || found->removals.last.through != 0
          || file->size() != 0))
    return fail(file_error(errc::io_failed, path,
                           "the file exists and is not empty; name another "
                           "one or move it away",
                           "log_exists"));
  segment_writer writer{*std::move(file), options};
  writer.lock_ = *std::move(lock);
  if (segmented) {
    writer.removal_ = {files, path, *found};
    writer.ended_ = {files, path, found->ended};
  }
  if (segmented && options.removes())
    writer.retention_.emplace(found->removals.last);
  if (auto ready = writer.resume(*found, visit); !ready)
    return fail(std::move(ready).error());
  return writer;
}

result<void> segment_writer::resume(const segment_files& files,
                                    const log_visitor& visit) {
  const auto& companions = options_.companions;
  const auto shown = [&](const log_place& place, std::string_view line) {
    if (retention_)
      retention_->saw(line, is_end(line));
    if (options_.keep_time.count() != 0
        && (!begun_at_ || place.segment != segment_)) {
      segment_ = place.segment;
      begun_at_ = time_of(line);
    }
    for (const auto& companion : companions)
      companion->saw(place.segment, line);
    if (visit)
      visit(place, line);
  };
  const bool is_followed = retention_ || !companions.empty();
  auto done = go_on_behind(files, is_followed ? log_visitor{shown} : visit);
  if (done)
    done = removal_.finish(files);
  if (done)
    for (const auto& companion : companions)
      companion->opened();
  return done;
}

result<void> segment_writer::approve(const segment_files& files,
                                     std::uint64_t end) {
  if (options_.approve)
    if (auto fit = options_.approve(); !fit)
      return fit;
  const auto removed = removal_.removed().through;
  const auto& told = files.ended.last;
  if (!told || told->segment <= removed)
    return {};
  const auto index = told->segment - removed - 1;
  const auto newest = files.segments.size() - 1;
  bool is_there = false;
  if (index < newest || (index == newest && told->bytes <= end)) {
    auto file = log_file::open(*files_, files.segments[index]);
    if (!file)
      return fail(std::move(file).error());
    const auto from = told->bytes - std::min(told->bytes, group_line_bytes_max);
    const auto bytes = file->read(from, told->bytes - from);
    if (!bytes)
      return fail(bytes.error());
    is_there = bytes->size() == told->bytes - from
               && ends_with_group(*bytes, told->crc);
  }
  if (is_there)
    return {};
  if (!options_.accept_loss)
    return lost_end(*told, file_.path().parent_path());
  return ended_.remove(syncs());
}

result<void> segment_writer::go_on_behind(const segment_files& found,
                                          const log_visitor& visit) {
  const auto& files = found.segments;
  segment_chain chain{removal_.removed()};
  for (std::size_t i = 0; i + 1 < files.size(); ++i) {
    auto file = log_file::open(*files_, files[i]);
    if (!file)
      return fail(std::move(file).error());
    const auto earlier = scan_file(*file, i, visit);
    if (!earlier)
      return fail(earlier.error());
    if (auto tail = chain.finish(earlier->scan, false); !tail)
      return fail(std::move(tail).error());
    found_.events += earlier->events;
    closed_one(file->size(), chain.last_crc(), written_at(files[i]));
  }
  const auto newest = scan_file(file_, files.size() - 1, visit);
  if (!newest)
    return fail(newest.error());
  const auto& scan = newest->scan;
  if (scan.only_begun()) {
    segment_ = chain.segment() + 1;
    begun_at_.reset();
    if (segment_ > 1)
      previous_segment_crc_ = chain.last_crc();
    found_.bytes_cut = file_.size();
    found_.segment = segment_;
    if (auto fit = approve(found, 0); !fit)
      return fit;
    if (file_.size() > 0)
      if (auto cut = file_.cut(0); !cut)
        return cut;
    return begin_segment();
  }
  const auto tail = options_.segment_bytes != 0 ? chain.finish(scan, true)
                                                : scan.finish();
  if (!tail)
    return fail(tail.error());
  if (newest->events == 0)
    begun_at_.reset();
  segment_ = scan.opened()->segment;
  previous_crc_ = scan.place().previous_crc;
  found_ = {.events = found_.events + newest->events,
            .bytes_cut = *tail,
            .segment = segment_};
  if (auto fit = approve(found, scan.place().offset); !fit)
    return fit;
  if (*tail > 0)
    if (auto cut = file_.cut(scan.place().offset); !cut)
      return cut;
  // The last group may be in memory only, and the system may think it is not:
  // after a sync that failed. Those before it were synced before it was
  // written.
  if (!off(log_mutant::last_group_again))
    if (auto again = file_.write_again(newest->last_group); !again)
      return again;
  if (!off(log_mutant::sync_after_cut))
    if (auto synced = sync(); !synced)
      return synced;
  return syncs() ? sync_names(*files_, file_.path()) : result<void>{};
}

result<void> segment_writer::begin_segment() {
  log_group first{to_line(opened_mark{segment_, previous_segment_crc_}) + '\n'};
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
    return fail(file_error(errc::limit_reached, file_.path(),
                           "the log has as many segments as it may have",
                           "log_segments"));
  closed_one(file_.size(), previous_crc_, time_now());
  if (auto closed = close(); !closed)
    return closed;
  auto file = log_file::open(*files_, file_.path().parent_path() / name);
  if (!file)
    return fail(std::move(file).error());
  file_ = *std::move(file);
  ++segment_;
  previous_segment_crc_ = previous_crc_;
  begun_at_.reset();
  if (auto begun = begin_segment(); !begun)
    return begun;
  return remove_unneeded();
}

result<void> segment_writer::trim() {
  if (!is_full())
    return remove_unneeded();
  // A disk that is full for a while must not end a log that writes nothing.
  constexpr std::uintmax_t least = std::uintmax_t{1} << 20;
  std::error_code unknown;
  const auto disk = fs::space(file_.path().parent_path(), unknown);
  return unknown || disk.available >= least ? next_segment() : result<void>{};
}

void segment_writer::closed_one(std::uint64_t bytes, std::uint32_t last_crc,
                                timestamp_ms written_at) {
  if (retention_)
    retention_->closed(bytes, last_crc, written_at);
}

bool segment_writer::is_old() const {
  constexpr int parts = 8;
  return begun_at_
         && time_now() - *begun_at_ >= options_.keep_time.count() / parts;
}

bool segment_writer::is_end(std::string_view line) const {
  return options_.is_end ? options_.is_end(line)
                         : is_of_type(line, "MAPSessionCompleted");
}

result<void> segment_writer::remove_unneeded() {
  if (!retention_)
    return {};
  kept_part what;
  if (options_.keep_bytes != 0)
    what.bytes = options_.keep_bytes;
  if (options_.keep_time.count() != 0)
    what.since = time_now() - options_.keep_time.count();
  for (const auto& companion : options_.companions) {
    what.from = std::min(what.from, companion->needed_from());
    companion->add_bytes(what.beside);
  }
  const auto now = retention_->removable(what);
  if (now == removal_.removed())
    return {};
  const auto left = retention_->removed(now);
  auto done = removal_.remove(now);
  if (done)
    for (const auto& companion : options_.companions) {
      companion->removed(now.through);
      companion->left(left);
    }
  return done;
}

void segment_writer::note(std::string_view lines) {
  while (ended_.is_kept() && !lines.empty()) {
    const auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(line.size() + 1);
    const bool ends = is_end(line);
    if (retention_) {
      retention_->saw(line, ends);
      for (const auto& companion : options_.companions)
        companion->saw(segment_, line);
    }
    if (ends || (options_.is_on_record && options_.is_on_record(line)))
      unrecorded_end_ = line;
  }
}

result<void> segment_writer::write(log_group& lines) {
  const auto put = [this](log_group& group) -> result<void> {
    if (is_full())
      if (auto next = next_segment(); !next)
        return next;
    note(group.lines());
    if (options_.keep_time.count() != 0 && !begun_at_)
      begun_at_ = time_now();
    return write_group(group);
  };
  auto* const shared = shared_of(options_.companions);
  if (shared == nullptr)
    return put(lines);
  const auto left = shared->pass(lines.lines());
  if (!left)
    return fail(left.error());
  if (!*left)
    return put(lines);
  log_group rest{**left};
  return (*left)->empty() ? result<void>{} : put(rest);
}

result<void> segment_writer::write_group(log_group& lines) {
  const auto crc = crc32c(lines.lines());
  const auto mark = to_line(group_mark{.bytes = lines.size(),
                                       .crc = crc,
                                       .previous = previous_crc_})
                    + '\n';
  lines.fill(lines.take(mark.size()), mark);
  previous_crc_ = crc;
  const auto all = lines.lines();
  reserve_for(all.size());
  return syncs() ? file_.write_to_sync(all) : file_.write(all);
}

void segment_writer::reserve_for(std::size_t bytes) {
  // Room that is there before a sync makes it cheaper. Of what is large the
  // file system makes better room while it is written to the disk.
  constexpr std::uint64_t to_sync = std::uint64_t{4} << 20;
  if (syncs() && bytes <= to_sync / 8)
    file_.reserve(bytes, to_sync);
  // Without syncs, pages are cheaper to get in a file that has room for them. A
  // log that is small takes none ahead: it may stay so.
  constexpr std::uint64_t least = std::uint64_t{1} << 20;
  constexpr std::uint64_t most = std::uint64_t{16} << 20;
  if (!syncs() && file_.size() >= least)
    file_.reserve(bytes, std::min(file_.size(), most));
}

result<void> segment_writer::sync() {
  if (syncs() && !off(log_mutant::sync))
    if (auto synced = file_.sync(); !synced)
      return synced;
  if (unrecorded_end_.empty())
    return {};
  // Behind the log, which must never reach less far than this says.
  const auto session = session_of(std::exchange(unrecorded_end_, {}));
  return ended_.write({.segment = segment_,
                       .bytes = file_.size(),
                       .crc = previous_crc_,
                       .session_id = session ? to_string(*session) : ""},
                      syncs());
}

result<void> segment_writer::close() {
  file_.release();
  return file_.close();
}

} // namespace convene::host
