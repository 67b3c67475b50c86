#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/read_limits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convene::host {

/// Where a group starts in its file.
struct group_place {
  std::uint64_t offset = 0;       ///< of its first byte
  std::uint64_t line = 1;         ///< number of its first line
  std::uint32_t previous_crc = 0; ///< of the group before; 0 in the first

  bool operator==(const group_place&) const = default;
};

/// A complete group whose checksum and chain are valid. `text` has its lines,
/// each with its line end, without the `log_group` line; in the first group of
/// a file, `log_opened` comes first.
struct scanned_group {
  group_place at;
  std::string_view text;
};

/// Splits one log file, fed in pieces of any size, into groups and checks each.
/// Pure: the caller owns the file.
class group_scanner {
public:
  explicit group_scanner(std::string file, const read_limits& limits = {},
                         const group_place& start = {});

  /// Takes the next piece. Invalidates groups returned before.
  void feed(std::string_view piece);

  /// The same without a copy: get room for this many bytes, fill it from its
  /// beginning, then report how many were filled.
  [[nodiscard]] std::span<char> room(std::size_t bytes);
  void fed(std::size_t bytes);

  /// The next group, valid until more is fed; nothing: more must be fed first.
  /// After an error, no more groups follow. Errors are those of reader.hpp.
  [[nodiscard]] protocol::result<std::optional<scanned_group>> next();

  /// To be called at the end of the file. Returns the number of bytes that
  /// follow the last complete group: the remains of a torn write, never
  /// acknowledged. That is an unfinished group, or one with whole sectors
  /// missing; any other difference is damage.
  [[nodiscard]] protocol::result<std::uint64_t> finish() const;

  /// Whether a file without any complete group is a log that was just begun.
  [[nodiscard]] bool only_begun() const;

  /// Drops the incomplete group, which must be fed again from `place().offset`
  /// on.
  void forget_tail();

  /// Where the incomplete group starts.
  [[nodiscard]] const group_place& place() const noexcept {
    return place_;
  }

  /// Its size so far.
  [[nodiscard]] std::size_t tail_bytes() const noexcept {
    return tail().size();
  }

  /// The content of the first line, once seen.
  [[nodiscard]] const std::optional<opened_mark>& opened() const noexcept {
    return opened_;
  }

  [[nodiscard]] const std::string& file() const noexcept {
    return file_;
  }

  /// An error of this file: `rule` as in reader.hpp.
  [[nodiscard]] tl::unexpected<protocol::error>
  fault(std::uint64_t line, std::string rule, std::string message) const;

private:
  [[nodiscard]] protocol::result<void> check_opened(std::string_view line);
  [[nodiscard]] protocol::result<std::optional<scanned_group>>
  close_group(std::string_view line);
  [[nodiscard]] std::string
  difference(std::string_view group, std::uint32_t crc,
             const std::optional<group_mark>& mark) const;
  [[nodiscard]] tl::unexpected<protocol::error>
  damaged(std::uint64_t last_line, std::size_t length,
          const std::string& why) const;
  [[nodiscard]] std::string_view held() const noexcept {
    return {buffer_.data(), used_};
  }
  [[nodiscard]] std::string_view tail() const noexcept {
    return held().substr(group_start_);
  }

  std::string file_;
  read_limits limits_;
  std::optional<opened_mark> opened_;
  /// The fault of a group that may be torn; it is torn if nothing follows.
  std::optional<protocol::error> torn_;

  std::string buffer_;          // never shrinks
  std::size_t used_ = 0;        // of it: the bytes from the open group on
  std::size_t group_start_ = 0; // there, of the open group
  std::size_t line_start_ = 0;  // there, of the line to be completed
  std::size_t searched_ = 0;    // there: no line end from there to here
  std::uint64_t line_ = 1;      // number of the line to be completed
  group_place place_;           // of the open group
};

} // namespace convene::host
