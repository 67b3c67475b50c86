#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace convene::host {

/// Where the lines of one session are on a log: 40 bytes for each contiguous
/// range of them.
class session_lines {
public:
  /// Adds the session's next line, of this many bytes without its end.
  void add(const log_place& place, std::size_t bytes);

  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_;
  }

  /// Which of the session's lines, counted from 0.
  struct part {
    std::uint64_t first = 0;
    std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
    /// Of an excerpt: it ends with the range in which so many are reached.
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  };

  struct excerpt;

  /// The places of these lines alone, to be read while more are added here.
  [[nodiscard]] excerpt excerpt_of(const part& which) const;

  /// Visits these lines, reading little else of the log's `files`. Their groups
  /// have been checked before: `log_damaged` if something has been lost since.
  [[nodiscard]] protocol::result<void>
  visit(const std::vector<std::string>& files, const part& which,
        const log_visitor& to) const;

  /// Adjacent lines.
  struct range {
    std::uint64_t offset = 0; ///< in the file
    std::uint64_t bytes = 0;  ///< with the line ends
    std::uint64_t line = 0;   ///< number of the first one
    std::uint64_t lines = 0;
    std::uint32_t file = 0; ///< index
    std::uint32_t segment = 1;
  };

private:
  std::vector<range> ranges_;
  std::uint64_t count_ = 0;
};

/// Where some lines of a session are: `which` of `lines` they are.
struct session_lines::excerpt {
  session_lines lines;
  part which;
};

} // namespace convene::host
