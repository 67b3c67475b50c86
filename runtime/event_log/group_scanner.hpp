#pragma once

#include <convene/protocol/error.hpp>
#include <convene/runtime/event_log/marks.hpp>
#include <convene/runtime/event_log/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// Checks one log file that comes in pieces of any size, line by line, group
/// by group. Pure: the reader owns the file.
class group_scanner {
public:
  group_scanner(std::size_t file_index, const std::string& file,
                const log_visitor& visit, const read_limits& limits);

  /// Takes the next piece. After an error nothing more may be fed.
  [[nodiscard]] protocol::result<void> feed(std::string_view piece);

  /// To be called at the end of the file. Returns the number of bytes that
  /// follow the last whole group: what a torn write left, which was never
  /// acknowledged. That is an unfinished group, or one of which whole sectors
  /// are missing; any other difference is damage.
  [[nodiscard]] protocol::result<std::uint64_t> finish() const;

  /// The length of a file that has no whole group and can be a log that was
  /// just begun.
  [[nodiscard]] std::optional<std::uint64_t> only_begun() const;

  [[nodiscard]] const std::string& file() const noexcept {
    return file_;
  }

  [[nodiscard]] std::uint64_t lines() const noexcept {
    return lines_;
  }
  [[nodiscard]] std::uint64_t groups() const noexcept {
    return groups_;
  }

  /// What the first line says, once there is one.
  [[nodiscard]] const std::optional<opened_mark>& opened() const noexcept {
    return opened_;
  }

  /// Of the last whole group; 0 if there is none.
  [[nodiscard]] std::uint32_t last_crc() const noexcept {
    return previous_crc_;
  }

  /// Where in the file the last whole group starts, and where it ends, its
  /// `log_group` line included.
  [[nodiscard]] std::uint64_t last_group() const noexcept {
    return last_offset_;
  }
  [[nodiscard]] std::uint64_t end() const noexcept {
    return offset_;
  }

private:
  [[nodiscard]] protocol::result<void> take_line(std::string_view line);
  [[nodiscard]] protocol::result<void> check_opened(std::string_view line);
  [[nodiscard]] protocol::result<void> close_group(std::string_view line);
  void show(std::string_view group);
  [[nodiscard]] std::string
  difference(std::string_view group, std::uint32_t crc,
             const std::optional<group_mark>& mark) const;
  [[nodiscard]] tl::unexpected<protocol::error>
  damaged(std::size_t last_line, std::size_t length,
          const std::string& why) const;
  [[nodiscard]] tl::unexpected<protocol::error>
  fault(std::size_t line, std::string rule, std::string message) const;

  const std::size_t file_index_;
  const std::string& file_;
  const log_visitor& visit_;
  const read_limits limits_;

  std::string held_;            // the bytes from the open group on
  std::size_t group_start_ = 0; // in held_, of the open group
  std::size_t line_start_ = 0;  // in held_, of the line to be completed
  std::uint64_t offset_ = 0;    // in the file, of the open group
  std::size_t group_line_ = 1;  // number of the open group's first line
  std::size_t line_ = 1;        // number of the line to be completed
  std::uint32_t previous_crc_ = 0;
  std::uint64_t last_offset_ = 0;
  std::optional<opened_mark> opened_;
  /// What is wrong with a group that may be torn; it is if nothing follows.
  std::optional<protocol::error> torn_;
  std::uint64_t lines_ = 0;
  std::uint64_t groups_ = 0;
};

} // namespace convene::host
