#include <convene/runtime/event_log/crc32c.hpp>
#include <convene/runtime/event_log/group_scanner.hpp>
#include <convene/runtime/event_log/torn.hpp>

#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;

group_scanner::group_scanner(std::size_t file_index, const std::string& file,
                             const log_visitor& visit,
                             const read_limits& limits)
  : file_index_{file_index}, file_{file}, visit_{visit}, limits_{limits} {
  // nop
}

tl::unexpected<protocol::error>
group_scanner::fault(std::size_t line, std::string rule,
                     std::string message) const {
  const bool bound = rule.ends_with("_bytes");
  return fail({.code = bound ? errc::limit_reached : errc::invalid_document,
               .message = std::move(message),
               .file = file_,
               .rule = std::move(rule),
               .line = line,
               .column = 1});
}

result<void> group_scanner::feed(std::string_view piece) {
  if (torn_ && !piece.empty())
    return fail(*torn_);
  auto from = held_.size();
  held_ += piece;
  while (true) {
    const auto end = held_.find('\n', from);
    const bool whole = end != std::string::npos;
    if ((whole ? end : held_.size()) - line_start_ > limits_.line_bytes)
      return fault(line_, "log_line_bytes",
                   "the line is longer than "
                     + std::to_string(limits_.line_bytes) + " bytes");
    if (!whole)
      break;
    if (auto ok = take_line({held_.data() + line_start_, end - line_start_});
        !ok)
      return ok;
    line_start_ = from = end + 1;
    if (torn_ && from < held_.size())
      return fail(*torn_);
  }
  // Once a piece, not once a group: groups may be tiny.
  held_.erase(0, group_start_);
  line_start_ -= std::exchange(group_start_, 0);
  if (held_.size() > limits_.group_bytes)
    return fault(group_line_, "log_group_bytes",
                 "no group ends within " + std::to_string(limits_.group_bytes)
                   + " bytes");
  return {};
}

result<std::uint64_t> group_scanner::finish() const {
  if (line_ == 1 && held_.empty())
    return fault(1, "not_a_log", "the file is empty, it is no event log");
  if (line_ == 1)
    return fault(1, "not_a_log",
                 "the file has no whole line, it is no event log");
  if (!torn_ && ends_in_damaged_group(held_, previous_crc_))
    return damaged(line_ - 1, held_.size() - 1,
                   "the log_group line at the end is malformed");
  return held_.size();
}

std::optional<std::uint64_t> group_scanner::only_begun() const {
  if (groups_ == 0 && is_torn_start(held_))
    return held_.size();
  return std::nullopt;
}

result<void> group_scanner::take_line(std::string_view line) {
  result<void> ok;
  if (line_ == 1) {
    ok = check_opened(line);
  } else if (is_group(line)) {
    ok = close_group(line);
  }
  ++line_;
  return ok;
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
  return fault(1, "not_a_log",
               "the first line is not log_opened: the file is no event log");
}

result<void> group_scanner::close_group(std::string_view line) {
  const std::string_view group{held_.data() + group_start_,
                               line_start_ - group_start_};
  const auto crc = crc32c(group);
  if (auto why = difference(group, crc, parse_group(line)); !why.empty()) {
    auto what = damaged(line_, group.size() + line.size(), why);
    if (!has_lost_sector(group, offset_))
      return what;
    torn_ = std::move(what).value();
    return {};
  }
  previous_crc_ = crc;
  show(group);
  ++groups_;
  last_offset_ = offset_;
  offset_ += group.size() + line.size() + 1;
  group_start_ = line_start_ + line.size() + 1;
  group_line_ = line_ + 1;
  return {};
}

std::string
group_scanner::difference(std::string_view group, std::uint32_t crc,
                          const std::optional<group_mark>& mark) const {
  if (!mark)
    return "the log_group line is malformed";
  if (mark->bytes != group.size())
    return "log_group says " + std::to_string(mark->bytes) + " bytes, found "
           + std::to_string(group.size());
  if (mark->crc != crc)
    return "log_group says crc32c " + to_hex(mark->crc) + ", found "
           + to_hex(crc);
  if (mark->previous != previous_crc_)
    return "log_group says crc32c " + to_hex(mark->previous)
           + " of the group before, which has " + to_hex(previous_crc_);
  return {};
}

tl::unexpected<protocol::error>
group_scanner::damaged(std::size_t last_line, std::size_t length,
                       const std::string& why) const {
  return fault(group_line_, "log_damaged",
               "the log is damaged in lines " + std::to_string(group_line_)
                 + " to " + std::to_string(last_line) + ", bytes "
                 + std::to_string(offset_) + " to "
                 + std::to_string(offset_ + length) + ": " + why);
}

void group_scanner::show(std::string_view group) {
  for (auto number = group_line_; !group.empty(); ++number) {
    const auto line = group.substr(0, group.find('\n'));
    group.remove_prefix(line.size() + 1);
    if (number == 1)
      continue;
    if (visit_)
      visit_({file_, file_index_, number}, line);
    ++lines_;
  }
}

} // namespace convene::host
