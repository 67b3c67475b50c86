#include <convene/protocol/base/lines.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/segment_chain.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t bytes_at_once = std::size_t{512} << 10;

auto no_such_place(const log_segment& segment, const std::string& why) {
  return fail(file_error(errc::usage, segment.path,
                         "the log has no such place as the cursor says: " + why
                           + "; read it from its beginning",
                         "log_cursor"));
}

/// What the folder of segments at `path`, if it is one, says of its end.
result<std::optional<ended_mark>> told_end(const fs::path& path,
                                           const log_segment& first) {
  std::error_code code;
  if (!fs::is_directory(path, code) || first.path.filename() == "events.jsonl")
    return std::nullopt;
  return read_ended(first.path.parent_path())
    .map([](const ended_records& records) { return records.last; });
}

} // namespace

result<bool> follows_a_group(const input_file& file, const group_place& at) {
  const auto size = file.size();
  if (!size)
    return fail(size.error());
  if (at.offset > *size)
    return false;
  std::string buffer;
  const auto from = at.offset - std::min(at.offset, group_line_bytes_max);
  const auto before = file.read(from, at.offset - from, buffer);
  if (!before)
    return fail(before.error());
  return before->size() == at.offset - from
         && ends_with_group(*before, at.previous_crc);
}

log_reader::log_reader(fs::path path, std::vector<log_segment> segments,
                       std::size_t current, input_file file, group_scanner scan,
                       const read_limits& limits)
  : path_{std::move(path)}, segments_{std::move(segments)}, current_{current},
    file_{std::move(file)}, scan_{std::move(scan)}, limits_{limits},
    read_to_{scan_.place().offset} {
  group_.at = scan_.place();
}

result<log_reader> log_reader::open(const fs::path& path,
                                    const log_cursor& from,
                                    const read_limits& limits) {
  constexpr int looks = 3;
  return open_at(path, from, limits, looks);
}

result<log_reader> log_reader::open_at(const fs::path& path,
                                       const log_cursor& from,
                                       const read_limits& limits, int looks) {
  auto segments = log_segments(path);
  if (!segments)
    return fail(std::move(segments).error());
  // Read before the log, which may grow.
  const auto told = told_end(path, segments->front());
  if (!told)
    return fail(told.error());
  const auto found = from.segment == 0
                       ? segments->begin()
                       : std::ranges::find(*segments, from.segment,
                                           &log_segment::number);
  if (found == segments->end())
    return no_such_place(segments->front(), "segment "
                                              + std::to_string(from.segment)
                                              + " is not there (any more)");
  auto file = input_file::open(found->path);
  // It may have been removed since the segments were listed.
  if (!file && from.segment == 0 && looks > 0
      && was_removed(path, found->number))
    return open_at(path, from, limits, looks - 1);
  if (!file)
    return fail(std::move(file).error());
  if (from.group.offset != 0) {
    const auto follows = follows_a_group(*file, from.group);
    if (!follows)
      return fail(follows.error());
    if (!*follows)
      return no_such_place(*found, "no such group ends before byte "
                                     + std::to_string(from.group.offset));
  }
  const auto current = static_cast<std::size_t>(found - segments->begin());
  group_scanner scan{found->path.string(), limits, from.group};
  log_reader reader{
    path,  *std::move(segments), current, *std::move(file), std::move(scan),
    limits};
  reader.skip_ = from.behind;
  reader.told_ = *told;
  reader.chain_ = reader.segments_[current].after_removed;
  return reader;
}

