#include <convene/runtime/log/event_log/segments.hpp>
#include <convene/runtime/log/recovery/session_lines.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace convene::host {
namespace {

using protocol::result;
using range = session_lines::range;

/// So much is read at once, or a line that is longer.
constexpr std::uint64_t window_bytes = std::uint64_t{256} << 10;

/// Reading so much in vain costs less than reading twice.
constexpr std::uint64_t gap_bytes_max = std::uint64_t{8} << 10;

std::uint64_t end_of(const range& of) {
  return of.offset + of.bytes;
}

/// How many of the ranges, from the first on, are read together.
std::size_t window_of(std::span<const range> ranges) {
  const auto& first = ranges.front();
  std::size_t count = 1;
  for (; count < ranges.size(); ++count) {
    const auto& next = ranges[count];
    if (next.file != first.file
        || next.offset - end_of(ranges[count - 1]) > gap_bytes_max
        || end_of(next) - first.offset > window_bytes)
      break;
  }
  return count;
}

/// Reads ranges of a log's files.
class range_reader {
public:
  explicit range_reader(const std::vector<std::string>& files)
    : files_(files) {}

  /// The bytes from the first of these ranges, of one file, to the last.
  result<std::string_view> read(std::span<const range> ranges) {
    const auto& first = ranges.front();
    const auto& name = files_[first.file];
    if (!file_ || file_index_ != first.file) {
      auto opened = input_file::open(name);
      if (!opened)
        return tl::unexpected(std::move(opened).error());
      file_.emplace(*std::move(opened));
      file_index_ = first.file;
    }
    const auto end = end_of(ranges.back());
    auto bytes = file_->read(first.offset, end - first.offset, buffer_);
    if (bytes && first.offset + bytes->size() != end)
      return protocol::fail(
        {.code = protocol::errc::invalid_document,
         .message = "bytes " + std::to_string(first.offset) + " to "
                    + std::to_string(end)
                    + " are no longer there: nothing else may change a log "
                      "that is in use",
         .file = name,
         .rule = "log_damaged",
         .line = first.line,
         .column = 1});
    return bytes;
  }

private:
  const std::vector<std::string>& files_;
  std::optional<input_file> file_;
  std::size_t file_index_ = 0;
  std::string buffer_;
};

} // namespace

void session_lines::add(const log_place& place, std::size_t bytes) {
  ++count_;
  if (!ranges_.empty()) {
    auto& last = ranges_.back();
    if (last.file == place.file_index && end_of(last) == place.offset
        && last.bytes + bytes < window_bytes) {
      ++last.lines;
      last.bytes += bytes + 1;
      return;
    }
  }
  ranges_.push_back({.offset = place.offset,
                     .bytes = bytes + 1,
                     .line = place.number,
                     .lines = 1,
                     .file = static_cast<std::uint32_t>(place.file_index),
                     .segment = place.segment});
}

session_lines::excerpt session_lines::excerpt_of(const part& which) const {
  excerpt made{.which = which};
  std::uint64_t number = 0; // of the session's lines
  std::uint64_t bytes = 0;
  for (const auto& each : ranges_) {
    const auto first = number;
    number += each.lines;
    if (number <= which.first)
      continue;
    if (bytes >= which.bytes
        || (first >= which.first && first - which.first >= which.count))
      break;
    bytes += each.bytes;
    if (made.lines.ranges_.empty())
      made.which.first = which.first - first;
    made.lines.ranges_.push_back(each);
    made.lines.count_ += each.lines;
  }
  return made;
}

result<void> session_lines::visit(const std::vector<std::string>& files,
                                  const part& which,
                                  const log_visitor& to) const {
  range_reader reader{files};
  std::span left{ranges_};
  std::uint64_t number = 0; // of the session's lines
  for (; !left.empty() && number + left.front().lines <= which.first;
       left = left.subspan(1))
    number += left.front().lines;
  std::uint64_t shown = 0;
  while (!left.empty() && shown < which.count) {
    const auto window = left.first(window_of(left));
    left = left.subspan(window.size());
    const auto bytes = reader.read(window);
    if (!bytes)
      return tl::unexpected(bytes.error());
    for (const auto& each : window) {
      auto text = bytes->substr(each.offset - window.front().offset,
                                each.bytes);
      log_place place{files[each.file], each.file, each.segment, each.line,
                      each.offset};
      for (; !text.empty(); ++place.number, ++number) {
        const auto line = text.substr(0, text.find('\n'));
        if (number >= which.first && shown < which.count) {
          ++shown;
          to(place, line);
        }
        place.offset += line.size() + 1;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
      }
    }
  }
  return {};
}

} // namespace convene::host
