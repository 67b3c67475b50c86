#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>
#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/event_log/torn.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace convene::host {

using namespace protocol;

group_scanner::group_scanner(std::string file, const read_limits& limits,
                             const group_place& start)
  : file_{std::move(file)}, limits_{limits}, line_{start.line}, place_{start} {
  // nop
}

tl::unexpected<protocol::error>
group_scanner::fault(std::uint64_t line, std::string rule,
                     std::string message) const {
  const bool bound = rule.ends_with("_bytes");
  return fail({.code = bound ? errc::limit_reached : errc::invalid_document,
               .message = std::move(message),
               .file = file_,
               .rule = std::move(rule),
               .line = line,
               .column = 1});
}

std::span<char> group_scanner::room(std::size_t bytes) {
  // Once a piece, not once a group: groups may be tiny.
  if (group_start_ != 0)
    std::memmove(buffer_.data(), buffer_.data() + group_start_,
                 used_ - group_start_);
  used_ -= group_start_;
  line_start_ -= group_start_;
  searched_ -= group_start_;
  group_start_ = 0;
  if (buffer_.size() < used_ + bytes)
    buffer_.resize(used_ + bytes);
  return {buffer_.data() + used_, bytes};
}

void group_scanner::fed(std::size_t bytes) {
  used_ += bytes;
}

void group_scanner::feed(std::string_view piece) {
  std::copy_n(piece.data(), piece.size(), room(piece.size()).data());
  fed(piece.size());
}

void group_scanner::forget_tail() {
  used_ = group_start_ = line_start_ = searched_ = 0;
  line_ = place_.line;
  torn_.reset();
}

result<std::optional<scanned_group>> group_scanner::next() {
  if (torn_ && searched_ < used_)
    return fail(*torn_);
  while (!torn_) {
    const auto end = held().find('\n', searched_);
    const bool whole = end != std::string::npos;
    searched_ = whole ? end + 1 : used_;
    const auto length = (whole ? end : used_) - line_start_;
    if (length > limits_.line_bytes)
      return fault(line_, "log_line_bytes",
                   "the line is longer than "
                     + std::to_string(limits_.line_bytes) + " bytes");
    if (!whole)
      break;
    const std::string_view line{buffer_.data() + line_start_, length};
    if (line_ == 1) {
      if (auto ok = check_opened(line); !ok)
        return fail(std::move(ok).error());
    } else if (is_group(line)) {
      return close_group(line);
    }
    ++line_;
    line_start_ = searched_;
  }
  if (tail().size() > limits_.group_bytes)
    return fault(place_.line, "log_group_bytes",
                 "no group ends within " + std::to_string(limits_.group_bytes)
                   + " bytes");
  return std::nullopt;
}

result<void> group_scanner::check_opened(std::string_view line) {
  if (const auto format = opened_format(line); format && *format != 1) {
    auto what = fault(1, "log_format",
                      "the log has format " + std::to_string(*format)
                        + ", this version reads format 1");
    what.value().code = errc::unsupported;
    return what;
  }
  opened_ = parse_opened(line);
  if (opened_)
    return {};
  if (is_opened(line))
    return fault(1, "log_damaged", "the log_opened line is malformed");
  if (is_group(line) || line.starts_with(R"({"event_id")"))
    return fault(1, "log_opened_missing",
                 "the first line is not log_opened: the log's beginning is "
                 "missing");
  return fault(
    1, "not_a_log",
    "the first line is not log_opened: the file is not an event log");
}

result<std::optional<scanned_group>>
group_scanner::close_group(std::string_view line) {
  const std::string_view group{buffer_.data() + group_start_,
                               line_start_ - group_start_};
  const auto crc = crc32c(group);
  if (const auto why = difference(group, crc, parse_group(line));
      !why.empty()) {
    auto what = damaged(line_, group.size() + line.size(), why);
    if (!has_lost_sector(group, place_.offset) || searched_ < used_)
      return what;
    torn_ = std::move(what).value();
    return std::nullopt;
  }
  const scanned_group whole{place_, group};
  place_.offset += group.size() + line.size() + 1;
  place_.line = ++line_;
  place_.previous_crc = crc;
  group_start_ = line_start_ = searched_;
  return whole;
}

std::string
group_scanner::difference(std::string_view group, std::uint32_t crc,
                          const std::optional<group_mark>& mark) const {
  if (!mark)
    return "the log_group line is malformed";
  if (mark->bytes != group.size())
    return "log_group says " + std::to_string(mark->bytes) + " bytes, found "
           + std::to_string(group.size());
  if (mark->crc != crc && !off(log_mutant::checksum_check))
    return "log_group says crc32c " + to_hex(mark->crc) + ", found "
           + to_hex(crc);
  if (mark->previous != place_.previous_crc)
    return "log_group says crc32c " + to_hex(mark->previous)
           + " of the group before, which has " + to_hex(place_.previous_crc);
  return {};
}

tl::unexpected<protocol::error>
group_scanner::damaged(std::uint64_t last_line, std::size_t length,
                       const std::string& why) const {
  return fault(place_.line, "log_damaged",
               "the log is damaged in lines " + std::to_string(place_.line)
                 + " to " + std::to_string(last_line) + ", bytes "
                 + std::to_string(place_.offset) + " to "
                 + std::to_string(place_.offset + length) + ": " + why);
}

result<std::uint64_t> group_scanner::finish() const {
  if (line_ == 1)
    return fault(1, "not_a_log",
                 tail().empty()
                   ? "the file is empty: it is not an event log"
                   : "the file has no complete line: it is not an event log");
  if (!torn_
      && ends_in_damaged_group(tail(), place_.offset, place_.previous_crc))
    return damaged(line_ - 1, tail().size() - 1,
                   "the log_group line at the end is malformed");
  return tail().size();
}

bool group_scanner::only_begun() const {
  return place_.line == 1 && is_torn_start(tail());
}

} // namespace convene::host