result<bool> log_reader::next_group() {
  while (true) {
    auto group = scan_.next();
    if (!group)
      return fail(std::move(group).error());
    if (*group) {
      group_ = **group;
      left_ = group_.text;
      behind_ = 0;
      ++groups_;
      if (auto ok = check_opened(); !ok)
        return fail(std::move(ok).error());
      return true;
    }
    const auto bytes = file_.read(read_to_, scan_.room(bytes_at_once));
    if (!bytes)
      return fail(bytes.error());
    scan_.fed(*bytes);
    read_to_ += *bytes;
    if (*bytes != 0)
      continue;
    // What is not whole may yet be cut and written anew: it is not kept.
    const bool begun = scan_.only_begun() && in_a_chain();
    tail_ = begun ? scan_.tail_bytes() : scan_.finish();
    const bool at_border = scan_.tail_bytes() == 0 && scan_.place().line != 1;
    scan_.forget_tail();
    read_to_ = scan_.place().offset;
    group_ = {scan_.place(), {}};
    behind_ = 0;
    const auto more = has_successor();
    if (more && !*more && told_) {
      const auto is_there = has_told_end();
      if (!is_there)
        return fail(is_there.error());
      if (!*is_there && tail_)
        tail_ = lost_end(*told_, segments_[current_].path.parent_path());
      else
        told_.reset();
    }
    if (!more || !*more)
      return more;
    // A segment that has a successor grows no more: its end is read again,
    // unless that was known before.
    if (!std::exchange(saw_successor_, true))
      continue;
    if (!at_border)
      return ends_inside_group(scan_);
    if (auto ok = cross(); !ok)
      return fail(std::move(ok).error());
  }
}

result<bool> log_reader::has_told_end() const {
  const auto first = segments_.front().number;
  if (told_->segment < first)
    return true; // removed
  const auto end = scan_.place().offset;
  const auto index = told_->segment - first;
  if (index > current_ || (index == current_ && told_->bytes > end))
    return false;
  const auto file = input_file::open(segments_[index].path);
  if (!file && was_removed(path_, told_->segment))
    return true;
  if (!file)
    return fail(file.error());
  return follows_a_group(*file,
                         {.offset = told_->bytes, .previous_crc = told_->crc});
}

result<bool> log_reader::has_successor() {
  if (current_ + 1 < segments_.size())
    return true;
  std::error_code code;
  if (!fs::is_directory(path_, code))
    return false;
  auto segments = log_segments(path_);
  if (!segments)
    return fail(std::move(segments).error());
  const auto number = segments_[current_].number;
  const auto next = std::ranges::find(*segments, number + 1,
                                      &log_segment::number);
  if (segments->front().number > number + 1)
    return removed_meanwhile(segments->front());
  if (next == segments->end())
    return false;
  segments_.push_back(*next);
  return true;
}

tl::unexpected<protocol::error>
log_reader::removed_meanwhile(const log_segment& which) const {
  return fail(file_error(
    errc::unreadable, which.path,
    "segments behind segment " + std::to_string(segments_[current_].number)
      + " were removed before they were read; read the log "
        "from its beginning",
    "log_cursor"));
}

result<void> log_reader::cross() {
  const auto& next = segments_[current_ + 1];
  auto file = input_file::open(next.path);
  if (!file && was_removed(path_, next.number))
    return removed_meanwhile(next);
  if (!file)
    return fail(std::move(file).error());
  chain_ = scan_.place().previous_crc;
  ++current_;
  file_ = *std::move(file);
  scan_ = group_scanner{next.path.string(), limits_};
  read_to_ = 0;
  saw_successor_ = false;
  group_ = {};
  return {};
}

result<void> log_reader::check_opened() const {
  if (group_.at.line != 1 || !scan_.opened() || !in_a_chain())
    return {};
  return check_opened_as(scan_, segments_[current_].number, chain_);
}

std::string_view log_reader::take_line() {
  ++behind_;
  return cut_line(left_);
}

result<void> log_reader::skip_behind() {
  for (; skip_ != 0 && !left_.empty(); --skip_)
    take_line();
  if (skip_ != 0)
    return no_such_place(segments_[current_],
                         "its group has fewer lines than it says");
  return {};
}

result<std::optional<event_line>> log_reader::next() {
  while (true) {
    if (left_.empty()) {
      if (const auto more = next_group(); !more)
        return fail(more.error());
      else if (!*more)
        return std::nullopt;
      if (auto ok = skip_behind(); !ok)
        return fail(std::move(ok).error());
      if (left_.empty())
        continue;
    }
    const auto line = take_line();
    const auto number = group_.at.line + behind_ - 1;
    if (number != 1) // log_opened
      return event_line{current_, number,
                        group_.at.offset
                          + static_cast<std::uint64_t>(line.data()
                                                       - group_.text.data()),
                        line};
  }
}

log_cursor log_reader::cursor() const {
  const auto number = segments_[current_].number;
  if (left_.empty())
    return {number, scan_.place(), skip_};
  return {number, group_.at, behind_};
}

} // namespace convene::host
