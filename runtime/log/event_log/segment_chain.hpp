#pragma once

#include <convene/runtime/log/event_log/group_scanner.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>

#include <cstdint>
#include <optional>

namespace convene::host {

/// An error unless `log_opened`, which `scan` has seen, has this number and, if
/// `chain` is given, this crc of the previous segment's last group.
[[nodiscard]] protocol::result<void>
check_opened_as(const group_scanner& scan, std::uint32_t number,
                const std::optional<std::uint32_t>& chain);

/// The error of a segment whose last group, at `scan.place()`, is incomplete
/// although it is not the log's last segment.
[[nodiscard]] tl::unexpected<protocol::error>
ends_inside_group(const group_scanner& scan);

/// Checks that the files of a log are its segments, each once and in order, and
/// that each but the last is complete. Cannot detect that the newest segment is
/// missing as a whole.
class segment_chain {
public:
  /// Starts after the segments removed on purpose.
  explicit segment_chain(const removed_segments& removed = {}) noexcept
    : segment_{removed.through}, last_crc_{removed.last_crc} {
    // nop
  }

  /// In place of `scan.finish()`, at the end of each file; `last` is the log's
  /// last one, which a crash may have left without a complete group.
  [[nodiscard]] protocol::result<std::uint64_t>
  finish(const group_scanner& scan, bool last);

  /// The number of the last segment so far, and the crc of its last group.
  [[nodiscard]] std::uint32_t segment() const noexcept {
    return segment_;
  }
  [[nodiscard]] std::uint32_t last_crc() const noexcept {
    return last_crc_;
  }

private:
  [[nodiscard]] protocol::result<void> follow(const group_scanner& scan);

  std::uint32_t segment_ = 0;
  std::uint32_t last_crc_ = 0;
};

} // namespace convene::host
